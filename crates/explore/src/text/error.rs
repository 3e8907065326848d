//! What is wrong with a program's text: where, what, and what to do next.

use std::fmt;
use std::ops::Range;

/// A program that is not what the language asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The file, as it was named.
    pub file: String,
    /// The bytes of the file it is about.
    pub span: Range<usize>,
    /// The line, from 1; 0 for a file that could not be read.
    pub line: u64,
    /// The column in bytes, from 1; 0 for a file that could not be read.
    pub column: u64,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub help: String,
    /// The line, or the part of it around the column, and the column where that begins.
    pub excerpt: Option<(String, u64)>,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message),
        }
    }
}

impl std::error::Error for TextError {}

/// A mistake, before its file and line are looked up.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) at: Span,
    pub(super) message: String,
    pub(super) help: String,
}

/// What the parts of the compiler return.
pub(super) type Parsed<T> = Result<T, Box<Mistake>>;

impl Mistake {
    #[cold]
    pub(super) fn at(
        at: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Mistake> {
        Box::new(Mistake { at, message: message.into(), help: help.into() })
    }
}

/// Bytes of the program, counted over all its files; see [`Sources`](super::source::Sources).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    /// From the beginning of one to the end of the other.
    pub(super) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}
