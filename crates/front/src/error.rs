//! What can go wrong for a session.

use std::fmt;

use hobgoblin_core::Key;
#[cfg(feature = "files")]
use hobgoblin_store::LogError;
use hobgoblin_store::{AbortReason, StoreError, TokenError};

/// Why a request did not give an answer.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Config;
/// use hobgoblin::{Error, Store};
///
/// let store = Store::new(Config::default().initial("name", "ada"))?;
/// let wrong = store.session().get_as::<i64>("name");
/// assert!(matches!(wrong, Err(Error::Type { .. })));
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The store aborted the transaction; a program runs it again.
    Aborted(AbortReason),
    /// The store refused the request; what the transaction did since its last savepoint is undone, and it
    /// goes on from there.
    Refused(AbortReason),
    /// Someone [interrupted](crate::Store::interrupt) the request while it waited.
    Interrupted {
        /// Whether the transaction goes on from its last savepoint, else it is aborted.
        open: bool,
    },
    /// The request makes no sense; nothing changed.
    Store(StoreError),
    /// What a key holds is not of the type asked for.
    Type {
        /// The key in question.
        key: Key,
        /// The value, as JSON.
        value: String,
        /// What of the value does not fit the type.
        what: String,
    },
    /// A value cannot be JSON.
    Unwritable {
        /// The key in question.
        key: Key,
        /// What JSON cannot say of the value.
        what: String,
    },
    /// The history or log went to a sink that cannot give it back, or could not be read from there.
    #[doc(hidden)]
    Sink {
        /// The history or the log.
        what: &'static str,
        /// What the file system said.
        why: String,
    },
    /// The log became longer than the store [keeps](hobgoblin_store::Config::keep).
    #[doc(hidden)]
    LogCut,
    /// What the sink has to take cannot be written any more, so nothing is acknowledged: whether a
    /// transaction that ended with this error counts is unknown, as after a crash.
    #[doc(hidden)]
    Unrecorded {
        /// The error of the system, in words.
        why: String,
        /// Whether the transaction is still open; it can only be aborted.
        open: bool,
    },
    /// A log cannot be read.
    #[cfg(feature = "files")]
    #[doc(hidden)]
    Log(LogError),
    /// A token cannot be read.
    #[doc(hidden)]
    Token(TokenError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Aborted(inner) => write!(f, "the transaction is aborted: {inner}"),
            Error::Refused(inner) => {
                write!(f, "the request is refused, and undone until the last savepoint: {inner}")
            }
            Error::Interrupted { open } => {
                write!(f, "the request was interrupted while it waited, and {}", undone(*open))
            }
            Error::Store(error) => error.fmt(f),
            Error::Type { key, value, what } => {
                write!(f, "{key} holds {value}, which is not what was asked for: {what}")
            }
            Error::Unwritable { key, what } => {
                write!(f, "the value for {key} cannot be written as JSON: {what}")
            }
            Error::Sink { what, why } => write!(f, "the {what} cannot be read back: {why}"),
            Error::LogCut => {
                f.write_str("the log became longer than what is kept in memory, so it is forgotten")
            }
            Error::Unrecorded { why, .. } => write!(
                f,
                "the history or log cannot be written, so nothing is acknowledged any more: {why}"
            ),
            #[cfg(feature = "files")]
            Error::Log(error) => error.fmt(f),
            Error::Token(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        Error::Store(error)
    }
}

#[cfg(feature = "files")]
impl From<LogError> for Error {
    fn from(error: LogError) -> Error {
        Error::Log(error)
    }
}

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Error {
        Error::Token(error)
    }
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
