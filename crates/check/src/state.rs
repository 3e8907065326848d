//! The state-based (client-centric) levels: SER, SI, RC, RU and SSER as clients can observe them
//! [Crooks 2017], [Soethout 2021].
//!
//! An *execution* puts the transactions that count in a row; each takes the database from one state to
//! the next. A read is served by the states, up to its transaction's parent, in which the key has the
//! value read (all of them, if the transaction itself wrote that value before):
//!
//! ```text
//!     execution         ta = { w(x)=1 }      tb = { r(x)=0 w(y)=1 }
//!     states    s0 {x=0,y=0} ---> s1 {x=1,y=0} ---> s2 {x=1,y=1}      r(x)=0 of tb: s0, not its parent s1
//! ```
//!
//! A level holds when some execution passes its test for every transaction: at SER the parent serves
//! every read; at SI some state does, since which no key that the transaction writes has another value; at
//! RC every read is served by some state; RU asks nothing; SSER is SER, in an order that respects
//! real time. There is no session order, values may repeat, and locks and named writers mean nothing.
//!
//! How each is decided, completely:
//!
//! - **RC** by greedy scheduling (`greedy.rs`), since what is readable only grows.
//! - **SER, SSER** by the axiomatic check (`reduce.rs`) of the same transactions in a session each, which
//!   finds sources for repeated values too.
//! - **SI** the same way where every version of a key has its own value. Otherwise that check only
//!   suffices: here states are compared by value, so a key that changed and changed back is no conflict.
//!   When it fails, a search (`search.rs`) over executions decides.
//!
//! [`passes`] looks at one given execution and reports the read states of every operation.

use hobgoblin_core::{
    Conclusion, EventId, History, Level, Status, StopReason, TxnId, Verdict, Witness,
};

use crate::limits::Limits;

mod execution;
mod greedy;
mod reduce;
mod search;

pub use execution::{ExecutionReport, States, TxnReport, passes};

/// The levels that have a state-based definition, weakest first.
pub const STATE_LEVELS: [Level; 5] = [Level::RU, Level::RC, Level::SI, Level::SER, Level::SSER];

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
    /// The level.
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

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The level has no state-based definition.
    #[error("{level} has no state-based definition; RU, RC, SI, SER and SSER have one")]
    Undefined {
        /// The level.
        level: Level,
    },
    /// An execution names a transaction twice.
    #[error("the execution has transaction {txn} twice")]
    Twice {
        /// The transaction.
        txn: TxnId,
    },
    /// An execution names a transaction that aborted, or init, or one that there is not.
    #[error("the execution has transaction {txn}, which did not commit")]
    NotCommitted {
        /// The transaction.
        txn: TxnId,
    },
}

/// Decides whether some execution of a history passes the test of a level.
///
/// Transactions of unknown status that nobody is known to have read from take part where that helps.
///
/// ```
/// use hobgoblin_check::Limits;
/// use hobgoblin_check::state::{StateVerdict, check_state};
/// use hobgoblin_core::{HistoryBuilder, Kind, Level, TxnInfo};
///
/// // Write skew: each reads what the other replaces.
/// let mut b = HistoryBuilder::new();
/// for (session, read, write) in [("s1", "x", "y"), ("s2", "y", "x")] {
///     let (session, read, write) =
///         (b.session(&session.into()), b.key(&read.into()), b.key(&write.into()));
///     b.begin(session);
///     b.event_int(Kind::Read, read, 0);
///     b.event_int(Kind::Write, write, 1);
///     b.end(TxnInfo::default())?;
/// }
/// for key in ["x", "y"] {
///     let key = b.key(&key.into());
///     b.initial(key, &0.into())?;
/// }
/// let history = b.finish()?;
/// let verdict = |level| check_state(&history, level, &Limits::none());
/// assert!(matches!(verdict(Level::SI)?, StateVerdict::Consistent(_)));
/// assert!(matches!(verdict(Level::SER)?, StateVerdict::Violation(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_state(
    history: &History,
    level: Level,
    limits: &Limits,
) -> Result<StateVerdict, StateError> {
    let answer = match level {
        Level::RU => Ok(StateVerdict::Consistent(Part::of(history).required)),
        Level::RC => greedy::check(history, limits),
        Level::SI => snapshot(history, limits),
        Level::SER | Level::SSER => axioms(history, level, limits),
        Level::RA | Level::CC | Level::PC | Level::PSI => {
            return Err(StateError::Undefined { level });
        }
    };
    Ok(answer.unwrap_or_else(StateVerdict::Unknown))
}

/// Who takes part in executions.
struct Part {
    /// The transactions every execution has.
    required: Vec<TxnId>,
    /// Those of unknown status, which may have committed or not.
    open: Vec<TxnId>,
}

impl Part {
    fn of(history: &History) -> Part {
        let (required, others): (Vec<TxnId>, Vec<TxnId>) =
            history.txns().partition(|&t| history.counts(t));
        let unknown = |&t: &TxnId| history.status(t) == Status::Unknown;
        Part { required, open: others.into_iter().filter(unknown).collect() }
    }
}

fn axioms(history: &History, level: Level, limits: &Limits) -> Result<StateVerdict, StopReason> {
    let reduced = reduce::reduce(history);
    match crate::check(&reduced, level.into(), limits) {
        Verdict::Consistent(order) => Ok(StateVerdict::Consistent(order.txns)),
        Verdict::Violation(witness) => Ok(violation(reduced, level, witness)),
        Verdict::Unknown(reason) => Err(reason),
    }
}

fn snapshot(history: &History, limits: &Limits) -> Result<StateVerdict, StopReason> {
    let reduced = reduce::reduce(history);
    match crate::check(&reduced, Level::SI.into(), limits) {
        Verdict::Consistent(order) => Ok(StateVerdict::Consistent(order.txns)),
        Verdict::Unknown(reason) => Err(reason),
        // A value that is in no state, or a violation where values say all there is to know.
        Verdict::Violation(witness)
            if matches!(witness.proof.conclusion, Conclusion::Read(_))
                || !reduce::versions_repeat(&reduced) =>
        {
            Ok(violation(reduced, Level::SI, witness))
        }
        Verdict::Violation(_) => search::check(history, limits),
    }
}

fn violation(reduced: History, level: Level, witness: Box<Witness>) -> StateVerdict {
    let (txns, minimal) = (witness.txns.clone(), witness.minimal);
    let cause = StateCause::Axioms { history: Box::new(reduced), witness };
    StateVerdict::Violation(Box::new(StateViolation { level, txns, minimal, cause }))
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
