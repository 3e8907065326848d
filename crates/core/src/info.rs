//! What may be said of transactions and events beyond what they read and write.

use crate::event::Status;
use crate::ids::TxnId;
use crate::level::Level;

/// Who a read says it read from.
#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    /// The transaction of this id, which may come later; `init` is [`TxnId::INIT`].
    Name(&'a str),
    /// This transaction, which may come later.
    Txn(TxnId),
}

/// What may be said of an event beyond key and value.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventInfo<'a> {
    /// Whom a read read from.
    pub writer: Option<Writer<'a>>,
    /// Whether a read took a lock.
    pub lock: bool,
    /// The index of its statement among its transaction's.
    pub statement: Option<u32>,
    /// Its place in the order of the log, by the clock of its transaction's begin and end.
    pub at: Option<i64>,
    /// Its line in the file, from 1; 0 for its transaction's.
    pub line: u32,
}

/// What may be said of a transaction beyond its events.
#[derive(Clone, Debug, Default)]
pub struct TxnInfo<'a> {
    /// The id that the file gives it; others name it so as the writer of what they read.
    pub name: Option<&'a str>,
    /// What became of it.
    pub status: Status,
    /// The level it asked for.
    pub level: Option<Level>,
    /// When it began, in nanoseconds or the steps of a mock store.
    pub begin: Option<i64>,
    /// When it ended, by the same clock.
    pub end: Option<i64>,
    /// Its SQL statements.
    pub statements: Vec<Box<str>>,
    /// Its line in the file, from 1; 0 for none.
    pub line: u32,
}
