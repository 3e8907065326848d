//! The `postgres` profile: snapshots and locks as PostgreSQL takes them.
//!
//! | level | snapshot | a locked or written row that changed since it | refused besides |
//! | --- | --- | --- | --- |
//! | RC | each statement | its newest version counts; if it was deleted there is nothing to lock | |
//! | SI | the transaction | refused: the first updater wins | |
//! | SER | the transaction | the same | dangerous rows of transactions ([`ssi`]) |
//!
//! A key stands for rows as PostgreSQL has them. A row deleted since the snapshot is gone, even if another row now has
//! its key; and an insert locks no row that is there, but waits for whoever writes it. Locks are on keys alone:
//! no scan locks what is not there. What scans have looked at counts at SER only.

mod sharers;
mod ssi;
mod xids;

use hobgoblin_core::{Level, SessionId, Value};

use crate::choose::Chooser;
use crate::engine::{Each, Engine, Snapshots, read_of};
use crate::error::AbortReason;
use crate::ids::{KeyNo, Pos};
use crate::keys::{Keys, LiveVersion};
use crate::lock::{Lock, Wait};
use crate::locks::{Locks, Wanted};
use crate::open::{Left, Open};
use crate::range::KeyRange;
use crate::stop::Stop;
use crate::truth::{Facts, Manner, Read, Scan, Scanning, Seeing, Truth};
use crate::views::Views;
use sharers::Sharers;
use ssi::{Ssi, XactId};
use xids::Xids;

/// What is the same for all stores of this profile.
pub(crate) const FACTS: Facts = Facts {
    served: "RC, SI (REPEATABLE READ), SER",
    default_level: Level::RC,
    satisfies: |level| Isolation::of(level).map(|_| level),
    chooses: false,
    locks_keys: true,
    // Its row locks are on rows that are there: whoever wants those of a range locks each.
    locks_ranges: |_| false,
    scanning: |_| Scanning::Finds,
    lone_read: |level| level,
    patient: true,
    prepares: true,
    spares_rewrites: false,
    // All its errors leave a transaction at its last savepoint.
    survives: |reason| reason != Some(AbortReason::Spurious),
    truth: |config| {
        Box::new(Postgres {
            engine: Engine::new(Locks::new(config.patient)),
            views: Views::default(),
            ssi: Ssi::default(),
            xids: Xids::default(),
            sharers: Sharers::default(),
        })
    },
};

/// PostgreSQL's levels, by what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolation {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    fn of(level: Level) -> Option<Isolation> {
        match level {
            Level::RC => Some(Isolation::ReadCommitted),
            Level::SI => Some(Isolation::RepeatableRead),
            Level::SER => Some(Isolation::Serializable),
            Level::RU | Level::RA | Level::CC | Level::PC | Level::PSI | Level::SSER => None,
        }
    }

    fn each(self) -> Each {
        match self {
            Isolation::ReadCommitted => Each::Statement,
            Isolation::RepeatableRead | Isolation::Serializable => Each::Transaction,
        }
    }

    /// Whether locking or writing a key that was overwritten since the snapshot is refused.
    fn first_updater_wins(self) -> bool {
        match self {
            Isolation::ReadCommitted => false,
            Isolation::RepeatableRead | Isolation::Serializable => true,
        }
    }

    /// Whether dangerous rows of transactions are refused, and any transaction that has to come before a commit
    /// though a check of a constraint showed it more than its snapshot.
    fn is_serializable(self) -> bool {
        match self {
            Isolation::ReadCommitted | Isolation::RepeatableRead => false,
            Isolation::Serializable => true,
        }
    }
}

/// What is known of an open transaction.
#[derive(Debug)]
struct View {
    level: Level,
    isolation: Isolation,
    snapshots: Snapshots,
    /// Whether a transaction that is not serializable was open beside this one.
    beside_weaker: bool,
    /// Whether it has read a version that is not in its snapshot.
    beyond: bool,
    /// Whether it said that it only reads before it took its snapshot.
    read_only: bool,
    /// Whether it waits for a safe snapshot.
    deferred: bool,
    /// Its number among the serializable transactions, while its reads and writes matter to these.
    xact: Option<XactId>,
}

/// The state of a `postgres` store, without its keys and sessions.
#[derive(Debug)]
struct Postgres {
    engine: Engine,
    views: Views<View>,
    ssi: Ssi,
    xids: Xids,
    sharers: Sharers,
}

impl Postgres {
    /// How many commits a plain read sees.
    fn snapshot(&mut self, session: SessionId) -> Pos {
        let view = self.views.get_mut(session);
        let (snapshot, new) = view.snapshots.take(self.engine.positions);
        if new && view.isolation.is_serializable() {
            view.xact = self.ssi.begin(session, self.xids.oldest(), view.read_only);
        }
        snapshot
    }

    /// The transaction of SSI whose reads and writes have to be looked at.
    fn xact(&mut self, session: SessionId) -> Option<XactId> {
        let xact = self.views.get(session).xact?;
        if self.ssi.is_safe(xact) == Some(true) {
            self.leave(session);
            return None;
        }
        Some(xact)
    }

    /// Says that the reads of a transaction do not matter any more.
    fn leave(&mut self, session: SessionId) {
        if let Some(xact) = self.views.get_mut(session).xact.take() {
            self.ssi.end(xact, None, self.xids.next(), Vec::new());
            self.tell_unsure();
        }
    }

    /// Says anew on which transactions those depend that wait for a safe snapshot.
    fn tell_unsure(&mut self) {
        let ssi = &self.ssi;
        self.engine.locks.renew_unsure(|session| {
            ssi.of_session(session).map_or_else(Vec::new, |xact| ssi.unsure(xact))
        });
    }

    fn lock(
        &mut self,
        session: SessionId,
        wanted: Wanted,
        wait: Wait,
        keys: &Keys,
    ) -> Result<(), Stop> {
        self.xids.assign(session);
        self.engine.locks.acquire(session, wanted, wait, keys)
    }

    /// Notes that a transaction looks at a key. Whoever wrote what its snapshot has not comes after
    /// it.
    fn watch(
        &mut self,
        session: SessionId,
        xact: XactId,
        key: KeyNo,
        snapshot: Pos,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let (seen, since) = keys.get(key).split(snapshot);
        let writing = self.engine.locks.writer(key).filter(|&writer| writer != session);
        let absent = seen.value == Value::Null && since.is_empty() && writing.is_none();
        if !absent && self.ssi.is_doomed(xact) {
            return Err(Stop::Dependencies);
        }
        // Of a row that is there the first who changed it; of those that came since, all who did.
        let mut fresh = seen.value == Value::Null;
        for (at, version) in since.iter().enumerate() {
            if let Some(writer) = self.ssi.of_txn(version.txn).filter(|_| at == 0 || fresh) {
                self.ssi.met(xact, writer)?;
            }
            fresh |= version.ends_a_row();
        }
        let writing = writing.filter(|_| since.is_empty() || fresh);
        if let Some(writer) = writing.and_then(|writer| self.ssi.of_session(writer)) {
            self.ssi.met(xact, writer)?;
        }
        self.ssi.read(xact, key, seen.pos);
        Ok(())
    }

    /// A read of the newest version: neither snapshot nor conflict, whatever is committed counts.
    fn read_latest(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        keys: &Keys,
    ) -> Result<Read, Stop> {
        let newest = keys.get(key).newest();
        let wanted = match manner.lock {
            Some(_) if manner.insert => Some(Wanted::Insert { key }),
            lock => lock.map(|lock| Wanted::Key { key, lock }),
        };
        // PostgreSQL looks at a row before it waits for it, and after it waited only if it is another one; an insert
        // looks at what it finds in the index once nobody is about to write it.
        let serializable = self.views.get(session).isolation.is_serializable();
        let snapshot = if serializable { self.snapshot(session) } else { Pos::START };
        let xact = self.xact(session);
        if let Some(xact) = xact
            && !manner.insert
            && !self.ssi.has_read(xact, key, newest.pos)
        {
            self.watch(session, xact, key, newest.pos, keys)?;
        }
        if let Some(wanted) = wanted {
            self.lock(session, wanted, manner.wait, keys)?;
        }
        self.views.get_mut(session).beyond |= serializable && newest.pos > snapshot;
        if let Some(xact) = xact
            && manner.insert
            && newest.pos > snapshot
            && newest.value != Value::Null
        {
            // What comes between is told before that the key is taken.
            self.ssi.write(xact, key, &keys.get(key).name, None)?;
        }
        Ok(read_of(newest, newest, manner))
    }

    /// A read of what the snapshot has, to lock it.
    fn read_to_lock(
        &mut self,
        session: SessionId,
        key: KeyNo,
        (lock, snapshot): (Lock, Pos),
        manner: Manner,
        keys: &Keys,
    ) -> Result<Read, Stop> {
        let state = keys.get(key);
        let newest = state.newest();
        let (seen, since) = state.split(snapshot);
        // That the key stays is all this lock wants: others may have updated it beside it.
        let beside = lock == Lock::KeyShare && !since.iter().any(|version| version.exclusive);
        let first_updater_wins = self.views.get(session).isolation.first_updater_wins();
        if first_updater_wins && !beside && lock.clashes(Lock::KeyShare) {
            self.wait_for_sharers(session, key, since, manner, keys)?;
        }
        // What was overwritten since is refused, whoever has the lock of its newest version.
        let found = match first_updater_wins {
            _ if beside => seen,
            // The first change since tells which, whatever became of the row later.
            true if seen.value != Value::Null && since.first().is_some_and(|v| v.ends_a_row()) => {
                return Err(Stop::Deleted);
            }
            true if newest.pos > snapshot => return Err(Stop::Conflict),
            // The row is not there any more, whatever has its key now, and nothing is to be locked.
            _ if state.is_gone(snapshot) => {
                return Ok(Read { gone: true, ..read_of(newest, newest, manner) });
            }
            _ => newest,
        };
        self.lock(session, Wanted::Key { key, lock }, manner.wait, keys)?;
        if let Some(next) = since.first().filter(|_| beside) {
            self.sharers.note(session, key, next.pos);
        }
        Ok(read_of(found, newest, manner))
    }

    /// Waits for those who share the version of a key that the snapshot has, though it was overwritten `since`.
    fn wait_for_sharers(
        &mut self,
        session: SessionId,
        key: KeyNo,
        since: &[LiveVersion],
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let Some(next) = since.first() else { return Ok(()) };
        let sharers = self.sharers.of(key, next.pos, session);
        if sharers.is_empty() {
            return Ok(());
        }
        self.lock(session, Wanted::Old { key, sharers }, manner.wait, keys)
    }
}

impl Truth for Postgres {
    fn locks(&self) -> &Locks {
        &self.engine.locks
    }

    fn locks_mut(&mut self) -> &mut Locks {
        &mut self.engine.locks
    }

    fn begin(&mut self, session: SessionId, level: Level, _: Option<bool>, _keys: &mut Keys) {
        let isolation = Isolation::of(level).expect("levels are checked when they are asked for");
        let weaker = |view: &View| !view.isolation.is_serializable();
        let view = View {
            level,
            isolation,
            snapshots: Snapshots::new(isolation.each()),
            beside_weaker: self.views.iter().any(weaker),
            beyond: false,
            read_only: false,
            deferred: false,
            xact: None,
        };
        if weaker(&view) {
            self.views.iter_mut().for_each(|other| other.beside_weaker = true);
        }
        self.views.put(session, view);
    }

    fn statement(&mut self, session: SessionId, now: bool) {
        let view = self.views.get_mut(session);
        view.snapshots.statement(now.then_some(self.engine.positions));
        if now && view.isolation.first_updater_wins() {
            // The first statement takes the transaction's, before it waits for any lock.
            self.snapshot(session);
        }
    }

    /// Takes the snapshot anew, since tables are locked before the snapshot of a statement is
    /// taken.
    fn renew(&mut self, session: SessionId) {
        self.views.get_mut(session).snapshots.renew(self.engine.positions);
    }

    fn read_only(&mut self, session: SessionId, deferrable: bool, keys: &Keys) -> Result<(), Stop> {
        let view = self.views.get_mut(session);
        // It counts before the snapshot, which is taken anew only while a safe one is waited for.
        if !view.isolation.is_serializable() || view.snapshots.is_taken() && !view.deferred {
            return Ok(());
        }
        (view.read_only, view.deferred) = (true, deferrable);
        loop {
            self.snapshot(session);
            let xact = self.views.get(session).xact;
            let safe = xact.filter(|_| deferrable).map(|xact| self.ssi.is_safe(xact));
            match (safe, xact) {
                (Some(None), Some(xact)) => {
                    let unsure = self.ssi.unsure(xact);
                    let wanted = Wanted::Safe { unsure };
                    return self.engine.locks.acquire(session, wanted, Wait::Forever, keys);
                }
                (Some(Some(false)), _) => {
                    self.leave(session);
                    self.views.get_mut(session).snapshots.forget();
                }
                _ => {
                    self.views.get_mut(session).deferred = false;
                    self.engine.locks.stop_waiting(session);
                    return Ok(());
                }
            }
        }
    }

    fn read(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        _chooser: &mut Chooser,
        keys: &mut Keys,
    ) -> Result<Read, Stop> {
        if manner.latest {
            return self.read_latest(session, key, manner, keys);
        }
        let snapshot = self.snapshot(session);
        if let Some(xact) = self.xact(session) {
            let pos = keys.get(key).split(snapshot).0.pos;
            // Who waited for the row has looked at it.
            if !(self.engine.locks.waits(session) && self.ssi.has_read(xact, key, pos)) {
                self.watch(session, xact, key, snapshot, keys)?;
            }
        }
        match manner.lock {
            Some(lock) => self.read_to_lock(session, key, (lock, snapshot), manner, keys),
            None => {
                let state = keys.get(key);
                Ok(read_of(state.split(snapshot).0, state.newest(), manner))
            }
        }
    }

    fn read_own(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let Some(lock) = manner.lock.filter(|_| !manner.insert) else { return Ok(()) };
        self.lock(session, Wanted::Key { key, lock }, manner.wait, keys)
    }

    fn has_read(&self, _session: SessionId, _key: KeyNo) -> bool {
        false
    }

    fn sees_uncommitted(&self, _session: SessionId) -> bool {
        false
    }

    fn came_up(&mut self, _session: SessionId, _key: KeyNo) {}

    fn scan(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        _keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop> {
        // Also where nothing is to be read: that is what was seen.
        let snapshot = self.snapshot(session);
        if scan.manner.is_locking() {
            return Ok(None);
        }
        Ok(Some(Seeing { snapshot, watched: self.xact(session).is_some() }))
    }

    fn look(&mut self, session: SessionId, key: KeyNo, keys: &Keys) -> Result<(), Stop> {
        let view = self.views.get(session);
        let (snapshot, xact) = (view.snapshots.current(), view.xact);
        xact.map_or(Ok(()), |xact| self.watch(session, xact, key, snapshot, keys))
    }

    fn come_to(
        &mut self,
        _session: SessionId,
        _scan: &Scan<'_>,
        _key: KeyNo,
        _keys: &Keys,
    ) -> Result<bool, Stop> {
        Ok(true)
    }

    fn come_to_end(
        &mut self,
        _session: SessionId,
        _scan: &Scan<'_>,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn pass_over(&mut self, _session: SessionId) {}

    fn scanned(&mut self, session: SessionId, scan: &Scan<'_>, seen: &KeyRange) -> bool {
        if let Some(xact) = self.xact(session) {
            self.ssi.scan(xact, seen);
        }
        // A scan of the latest is no read of a snapshot, so what comes up later was not read by it.
        !scan.manner.latest
    }

    fn write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let snapshot = self.snapshot(session);
        self.xids.assign(session);
        let state = keys.get(key);
        let view = self.views.get(session);
        if view.isolation.first_updater_wins() && state.newest().pos > snapshot {
            return Err(Stop::Conflict);
        }
        if view.xact.is_none() && self.engine.locks.take_to_write(session, key) {
            return Ok(());
        }
        self.engine.lock_to_write(session, key, keys)?;
        if let Some(xact) = self.xact(session) {
            let newest = state.newest();
            let there = own.unwrap_or(&newest.value) != &Value::Null;
            if own.is_none() || !there {
                self.ssi.write(xact, key, &state.name, there.then_some(newest.pos))?;
            }
        }
        self.engine.locks.note_write(session, key);
        Ok(())
    }

    fn tells_rewrites(&self, _session: SessionId) -> bool {
        false
    }

    /// Releases the locks that were taken since.
    fn rollback(&mut self, session: SessionId, mark: usize, _open: &Open, _keys: &Keys) {
        self.engine.locks.release_to(session, mark);
        let locks = &self.engine.locks;
        self.sharers.keep(session, |key| locks.holds(session, key, Lock::KeyShare));
    }

    fn refuses(
        &mut self,
        session: SessionId,
        _written: &[Left],
        _keys: &Keys,
    ) -> Option<AbortReason> {
        let view = self.views.get(session);
        let xact = view.xact?;
        let cycle = view.beyond && self.ssi.comes_before_a_commit(xact);
        let refused = cycle || self.ssi.prepare(xact).is_err();
        refused.then_some(AbortReason::Dependencies)
    }

    fn hand_over(&mut self, from: SessionId, to: SessionId) {
        let view = self.views.take(from);
        self.views.put(to, view);
        self.engine.locks.hand_over(from, to);
        self.ssi.hand_over(from, to);
        self.xids.hand_over(from, to);
        self.sharers.hand_over(from, to);
        // Those who wait for a safe snapshot wait for the other session.
        self.tell_unsure();
    }

    fn commit(&mut self, session: SessionId, open: &Open, written: &[Left], keys: &mut Keys) {
        let snapshots = self.views.others(session).map(|view| &view.snapshots);
        self.engine.commit(session, open, written, snapshots, keys);
        for left in written {
            for sharer in self.engine.locks.sharers(session, left.key) {
                self.sharers.note(sharer, left.key, self.engine.positions);
            }
        }
    }

    fn end(&mut self, session: SessionId, open: &mut Open, committed: bool, keys: &mut Keys) {
        self.xids.end(session);
        let mut used = std::mem::take(&mut open.keys);
        if let Some(xact) = self.views.take(session).xact {
            let txn = committed.then_some(open.number);
            self.ssi.end(xact, txn, self.xids.next(), std::mem::take(&mut used));
            self.tell_unsure();
        }
        used.extend(self.ssi.take_forgotten());
        for key in used {
            keys.release(key);
        }
        self.engine.locks.release(session);
        self.sharers.end(session);
    }

    fn was_refused(&mut self, _session: SessionId, _reason: AbortReason) {}

    fn disconnect(&mut self, _session: SessionId, _for_good: bool) {}

    fn fence(&mut self) {}

    fn tick(&mut self, _now: u64) {}

    /// SERIALIZABLE holds among transactions that all are.
    fn recorded_level(&self, session: SessionId) -> Level {
        let view = self.views.get(session);
        match view.isolation {
            Isolation::Serializable if view.beside_weaker => Level::SI,
            _ => view.level,
        }
    }

    fn snapshot_of(&self, session: SessionId) -> Option<Pos> {
        Some(self.views.get(session).snapshots.current())
    }

    fn commit_order(&self) -> Vec<u32> {
        Vec::new()
    }
}
