//! Questions that the state-based definitions have no answer to.

use std::fmt;

use hobgoblin_core::{Level, TxnId};

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The level has no state-based definition.
    Undefined {
        /// The level that was asked for.
        level: Level,
    },
    /// An execution names a transaction twice.
    Twice {
        /// The transaction that is named.
        txn: TxnId,
    },
    /// An execution names a transaction that aborted, or init, or one that there is not.
    NotCommitted {
        /// The transaction that is named.
        txn: TxnId,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Undefined { level } => write!(
                f,
                "{level} has no state-based definition; RU, RC, SI, SER and SSER have one"
            ),
            StateError::Twice { txn } => write!(f, "the execution has transaction {txn} twice"),
            StateError::NotCommitted { txn } => {
                write!(f, "the execution has transaction {txn}, which did not commit")
            }
        }
    }
}

impl std::error::Error for StateError {}
