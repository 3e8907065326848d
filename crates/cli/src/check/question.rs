//! What is asked of histories: which levels, in which sense, and what to tell.

use hobgoblin_check::explain;
use hobgoblin_core::{History, Level, Witness};
use hobgoblin_format::Format;
use hobgoblin_report::Table;

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
    pub(super) proof: bool,
    pub(super) json: bool,
    pub(super) dot: bool,
    /// Whether a page is wanted, and with which transactions.
    pub(super) page: Option<Held>,
    pub(super) timing: bool,
}

/// Which transactions a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Of a large history those that matter.
    Part,
    All,
    /// What a server has under a number.
    Served(u64),
}

impl Held {
    /// The transactions of a history, with those of the witnesses marked.
    pub(super) fn table(self, history: &History, witnesses: &[&Witness]) -> Table {
        match self {
            Held::Part => Table::of(history, witnesses, false),
            Held::All => Table::of(history, witnesses, true),
            Held::Served(number) => Table::served(history, witnesses, number),
        }
    }
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
    /// With the text, its proof.
    pub(crate) proof: bool,
    pub(crate) sentences: bool,
    pub(crate) dot: bool,
    /// For a page.
    pub(crate) page: bool,
}

impl Wanted {
    /// The text of a violation, with its proof where that is wanted.
    pub(crate) fn tell(self, history: &History, witness: &Witness) -> String {
        self.with_proof(explain::text(history, witness), history, witness)
    }

    /// A text with the proof of a violation, where that is wanted.
    pub(crate) fn with_proof(self, text: String, history: &History, witness: &Witness) -> String {
        match self.proof {
            true => format!("{text}\n{}", explain::proof(history, witness)),
            false => text,
        }
    }

    pub(crate) fn of(question: &Question, first: bool, implied: bool) -> Wanted {
        Wanted {
            text: match question.explain {
                Explain::Nothing => false,
                Explain::First => first,
                Explain::All => first || !implied,
            },
            proof: question.proof,
            sentences: question.json,
            dot: question.dot && first,
            page: question.page.is_some() && (first || !implied),
        }
    }
}
