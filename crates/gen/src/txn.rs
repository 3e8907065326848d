//! Transactions as generators emit them: plain numbers, in buffers that are used again.

use hobgoblin_core::{Kind, Status};

/// One event of a generated transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenOp {
    /// Whether it reads or writes.
    pub kind: Kind,
    /// The key, below [`Params::keys`](crate::Params::keys).
    pub key: u32,
    /// The value read or written; 0 is every key's initial value.
    pub value: i64,
    /// The [`GenTxn::index`] of the transaction that wrote the value, 0 for the initial one. Of a read
    /// of thin air, it is the reader itself.
    pub writer: u32,
}

/// A generated transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GenTxn {
    /// Its number, from 1, which no other transaction of the history has.
    pub index: u32,
    /// Its session, below [`Params::sessions`](crate::Params::sessions).
    pub session: u32,
    /// Its events, in program order.
    pub ops: Vec<GenOp>,
    /// What became of it.
    pub status: Status,
    /// When it began and ended, in nanoseconds.
    pub times: Option<(i64, i64)>,
}
