//! The engine profiles: snapshots and version order by arrival, real time respected, locks.
//!
//! Here a read has no choice. What varies is which session goes next, and that is up to whoever sends
//! the requests; see [`Scheduler`](crate::Scheduler). The rules of each engine and level are one table,
//! [`rules`].

use hobgoblin_core::{Level, Value};

use crate::config::Profile;
use crate::keys::{Keys, Version};
use crate::locks::{Locks, Wanted};
use crate::open::View;
use crate::request::{KeyRange, Lock};
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
    /// Whether a transaction that wrote is refused when something it read was overwritten.
    validates: bool,
    /// Whether plain reads take shared locks and read the latest version.
    locks_reads: bool,
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
        satisfies: level,
    };
    match (profile, level) {
        (Profile::Spec, _) => None,
        (_, Level::RC) => Some(Rules { per_statement: true, ..plain }),
        (Profile::Postgres, Level::SI) => Some(Rules { first_updater_wins: true, ..plain }),
        (Profile::Postgres, Level::SER) => {
            Some(Rules { first_updater_wins: true, validates: true, ..plain })
        }
        // REPEATABLE READ: updates touch the latest version whatever the snapshot says.
        (Profile::Mysql, Level::SI) => Some(Rules { satisfies: Level::PC, ..plain }),
        (Profile::Mysql, Level::SER) => Some(Rules { locks_reads: true, ..plain }),
        _ => None,
    }
}

/// Why a request cannot be served now.
#[derive(Debug)]
pub(crate) enum Stop {
    Blocked(u32),
    Deadlock,
    Conflict,
}

/// The state of an engine's store, its keys and sessions apart.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    /// How many commits wrote something.
    positions: u64,
    locks: Locks,
}

/// No snapshot yet.
const NONE: u64 = u64::MAX;

impl Engine {
    /// The view of a transaction that begins.
    pub(crate) fn begin(&self) -> View {
        View { begin: NONE, high: u64::MAX, ..View::default() }
    }

    /// The prefix of commits a plain read sees.
    fn snapshot(&self, view: &mut View, rules: Rules) -> u64 {
        if rules.per_statement || rules.locks_reads {
            return self.positions;
        }
        if view.begin == NONE {
            view.begin = self.positions;
        }
        view.begin
    }

    fn lock(&mut self, session: u32, wanted: Wanted) -> Result<(), Stop> {
        match self.locks.take(session, &wanted) {
            Ok(()) => Ok(()),
            Err(holders) => match self.locks.wait(session, wanted) {
                Ok(()) => Err(Stop::Blocked(holders[0])),
                Err(_) => Err(Stop::Deadlock),
            },
        }
    }

    /// An external read of a transaction.
    pub(crate) fn read(
        &mut self,
        session: u32,
        view: &mut View,
        rules: Rules,
        key: u32,
        lock: Option<Lock>,
        keys: &Keys,
    ) -> Result<Read, Stop> {
        let state = keys.get(key);
        let snapshot = self.snapshot(view, rules);
        let lock = lock.or(rules.locks_reads.then_some(Lock::Share));
        let newest = state.newest();
        let found = match lock {
            Some(lock) => {
                self.lock(session, Wanted::Key { key, name: state.name.clone(), lock })?;
                if rules.first_updater_wins && newest.pos > snapshot {
                    return Err(Stop::Conflict);
                }
                newest
            }
            None => {
                let after = state.versions.partition_point(|version| version.pos <= snapshot);
                after.checked_sub(1).map_or(&state.base, |at| &state.versions[at])
            }
        };
        if found.pos < newest.pos {
            view.high = view.high.min(snapshot);
        }
        view.note(key, 0);
        let (txn, value) = (found.txn, found.value.clone());
        Ok(Read { txn, value, newest: found.pos == newest.pos, open: false })
    }

    /// Whether a scan may begin: an engine that locks reads locks the range.
    pub(crate) fn scan(
        &mut self,
        session: u32,
        rules: Rules,
        range: &KeyRange,
    ) -> Result<(), Stop> {
        match rules.locks_reads {
            true => self.lock(session, Wanted::Range(range.clone())),
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
        let (name, lock) = (state.name.clone(), Lock::Update);
        self.lock(session, Wanted::Key { key, name, lock })?;
        match rules.first_updater_wins && state.newest().pos > snapshot {
            true => Err(Stop::Conflict),
            false => Ok(()),
        }
    }

    /// Whether a transaction that wrote has to be refused.
    pub(crate) fn refuses(&self, view: &View, rules: Rules) -> bool {
        rules.validates && view.high != u64::MAX
    }

    /// Commits a transaction that wrote something.
    pub(crate) fn commit(
        &mut self,
        session: u32,
        txn: u32,
        written: Vec<(u32, Value)>,
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) {
        self.positions += 1;
        let pos = self.positions;
        let snapshots = sessions.opens().map(|open| open.view.begin);
        let oldest = snapshots.min().unwrap_or(NONE).min(pos);
        let written_keys: Vec<u32> = written.iter().map(|&(key, _)| key).collect();
        for (key, value) in written {
            keys.append(key, Version { slot: 0, txn, session, pos, value }, oldest);
        }
        sessions.overwritten(&written_keys, pos);
    }

    /// A transaction ended, or its session did.
    pub(crate) fn end(&mut self, session: u32) {
        self.locks.release(session);
    }

    pub(crate) fn ready(&self) -> impl Iterator<Item = u32> + '_ {
        self.locks.ready()
    }
}
