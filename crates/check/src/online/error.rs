//! Why an online checker cannot go on.

use hobgoblin_core::{HistoryError, Key, Level, Value};

/// Why a checker cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OnlineError {
    /// The level is not one of RC, RA, CC.
    #[error("{level} cannot be checked online; RC, RA and CC can")]
    Level {
        /// The level that was asked for.
        level: Level,
    },
    /// A read returned a value that several transactions wrote, and did not name its writer.
    #[error("{key}={value} is written more than once and read without naming its writer")]
    Repeated {
        /// The key that this is about.
        key: Key,
        /// The value that was written twice.
        value: Value,
        /// Where the transaction is that made it so.
        line: u32,
    },
    /// A key is given its initial value after it was used.
    #[error("{key} is given its initial value twice, or after it was used")]
    InitialTooLate {
        /// The key that this is about.
        key: Key,
    },
    /// The transaction is not well formed.
    #[error(transparent)]
    History(#[from] HistoryError),
}
