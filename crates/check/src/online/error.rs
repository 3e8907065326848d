//! Why an online checker cannot go on.

use std::fmt;

use hobgoblin_core::{HistoryError, Key, Level, Value};

/// Why a checker cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnlineError {
    /// The level is not one of RC, RA, CC.
    Level {
        /// The level that was asked for.
        level: Level,
    },
    /// A read returned a value that several transactions wrote, and did not name its writer.
    Repeated {
        /// The key that this is about.
        key: Key,
        /// The value that was written twice.
        value: Value,
        /// Where the transaction is that made it so.
        line: u32,
    },
    /// A key is given its initial value after it was used.
    InitialTooLate {
        /// The key that this is about.
        key: Key,
    },
    /// The transaction is not well formed.
    History(HistoryError),
}

impl fmt::Display for OnlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnlineError::Level { level } => {
                write!(f, "{level} cannot be checked online; RC, RA and CC can")
            }
            OnlineError::Repeated { key, value, .. } => write!(
                f,
                "{key}={value} is written more than once and read without naming its writer"
            ),
            OnlineError::InitialTooLate { key } => {
                write!(f, "{key} is given its initial value twice, or after it was used")
            }
            OnlineError::History(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OnlineError {}

impl From<HistoryError> for OnlineError {
    fn from(error: HistoryError) -> OnlineError {
        OnlineError::History(error)
    }
}
