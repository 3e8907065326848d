//! The engine profiles: snapshots and version order by arrival, real time respected, locks.
//!
//! Here a read has no choice. What varies is which session goes next, and that is up to whoever sends
//! the requests; see [`Scheduler`](crate::Scheduler). The rules of each engine and level are one table,
//! [`rules`].

use hobgoblin_core::{Level, Value};

use crate::config::Profile;
use crate::keys::{Keys, LiveVersion, Version};
use crate::locks::{Locks, Wanted};
use crate::open::{Left, Open, View};
use crate::range::KeyRange;
use crate::request::{Lock, Wait};
use crate::sessions::Sessions;
use crate::spec::Read;
use crate::ssi::{Refused, Ssi};

/// What an engine does at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Whether every statement has a snapshot of its own, else the transaction has one, taken by its
    /// first statement.
    per_statement: bool,
    /// Whether locking or writing a key that was overwritten since the snapshot aborts.
    first_updater_wins: bool,
    /// Whether dangerous rows of transactions are refused ([`ssi`](crate::ssi)), and any transaction that has to come
    /// before a commit though a check of a constraint showed it more than its snapshot.
    pub(crate) ssi: bool,
    /// Whether plain reads take shared locks and read the latest version.
    locks_reads: bool,
    /// Whether a key stands for rows as PostgreSQL has them: one that was deleted is gone for who saw it,
    /// though the key was written anew, and an insert locks none that is there.
    rows: bool,
    /// Whether rolling back to a savepoint releases the locks taken since.
    releases: bool,
    /// The level its plain reads satisfy, as the history says.
    pub(crate) satisfies: Level,
}

impl Rules {
    /// The commits that a plain read sees as things are.
    pub(crate) fn snapshot_of(self, view: &View) -> u64 {
        match view.statement {
            Some(statement) if self.per_statement => statement,
            _ if self.per_statement || self.locks_reads => NONE,
            _ => view.begin,
        }
    }
}

/// The rules of an engine at a level, if it has that level.
pub(crate) fn rules(profile: Profile, level: Level) -> Option<Rules> {
    let plain = Rules {
        per_statement: false,
        first_updater_wins: false,
        ssi: false,
        locks_reads: false,
        rows: profile == Profile::Postgres,
        releases: profile == Profile::Postgres,
        satisfies: level,
    };
    match (profile, level) {
        (Profile::Spec, _) => None,
        (_, Level::RU | Level::RA | Level::CC | Level::PC | Level::PSI | Level::SSER) => None,
        (_, Level::RC) => Some(Rules { per_statement: true, ..plain }),
        (Profile::Postgres, Level::SI) => Some(Rules { first_updater_wins: true, ..plain }),
        (Profile::Postgres, Level::SER) => {
            Some(Rules { first_updater_wins: true, ssi: true, ..plain })
        }
        // REPEATABLE READ: updates touch the latest version whatever the snapshot says.
        (Profile::Mysql, Level::SI) => Some(Rules { satisfies: Level::PC, ..plain }),
        (Profile::Mysql, Level::SER) => Some(Rules { locks_reads: true, ..plain }),
    }
}

/// Why a request cannot be served now.
#[derive(Debug)]
pub(crate) enum Stop {
    Blocked(u32),
    /// The lock is not free and the read was not to wait.
    Locked(u32),
    Deadlock,
    Conflict,
    /// The same: the key was deleted.
    Deleted,
    /// A dangerous row of transactions.
    Dependencies,
}

impl From<Refused> for Stop {
    fn from(Refused: Refused) -> Stop {
        Stop::Dependencies
    }
}

/// A lock is not free: what becomes of the request.
pub(crate) fn stop(
    locks: &mut Locks,
    session: u32,
    wanted: Wanted,
    wait: Wait,
    holder: u32,
    keys: &Keys,
) -> Stop {
    match wait {
        Wait::Not => Stop::Locked(holder),
        Wait::Forever => match locks.wait(session, wanted, keys) {
            Ok(()) => Stop::Blocked(holder),
            Err(_) => Stop::Deadlock,
        },
    }
}

/// What a read wants beyond a plain one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    pub(crate) lock: Option<Lock>,
    pub(crate) wait: Wait,
    pub(crate) latest: bool,
    /// Whether it is for an insert of the key.
    pub(crate) insert: bool,
}

impl Manner {
    pub(crate) const INSERT: Manner =
        Manner { lock: Some(Lock::Update), wait: Wait::Forever, latest: true, insert: true };

    /// Whether it sees the newest version rather than the snapshot's, as the history says.
    pub(crate) fn is_locking(self) -> bool {
        self.lock.is_some() || self.latest
    }
}

/// What plain reads of a transaction depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeing {
    session: u32,
    snapshot: u64,
    xact: Option<u32>,
}

/// The state of an engine's store, its keys and sessions apart.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many commits wrote something.
    positions: u64,
    pub(crate) locks: Locks,
    ssi: Ssi,
    xids: Xids,
}

/// The transactions that write or lock, numbered when they first do, as PostgreSQL's transaction ids.
#[derive(Debug, Default)]
struct Xids {
    next: u64,
    /// Those that run, by session.
    running: Vec<(u32, u64)>,
}

impl Xids {
    /// A session's transaction has a number from now on.
    fn assign(&mut self, session: u32) {
        if self.running.iter().all(|&(other, _)| other != session) {
            self.running.push((session, self.next));
            self.next += 1;
        }
    }

    /// The oldest that runs, or the next one if none does.
    fn oldest(&self) -> u64 {
        self.running.iter().map(|&(_, xid)| xid).min().unwrap_or(self.next)
    }

    fn end(&mut self, session: u32) {
        self.running.retain(|&(other, _)| other != session);
    }
}

/// No snapshot yet.
const NONE: u64 = u64::MAX;

impl Engine {
    pub(crate) fn new(locks: Locks) -> Engine {
        Engine { positions: 0, locks, ssi: Ssi::default(), xids: Xids::default() }
    }

    /// The view of a transaction that begins.
    pub(crate) fn begin(&self) -> View {
        View { begin: NONE, high: u64::MAX, ..View::default() }
    }

    /// A statement of a transaction begins: `now`, or with the first read that follows.
    pub(crate) fn statement(&mut self, session: u32, view: &mut View, rules: Rules, now: bool) {
        if rules.per_statement {
            view.statement = Some(if now { self.positions } else { NONE });
        } else if now && rules.first_updater_wins {
            // PostgreSQL's first statement takes it, before it waits for any lock.
            self.snapshot(session, view, rules);
        }
    }

    /// Takes the snapshot of a statement anew.
    pub(crate) fn renew(&self, view: &mut View, rules: Rules) {
        if let Some(statement) = view.statement.as_mut().filter(|_| rules.per_statement) {
            *statement = self.positions;
        }
    }

    /// The prefix of commits a plain read sees.
    fn snapshot(&mut self, session: u32, view: &mut View, rules: Rules) -> u64 {
        let taken = match &mut view.statement {
            Some(statement) if rules.per_statement => statement,
            _ if rules.per_statement || rules.locks_reads => return self.positions,
            _ => &mut view.begin,
        };
        if *taken == NONE {
            *taken = self.positions;
            if rules.ssi {
                view.xact = self.ssi.begin(session, self.xids.oldest(), view.read_only);
            }
            return self.positions;
        }
        *taken
    }

    /// A transaction says that it only reads, and takes its snapshot. One that is deferrable waits for a
    /// snapshot that is safe.
    pub(crate) fn read_only(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        deferrable: bool,
        keys: &Keys,
    ) -> Result<(), Stop> {
        // It counts before the snapshot, which is taken anew only while a safe one is waited for.
        if !rules.ssi || view.begin != NONE && !view.deferred {
            return Ok(());
        }
        (view.read_only, view.deferred) = (true, deferrable);
        loop {
            self.snapshot(session, view, rules);
            let safe = view.xact.filter(|_| deferrable).map(|xact| self.ssi.is_safe(xact));
            match (safe, view.xact) {
                (Some(None), Some(xact)) => {
                    let unsure = self.ssi.unsure(xact);
                    return self.lock(session, Wanted::Safe { unsure }, Wait::Forever, keys);
                }
                (Some(Some(false)), _) => {
                    self.leave(view);
                    view.begin = NONE;
                }
                _ => {
                    view.deferred = false;
                    self.locks.stop_waiting(session);
                    return Ok(());
                }
            }
        }
    }

    /// The reads of a transaction need not be looked at any more.
    fn leave(&mut self, view: &mut View) {
        if let Some(xact) = view.xact.take() {
            self.ssi.end(xact, None, self.xids.next, Vec::new());
            self.tell_unsure();
        }
    }

    /// Tells those who wait for a safe snapshot for whom they still do.
    fn tell_unsure(&mut self) {
        let ssi = &self.ssi;
        self.locks.renew_unsure(|session| {
            ssi.of_session(session).map_or_else(Vec::new, |xact| ssi.unsure(xact))
        });
    }

    /// The transaction of SSI whose reads and writes have to be looked at.
    fn xact(&mut self, view: &mut View) -> Option<u32> {
        if self.ssi.is_safe(view.xact?) == Some(true) {
            self.leave(view);
        }
        view.xact
    }

    /// A transaction looks at a key: whoever wrote what its snapshot has not comes after it.
    fn look(
        &mut self,
        session: u32,
        xact: u32,
        key: u32,
        snapshot: u64,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let (seen, since) = keys.get(key).split(snapshot);
        let writing = self.locks.writer(key).filter(|&writer| writer != session);
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
            fresh |= version.anew || version.value == Value::Null;
        }
        let writing = writing.filter(|_| since.is_empty() || fresh);
        if let Some(writer) = writing.and_then(|writer| self.ssi.of_session(writer)) {
            self.ssi.met(xact, writer)?;
        }
        Ok(())
    }

    fn lock(&mut self, session: u32, wanted: Wanted, wait: Wait, keys: &Keys) -> Result<(), Stop> {
        if matches!(wanted, Wanted::Key { .. } | Wanted::Insert { .. }) {
            self.xids.assign(session);
        }
        match self.locks.take(session, &wanted, keys) {
            Ok(()) => Ok(()),
            Err(holders) => Err(stop(&mut self.locks, session, wanted, wait, holders[0], keys)),
        }
    }

    /// A read of what the transaction wrote itself, which may ask for more than the writer's lock.
    pub(crate) fn lock_own(
        &mut self,
        session: u32,
        key: u32,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let Some(lock) = manner.lock.filter(|_| !manner.insert) else { return Ok(()) };
        self.lock(session, Wanted::Key { key, lock }, manner.wait, keys)
    }

    /// An external read of a transaction.
    pub(crate) fn read(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        key: u32,
        manner: Manner,
        keys: &Keys,
    ) -> Result<Read, Stop> {
        let state = keys.get(key);
        let newest = state.newest();
        let read = |found: &Version| {
            let (txn, value) = (found.txn, found.value.clone());
            Read { txn, value, newest: found.pos == newest.pos, open: false, gone: false }
        };
        if manner.latest {
            // Neither snapshot nor conflict: whatever is committed counts.
            let wanted = match manner.lock {
                Some(_) if manner.insert && rules.rows => Some(Wanted::Insert { key }),
                lock => lock.map(|lock| Wanted::Key { key, lock }),
            };
            // PostgreSQL looks at a row before it waits for it, and after it waited only if it is another one; an insert
            // looks at what it finds in the index once nobody is about to write it.
            let snapshot = if rules.ssi { self.snapshot(session, view, rules) } else { 0 };
            let xact = self.xact(view);
            let new = |xact: &u32| !self.ssi.has_read(*xact, key, newest.pos);
            if let Some(xact) = xact.filter(|xact| !manner.insert && new(xact)) {
                self.look_at_latest(session, (xact, snapshot), key, manner, keys)?;
            }
            if let Some(wanted) = wanted {
                self.lock(session, wanted, manner.wait, keys)?;
            }
            view.beyond |= rules.ssi && newest.pos > snapshot;
            if let Some(xact) = xact.filter(|_| manner.insert) {
                self.look_at_latest(session, (xact, snapshot), key, manner, keys)?;
            }
            return Ok(read(newest));
        }
        let snapshot = self.snapshot(session, view, rules);
        if let Some(xact) = self.xact(view) {
            let pos = state.split(snapshot).0.pos;
            // Who waited for the row has looked at it.
            if !(self.locks.waits(session) && self.ssi.has_read(xact, key, pos)) {
                self.look(session, xact, key, snapshot, keys)?;
                self.ssi.read(xact, key, pos);
            }
        }
        let lock = manner.lock.or(rules.locks_reads.then_some(Lock::Share));
        let found = match lock {
            Some(lock) => {
                let (seen, since) = state.split(snapshot);
                // That the key stays is all this lock wants: others may have updated it beside it.
                let beside = rules.rows
                    && lock == Lock::KeyShare
                    && !since.iter().any(|version| version.exclusive);
                // What was overwritten since is refused at once, whoever has the lock now.
                let found = match rules.first_updater_wins {
                    _ if beside => seen,
                    true if rules.rows && state.is_gone(snapshot) => return Err(Stop::Deleted),
                    true if newest.pos > snapshot => return Err(Stop::Conflict),
                    // The row is not there any more, whatever has its key now, and nothing is to be locked.
                    _ if rules.rows && state.is_gone(snapshot) => {
                        return Ok(Read { gone: true, ..read(newest) });
                    }
                    _ => newest,
                };
                self.lock(session, Wanted::Key { key, lock }, manner.wait, keys)?;
                found
            }
            None => state.split(snapshot).0,
        };
        Ok(read(found))
    }

    /// How a transaction sees keys that it only reads; nothing where reads lock.
    pub(crate) fn seeing(&mut self, session: u32, view: &mut View, rules: Rules) -> Option<Seeing> {
        if rules.locks_reads {
            return None;
        }
        let snapshot = self.snapshot(session, view, rules);
        Some(Seeing { session, snapshot, xact: self.xact(view) })
    }

    /// One of many plain reads: as [`Engine::read`].
    #[inline]
    pub(crate) fn see<'k>(
        &mut self,
        seeing: Seeing,
        key: u32,
        keys: &'k Keys,
    ) -> Result<&'k Version, Stop> {
        let found = keys.get(key).split(seeing.snapshot).0;
        if let Some(xact) = seeing.xact {
            self.look(seeing.session, xact, key, seeing.snapshot, keys)?;
            self.ssi.read(xact, key, found.pos);
        }
        Ok(found)
    }

    /// A check of a constraint looks at the newest version of a key.
    fn look_at_latest(
        &mut self,
        session: u32,
        (xact, snapshot): (u32, u64),
        key: u32,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let state = keys.get(key);
        let newest = state.newest();
        if !manner.insert {
            self.look(session, xact, key, newest.pos, keys)?;
            self.ssi.read(xact, key, newest.pos);
        } else if newest.pos > snapshot && newest.value != Value::Null {
            // What comes between is told before that the key is taken.
            self.ssi.write(xact, key, &state.name, None)?;
        }
        Ok(())
    }

    /// Whether a scan may begin: an engine that locks reads locks the range.
    pub(crate) fn scan(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        range: &KeyRange,
        keys: &Keys,
    ) -> Result<(), Stop> {
        // Also where nothing is to be read: that is what was seen.
        self.snapshot(session, view, rules);
        match rules.locks_reads {
            true => self.lock(session, Wanted::Range(range.clone()), Wait::Forever, keys),
            false => Ok(()),
        }
    }

    /// A scan has looked at all of a range.
    pub(crate) fn scanned(&mut self, view: &mut View, range: &KeyRange) {
        if let Some(xact) = self.xact(view) {
            self.ssi.scan(xact, range);
        }
    }

    /// Whether a transaction may write a key; `own` is what it wrote there last.
    pub(crate) fn write(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        key: u32,
        own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let snapshot = self.snapshot(session, view, rules);
        self.xids.assign(session);
        let state = keys.get(key);
        if rules.first_updater_wins && state.newest().pos > snapshot {
            return Err(Stop::Conflict);
        }
        if view.xact.is_none() && self.locks.take_to_write(session, key) {
            return Ok(());
        }
        if !self.locks.may_write(session, key) {
            let wanted = Wanted::Key { key, lock: Lock::Update };
            self.lock(session, wanted, Wait::Forever, keys)?;
        }
        if let Some(xact) = self.xact(view) {
            let newest = state.newest();
            let there = own.unwrap_or(&newest.value) != &Value::Null;
            if own.is_none() || !there {
                self.ssi.write(xact, key, &state.name, there.then_some(newest.pos))?;
            }
        }
        self.locks.note_write(session, key);
        Ok(())
    }

    /// Whether a transaction that is about to commit has to be refused.
    pub(crate) fn refuses(&mut self, view: &View) -> bool {
        view.xact.is_some_and(|xact| {
            let cycle = view.beyond && self.ssi.comes_before_a_commit(xact);
            cycle || self.ssi.prepare(xact).is_err()
        })
    }

    /// A session's transaction is another session's now.
    pub(crate) fn hand_over(&mut self, from: u32, to: u32) {
        self.locks.hand_over(from, to);
        self.ssi.hand_over(from, to);
        let running = self.xids.running.iter_mut().find(|(session, _)| *session == from);
        if let Some((session, _)) = running {
            *session = to;
        }
        // Those who wait for a safe snapshot wait for the other session.
        self.tell_unsure();
    }

    /// Commits a transaction that wrote something.
    pub(crate) fn commit(
        &mut self,
        session: u32,
        open: &Open,
        written: &[Left],
        sessions: &Sessions,
        keys: &mut Keys,
    ) {
        self.positions += 1;
        let pos = self.positions;
        let snapshots = sessions.opens().map(|open| {
            let view = &open.view;
            view.begin.min(view.statement.unwrap_or(NONE))
        });
        let oldest = snapshots.min().unwrap_or(NONE).min(pos);
        for left in written {
            let exclusive = self.locks.wrote_alone(session, left.key);
            let value = open.value(left).clone();
            let version = Version { txn: open.number, session, pos, value };
            let version = LiveVersion { version, slot: 0, exclusive, anew: left.anew };
            keys.append(left.key, version, oldest);
        }
    }

    /// A transaction ended.
    pub(crate) fn end(&mut self, session: u32, open: &mut Open, committed: bool, keys: &mut Keys) {
        self.xids.end(session);
        let mut used = std::mem::take(&mut open.keys);
        if let Some(xact) = open.view.xact.take() {
            let txn = committed.then_some(open.number);
            self.ssi.end(xact, txn, self.xids.next, std::mem::take(&mut used));
            self.tell_unsure();
        }
        used.extend(self.ssi.take_forgotten());
        for key in used {
            keys.release(key);
        }
        self.locks.release(session);
    }

    /// A transaction goes back to where it had taken so many locks.
    pub(crate) fn rollback(&mut self, session: u32, rules: Rules, mark: usize) {
        if rules.releases {
            self.locks.release_to(session, mark);
        }
    }
}
