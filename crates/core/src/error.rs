//! What a [`HistoryBuilder`](crate::HistoryBuilder) refuses.

use std::fmt;

use crate::value::Key;

/// Why a history is not well formed. Lines are those the builder was given, 0 where it had none.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::HistoryError;
///
/// let error = HistoryError::StillOpen;
/// assert_eq!(error.to_string(), "a transaction is still open; end it first");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryError {
    /// Two transactions have one id.
    DuplicateName {
        /// The id in question, as written.
        name: String,
        /// Where it was first used.
        first_line: u32,
        /// Where it was used again.
        line: u32,
    },
    /// A transaction is called `init`, or has an empty id.
    #[doc(hidden)]
    ReservedName {
        /// The id in question, as written.
        name: String,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A read names a writer that is no transaction.
    UnknownWriter {
        /// The name in question, as written.
        name: String,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A write names a writer.
    #[doc(hidden)]
    WriterOfWrite {
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A version order names no transaction, or one that does not write the key, or one twice.
    BadOrder {
        /// The key in question.
        key: Key,
        /// The transaction named.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A key has two initial values or two version orders.
    Twice {
        /// What is given twice.
        what: &'static str,
        /// The key in question.
        key: Key,
    },
    /// A transaction ends before it begins.
    #[doc(hidden)]
    EndBeforeBegin {
        /// When it began, by the file.
        begin: i64,
        /// When it ended, by the file.
        end: i64,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// An event points at a statement its transaction does not have.
    #[doc(hidden)]
    UnknownStatement {
        /// The index given, from 0.
        index: u32,
        /// How many statements the transaction has.
        count: usize,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A transaction begins, or the history is finished, while another one is open.
    StillOpen,
    /// A transaction ends that has not begun.
    #[doc(hidden)]
    NotOpen,
    /// A key, session, event or transaction is of another builder.
    #[doc(hidden)]
    Foreign {
        /// What it is.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// Two recorded sessions have one name at the same time.
    SessionTaken {
        /// That name.
        name: Key,
    },
    /// More than 2^30 keys, events, transactions or sessions, or 4 GiB of names.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::DuplicateName { name, .. } => {
                write!(f, "two transactions are called {name:?}")
            }
            HistoryError::ReservedName { name, .. } => {
                write!(f, "a transaction may not be called {name:?}")
            }
            HistoryError::UnknownWriter { name, .. } => {
                write!(f, "a read names the writer {name:?}, but no transaction is called that")
            }
            HistoryError::WriterOfWrite { .. } => {
                write!(f, "only a read can name the transaction it read from")
            }
            HistoryError::BadOrder { key, name, problem } => {
                write!(f, "the version order of {key} names {name:?}, {problem}")
            }
            HistoryError::Twice { what, key } => write!(f, "{what} of {key} is given twice"),
            HistoryError::EndBeforeBegin { begin, end, .. } => {
                write!(f, "transaction ends at {end}, before it begins at {begin}")
            }
            HistoryError::UnknownStatement { index, count, .. } => {
                write!(f, "an event belongs to statement {index}, but its transaction has {count}")
            }
            HistoryError::StillOpen => f.write_str("a transaction is still open; end it first"),
            HistoryError::NotOpen => f.write_str("no transaction is open; begin one first"),
            HistoryError::Foreign { what, id } => {
                write!(f, "{what} {id} is not of this history; use what this builder gave")
            }
            HistoryError::SessionTaken { name } => {
                write!(f, "a session {name} is already recorded; give each its own name")
            }
            HistoryError::TooLarge { what, limit } => {
                write!(f, "the history is too large: more than {limit} {what}")
            }
        }
    }
}

impl std::error::Error for HistoryError {}
