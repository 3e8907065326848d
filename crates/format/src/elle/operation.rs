//! The transactions of Jepsen and Elle: operations, and the reads and writes they are made of.

use hobgoblin_core::{Key, Status, Value};

/// A transaction: an invocation and its completion.
#[derive(Debug)]
pub(super) struct Txn {
    pub(super) session: Key,
    pub(super) status: Status,
    pub(super) begin: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) line: u32,
    pub(super) ops: Vec<Op>,
}

/// One read, write or append of a transaction: Elle's micro-operation.
#[derive(Debug)]
pub(super) enum Op {
    Read(Key, Got),
    Write(Key, Value),
    Append(Key, Value),
}

/// What a read returned.
#[derive(Debug)]
pub(super) enum Got {
    Value(Value),
    List(Vec<Value>),
}
