//! A program as it runs: names are slots, keys are known or computed, and places are kept for faults.

use std::sync::Arc;

use hobgoblin_core::{Key, Text};

use super::syntax::Op;
use super::value::Val;

/// The place of an expression or statement; see [`Sources`](super::source::Sources).
pub(super) type At = u32;

/// A variable of a transaction, or a hidden one.
pub(super) type Slot = u32;

/// An expression, with every name resolved.
#[derive(Debug)]
pub(super) enum Code {
    Constant(Val),
    Slot(Slot),
    /// A local of the session.
    Local(Text),
    List(Vec<Code>, At),
    Set(Vec<Code>, At),
    Field(Box<Code>, Text, At),
    Index(Box<(Code, Code)>, At),
    Not(Box<Code>, At),
    Minus(Box<Code>, At),
    Binary(Op, Box<(Code, Code)>, At),
    Call(Function, Vec<Code>, At),
    Read(KeyCode, At),
    Select(Box<(Rows, Output)>),
    /// The final value of a key.
    Last(Key),
    /// What a transaction returned; null if it aborted.
    Result {
        session: usize,
        txn: usize,
    },
    /// Whether a transaction aborted.
    Aborted {
        session: usize,
        txn: usize,
    },
    /// What a local of a session holds in the end.
    EndLocal {
        session: usize,
        name: Text,
    },
}

/// How the key of a read or write is found.
#[derive(Debug)]
pub(super) enum KeyCode {
    Fixed(Key),
    Computed { name: Text, indexes: Vec<Code> },
}

/// A table: its set variable, and its columns.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: Text,
    pub(super) set: Key,
    /// As declared: the first is the primary key.
    pub(super) columns: Vec<Text>,
}

/// The rows of a table that a statement is about.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) table: Arc<Table>,
    /// Where the primary key is while a row is looked at.
    pub(super) id: Slot,
    /// Where the row is.
    pub(super) row: Slot,
    /// The primary key, where the condition fixes it.
    pub(super) fixed: Option<Code>,
    /// The other conditions.
    pub(super) filter: Vec<Code>,
    /// Whether other columns than the primary key are needed.
    pub(super) needs_row: bool,
    pub(super) at: At,
}

/// What a selection gives for each row.
#[derive(Debug)]
pub(super) enum Output {
    /// The value of a column.
    One(Code),
    /// Columns, in the order of their names.
    Record(Vec<(Text, Code)>),
}

/// A statement, with every name resolved.
#[derive(Debug)]
pub(super) enum Step {
    Assign(Slot, Code),
    AssignLocal(Text, Code),
    Write(KeyCode, Code, At),
    Insert(Arc<Table>, Vec<Code>, At),
    Delete(Rows),
    Update(Rows, Vec<(Text, Code)>),
    If(Vec<(Code, Vec<Step>)>, Vec<Step>, At),
    For(Slot, Code, Vec<Step>, At),
    Repeat(Code, Vec<Step>, At),
    While(Code, Vec<Step>, At),
    Abort,
    Return(Option<Code>),
}

/// The body of a transaction.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) params: usize,
    /// The names of its slots, parameters first; hidden ones have none.
    pub(super) slots: Vec<Text>,
    pub(super) body: Vec<Step>,
}

/// A function of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Len,
    Contains,
    Append,
    Remove,
    First,
    Min,
    Max,
    Sum,
    Text,
}

impl Function {
    /// Names and numbers of arguments.
    pub(super) const ALL: [(&str, usize, Function); 9] = [
        ("len", 1, Function::Len),
        ("contains", 2, Function::Contains),
        ("append", 2, Function::Append),
        ("remove", 2, Function::Remove),
        ("first", 1, Function::First),
        ("min", 1, Function::Min),
        ("max", 1, Function::Max),
        ("sum", 1, Function::Sum),
        ("text", 1, Function::Text),
    ];
}
