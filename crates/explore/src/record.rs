//! What a run of a transaction leaves behind: its reads with their answers, its events, its outcome.

use hobgoblin_core::{Key, Kind, Value};

use crate::locals::Locals;

/// What a transaction came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It committed and returned this.
    Committed(Value),
    /// It aborted.
    Aborted,
}

/// An external read that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub(crate) key: u32,
    /// The transaction it read from.
    pub(crate) source: u8,
    pub(crate) value: Value,
    /// A hash of what the transaction did before, to notice bodies that are not deterministic.
    pub(crate) trace: u64,
}

/// An event of a run, for a history.
#[derive(Clone, Debug)]
pub(crate) struct RunEvent {
    pub(crate) kind: Kind,
    pub(crate) key: u32,
    pub(crate) value: Value,
    /// The place among the external reads, for those.
    pub(crate) read: Option<usize>,
    /// The row that a read of a table's set variable is about, if it is about one only.
    pub(crate) row: Option<Key>,
}

/// How far a run got.
#[derive(Debug)]
pub(crate) enum Next {
    /// It reads this key from others, and has no answer.
    Read {
        /// The key it reads, by number.
        key: u32,
        /// The hash of what it did before.
        trace: u64,
    },
    /// It ran to its end, and committed or aborted.
    End(Done),
}

/// A transaction that ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    /// Its last write to each key; nothing if it aborted.
    pub(crate) writes: Vec<(u32, Value)>,
    pub(crate) outcome: Outcome,
    pub(crate) locals: Locals,
}
