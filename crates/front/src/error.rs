//! What can go wrong for a session.

use hobgoblin_core::Key;
use hobgoblin_store::{AbortReason, LogError, StoreError, TokenError};

/// Why a request did not give an answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store aborted the transaction; a program runs it again.
    #[error("the transaction is aborted: {0}")]
    Aborted(AbortReason),
    /// The store refused the request; what the transaction did since its last savepoint is undone, and it
    /// goes on from there.
    #[error("the request is refused, and undone until the last savepoint: {0}")]
    Refused(AbortReason),
    /// Someone [interrupted](crate::Store::interrupt) the request while it waited.
    #[error("the request was interrupted while it waited, and {}", undone(*.open))]
    Interrupted {
        /// Whether the transaction goes on from its last savepoint, else it is aborted.
        open: bool,
    },
    /// The request makes no sense; nothing changed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What a key holds is not of the type asked for.
    #[error("{key} holds {value}, which is not what was asked for: {what}")]
    Type {
        /// The key in question.
        key: Key,
        /// The value, as JSON.
        value: String,
        /// What does not fit.
        what: String,
    },
    /// A value cannot be JSON.
    #[error("the value for {key} cannot be written as JSON: {what}")]
    Unwritable {
        /// The key in question.
        key: Key,
        /// What JSON cannot say of the value.
        what: String,
    },
    /// The history or log went to a sink that cannot give it back, or could not be read from there.
    #[error("the {what} cannot be read back: {why}")]
    Sink {
        /// The history or the log.
        what: &'static str,
        /// What the file system said.
        why: String,
    },
    /// The log became longer than the store [keeps](hobgoblin_store::Config::keep).
    #[error("the log became longer than what is kept in memory, so it is forgotten")]
    LogCut,
    /// What the sink has to take cannot be written any more, so nothing is acknowledged: whether a
    /// transaction that ended with this error counts is unknown, as after a crash.
    #[error("the history or log cannot be written, so nothing is acknowledged any more: {why}")]
    Unrecorded {
        /// What the system said.
        why: String,
        /// Whether the transaction is still open; it can only be aborted.
        open: bool,
    },
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A token cannot be read.
    #[error(transparent)]
    Token(#[from] TokenError),
}

impl Error {
    /// Whether the transaction was aborted by the store and should be run again.
    pub fn is_abort(&self) -> bool {
        matches!(self, Error::Aborted(_))
    }

    /// Whether the transaction is over, to be run again or not.
    pub fn ends_transaction(&self) -> bool {
        matches!(
            self,
            Error::Aborted(_)
                | Error::Interrupted { open: false }
                | Error::Unrecorded { open: false, .. }
        )
    }
}

fn undone(open: bool) -> &'static str {
    if open { "undone until the last savepoint" } else { "the transaction is aborted" }
}
