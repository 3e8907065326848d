//! What a [`HistoryBuilder`](crate::HistoryBuilder) refuses.

use crate::value::Key;

/// Why a history is not well formed. Lines are those the builder was given, 0 where it had none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// Two transactions have one id.
    #[error("two transactions are called {name:?}")]
    DuplicateName {
        /// The id in question, as written.
        name: String,
        /// Where it was first used.
        first_line: u32,
        /// Where it was used again.
        line: u32,
    },
    /// A transaction is called `init`, or has an empty id.
    #[error("a transaction may not be called {name:?}")]
    ReservedName {
        /// The id in question, as written.
        name: String,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A read names a writer that is no transaction.
    #[error("a read names the writer {name:?}, but no transaction is called that")]
    UnknownWriter {
        /// The name in question, as written.
        name: String,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A write names a writer.
    #[error("only a read can name the transaction it read from")]
    WriterOfWrite {
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// A version order names no transaction, or one that does not write the key, or one twice.
    #[error("the version order of {key} names {name:?}, {problem}")]
    BadOrder {
        /// The key in question.
        key: Key,
        /// The transaction named.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A key has two initial values or two version orders.
    #[error("{what} of {key} is given twice")]
    Twice {
        /// What is given twice.
        what: &'static str,
        /// The key in question.
        key: Key,
    },
    /// A transaction ends before it begins.
    #[error("transaction ends at {end}, before it begins at {begin}")]
    EndBeforeBegin {
        /// When it began, by the file.
        begin: i64,
        /// When it ended, by the file.
        end: i64,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// An event points at a statement its transaction does not have.
    #[error("an event belongs to statement {index}, but its transaction has {count}")]
    UnknownStatement {
        /// The index given, from 0.
        index: u32,
        /// How many statements the transaction has.
        count: usize,
        /// Its line in the file, from 1; 0 if unknown.
        line: u32,
    },
    /// More than 2^30 keys, events, transactions or sessions, or 4 GiB of names.
    #[error("the history is too large: more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
}
