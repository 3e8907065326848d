//! jsonl

use std::io::{BufRead, Write};

use hobgoblin_core::History;

use crate::Format;
use crate::error::{Failure, ParseError, WriteError};

/// Reads a history.
pub(crate) fn read(_input: &mut dyn BufRead) -> Result<History, Failure> {
    Err(ParseError::at(0, 0, "this format is not supported yet", "convert it first").into())
}

/// Writes a history.
pub(crate) fn write(_history: &History, _out: &mut dyn Write) -> Result<(), WriteError> {
    Err(WriteError::Inexpressible { format: Format::Jsonl, what: "anything yet".into() })
}
