//! Snapshot isolation in which the first committer wins, with locks and a clock as Percolator's [Peng 2010].
//!
//! A transaction takes the time as its snapshot, and reads of every resource, in any order, the newest version that
//! is not younger; who meets a lock waits. Then it locks the resource it writes, which it chooses: if that has a
//! version younger than the snapshot, it aborts. It takes the next time as the one of its commit and installs its
//! version, which unlocks.
//!
//! The bug is that nobody looks for younger versions: updates are lost.

use crate::error::SizeError;
use crate::models::{MOST, check_size, members, observe, renamed_writers};
use crate::observed::Observed;
use crate::protocol::{Line, Phase, Process, Protocol};
use crate::renaming::Renaming;

/// The protocol, with so many transactions and resources.
#[derive(Clone, Debug)]
pub struct Snapshot {
    transactions: usize,
    resources: usize,
    bug: bool,
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum At {
    #[default]
    Begin,
    Read,
    Locked,
    Install,
    Committed,
    Aborted,
}

/// A transaction. Numbers of transactions and resources are from 1 where 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Transaction {
    at: At,
    /// The times of its snapshot and of its commit.
    snapshot: u8,
    commit: u8,
    /// The resources read, as bits, and by resource who wrote what was read.
    read: u8,
    saw: [u8; MOST],
    writes: u8,
}

/// All of it. The versions of a resource are what committed transactions wrote; the lock of one is whose commit is
/// under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    clock: u8,
    transactions: [Transaction; MOST],
}

/// A step of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the line of each step says what it does")]
pub enum Step {
    Begin { t: usize, time: u8 },
    Read { t: usize, r: usize },
    Lock { t: usize, r: usize },
    Refuse { t: usize, r: usize },
    Time { t: usize, time: u8 },
    Install { t: usize, r: usize },
}

impl Snapshot {
    /// With so many transactions and resources.
    pub fn new(transactions: usize, resources: usize, bug: bool) -> Result<Snapshot, SizeError> {
        check_size(transactions, resources)?;
        Ok(Snapshot { transactions, resources, bug })
    }

    /// Whether a commit that writes a resource is under way.
    fn is_locked(state: &State, r: usize) -> bool {
        let locks = |own: &Transaction| {
            matches!(own.at, At::Locked | At::Install) && usize::from(own.writes) == r + 1
        };
        state.transactions.iter().any(locks)
    }

    /// Who wrote the newest version of a resource up to a time, and when; nobody at time 0.
    fn newest(state: &State, r: usize, time: u8) -> (u8, u8) {
        let versions = state.transactions.iter().enumerate().filter(|(_, own)| {
            own.at == At::Committed && usize::from(own.writes) == r + 1 && own.commit <= time
        });
        let versions = versions.map(|(t, own)| (own.commit, t as u8 + 1));
        let (commit, writer) = versions.max().unwrap_or_default();
        (writer, commit)
    }

    fn steps_of(&self, state: &State, t: usize, take: &mut dyn FnMut(Step, State)) {
        let own = state.transactions[t];
        let all = (1 << self.resources) - 1;
        let with = |transaction: Transaction| {
            let mut next = *state;
            next.transactions[t] = transaction;
            next
        };
        match own.at {
            At::Begin => {
                let time = state.clock;
                let next = Transaction { at: At::Read, snapshot: time, ..own };
                take(Step::Begin { t, time }, with(next));
            }
            At::Read if own.read != all => {
                for r in members(all & !own.read) {
                    if Self::is_locked(state, r) {
                        continue;
                    }
                    let mut next = Transaction { read: own.read | 1 << r, ..own };
                    next.saw[r] = Self::newest(state, r, own.snapshot).0;
                    take(Step::Read { t, r }, with(next));
                }
            }
            At::Read => {
                for r in members(all) {
                    if Self::is_locked(state, r) {
                        continue;
                    }
                    if !self.bug && Self::newest(state, r, u8::MAX).1 > own.snapshot {
                        let next = Transaction { at: At::Aborted, ..own };
                        take(Step::Refuse { t, r }, with(next));
                        continue;
                    }
                    let next = Transaction { at: At::Locked, writes: r as u8 + 1, ..own };
                    take(Step::Lock { t, r }, with(next));
                }
            }
            At::Locked => {
                let time = state.clock + 1;
                let mut next = with(Transaction { at: At::Install, commit: time, ..own });
                next.clock = time;
                take(Step::Time { t, time }, next);
            }
            At::Install => {
                let r = usize::from(own.writes) - 1;
                take(Step::Install { t, r }, with(Transaction { at: At::Committed, ..own }));
            }
            At::Committed | At::Aborted => {}
        }
    }
}

impl Protocol for Snapshot {
    type State = State;
    type Step = Step;

    fn transactions(&self) -> usize {
        self.transactions
    }

    fn resources(&self) -> usize {
        self.resources
    }

    fn initial(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn next(&self, state: &State, take: &mut dyn FnMut(Step, State)) {
        (0..self.transactions).for_each(|t| self.steps_of(state, t, take));
    }

    fn process(&self, step: &Step) -> Process {
        match *step {
            Step::Begin { t, .. }
            | Step::Read { t, .. }
            | Step::Lock { t, .. }
            | Step::Refuse { t, .. }
            | Step::Time { t, .. }
            | Step::Install { t, .. } => Process::Transaction(t),
        }
    }

    fn observed(&self, state: &State, observed: &mut Observed) {
        for (t, own) in state.transactions[..self.transactions].iter().enumerate() {
            if own.at == At::Committed {
                observe(observed, t, &own.saw[..self.resources], own.writes);
            }
        }
    }

    fn phase(&self, state: &State, transaction: usize) -> Phase {
        match state.transactions[transaction].at {
            At::Begin => Phase::Waiting,
            At::Committed | At::Aborted => Phase::Ended,
            _ => Phase::Running,
        }
    }

    fn line(&self, step: &Step) -> Line {
        let name = |r: usize| Process::Resource(r);
        match *step {
            Step::Begin { time, .. } => Line::new(format!("begins, snapshot {time}")),
            Step::Read { r, .. } => Line::new(format!("reads {}", name(r))),
            Step::Lock { r, .. } => Line::new(format!("locks {}", name(r))),
            Step::Refuse { r, .. } => Line::new(format!("finds a newer {}, aborts", name(r))),
            Step::Time { time, .. } => Line::new(format!("takes time {time}")),
            Step::Install { r, .. } => Line::new(format!("writes {}, commits", name(r))),
        }
    }

    fn renamings(&self) -> Vec<Renaming> {
        Renaming::all(self.transactions, self.resources)
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let mut next = State { clock: state.clock, ..State::default() };
        for (t, old) in state.transactions[..self.transactions].iter().enumerate() {
            next.transactions[renaming.transactions[t]] = Transaction {
                read: renaming.resource_set(old.read),
                saw: renamed_writers(&old.saw, renaming),
                writes: renaming.resource(old.writes),
                ..*old
            };
        }
        next
    }
}
