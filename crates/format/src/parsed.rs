//! What the native parsers find, borrowed from the line. It becomes a history, through
//! [`Assembler`](crate::assembler::Assembler), or records that are handed out one by one.

use std::borrow::Cow;

use hobgoblin_core::{HistoryError, Key, Kind, Level, Status, Value};

/// The name of a key or a session.
pub(crate) enum Name<'a> {
    Int(i64),
    Text(Cow<'a, str>),
}

impl From<Name<'_>> for Key {
    fn from(name: Name<'_>) -> Key {
        match name {
            Name::Int(n) => Key::Int(n),
            Name::Text(text) => Key::Text((*text).into()),
        }
    }
}

/// The value of an event.
pub(crate) enum Scalar<'a> {
    Int(i64),
    Text(Cow<'a, str>),
    /// Neither of these.
    Other(Value),
}

impl From<Scalar<'_>> for Value {
    fn from(value: Scalar<'_>) -> Value {
        match value {
            Scalar::Int(n) => Value::Int(n),
            Scalar::Text(text) => Value::Text((*text).into()),
            Scalar::Other(value) => value,
        }
    }
}

/// Whom a read says it read from.
pub(crate) enum Reference<'a> {
    /// The transaction of this id.
    Name(Cow<'a, str>),
    /// The transaction of this number in the file, from 1.
    Number(u32),
}

/// A read or write as parsed.
pub(crate) struct ParsedEvent<'a> {
    pub(crate) kind: Kind,
    pub(crate) key: Name<'a>,
    pub(crate) value: Scalar<'a>,
    pub(crate) writer: Option<Reference<'a>>,
    pub(crate) lock: bool,
    pub(crate) statement: Option<u32>,
    pub(crate) at: Option<i64>,
    /// Its own line, or 0 for its transaction's.
    pub(crate) line: u32,
}

/// What is said of a transaction beyond its events.
pub(crate) struct ParsedTxn<'a> {
    pub(crate) session: Name<'a>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) status: Status,
    pub(crate) level: Option<Level>,
    pub(crate) begin: Option<i64>,
    pub(crate) end: Option<i64>,
    pub(crate) statements: Vec<Box<str>>,
    pub(crate) line: u32,
}

/// Takes the events of a transaction as they are parsed.
pub(crate) trait EventSink {
    fn event(&mut self, event: ParsedEvent<'_>) -> Result<(), HistoryError>;
}
