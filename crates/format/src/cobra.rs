//! Cobra's logs.

use std::path::Path;

use hobgoblin_core::History;

use crate::Format;
use crate::error::{Failure, ParseError, WriteError};

/// Reads a directory of `T*.log` files.
pub(crate) fn read(_directory: &Path) -> Result<History, Failure> {
    Err(ParseError::at(0, 0, "this format is not supported yet", "convert it first").into())
}

/// Writes a directory of `T*.log` files.
pub(crate) fn write(_history: &History, _directory: &Path) -> Result<(), WriteError> {
    Err(WriteError::Inexpressible { format: Format::Cobra, what: "anything yet".into() })
}
