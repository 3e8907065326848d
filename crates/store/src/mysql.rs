//! The `mysql` profile: snapshots and locks as MySQL's InnoDB takes them.
//!
//! | level | plain reads see | and lock | locking scans lock |
//! | --- | --- | --- | --- |
//! | RU | the newest, also uncommitted | | keys |
//! | RC | a snapshot of each statement | | keys |
//! | SI, its REPEATABLE READ | a snapshot that the first of them takes | | keys and the gaps before them |
//! | SER | the newest | share, as locking scans | the same |
//!
//! Whatever locks or writes sees the newest version whatever the snapshot says, and takes none, so that REPEATABLE READ
//! is PC and no more. Under `snapshot_isolation` REPEATABLE READ and SERIALIZABLE refuse to lock or write what
//! changed since the snapshot, and then REPEATABLE READ is SI.
//!
//! A *record* is a key that holds something, or that an open transaction inserts, deletes or reserves, or whose deletion an open
//! snapshot has not: InnoDB marks a deleted row, and takes it away once nobody can see it. Who locks one key asks for
//! the record, and at REPEATABLE READ and above, if there is none, for the gap where it would be. A scan comes to one
//! record after the other ([`Truth::come_to`]) and locks each with the gap before it, and at its end the gap there:
//!
//! ```text
//!     t[10]  t[20]  t[30]      scan of t[15] to t[25]:   x, x     t[20] and the gap before it
//!        --x---                                          -        the gap after it, up to t[30]
//! ```
//!
//! An insert that finds a record locks it, shared or not as the statement goes on, and waits for who has it. If the
//! record vanishes meanwhile, the lock goes on as one on its gap: of two who waited to insert a key that was rolled back,
//! neither can. An insert that finds none wants room in the gap, for which all others must have let the gap go.
//!
//! Rolling back to a savepoint releases nothing but what was inserted since, which is no record any more. No lock is
//! given past one who waits for more. The lightest transaction of a circle is undone ([`Locks::victim`]).

mod records;
mod view;

use std::ops::Bound;

use hobgoblin_core::{Level, SessionId, Value};

use crate::choose::Chooser;
use crate::engine::{Engine, Snapshots, read_of};
use crate::error::AbortReason;
use crate::ids::{KeyNo, Pos};
use crate::keys::Keys;
use crate::lock::{Lock, Wait};
use crate::locks::{Locks, Wanted};
use crate::open::{Left, Open, names_a_row};
use crate::range::KeyRange;
use crate::stop::Stop;
use crate::truth::{Facts, Manner, Read, Scan, Scanning, Seeing, Truth};
use crate::views::Views;
use records::index_around;
use view::{Isolation, Mysql, View};

/// What is the same for all stores of this profile.
pub(crate) const FACTS: Facts = Facts {
    served: "RU, RC, SI (REPEATABLE READ), SER",
    default_level: Level::SI,
    satisfies: |level| match level {
        // REPEATABLE READ: updates touch the latest version whatever the snapshot says.
        Level::SI => Some(Level::PC),
        _ => Isolation::of(level).map(|_| level),
    },
    chooses: false,
    locks_keys: true,
    locks_ranges: |_| true,
    scanning: |level| match Isolation::of(level) {
        Some(isolation) if isolation.locks_gaps() => {
            let reads = isolation == Isolation::Serializable;
            let sources = Some(Lock::Share);
            Scanning::Locks { skims: false, releases: false, sources, reads }
        }
        _ => Scanning::Locks { skims: true, releases: true, sources: None, reads: false },
    },
    // Autocommit: a single read at SERIALIZABLE locks nothing, and sees a snapshot.
    lone_read: |level| match Isolation::of(level) {
        Some(Isolation::Serializable) => Level::SI,
        _ => level,
    },
    patient: false,
    prepares: true,
    spares_rewrites: true,
    // A deadlock ends the transaction, and so does a refusal.
    survives: |reason| matches!(reason, None | Some(AbortReason::LockTimeout)),
    truth: |config| {
        let engine = Engine::new(Locks::fair(config.patient, config.upgrades_first));
        Box::new(Mysql {
            engine,
            views: Views::default(),
            refuses_changed: config.snapshot_isolation,
        })
    },
};

/// The strength of a lock in InnoDB, which has only two: share and update.
fn strength(lock: Lock) -> Lock {
    match lock {
        Lock::KeyShare | Lock::Share => Lock::Share,
        Lock::NoKeyUpdate | Lock::Update => Lock::Update,
    }
}

impl Mysql {
    /// How many commits a plain read sees.
    fn snapshot(&mut self, session: SessionId) -> Pos {
        self.views.get_mut(session).snapshots.take(self.engine.positions).0
    }

    /// The lock that a read takes: the one it asks for, or the one that its level has it take.
    fn lock_of(&self, session: SessionId, manner: Manner) -> Option<Lock> {
        let serializable = || self.views.get(session).isolation == Isolation::Serializable;
        let asked = manner.lock.map(strength);
        asked.or_else(|| (!manner.latest && serializable()).then_some(Lock::Share))
    }

    fn locks_gaps(&self, session: SessionId) -> bool {
        self.views.get(session).isolation.locks_gaps()
    }

    /// Fails if the transaction refuses to lock what changed since its snapshot, and this key did.
    fn check_changed(&self, session: SessionId, key: KeyNo, keys: &Keys) -> Result<(), Stop> {
        let view = self.views.get(session);
        let changed = || keys.get(key).newest().pos > view.snapshots.current();
        match view.refuses_changed && changed() {
            true => Err(Stop::Changed),
            false => Ok(()),
        }
    }

    /// Takes the snapshot of a SERIALIZABLE transaction, before it waits for anything.
    fn note_time(&mut self, session: SessionId) {
        let view = self.views.get(session);
        if view.refuses_changed && view.isolation == Isolation::Serializable {
            self.snapshot(session);
        }
    }

    /// Takes the lock of a record; what a transaction had to wait for, it does not release again.
    fn lock_record(
        &mut self,
        session: SessionId,
        wanted: Wanted,
        wait: Wait,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let waited = self.engine.locks.waits(session);
        self.engine.locks.acquire(session, wanted, wait, keys)?;
        if waited {
            self.views.get_mut(session).step = self.engine.locks.mark(session);
        }
        Ok(())
    }

    /// Locks the record of a key, or, if there is none, the gap where it would be.
    fn lock_key(
        &mut self,
        session: SessionId,
        (key, lock): (KeyNo, Lock),
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let there = self.is_record(key, keys);
        let wanted = match self.locks_gaps(session) && self.is_marked(key, keys) {
            true => Wanted::Next { key, lock, gap: self.gap_before(key, keys) },
            false => Wanted::Key { key, lock },
        };
        match there {
            true => self.lock_record(session, wanted, manner.wait, keys)?,
            false => _ = self.engine.locks.stop_waiting(session),
        }
        if !manner.latest {
            self.check_changed(session, key, keys)?;
        }
        if there {
            return Ok(());
        }
        match self.locks_gaps(session) {
            true => self.lock_gap(session, self.gap_around(key, keys), keys),
            false => Ok(()),
        }
    }

    /// Locks a gap, for which nobody ever waits.
    fn lock_gap(&mut self, session: SessionId, gap: KeyRange, keys: &Keys) -> Result<(), Stop> {
        self.engine.locks.acquire(session, Wanted::Gap(gap), Wait::Forever, keys)
    }

    /// What an insert of a key locks: the record that is there, or room for one.
    fn reserve(
        &mut self,
        session: SessionId,
        (key, lock): (KeyNo, Lock),
        keys: &Keys,
    ) -> Result<(), Stop> {
        if !self.engine.locks.waits(session) {
            self.views.get_mut(session).waited_for = None;
        }
        let there = keys.get(key).newest().value != Value::Null;
        if there || self.engine.locks.keeper(key).is_some_and(|keeper| keeper != session) {
            self.views.get_mut(session).waited_for = Some(key);
            // At every level, an entry of an index is locked with the gap before it, and waited for with it.
            let wanted = match names_a_row(&keys.get(key).newest().value) {
                true => Wanted::Next { key, lock, gap: self.gap_before(key, keys) },
                false => Wanted::Key { key, lock },
            };
            self.lock_record(session, wanted, Wait::Forever, keys)?;
            self.views.get_mut(session).waited_for = None;
            return self.check_changed(session, key, keys);
        }
        self.check_changed(session, key, keys)?;
        if self.views.get_mut(session).waited_for.take() == Some(key) {
            // The record vanished: its lock is one on the gap now, and room is asked for anew.
            self.engine.locks.stop_waiting(session);
            self.lock_gap(session, self.gap_around(key, keys), keys)?;
        }
        self.make_room(session, key, keys)
    }

    /// Locks a key that holds nothing, once nobody else keeps its gap. Where a deleted row is still marked, it becomes the
    /// new one, and the gap does not matter.
    fn make_room(&mut self, session: SessionId, key: KeyNo, keys: &Keys) -> Result<(), Stop> {
        let wanted = match self.is_marked(key, keys) {
            true => Wanted::Key { key, lock: Lock::Update },
            false => Wanted::Room { key },
        };
        self.engine.locks.acquire(session, wanted, Wait::Forever, keys)
    }
}

impl Truth for Mysql {
    fn locks(&self) -> &Locks {
        &self.engine.locks
    }

    fn locks_mut(&mut self) -> &mut Locks {
        &mut self.engine.locks
    }

    fn begin(
        &mut self,
        session: SessionId,
        level: Level,
        snapshot_isolation: Option<bool>,
        _keys: &mut Keys,
    ) {
        let known = "levels are checked when they are asked for";
        let isolation = Isolation::of(level).expect(known);
        let refuses_changed =
            snapshot_isolation.unwrap_or(self.refuses_changed) && isolation.locks_gaps();
        let satisfies = match (isolation, refuses_changed) {
            (Isolation::Repeatable, true) => Level::SI,
            _ => (FACTS.satisfies)(level).expect(known),
        };
        let snapshots = Snapshots::new(isolation.each(refuses_changed));
        let (step, waited_for) = (0, None);
        let view = View { satisfies, isolation, snapshots, refuses_changed, step, waited_for };
        self.views.put(session, view);
    }

    /// Whenever it begins, its snapshot is taken by the first plain read.
    fn statement(&mut self, session: SessionId, _now: bool) {
        self.views.get_mut(session).snapshots.statement(None);
    }

    fn renew(&mut self, session: SessionId) {
        self.views.get_mut(session).snapshots.renew(self.engine.positions);
    }

    fn read_only(
        &mut self,
        _session: SessionId,
        _deferrable: bool,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn read(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        _chooser: &mut Chooser,
        keys: &mut Keys,
    ) -> Result<Read, Stop> {
        let Some(lock) = self.lock_of(session, manner) else {
            let found = match manner.latest {
                // Neither snapshot nor conflict: whatever is committed counts.
                true => keys.get(key).newest(),
                false => keys.get(key).split(self.snapshot(session)).0,
            };
            return Ok(read_of(found, keys.get(key).newest(), manner));
        };
        self.note_time(session);
        match manner.insert {
            true => self.reserve(session, (key, lock), keys)?,
            false => self.lock_key(session, (key, lock), manner, keys)?,
        }
        let newest = keys.get(key).newest();
        Ok(read_of(newest, newest, manner))
    }

    fn read_own(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        if manner.insert {
            // The entry that the transaction took away is looked at as any other.
            return match names_a_row(&keys.get(key).newest().value) {
                true => self.lock_gap(session, self.gap_around(key, keys), keys),
                false => Ok(()),
            };
        }
        let Some(lock) = manner.lock else { return Ok(()) };
        let wanted = Wanted::Key { key, lock: strength(lock) };
        self.engine.locks.acquire(session, wanted, manner.wait, keys)
    }

    fn has_read(&self, _session: SessionId, _key: KeyNo) -> bool {
        false
    }

    fn sees_uncommitted(&self, session: SessionId) -> bool {
        self.views.get(session).isolation == Isolation::Uncommitted
    }

    fn came_up(&mut self, _session: SessionId, _key: KeyNo) {}

    fn scan(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        _keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop> {
        if self.lock_of(session, scan.manner).is_some() {
            self.note_time(session);
            return Ok(None);
        }
        if scan.manner.latest || self.sees_uncommitted(session) {
            return Ok(None);
        }
        // Also where nothing is to be read: that is what was seen.
        Ok(Some(Seeing { snapshot: self.snapshot(session), watched: false }))
    }

    fn look(&mut self, _session: SessionId, _key: KeyNo, _keys: &Keys) -> Result<(), Stop> {
        Ok(())
    }

    fn come_to(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        key: KeyNo,
        keys: &Keys,
    ) -> Result<bool, Stop> {
        let Some(lock) = self.lock_of(session, scan.manner) else {
            if scan.manner.latest {
                self.views.get_mut(session).step = self.engine.locks.mark(session);
            }
            return Ok(true);
        };
        if !self.is_record(key, keys) {
            return Ok(false);
        }
        if !self.engine.locks.waits(session) {
            self.views.get_mut(session).step = self.engine.locks.mark(session);
        }
        // A scan that begins with a very row needs no gap before it; one of entries of an index takes it all the same.
        let first = scan.range.from() == Bound::Included(&keys.get(key).name)
            && !names_a_row(&keys.get(key).newest().value)
            && !self.is_marked(key, keys);
        // A check of a constraint locks what it finds, and a gap only where it finds nothing.
        let wanted = match self.locks_gaps(session) && !scan.manner.latest {
            true if scan.backwards => Wanted::Next { key, lock, gap: self.gap_around(key, keys) },
            true if !first => Wanted::Next { key, lock, gap: self.gap_before(key, keys) },
            _ => Wanted::Key { key, lock },
        };
        match self.lock_record(session, wanted, scan.manner.wait, keys) {
            Err(Stop::Locked(_)) if scan.manner.wait == Wait::Skip => return Ok(false),
            taken => taken?,
        }
        // What refers to a row is looked for whatever the snapshot says.
        if !scan.manner.latest {
            self.check_changed(session, key, keys)?;
        }
        Ok(true)
    }

    fn come_to_end(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        keys: &Keys,
    ) -> Result<(), Stop> {
        if self.lock_of(session, scan.manner).is_none() {
            return Ok(());
        }
        self.engine.locks.stop_waiting(session);
        if !self.locks_gaps(session) || self.is_one_record(scan.range, keys) {
            return Ok(());
        }
        let before = scan.range.to();
        let after = match before {
            Bound::Included(end) => Bound::Excluded(end),
            Bound::Excluded(end) => Bound::Included(end),
            // Nothing comes after it.
            Bound::Unbounded => return self.lock_gap(session, scan.range.clone(), keys),
        };
        let gap = match index_around(scan.range.from(), before) {
            // The range goes on to the end of the index.
            index if index.to() == before => self.gap_at_end(&index, keys),
            _ => self.gap(before, after, keys),
        };
        self.lock_gap(session, gap, keys)
    }

    fn pass_over(&mut self, session: SessionId) {
        let view = self.views.get(session);
        if !view.isolation.locks_gaps() {
            self.engine.locks.release_to(session, view.step);
        }
    }

    fn scanned(&mut self, session: SessionId, scan: &Scan<'_>, _seen: &KeyRange) -> bool {
        // What a locking scan did not find is no plain read, nor what one of the latest did not.
        // Nor does one of no keys read or lock anything.
        scan.limit > 0 && !scan.manner.is_locking() && !self.sees_uncommitted(session)
    }

    fn write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop> {
        self.note_time(session);
        self.check_changed(session, key, keys)?;
        if self.engine.locks.take_to_write(session, key) {
            return Ok(());
        }
        let there = own.is_some() || keys.get(key).newest().value != Value::Null;
        match there || self.engine.locks.may_write(session, key) {
            true => self.engine.lock_to_write(session, key, keys)?,
            false => self.make_room(session, key, keys)?,
        }
        self.check_changed(session, key, keys)?;
        self.engine.locks.note_write(session, key);
        Ok(())
    }

    /// Whose snapshot is older and who refuses what changed since is not refused for a row that stayed as it was, so
    /// nobody wrote it for them.
    fn tells_rewrites(&self, session: SessionId) -> bool {
        let refuses = |view: &View| view.refuses_changed && view.snapshots.is_taken();
        !self.views.others(session).any(refuses)
    }

    /// The locks taken since stay, but for those on records that are none any more.
    fn rollback(&mut self, session: SessionId, mark: usize, open: &Open, keys: &Keys) {
        let gone =
            |key: KeyNo| keys.get(key).newest().value == Value::Null && open.own(key).is_none();
        self.engine.locks.release_keys(session, mark, gone);
    }

    fn refuses(
        &mut self,
        _session: SessionId,
        _written: &[Left],
        _keys: &Keys,
    ) -> Option<AbortReason> {
        None
    }

    fn hand_over(&mut self, from: SessionId, to: SessionId) {
        let view = self.views.take(from);
        self.views.put(to, view);
        self.engine.locks.hand_over(from, to);
    }

    fn commit(&mut self, session: SessionId, open: &Open, written: &[Left], keys: &mut Keys) {
        let snapshots = self.views.others(session).map(|view| &view.snapshots);
        self.engine.commit(session, open, written, snapshots, keys);
    }

    fn end(&mut self, session: SessionId, open: &mut Open, _committed: bool, keys: &mut Keys) {
        self.views.take(session);
        for key in std::mem::take(&mut open.keys) {
            keys.release(key);
        }
        self.engine.locks.release(session);
    }

    fn was_refused(&mut self, _session: SessionId, _reason: AbortReason) {}

    fn disconnect(&mut self, _session: SessionId, _for_good: bool) {}

    fn fence(&mut self) {}

    fn tick(&mut self, _now: u64) {}

    fn recorded_level(&self, session: SessionId) -> Level {
        self.views.get(session).satisfies
    }

    fn snapshot_of(&self, session: SessionId) -> Option<Pos> {
        Some(self.views.get(session).snapshots.current())
    }

    fn commit_order(&self) -> Vec<u32> {
        Vec::new()
    }
}
