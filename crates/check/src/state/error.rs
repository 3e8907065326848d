//! Questions that the state-based definitions have no answer to.

use hobgoblin_core::{Level, TxnId};

/// A question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The level has no state-based definition.
    #[error("{level} has no state-based definition; RU, RC, SI, SER and SSER have one")]
    Undefined {
        /// The level that was asked for.
        level: Level,
    },
    /// An execution names a transaction twice.
    #[error("the execution has transaction {txn} twice")]
    Twice {
        /// The transaction that is named.
        txn: TxnId,
    },
    /// An execution names a transaction that aborted, or init, or one that there is not.
    #[error("the execution has transaction {txn}, which did not commit")]
    NotCommitted {
        /// The transaction that is named.
        txn: TxnId,
    },
}
