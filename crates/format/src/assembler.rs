//! Builds a history of what a reader parses, event by event.

use hobgoblin_core::{EventInfo, History, HistoryBuilder, HistoryError, TxnId, TxnInfo, Writer};

use crate::error::ParseError;
use crate::parsed::{EventSink, Name, ParsedEvent, ParsedTxn, Reference, Scalar};
use crate::record::Header;

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
        let ParsedEvent { writer, lock, statement, at, line, .. } = event;
        if writer.is_none() && !lock && statement.is_none() && at.is_none() && line == 0 {
            return Ok(());
        }
        let writer = writer.as_ref().map(|writer| match writer {
            Reference::Name(name) => Writer::Name(name),
            Reference::Number(number) => Writer::Txn(TxnId::new(*number as usize)),
        });
        self.builder.describe(id, EventInfo { writer, lock, statement, at, line })
    }
}

impl Assembler {
    /// Ends the transaction whose events were just added.
    pub(crate) fn end(&mut self, txn: ParsedTxn<'_>) -> Result<(), HistoryError> {
        let session = match &txn.session {
            Name::Int(n) => self.builder.session_int(*n),
            Name::Text(text) => self.builder.session_text(text),
        };
        let ParsedTxn { name, status, level, begin, end, statements, line, .. } = txn;
        let name = name.as_deref();
        let info = TxnInfo { name, status, level, begin, end, statements, line };
        self.builder.end_in(session, info)?;
        Ok(())
    }

    /// Adds initial values, version orders and tables.
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
        self.builder.schema(header.schema);
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
