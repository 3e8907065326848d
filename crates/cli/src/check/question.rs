//! What is asked of histories: which levels, in which sense, and what to tell.

use hobgoblin_core::Level;
use hobgoblin_format::Format;

use crate::initial::InitialTransaction;

/// What the levels mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Semantics {
    Axiomatic,
    State,
}

/// Which levels are asked for.
#[derive(Clone, Debug)]
pub(super) enum Levels {
    /// All, but SSER only of histories with times.
    All,
    Chosen(Vec<Level>),
    Mixed(Level),
}

impl Levels {
    /// Whether the answer for a level (or for the mix) decides the exit code.
    pub(super) fn decides(&self, level: Option<Level>) -> bool {
        match (self, level) {
            // What violates RU violates RC.
            (Levels::All, Some(Level::RU)) => false,
            (Levels::All | Levels::Chosen(_) | Levels::Mixed(_), _) => true,
        }
    }
}

/// What is asked of every file.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) levels: Levels,
    pub(super) semantics: Semantics,
    /// The transactions of an execution to look at.
    pub(super) execution: Option<Vec<String>>,
    pub(super) format: Option<Format>,
    pub(super) initial_transaction: InitialTransaction,
    pub(super) verify: bool,
    /// How many of a file's violations to explain in prose.
    pub(super) explain: Explain,
    pub(super) json: bool,
    pub(super) dot: bool,
    pub(super) timing: bool,
}

/// How many of a file's violations are explained in prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explain {
    Nothing,
    First,
    All,
}

/// In which forms a violation is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) text: bool,
    pub(crate) sentences: bool,
    pub(crate) dot: bool,
}

impl Wanted {
    pub(crate) fn of(question: &Question, first: bool, implied: bool) -> Wanted {
        Wanted {
            text: match question.explain {
                Explain::Nothing => false,
                Explain::First => first,
                Explain::All => first || !implied,
            },
            sentences: question.json,
            dot: question.dot && first,
        }
    }
}
