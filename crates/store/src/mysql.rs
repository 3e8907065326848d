//! The `mysql` profile: snapshots and locks as MySQL's InnoDB takes them.
//!
//! | level | plain reads see | and lock |
//! | --- | --- | --- |
//! | RC | a snapshot of each statement | |
//! | SI, its REPEATABLE READ | a snapshot of the transaction | |
//! | SER | the newest | share, and scans their range |
//!
//! Whatever locks or writes sees the newest version whatever the snapshot says, so that REPEATABLE READ is PC and no
//! more. Rolling back to a savepoint releases no lock, and no lock is given past one who waits for more.
//!
//! [`Mysql::scan`] is where InnoDB's next-key locks belong: it has the range, the lock that was asked for and how
//! long to wait before any key is read. Gap locks and insert intentions are a [`Wanted`] each, of which the first
//! clash with the second only, wanted in [`Mysql::write`] where the key holds nothing.

use hobgoblin_core::{Level, SessionId, Value};

use crate::choose::Chooser;
use crate::engine::{Each, Engine, Snapshots, read_of};
use crate::error::AbortReason;
use crate::ids::{KeyNo, Pos};
use crate::keys::Keys;
use crate::lock::Lock;
use crate::locks::{Locks, Wanted};
use crate::open::{Left, Open};
use crate::range::KeyRange;
use crate::stop::Stop;
use crate::truth::{Facts, Manner, Read, Scan, Seeing, Truth};
use crate::views::Views;

/// What is the same for all stores of this profile.
pub(crate) const FACTS: Facts = Facts {
    served: "RC, SI (REPEATABLE READ), SER",
    satisfies: |level| match level {
        // REPEATABLE READ: updates touch the latest version whatever the snapshot says.
        Level::SI => Some(Level::PC),
        _ => each(level).map(|_| level),
    },
    chooses: false,
    locks_keys: true,
    // Its other locks on ranges are not modelled yet.
    locks_ranges: |lock| lock == Lock::Share,
    patient: false,
    prepares: true,
    // A deadlock ends the transaction.
    survives: |reason| matches!(reason, None | Some(AbortReason::LockTimeout)),
    truth: |config| {
        let engine = Engine::new(Locks::fair(config.patient));
        Box::new(Mysql { engine, views: Views::default() })
    },
};

/// How often a transaction of a level takes a snapshot, if there is such a level.
fn each(level: Level) -> Option<Each> {
    match level {
        Level::RC => Some(Each::Statement),
        Level::SI => Some(Each::Transaction),
        Level::SER => Some(Each::Read),
        Level::RU | Level::RA | Level::CC | Level::PC | Level::PSI | Level::SSER => None,
    }
}

/// What is known of an open transaction.
#[derive(Debug)]
struct View {
    /// The level it satisfies.
    satisfies: Level,
    snapshots: Snapshots,
    /// Whether plain reads lock.
    locks_reads: bool,
}

/// The state of a `mysql` store, its keys and sessions apart.
#[derive(Debug)]
struct Mysql {
    engine: Engine,
    views: Views<View>,
}

impl Mysql {
    /// The prefix of commits a plain read sees.
    fn snapshot(&mut self, session: SessionId) -> Pos {
        self.views.get_mut(session).snapshots.take(self.engine.positions).0
    }

    /// The lock that a read takes: what it asks for, or what its level has it take.
    fn lock_of(&self, session: SessionId, manner: Manner) -> Option<Lock> {
        manner.lock.or(self.views.get(session).locks_reads.then_some(Lock::Share))
    }
}

impl Truth for Mysql {
    fn locks(&self) -> &Locks {
        &self.engine.locks
    }

    fn locks_mut(&mut self) -> &mut Locks {
        &mut self.engine.locks
    }

    fn begin(&mut self, session: SessionId, level: Level, _keys: &mut Keys) {
        let known = "levels are checked when they are asked for";
        let each = each(level).expect(known);
        let satisfies = (FACTS.satisfies)(level).expect(known);
        let (snapshots, locks_reads) = (Snapshots::new(each), each == Each::Read);
        self.views.put(session, View { satisfies, snapshots, locks_reads });
    }

    fn statement(&mut self, session: SessionId, now: bool) {
        let now = now.then_some(self.engine.positions);
        self.views.get_mut(session).snapshots.statement(now);
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
        let (lock, snapshot) = match manner.latest {
            // Neither snapshot nor conflict: whatever is committed counts.
            true => (manner.lock, None),
            false => (self.lock_of(session, manner), Some(self.snapshot(session))),
        };
        if let Some(lock) = lock {
            self.engine.locks.acquire(session, Wanted::Key { key, lock }, manner.wait, keys)?;
        }
        let state = keys.get(key);
        let newest = state.newest();
        let found = match snapshot {
            Some(snapshot) if lock.is_none() => state.split(snapshot).0,
            _ => newest,
        };
        Ok(read_of(found, newest, manner))
    }

    fn read_own(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let Some(lock) = manner.lock.filter(|_| !manner.insert) else { return Ok(()) };
        self.engine.locks.acquire(session, Wanted::Key { key, lock }, manner.wait, keys)
    }

    fn has_read(&self, _session: SessionId, _key: KeyNo) -> bool {
        false
    }

    fn came_up(&mut self, _session: SessionId, _key: KeyNo) {}

    fn scan(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop> {
        // Also where nothing is to be read: that is what was seen.
        let snapshot = self.snapshot(session);
        let locks = self.lock_of(session, scan.manner).is_some();
        if locks {
            let wanted = Wanted::Range(scan.range.clone());
            self.engine.locks.acquire(session, wanted, scan.manner.wait, keys)?;
        }
        let sees = !locks && !scan.manner.latest;
        Ok(sees.then_some(Seeing { snapshot, watched: false }))
    }

    fn look(&mut self, _session: SessionId, _key: KeyNo, _keys: &Keys) -> Result<(), Stop> {
        Ok(())
    }

    fn scanned(&mut self, _session: SessionId, scan: &Scan<'_>, _seen: &KeyRange) -> bool {
        // A scan of the latest is no read of a snapshot, so what comes up later was not read by it.
        !scan.manner.latest
    }

    fn write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        _own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop> {
        self.snapshot(session);
        if self.engine.locks.take_to_write(session, key) {
            return Ok(());
        }
        self.engine.lock_to_write(session, key, keys)?;
        self.engine.locks.note_write(session, key);
        Ok(())
    }

    /// The locks taken since stay.
    fn rollback(&mut self, _session: SessionId, _mark: usize) {}

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
