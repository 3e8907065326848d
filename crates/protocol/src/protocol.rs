//! What a protocol is.

use std::fmt::{self, Debug};
use std::hash::Hash;

use crate::observed::Observed;
use crate::renaming::Renaming;

/// A protocol of transactions and resources: the states it may begin in, the steps that lead from one to the next,
/// and what transactions have observed in each.
///
/// Messages are a matter of the state. Those that are never lost and may be late are a set that only grows: a process
/// that has not read one yet will find it there.
pub trait Protocol: Sync {
    /// Where all processes are, which messages were sent, and what was observed.
    type State: Clone + Ord + Hash + Debug + Send + Sync;

    /// One atomic step of a process.
    type Step: Clone + PartialEq + Debug + Send + Sync;

    /// How many transactions there are.
    fn transactions(&self) -> usize;

    /// How many resources there are.
    fn resources(&self) -> usize;

    /// The states that it may begin in.
    fn initial(&self) -> Vec<Self::State>;

    /// Hands out every step that can be taken in a state, with the state after it.
    fn next(&self, state: &Self::State, take: &mut dyn FnMut(Self::Step, Self::State));

    /// Who takes a step.
    fn process(&self, step: &Self::Step) -> Process;

    /// What transactions have observed; `observed` is empty.
    fn observed(&self, state: &Self::State, observed: &mut Observed);

    /// How far a transaction is. One that has ended stays so.
    fn phase(&self, state: &Self::State, transaction: usize) -> Phase;

    /// Whether every process has come to its end. A state with no step in which some have not is a deadlock.
    fn is_done(&self, state: &Self::State) -> bool {
        (0..self.transactions()).all(|t| self.phase(state, t) == Phase::Ended)
    }

    /// What must hold in every state beside isolation.
    fn invariants(&self, state: &Self::State, must: &mut Must<'_>) {
        let _ = (state, must);
    }

    /// A step in words, for those who read a counterexample.
    fn line(&self, step: &Self::Step) -> Line {
        Line::new(format!("{step:?}"))
    }

    /// The session that a transaction belongs to, which the levels RA, CC, PC and PSI know: sessions have their
    /// transactions in ascending order.
    fn session(&self, transaction: usize) -> usize {
        transaction
    }

    /// The ways to rename transactions and resources that make no difference to the protocol: all of
    /// [`Renaming::all`] where any may change places with any. None, and every state is its own.
    fn renamings(&self) -> Vec<Renaming> {
        Vec::new()
    }

    /// A state with other names. Only asked of a protocol that has [`renamings`](Protocol::renamings).
    fn renamed(&self, state: &Self::State, renaming: &Renaming) -> Self::State {
        let _ = renaming;
        state.clone()
    }

    /// Of the states that differ only by names, the one that stands for all of them: the least.
    fn representative(&self, state: &Self::State, renamings: &[Renaming]) -> Self::State {
        let renamed = renamings.iter().map(|renaming| self.renamed(state, renaming)).min();
        renamed.unwrap_or_else(|| state.clone())
    }
}

/// Who takes steps. Numbers are from 0, names from 1: `t1`, `r2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Process {
    /// A transaction, or who manages it.
    Transaction(usize),
    /// A resource.
    Resource(usize),
    /// Another, by what it is and its number.
    Other(&'static str, usize),
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Process::Transaction(number) => write!(f, "t{}", number + 1),
            Process::Resource(number) => write!(f, "r{}", number + 1),
            Process::Other(name, number) => write!(f, "{name}{}", number + 1),
        }
    }
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not begun.
    Waiting,
    /// It has begun, and its client has no answer yet.
    Running,
    /// Its client knows that it has committed or aborted.
    Ended,
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What the process does.
    pub does: String,
    /// The message it does so upon, and whose it is.
    pub received: Option<(Process, String)>,
}

impl Line {
    /// What a process does.
    pub fn new(does: impl Into<String>) -> Line {
        Line { does: does.into(), received: None }
    }

    /// It does so upon a message.
    pub fn upon(self, from: Process, message: impl Into<String>) -> Line {
        Line { received: Some((from, message.into())), ..self }
    }
}

/// Takes what must hold in a state.
pub struct Must<'a> {
    hear: &'a mut dyn FnMut(&'static str, bool),
}

impl<'a> Must<'a> {
    pub(crate) fn new(hear: &'a mut dyn FnMut(&'static str, bool)) -> Must<'a> {
        Must { hear }
    }

    /// An invariant, by name, and whether it holds in this state.
    pub fn hold(&mut self, name: &'static str, holds: bool) {
        (self.hear)(name, holds);
    }
}

impl Debug for Must<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Must").finish_non_exhaustive()
    }
}
