//! The engine profiles: snapshots and version order by arrival, real time respected, locks.
//!
//! Here a read has no choice. What varies is which session goes next, and that is up to whoever sends
//! the requests; see [`Scheduler`](crate::Scheduler). The rules of each engine and level are one table,
//! [`rules`].

use hobgoblin_core::Level;

use crate::config::Profile;
use crate::keys::{Keys, Version};
use crate::locks::{Locks, Wanted};
use crate::open::{Left, View};
use crate::range::KeyRange;
use crate::request::{Lock, Wait};
use crate::sessions::Sessions;
use crate::spec::Read;

/// What an engine does at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Whether every statement has a snapshot of its own, else the transaction has one, taken by its
    /// first statement.
    per_statement: bool,
    /// Whether locking or writing a key that was overwritten since the snapshot aborts.
    first_updater_wins: bool,
    /// Whether a transaction that wrote is refused when something it read was overwritten, and any when a
    /// check of a constraint showed it more than its snapshot.
    validates: bool,
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

/// The rules of an engine at a level, if it has that level.
pub(crate) fn rules(profile: Profile, level: Level) -> Option<Rules> {
    let plain = Rules {
        per_statement: false,
        first_updater_wins: false,
        validates: false,
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
            Some(Rules { first_updater_wins: true, validates: true, ..plain })
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

/// The state of an engine's store, its keys and sessions apart.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many commits wrote something.
    positions: u64,
    pub(crate) locks: Locks,
}

/// No snapshot yet.
const NONE: u64 = u64::MAX;

impl Engine {
    pub(crate) fn new(locks: Locks) -> Engine {
        Engine { positions: 0, locks }
    }

    /// The view of a transaction that begins.
    pub(crate) fn begin(&self) -> View {
        View { begin: NONE, high: u64::MAX, ..View::default() }
    }

    /// A statement of a transaction begins: `now`, or with the first read that follows.
    pub(crate) fn statement(&self, view: &mut View, rules: Rules, now: bool) {
        if rules.per_statement {
            view.statement = Some(if now { self.positions } else { NONE });
        } else if now && rules.first_updater_wins && view.begin == NONE {
            // PostgreSQL's first statement takes it, before it waits for any lock.
            view.begin = self.positions;
        }
    }

    /// Takes the snapshot of a statement anew.
    pub(crate) fn renew(&self, view: &mut View, rules: Rules) {
        if let Some(statement) = view.statement.as_mut().filter(|_| rules.per_statement) {
            *statement = self.positions;
        }
    }

    /// The prefix of commits a plain read sees.
    fn snapshot(&self, view: &mut View, rules: Rules) -> u64 {
        let taken = match &mut view.statement {
            Some(statement) if rules.per_statement => statement,
            _ if rules.per_statement || rules.locks_reads => return self.positions,
            _ => &mut view.begin,
        };
        if *taken == NONE {
            *taken = self.positions;
        }
        *taken
    }

    fn lock(&mut self, session: u32, wanted: Wanted, wait: Wait, keys: &Keys) -> Result<(), Stop> {
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
            if let Some(wanted) = wanted {
                self.lock(session, wanted, manner.wait, keys)?;
            }
            if rules.validates {
                view.beyond |= newest.pos > self.snapshot(view, rules);
                view.note(key, 0);
            }
            return Ok(read(newest));
        }
        let snapshot = self.snapshot(view, rules);
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
        if found.pos < newest.pos {
            view.high = view.high.min(snapshot);
        }
        view.note(key, 0);
        Ok(read(found))
    }

    /// Whether a scan may begin: an engine that locks reads locks the range.
    pub(crate) fn scan(
        &mut self,
        session: u32,
        rules: Rules,
        range: &KeyRange,
        keys: &Keys,
    ) -> Result<(), Stop> {
        match rules.locks_reads {
            true => self.lock(session, Wanted::Range(range.clone()), Wait::Forever, keys),
            false => Ok(()),
        }
    }

    /// Whether a transaction may write a key.
    pub(crate) fn write(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        key: u32,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let snapshot = self.snapshot(view, rules);
        let state = keys.get(key);
        if rules.first_updater_wins && state.newest().pos > snapshot {
            return Err(Stop::Conflict);
        }
        if !self.locks.may_write(session, key) {
            let wanted = Wanted::Key { key, lock: Lock::Update };
            self.lock(session, wanted, Wait::Forever, keys)?;
        }
        self.locks.note_write(session, key);
        Ok(())
    }

    /// Whether a transaction has to be refused: it wrote though what it read is overwritten, or it saw more
    /// than its snapshot.
    pub(crate) fn refuses(&self, view: &View, rules: Rules, wrote: bool) -> bool {
        rules.validates && (view.beyond || wrote && view.high != u64::MAX)
    }

    /// Commits a transaction that wrote something.
    pub(crate) fn commit(
        &mut self,
        session: u32,
        txn: u32,
        written: Vec<Left>,
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) {
        self.positions += 1;
        let pos = self.positions;
        let snapshots = sessions.opens().map(|open| {
            let view = &open.view;
            view.begin.min(view.statement.unwrap_or(NONE))
        });
        let oldest = snapshots.min().unwrap_or(NONE).min(pos);
        let written_keys: Vec<u32> = written.iter().map(|left| left.key).collect();
        for Left { key, value, anew } in written {
            let exclusive = self.locks.holds(session, key, Lock::Update);
            keys.append(
                key,
                Version { slot: 0, txn, session, pos, value, exclusive, anew },
                oldest,
            );
        }
        sessions.overwritten(&written_keys, pos);
    }

    /// A transaction ended, or its session did.
    pub(crate) fn end(&mut self, session: u32) {
        self.locks.release(session);
    }

    /// A transaction goes back to where it had taken so many locks.
    pub(crate) fn rollback(&mut self, session: u32, rules: Rules, mark: usize) {
        if rules.releases {
            self.locks.release_to(session, mark);
        }
    }
}
