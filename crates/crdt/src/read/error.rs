//! What is wrong in a file, and where.

use std::fmt;

use hobgoblin_core::json::JsonError;

/// What is wrong in a file, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdtReadError {
    /// The byte at which it stands.
    pub at: usize,
    /// The operation it is about, such as `A#3`.
    pub op: Option<String>,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl fmt::Display for CrdtReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.op {
            Some(op) => write!(f, "{op}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CrdtReadError {}

/// An error that is not, or not yet, about an operation.
pub(super) fn wrong(
    at: usize,
    message: impl Into<String>,
    help: impl Into<String>,
) -> CrdtReadError {
    CrdtReadError { at, op: None, message: message.into(), help: help.into() }
}

impl From<JsonError> for CrdtReadError {
    fn from(error: JsonError) -> CrdtReadError {
        wrong(error.at, error.message, "the file is one JSON object, or one on every line")
    }
}
