//! An event of a transaction that ended, and how much room events take.

use hobgoblin_core::{Key, Kind, Value};

use crate::ids::TxnNo;

/// An event of a transaction that ended.
#[derive(Debug)]
pub(crate) struct PastEvent {
    pub(crate) kind: Kind,
    pub(crate) key: Key,
    pub(crate) value: Value,
    /// The transaction an external read read from; nothing for writes and internal reads.
    pub(crate) from: Option<TxnNo>,
    pub(crate) lock: bool,
    /// When it was answered: its request, counted over the store as begins are.
    pub(crate) at: i64,
    /// The place of its statement among the transaction's.
    pub(crate) statement: Option<u32>,
}

impl PastEvent {
    /// About how many bytes an event of this key and value takes.
    pub(crate) fn size(key: &Key, value: &Value) -> usize {
        size_of::<PastEvent>() + texts(key, value)
    }
}

/// About how many bytes the texts of a key and a value take.
pub(crate) fn texts(key: &Key, value: &Value) -> usize {
    let text = |length: usize| length + 2 * size_of::<usize>();
    let key = match key {
        Key::Int(_) => 0,
        Key::Text(name) => text(name.len()),
    };
    let value = match value {
        Value::Text(value) | Value::Json(value) => text(value.len()),
        Value::Null | Value::Bool(_) | Value::Int(_) => 0,
    };
    key + value
}
