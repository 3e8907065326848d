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

mod cast;
mod error;
mod execution;
mod greedy;
mod reduce;
mod search;
mod verdict;

use hobgoblin_core::{Conclusion, History, Level, StopReason, Verdict, Witness};

use crate::limits::Limits;
use cast::Part;

pub use error::StateError;
pub use execution::{ExecutionReport, States, TxnReport, passes};
pub use verdict::{StateCause, StateVerdict, StateViolation};

/// The levels that have a state-based definition, weakest first.
pub const STATE_LEVELS: [Level; 5] = [Level::RU, Level::RC, Level::SI, Level::SER, Level::SSER];

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

fn axioms(history: &History, level: Level, limits: &Limits) -> Result<StateVerdict, StopReason> {
    let reduced = reduce::reduce(history);
    match crate::check(&reduced, level, limits) {
        Verdict::Consistent(order) => Ok(StateVerdict::Consistent(order.txns)),
        Verdict::Violation(witness) => Ok(violation(reduced, level, witness)),
        Verdict::Unknown(reason) => Err(reason),
    }
}

fn snapshot(history: &History, limits: &Limits) -> Result<StateVerdict, StopReason> {
    let reduced = reduce::reduce(history);
    match crate::check(&reduced, Level::SI, limits) {
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
