//! What a search found.

use std::fmt;

use hobgoblin_core::{Level, StopReason};

use crate::observed::Observed;
use crate::trace::Trace;

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds in every state.
    Holds,
    /// There is a state in which it does not.
    Violated,
    /// It held in every state seen, and not all were.
    Unknown,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Holds => "holds",
            Answer::Violated => "violated",
            Answer::Unknown => "unknown",
        })
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// What was observed violates a level.
    Level(Level),
    /// An invariant of the protocol does not hold.
    Invariant(&'static str),
    /// No step can be taken, and not all processes have come to their end.
    Deadlock,
    /// From some state of the run on it can go on for ever, with every process that can take steps taking some, and
    /// this transaction never ends.
    Endless {
        /// The transaction, from 0.
        transaction: usize,
        /// Where in the run the circle begins; it ends with the run.
        from: usize,
    },
    /// The protocol itself panicked on this state.
    Panic(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Level(level) => write!(f, "{level} is violated"),
            Finding::Invariant(name) => write!(f, "{name} does not hold"),
            Finding::Deadlock => f.write_str("a deadlock: nobody can take a step"),
            Finding::Endless { transaction, .. } => {
                write!(f, "t{} may never end", transaction + 1)
            }
            Finding::Panic(message) => write!(f, "the protocol panicked: {message}"),
        }
    }
}

/// Something wrong, and how it comes to it.
#[derive(Clone, Debug)]
pub struct Wrong<S, T> {
    /// What is wrong.
    pub finding: Finding,
    /// A shortest run to a state in which it is.
    pub trace: Trace<S, T>,
    /// What transactions have observed there.
    pub observed: Observed,
}

/// What a search found; of a protocol with these states and steps.
#[derive(Clone, Debug)]
pub struct Found<S, T> {
    /// How many states there are, up to names where symmetry was asked for.
    pub states: usize,
    /// How many states the longest of the shortest runs has, the initial one included.
    pub depth: usize,
    /// The levels asked for, weakest first, and what became of them.
    pub levels: Vec<(Level, Answer)>,
    /// The invariants of the protocol, and what became of them.
    pub invariants: Vec<(&'static str, Answer)>,
    /// Whether every run comes to an end, with all transactions ended, if every process that can take steps does.
    pub termination: Answer,
    /// What is wrong, each once.
    pub wrong: Vec<Wrong<S, T>>,
    /// Whether every state was seen. If not, a limit was reached, or there was nothing left to find out.
    pub complete: bool,
    /// The limit that was reached.
    pub stopped: Option<StopReason>,
}

impl<S, T> Found<S, T> {
    /// What became of a level, if it was asked for.
    pub fn level(&self, level: Level) -> Option<Answer> {
        self.levels.iter().find(|(known, _)| *known == level).map(|(_, answer)| *answer)
    }

    /// What is known of something like this.
    pub fn wrong(&self, is: impl Fn(&Finding) -> bool) -> Option<&Wrong<S, T>> {
        self.wrong.iter().find(|wrong| is(&wrong.finding))
    }
}
