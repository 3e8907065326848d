//! A causally consistent store with a replica for each transaction, which takes what others wrote as it arrives
//! [Lloyd 2011].
//!
//! A transaction reads every resource at once, from what its replica has applied, and writes one, which it chooses.
//! The write has a stamp, younger than those of all that its replica had applied; between stamps of others it may fall
//! anywhere. It goes to every other replica with the writes it depends on, and is applied there once those are. Of
//! several writes of a resource a replica shows the one with the youngest stamp.
//!
//! The bug is that a replica does not wait for what a write depends on: a reader may see an answer and not the
//! question.

use crate::error::SizeError;
use crate::models::{MOST, check_size, observe, renamed_writers};
use crate::observed::Observed;
use crate::protocol::{Line, Must, Phase, Process, Protocol};
use crate::renaming::Renaming;

/// The protocol, with so many transactions and resources.
#[derive(Clone, Debug)]
pub struct Causal {
    transactions: usize,
    resources: usize,
    bug: bool,
}

/// A transaction and its replica. Numbers of transactions and resources are from 1 where 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Replica {
    /// Whether its transaction has begun, and by resource who wrote what it read.
    begun: bool,
    saw: [u8; MOST],
    /// What it writes, once it has.
    writes: u8,
    /// The writes that its replica had applied when it wrote, as bits by transaction.
    depends: u8,
    /// The writes that its replica has applied, its own too.
    applied: u8,
}

/// All of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    replicas: [Replica; MOST],
    /// Those who have written, oldest stamp first.
    stamps: [u8; MOST],
}

/// A step of a transaction or of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the line of each step says what it does")]
pub enum Step {
    Read { t: usize },
    Write { t: usize, r: usize, stamp: usize },
    Apply { replica: usize, of: usize },
}

impl Causal {
    /// With so many transactions and resources.
    pub fn new(transactions: usize, resources: usize, bug: bool) -> Result<Causal, SizeError> {
        check_size(transactions, resources)?;
        Ok(Causal { transactions, resources, bug })
    }

    /// Who wrote what a replica shows of a resource.
    fn shown(state: &State, replica: &Replica, r: usize) -> u8 {
        let is = |&&name: &&u8| {
            let Some(t) = usize::from(name).checked_sub(1) else { return false };
            replica.applied & (1 << t) != 0 && usize::from(state.replicas[t].writes) == r + 1
        };
        state.stamps.iter().rev().find(is).copied().unwrap_or(0)
    }

    fn write(&self, state: &State, t: usize, take: &mut dyn FnMut(Step, State)) {
        let own = state.replicas[t];
        let written = state.stamps.iter().take_while(|name| **name != 0).count();
        let known = |name: &u8| own.applied & (1 << (name - 1)) != 0;
        let first = state.stamps[..written].iter().rposition(known).map_or(0, |at| at + 1);
        for stamp in first..=written {
            for r in 0..self.resources {
                let mut next = *state;
                next.stamps.copy_within(stamp..written, stamp + 1);
                next.stamps[stamp] = t as u8 + 1;
                next.replicas[t] = Replica {
                    writes: r as u8 + 1,
                    depends: own.applied,
                    applied: own.applied | 1 << t,
                    ..own
                };
                take(Step::Write { t, r, stamp }, next);
            }
        }
    }
}

impl Protocol for Causal {
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
        for t in 0..self.transactions {
            let own = state.replicas[t];
            if !own.begun {
                let mut next = *state;
                next.replicas[t].begun = true;
                for r in 0..self.resources {
                    next.replicas[t].saw[r] = Self::shown(state, &own, r);
                }
                take(Step::Read { t }, next);
            } else if own.writes == 0 {
                self.write(state, t, take);
            }
            for of in 0..self.transactions {
                let write = &state.replicas[of];
                let missing = write.depends & !own.applied;
                if write.writes == 0 || own.applied & (1 << of) != 0 || missing != 0 && !self.bug {
                    continue;
                }
                let mut next = *state;
                next.replicas[t].applied |= 1 << of;
                take(Step::Apply { replica: t, of }, next);
            }
        }
    }

    fn process(&self, step: &Step) -> Process {
        match *step {
            Step::Read { t } | Step::Write { t, .. } => Process::Transaction(t),
            Step::Apply { replica, .. } => Process::Other("replica", replica),
        }
    }

    fn observed(&self, state: &State, observed: &mut Observed) {
        for (t, own) in state.replicas[..self.transactions].iter().enumerate() {
            if own.writes != 0 {
                observe(observed, t, &own.saw[..self.resources], own.writes);
            }
        }
    }

    fn phase(&self, state: &State, transaction: usize) -> Phase {
        let own = &state.replicas[transaction];
        match (own.begun, own.writes) {
            (false, _) => Phase::Waiting,
            (true, 0) => Phase::Running,
            (true, _) => Phase::Ended,
        }
    }

    fn is_done(&self, state: &State) -> bool {
        let all = (1 << self.transactions) - 1;
        state.replicas[..self.transactions].iter().all(|replica| replica.applied == all)
    }

    fn invariants(&self, state: &State, must: &mut Must<'_>) {
        let all = &state.replicas[..self.transactions];
        let agree = |one: &Replica, two: &Replica| {
            let shown = |replica, r| Self::shown(state, replica, r);
            one.applied != two.applied
                || (0..self.resources).all(|r| shown(one, r) == shown(two, r))
        };
        let pairs = || all.iter().flat_map(|one| all.iter().map(move |two| (one, two)));
        must.hold("convergence", pairs().all(|(one, two)| agree(one, two)));
    }

    fn line(&self, step: &Step) -> Line {
        match *step {
            Step::Read { .. } => Line::new("reads"),
            Step::Write { r, stamp, .. } => {
                Line::new(format!("writes {}, stamp {}", Process::Resource(r), stamp + 1))
            }
            Step::Apply { of, .. } => {
                let from = Process::Transaction(of);
                Line::new(format!("applies {from}")).upon(from, "write")
            }
        }
    }

    fn renamings(&self) -> Vec<Renaming> {
        Renaming::all(self.transactions, self.resources)
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let stamps = state.stamps.map(|name| renaming.transaction(name));
        let mut next = State { stamps, ..State::default() };
        for (t, old) in state.replicas[..self.transactions].iter().enumerate() {
            next.replicas[renaming.transactions[t]] = Replica {
                begun: old.begun,
                saw: renamed_writers(&old.saw, renaming),
                writes: renaming.resource(old.writes),
                depends: renaming.transaction_set(old.depends),
                applied: renaming.transaction_set(old.applied),
            };
        }
        next
    }
}
