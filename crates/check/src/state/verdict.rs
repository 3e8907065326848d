//! The answers of state-based checks.

use hobgoblin_core::{EventId, History, Level, StopReason, TxnId, Witness};

/// The answer of a state-based check.
#[derive(Debug)]
pub enum StateVerdict {
    /// The level holds; this execution passes its test.
    Consistent(Vec<TxnId>),
    /// The level fails, and this is why.
    Violation(Box<StateViolation>),
    /// The check stopped first, and this is why.
    Unknown(StopReason),
}

/// Why no execution passes the test of a level.
#[derive(Debug)]
pub struct StateViolation {
    /// The level that is violated.
    pub level: Level,
    /// The transactions that violate it between them, ascending.
    pub txns: Vec<TxnId>,
    /// Whether taking any one of them away loses the violation.
    pub minimal: bool,
    /// Why they do.
    pub cause: StateCause,
}

/// What makes every execution fail.
#[derive(Debug)]
pub enum StateCause {
    /// Each of these reads, one a transaction, can only be served once another of these transactions
    /// has run (or by nobody), so none of them can be the first.
    Unserved(Vec<EventId>),
    /// The same transactions in a session each violate the axiomatic level, and the two agree here.
    Axioms {
        /// The transactions as the model sees them, reads first, then writes; their numbers, names,
        /// lines and times are those of the history checked.
        history: Box<History>,
        /// Why they violate it; its events are those of this history.
        witness: Box<Witness>,
    },
    /// Every execution was tried.
    Search,
}

impl StateViolation {
    /// In words; `history` is the one that was checked.
    pub fn explain(&self, history: &History) -> String {
        let names: Vec<_> = self.txns.iter().map(|&t| history.name(t)).collect();
        let names = names.join(", ");
        let level = self.level;
        match &self.cause {
            StateCause::Unserved(reads) => {
                let line = |&event: &EventId| {
                    let txn = history.name(history.txn_of(event));
                    let (key, value) = (history.event(event).key(), history.value(event));
                    format!("{txn} read {}={value}", history.key(key))
                };
                let lines: Vec<String> = reads.iter().map(line).collect();
                match &lines[..] {
                    [line] => format!("{line}, and no state can have that value"),
                    lines => format!(
                        "{}: only these transactions leave those values, so none of them can be the first",
                        lines.join("; ")
                    ),
                }
            }
            StateCause::Axioms { witness, .. } => {
                format!(
                    "no execution passes the test of {level}: {} among {names}",
                    witness.anomaly.title()
                )
            }
            StateCause::Search => {
                format!("no execution of {names} passes the test of {level}: every one was tried")
            }
        }
    }
}
