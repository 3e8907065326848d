//! Jepsen's and Elle's formats.

use std::io::{BufRead, Write};

use hobgoblin_core::History;

use crate::Format;
use crate::error::{Failure, ParseError, WriteError};

/// Reads a history.
pub(crate) fn read_edn(_input: &mut dyn BufRead) -> Result<History, Failure> {
    Err(ParseError::at(0, 0, "this format is not supported yet", "convert it first").into())
}

/// Writes a history.
pub(crate) fn write_edn(_history: &History, _out: &mut dyn Write) -> Result<(), WriteError> {
    Err(WriteError::Inexpressible { format: Format::ElleEdn, what: "anything yet".into() })
}

/// Reads a history.
pub(crate) fn read_json(_input: &mut dyn BufRead) -> Result<History, Failure> {
    Err(ParseError::at(0, 0, "this format is not supported yet", "convert it first").into())
}

/// Writes a history.
pub(crate) fn write_json(_history: &History, _out: &mut dyn Write) -> Result<(), WriteError> {
    Err(WriteError::Inexpressible { format: Format::ElleJson, what: "anything yet".into() })
}
