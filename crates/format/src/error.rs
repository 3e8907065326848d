//! What is wrong with a file: where, what, and what to do next.

use std::fmt;
use std::io;

use hobgoblin_core::{HistoryError, StopReason};

use crate::Format;
use crate::find::{find_last_text, find_text};

/// A place in a file. Lines and columns count from 1; binary formats use `offset` alone.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{ReadError, read};
///
/// let wrong = read("s1: t1 { w(x)=1".as_bytes(), "wrong.txn", None);
/// let Err(ReadError::Parse { error, .. }) = wrong else { panic!("it is wrong") };
/// assert_eq!(error.place.line, 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line, 0 where unknown.
    pub line: u64,
    /// The column in bytes, 0 where unknown.
    pub column: u64,
    /// The byte offset, for formats without lines.
    pub offset: Option<u64>,
    /// The file within a directory of files.
    pub file: Option<Box<str>>,
    /// The offending line, cut to a readable length around the column.
    pub excerpt: Option<Box<str>>,
    /// The column of the excerpt's first byte, 1 unless the beginning was cut off.
    pub excerpt_column: u64,
}

/// Input that is not what its format asks for.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{ReadError, read};
///
/// let wrong = read("s1: t1 { w(x)=1".as_bytes(), "wrong.txn", None);
/// let Err(ReadError::Parse { error, .. }) = wrong else { panic!("it is wrong") };
/// assert!(!error.message.is_empty() && !error.help.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where in which file.
    pub place: Place,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub help: String,
}

impl ParseError {
    /// An error at a line and column.
    #[doc(hidden)]
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
    #[doc(hidden)]
    pub fn at_offset(
        offset: u64,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ParseError {
        let place = Place { offset: Some(offset), ..Place::default() };
        ParseError { place, message: message.into(), help: help.into() }
    }

    /// The same error with the offending line shown, or of a long line the part around the column.
    #[doc(hidden)]
    pub fn excerpt(mut self, line: &[u8]) -> ParseError {
        const WIDTH: usize = 160;
        let column = (self.place.column as usize).min(line.len());
        let mut start = if column <= WIDTH * 3 / 4 { 0 } else { column - WIDTH / 2 };
        while start > 0 && line[start] & 0xc0 == 0x80 {
            start -= 1;
        }
        let cut = &line[start..line.len().min(start + 4 * WIDTH)];
        // Whatever is in a file, showing it must not drive a terminal.
        let shown = |c: char| match c {
            '\t' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        let text: String = String::from_utf8_lossy(cut).chars().take(WIDTH).map(shown).collect();
        self.place.excerpt = Some(text.trim_end().into());
        self.place.excerpt_column = start as u64 + 1;
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
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{ReadError, read};
///
/// let wrong = read("s1: t1 { w(x)=1".as_bytes(), "wrong.txn", None);
/// let Err(ReadError::Parse { error, .. }) = wrong else { panic!("it is wrong") };
/// assert_eq!(error.place.line, 1);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be opened or read.
    Io {
        /// The file as the user named it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The content is not what its format asks for.
    Parse {
        /// The file as the user named it.
        file: String,
        /// The format it was read as.
        format: Format,
        /// Where and what.
        error: Box<ParseError>,
    },
    /// No format fits the content.
    Undetected {
        /// The file as the user named it.
        file: String,
    },
    /// There is nothing in the file, or nothing but blanks.
    Empty {
        /// The file as the user named it.
        file: String,
    },
    /// Somebody wanted to stop before all of it was read.
    Stopped {
        /// The file as the user named it.
        file: String,
        /// Which limit or request stopped it.
        reason: StopReason,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { file, source } => write!(f, "cannot read {file}: {source}"),
            ReadError::Parse { file, error, .. } => write!(f, "{file}: {error}"),
            ReadError::Undetected { file } => write!(f, "{file}: cannot tell which format this is"),
            ReadError::Empty { file } => write!(f, "{file} is empty"),
            ReadError::Stopped { file, reason } => {
                write!(f, "{file} was not read to its end: {reason}")
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io { source: error, .. } => Some(error),
            _ => None,
        }
    }
}

impl ReadError {
    /// The place in the file, where the trouble has one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ReadError::Parse { error, .. } => Some(&error.place),
            _ => None,
        }
    }

    /// What to do next.
    pub fn help(&self) -> String {
        match self {
            ReadError::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "check the path; `-` reads standard input".into(),
                io::ErrorKind::PermissionDenied => "make the file readable".into(),
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                    "the file may be damaged or incomplete; fetch it again".into()
                }
                _ => "check that the file is there and complete".into(),
            },
            ReadError::Parse { error, .. } => error.help.clone(),
            ReadError::Undetected { .. } => {
                format!("name the format with `--format`, one of {}", Format::names())
            }
            ReadError::Empty { .. } => "whoever should have written it may have failed; a history \
                without transactions is one line, {\"hobgoblin\": 1}"
                .into(),
            ReadError::Stopped { reason, .. } => match reason {
                StopReason::Time => "allow more time".into(),
                StopReason::Memory | StopReason::TooLarge => {
                    "allow more memory, or split the history".into()
                }
                _ => "read it again".into(),
            },
        }
    }
}

/// Why a history was not written.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{Format, WriteError, read, write};
///
/// // Plume's text has no names for keys.
/// let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
/// let refused = write(&history, Format::Plume, &mut Vec::new());
/// assert!(matches!(refused, Err(WriteError::Inexpressible { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The system refused.
    Io(io::Error),
    /// The format cannot express this history.
    Inexpressible {
        /// The target format.
        format: Format,
        /// What it cannot express, naming a transaction or key where there is one.
        what: String,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io(inner) => write!(f, "cannot write: {inner}"),
            WriteError::Inexpressible { format, what } => {
                write!(f, "{format} cannot express {what}", format = format.name())
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

/// A mistake within one line, before the line's number is known. Boxed in [`Parsed`], so that the
/// results of hot parsing functions stay small.
#[derive(Debug)]
pub(crate) struct Mistake {
    /// Where, in bytes from the beginning of the line.
    pub(crate) at: usize,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) help: String,
}

/// What a parser of lines returns.
pub(crate) type Parsed<T> = Result<T, Box<Mistake>>;

impl Mistake {
    /// A mistake at a byte of the line.
    #[cold]
    pub(crate) fn at(
        at: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Mistake> {
        Box::new(Mistake { at, message: message.into(), help: help.into() })
    }

    /// What the builder refused, at a byte of the line.
    #[cold]
    pub(crate) fn refused(at: usize, error: HistoryError) -> Box<Mistake> {
        let ParseError { message, help, .. } = error.into();
        Box::new(Mistake { at, message, help })
    }

    /// What the builder refused of a whole line: at the name it is about, where it is about one.
    #[cold]
    pub(crate) fn refused_in(line: &[u8], error: HistoryError) -> Box<Mistake> {
        let at = match &error {
            HistoryError::DuplicateName { name, .. } | HistoryError::ReservedName { name, .. } => {
                let quoted = format!("\"{name}\"");
                find_text(line, &quoted).or_else(|| find_text(line, name))
            }
            HistoryError::EndBeforeBegin { end, .. } => find_last_text(line, &end.to_string()),
            _ => None,
        };
        Mistake::refused(at.unwrap_or(0), error)
    }

    /// The mistake as an error of a file.
    pub(crate) fn on_line(self, number: u64, line: &[u8]) -> ParseError {
        ParseError::at(number, self.at as u64 + 1, self.message, self.help).excerpt(line)
    }
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
