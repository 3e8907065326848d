//! What is wrong with a file: where, what, and what to do next.

use std::fmt;
use std::io;

use hobgoblin_core::HistoryError;

use crate::Format;

/// A place in a file. Lines and columns count from 1; binary formats use `offset` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line, 0 where unknown.
    pub line: u64,
    /// The column in bytes, 0 where unknown.
    pub column: u64,
    /// The byte offset, for formats without lines.
    pub offset: Option<u64>,
    /// The file within a directory of files.
    pub file: Option<String>,
    /// The offending line, cut to a readable length.
    pub excerpt: Option<String>,
}

/// Input that is not what its format asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where.
    pub place: Place,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub help: String,
}

impl ParseError {
    /// An error at a line and column.
    pub fn at(
        line: u64,
        column: u64,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ParseError {
        let place = Place { line, column, ..Place::default() };
        ParseError { place, message: message.into(), help: help.into() }
    }

    /// An error at a byte offset of a binary file.
    pub fn at_offset(
        offset: u64,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ParseError {
        let place = Place { offset: Some(offset), ..Place::default() };
        ParseError { place, message: message.into(), help: help.into() }
    }

    /// The same error with the offending line shown.
    pub fn excerpt(mut self, line: &[u8]) -> ParseError {
        const WIDTH: usize = 160;
        let text = String::from_utf8_lossy(&line[..line.len().min(4 * WIDTH)]);
        let text: String = text.trim_end().chars().take(WIDTH).collect();
        self.place.excerpt = Some(text);
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

impl From<HistoryError> for ParseError {
    fn from(error: HistoryError) -> ParseError {
        let (line, help) = match &error {
            HistoryError::DuplicateName { line, first_line, .. } => {
                let first = match first_line {
                    0 => String::new(),
                    n => format!(" (first used on line {n})"),
                };
                (*line, format!("give every transaction its own id, or none{first}"))
            }
            HistoryError::ReservedName { line, .. } => {
                (*line, "`init` names the transaction before all others; choose another id".into())
            }
            HistoryError::UnknownWriter { line, .. } => {
                (*line, "name a transaction of this file, or `init` for the initial value".into())
            }
            HistoryError::WriterOfWrite { line } => {
                (*line, "remove the writer from the write".into())
            }
            HistoryError::EndBeforeBegin { line, .. } => {
                (*line, "times are nanoseconds on one clock; swap them or leave them out".into())
            }
            HistoryError::UnknownStatement { line, .. } => {
                (*line, "`stmt` counts from 0 into the transaction's `statements`".into())
            }
            HistoryError::BadOrder { .. } => (
                0,
                "an order lists transactions that committed and write the key, once each".into(),
            ),
            HistoryError::Twice { .. } => (0, "give it once".into()),
            _ => (0, "split the history into smaller ones".into()),
        };
        ParseError::at(line.into(), 0, error.to_string(), help)
    }
}

/// Why a history was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("cannot read {file}: {source}")]
    Io {
        /// The file as the user named it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The content is not what its format asks for.
    #[error("{file}: {error}")]
    Parse {
        /// The file as the user named it.
        file: String,
        /// The format it was read as.
        format: Format,
        /// Where and what.
        error: ParseError,
    },
    /// No format fits the content.
    #[error("{file}: cannot tell which format this is")]
    Undetected {
        /// The file as the user named it.
        file: String,
    },
}

/// Why a history was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system refused.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The format cannot express this history.
    #[error("{format} cannot express {what}", format = format.name())]
    Inexpressible {
        /// The target format.
        format: Format,
        /// What it cannot express, naming a transaction or key where there is one.
        what: String,
    },
}

/// Why a reader stopped, before the file's name is known: [`ReadError`] is made of it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input could not be read.
    Io(io::Error),
    /// The content is not what the format asks for.
    Parse(Box<ParseError>),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure::Parse(Box::new(error))
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Failure {
        ParseError::from(error).into()
    }
}
