//! What the native parsers find, borrowed from the line, and the two things done with it: a
//! [`History`], through [`Assembler`], or records handed out one by one.

use std::borrow::Cow;

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, HistoryError, Key, Kind, Level, Status, TxnId, TxnInfo,
    Value, Writer,
};

use crate::error::ParseError;
use crate::record::Header;

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

/// A value.
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

/// One event.
pub(crate) struct ParsedEvent<'a> {
    pub(crate) kind: Kind,
    pub(crate) key: Name<'a>,
    pub(crate) value: Scalar<'a>,
    pub(crate) writer: Option<Reference<'a>>,
    pub(crate) lock: bool,
    pub(crate) statement: Option<u32>,
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

/// Builds a history of what is parsed.
#[derive(Default)]
pub(crate) struct Assembler {
    builder: HistoryBuilder,
    /// Where version orders are given; they are checked only at the end.
    order_line: u32,
}

impl EventSink for Assembler {
    #[inline]
    fn event(&mut self, event: ParsedEvent<'_>) -> Result<(), HistoryError> {
        let builder = &mut self.builder;
        let key = match &event.key {
            Name::Int(n) => builder.key_int(*n),
            Name::Text(text) => builder.key_text(text),
        };
        let id = match &event.value {
            Scalar::Int(n) => builder.event_int(event.kind, key, *n),
            Scalar::Text(text) => builder.event_text(event.kind, key, text),
            Scalar::Other(value) => builder.event(event.kind, key, value),
        };
        let ParsedEvent { writer, lock, statement, line, .. } = event;
        if writer.is_none() && !lock && statement.is_none() && line == 0 {
            return Ok(());
        }
        let writer = writer.as_ref().map(|writer| match writer {
            Reference::Name(name) => Writer::Name(name),
            Reference::Number(number) => Writer::Txn(TxnId::new(*number as usize)),
        });
        self.builder.describe(id, EventInfo { writer, lock, statement, line })
    }
}

impl Assembler {
    /// Ends the transaction whose events were just added.
    pub(crate) fn end(&mut self, txn: ParsedTxn<'_>) -> Result<(), HistoryError> {
        let session = match &txn.session {
            Name::Int(n) => self.builder.session_int(*n),
            Name::Text(text) => self.builder.session_text(text),
        };
        self.builder.begin(session);
        let ParsedTxn { name, status, level, begin, end, statements, line, .. } = txn;
        let name = name.as_deref();
        self.builder.end(TxnInfo { name, status, level, begin, end, statements, line })?;
        Ok(())
    }

    /// Adds initial values and version orders.
    pub(crate) fn header(&mut self, header: Header, line: u32) -> Result<(), HistoryError> {
        for (key, value) in header.initial {
            let key = self.builder.key(&key);
            self.builder.initial(key, &value)?;
        }
        for (key, writers) in header.order {
            let key = self.builder.key(&key);
            self.order_line = line;
            self.builder.order(key, writers)?;
        }
        Ok(())
    }

    /// Checks the whole.
    pub(crate) fn finish(self) -> Result<History, ParseError> {
        let order_line = self.order_line;
        self.builder.finish().map_err(|error| {
            let mut error = ParseError::from(error);
            if error.place.line == 0 {
                error.place.line = order_line.into();
            }
            error
        })
    }
}
