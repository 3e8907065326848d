//! Optimistic validation, as Silo's [Tu 2013].
//!
//! A transaction reads every resource, in any order, and remembers the versions it saw; who reads a locked resource
//! waits. Then it locks the one it writes, which it chooses, validates each resource it read, and installs the new
//! version, which unlocks. A resource is valid if its version is the one that was read and nobody else holds its lock.
//!
//! The bug leaves out the second half: two transactions that each hold the lock of what the other has read both find
//! nothing changed, and commit. That is write skew.

use crate::error::SizeError;
use crate::models::{MOST, check_size, members, observe, renamed_writers};
use crate::observed::Observed;
use crate::protocol::{Line, Must, Phase, Process, Protocol};
use crate::renaming::Renaming;

/// The protocol, with so many transactions and resources.
#[derive(Clone, Debug)]
pub struct Optimistic {
    transactions: usize,
    resources: usize,
    bug: bool,
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum At {
    #[default]
    Read,
    Validate,
    Install,
    Committed,
    Aborted,
}

/// A transaction. Numbers of transactions and resources are from 1 where 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Transaction {
    at: At,
    /// The resources read, as bits, and by resource who wrote what was read.
    read: u8,
    saw: [u8; MOST],
    validated: u8,
    writes: u8,
}

/// A resource: who wrote it last, and who holds its lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Resource {
    writer: u8,
    lock: u8,
}

/// All of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    transactions: [Transaction; MOST],
    resources: [Resource; MOST],
}

/// A step of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the line of each step says what it does")]
pub enum Step {
    Read { t: usize, r: usize },
    Lock { t: usize, r: usize },
    Validate { t: usize, r: usize },
    Refuse { t: usize, r: usize },
    Install { t: usize, r: usize },
}

impl Optimistic {
    /// With so many transactions and resources.
    pub fn new(transactions: usize, resources: usize, bug: bool) -> Result<Optimistic, SizeError> {
        check_size(transactions, resources)?;
        Ok(Optimistic { transactions, resources, bug })
    }

    fn steps_of(&self, state: &State, t: usize, take: &mut dyn FnMut(Step, State)) {
        let own = state.transactions[t];
        let name = t as u8 + 1;
        let all = (1 << self.resources) - 1;
        let with = |transaction: Transaction| {
            let mut next = *state;
            next.transactions[t] = transaction;
            next
        };
        match own.at {
            At::Read if own.read != all => {
                for r in members(all & !own.read) {
                    if state.resources[r].lock != 0 {
                        continue;
                    }
                    let mut next = Transaction { read: own.read | 1 << r, ..own };
                    next.saw[r] = state.resources[r].writer;
                    take(Step::Read { t, r }, with(next));
                }
            }
            At::Read => {
                for r in members(all) {
                    if state.resources[r].lock != 0 {
                        continue;
                    }
                    let writes = r as u8 + 1;
                    let mut next = with(Transaction { at: At::Validate, writes, ..own });
                    next.resources[r].lock = name;
                    take(Step::Lock { t, r }, next);
                }
            }
            At::Validate => {
                for r in members(all & !own.validated) {
                    let Resource { writer, lock } = state.resources[r];
                    let unlocked = self.bug || lock == 0 || lock == name;
                    if writer != own.saw[r] || !unlocked {
                        let mut next = with(Transaction { at: At::Aborted, ..own });
                        next.resources[usize::from(own.writes) - 1].lock = 0;
                        take(Step::Refuse { t, r }, next);
                        continue;
                    }
                    let validated = own.validated | 1 << r;
                    let at = if validated == all { At::Install } else { At::Validate };
                    take(Step::Validate { t, r }, with(Transaction { at, validated, ..own }));
                }
            }
            At::Install => {
                let r = usize::from(own.writes) - 1;
                let mut next = with(Transaction { at: At::Committed, ..own });
                next.resources[r] = Resource { writer: name, lock: 0 };
                take(Step::Install { t, r }, next);
            }
            At::Committed | At::Aborted => {}
        }
    }
}

impl Protocol for Optimistic {
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
            Step::Read { t, .. }
            | Step::Lock { t, .. }
            | Step::Validate { t, .. }
            | Step::Refuse { t, .. }
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
        let own = &state.transactions[transaction];
        match own.at {
            At::Read if own.read == 0 => Phase::Waiting,
            At::Committed | At::Aborted => Phase::Ended,
            _ => Phase::Running,
        }
    }

    fn invariants(&self, state: &State, must: &mut Must<'_>) {
        let holds = |(r, resource): (usize, &Resource)| {
            let Some(holder) = usize::from(resource.lock).checked_sub(1) else { return true };
            let own = &state.transactions[holder];
            matches!(own.at, At::Validate | At::Install) && usize::from(own.writes) == r + 1
        };
        must.hold(
            "locks are held by those who write",
            state.resources.iter().enumerate().all(holds),
        );
    }

    fn line(&self, step: &Step) -> Line {
        let name = |r: usize| Process::Resource(r);
        match *step {
            Step::Read { r, .. } => Line::new(format!("reads {}", name(r))),
            Step::Lock { r, .. } => Line::new(format!("locks {}", name(r))),
            Step::Validate { r, .. } => Line::new(format!("finds {} as it was", name(r))),
            Step::Refuse { r, .. } => Line::new(format!("finds {} changed, aborts", name(r))),
            Step::Install { r, .. } => Line::new(format!("writes {}, commits", name(r))),
        }
    }

    fn renamings(&self) -> Vec<Renaming> {
        Renaming::all(self.transactions, self.resources)
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let mut next = State::default();
        for (t, old) in state.transactions[..self.transactions].iter().enumerate() {
            next.transactions[renaming.transactions[t]] = Transaction {
                at: old.at,
                read: renaming.resource_set(old.read),
                saw: renamed_writers(&old.saw, renaming),
                validated: renaming.resource_set(old.validated),
                writes: renaming.resource(old.writes),
            };
        }
        for (r, old) in state.resources[..self.resources].iter().enumerate() {
            let Resource { writer, lock } = *old;
            next.resources[renaming.resources[r]] =
                Resource { writer: renaming.transaction(writer), lock: renaming.transaction(lock) };
        }
        next
    }
}
