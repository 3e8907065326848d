//! Errors as people like to read them: what, where with an excerpt, and what to do next.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use hobgoblin_format::{ReadError, WriteError};
use hobgoblin_gen::GenError;
use serde::Serialize;
use serde::ser::Serializer;

use crate::harmless::one_line;
use crate::style::{Ink, Style};

/// What to do about a file that is there and is not to be lost.
pub(crate) const EXISTS: &str = "choose another name, or add `--force` to replace it";

/// Where bugs are reported.
pub(crate) const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// An error to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// What is wrong, as a sentence without a full stop.
    pub(crate) message: String,
    /// The file it is in.
    pub(crate) file: Option<String>,
    /// Where in the file, from 1; 0 where unknown.
    pub(crate) line: u64,
    /// The column in bytes, from 1; 0 where unknown.
    pub(crate) column: u64,
    /// For binary files.
    pub(crate) offset: Option<u64>,
    /// The line, or the part of it around the column, and the column where that begins.
    pub(crate) excerpt: Option<(String, u64)>,
    /// What to do next.
    pub(crate) help: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let help = Some(help.into()).filter(|help: &String| !help.is_empty());
        Diagnostic { message: message.into(), help, ..Diagnostic::default() }
    }

    /// The same error in a file.
    pub(crate) fn in_file(mut self, file: impl Into<String>) -> Diagnostic {
        self.file = Some(file.into());
        self
    }

    /// The same error in a file, whose name need not be text.
    pub(crate) fn in_path(self, path: &Path) -> Diagnostic {
        self.in_file(path.display().to_string())
    }

    /// As text, with a line feed at the end.
    pub(crate) fn render(&self, style: Style) -> String {
        let mut text = format!(
            "{} {}\n",
            style.paint(Ink::Bad, "error:"),
            style.paint(Ink::Strong, &self.message)
        );
        if let Some(file) = &self.file {
            let margin = self.line.to_string().len();
            let file = shown(file);
            text.push_str(&format!("{:margin$}{} {file}", "", style.paint(Ink::Faint, "-->")));
            if let Some(offset) = self.offset {
                text.push_str(&format!(", byte {offset}"));
            } else if self.line > 0 {
                text.push_str(&format!(":{}", self.line));
                if self.column > 0 {
                    text.push_str(&format!(":{}", self.column));
                }
            }
            text.push('\n');
            if self.line > 0
                && let Some((excerpt, first)) = &self.excerpt
            {
                text.push_str(&self.excerpted(excerpt, *first, margin, style));
            }
        }
        if let Some(help) = &self.help {
            text.push_str(&format!("{} {help}\n", style.paint(Ink::Good, "help:")));
        }
        text
    }

    fn excerpted(&self, excerpt: &str, first: u64, margin: usize, style: Style) -> String {
        let bar = style.paint(Ink::Faint, "|");
        let number = style.paint(Ink::Faint, self.line);
        let mut text = format!("{:margin$} {bar}\n{number} {bar} {excerpt}\n", "");
        if self.column > 0 {
            // The column counts bytes, the caret goes below a character.
            let bytes = (self.column.saturating_sub(first.max(1))) as usize;
            let before = excerpt.char_indices().take_while(|&(at, _)| at < bytes).count();
            let caret = style.paint(Ink::Bad, "^");
            text.push_str(&format!("{:margin$} {bar} {:before$}{caret}\n", "", ""));
        }
        text
    }
}

/// As `--json` has it. The file is only there where it is not said elsewhere.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ErrorReport<'a> {
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            file: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            line: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            column: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            offset: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            help: Option<&'a str>,
        }
        let known = |n: u64| Some(n).filter(|&n| n > 0);
        ErrorReport {
            message: &self.message,
            file: self.file.as_deref(),
            line: known(self.line),
            column: known(self.column),
            offset: self.offset,
            help: self.help.as_deref(),
        }
        .serialize(serializer)
    }
}

impl From<ReadError> for Diagnostic {
    fn from(error: ReadError) -> Diagnostic {
        let help = Some(error.help());
        match error {
            ReadError::Parse { file, format, error } => {
                let place = error.place;
                let file = match place.file {
                    Some(inner) => format!("{file}/{inner}"),
                    None => file,
                };
                let first = place.excerpt_column;
                Diagnostic {
                    message: format!("{} (read as {format})", error.message),
                    file: Some(file),
                    line: place.line,
                    column: place.column,
                    offset: place.offset,
                    excerpt: place.excerpt.map(|text| (text.into(), first)),
                    help,
                }
            }
            ReadError::Io { file, source } => {
                let message = format!("cannot read this: {}", reason(&source));
                Diagnostic { message, file: Some(file), help, ..Diagnostic::default() }
            }
            ReadError::Undetected { file } => {
                let message = "cannot tell which format this is".to_owned();
                Diagnostic { message, file: Some(file), help, ..Diagnostic::default() }
            }
            ReadError::Empty { file } => {
                let message = "this file is empty".to_owned();
                Diagnostic { message, file: Some(file), help, ..Diagnostic::default() }
            }
            ReadError::Stopped { file, reason } => {
                let message = format!("this was not read to its end: {reason}");
                Diagnostic { message, file: Some(file), help, ..Diagnostic::default() }
            }
            other => Diagnostic { message: other.to_string(), help, ..Diagnostic::default() },
        }
    }
}

/// Why a command has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output does not take the result.
    Output(io::Error),
    /// An error that has been put into words already.
    Told(Box<Diagnostic>),
}

impl Failure {
    /// The error to show.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        match self {
            Failure::Told(diagnostic) => (**diagnostic).clone(),
            Failure::Output(error) => {
                let message = format!("cannot write to standard output: {}", reason(error));
                Diagnostic::new(message, "")
            }
        }
    }

    /// The error of a history that was not written to a file.
    pub(crate) fn writing(file: &Path, error: WriteError) -> Failure {
        match error {
            WriteError::Io(error) if file == Path::new("-") => Failure::Output(error),
            WriteError::Io(error) => {
                let help = match error.kind() {
                    io::ErrorKind::NotFound => "make the directory first",
                    io::ErrorKind::PermissionDenied => "choose a place where you may write",
                    io::ErrorKind::StorageFull => "make room on the disk",
                    io::ErrorKind::AlreadyExists => EXISTS,
                    _ => "",
                };
                let message = format!("cannot write this: {}", reason(&error));
                Diagnostic::new(message, help).in_path(file).into()
            }
            WriteError::Inexpressible { .. } => {
                let help = "the formats jsonl and txn can express every history";
                Diagnostic::new(error.to_string(), help).into()
            }
            other => Diagnostic::new(other.to_string(), "").into(),
        }
    }
}

/// A file as people know it.
pub(crate) fn shown(file: &str) -> Cow<'_, str> {
    if file == "-" { "<stdin>".into() } else { one_line(file) }
}

/// What the system said, without the number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Told(Box::new(diagnostic))
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        Diagnostic::from(error).into()
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<GenError> for Failure {
    fn from(error: GenError) -> Failure {
        let help = match &error {
            GenError::AnomalyNeeds { .. } => "ask for a larger history",
            GenError::AnomalyNeedsTimes { .. } => "add `--timestamps`",
            _ => "see `hob gen --help`",
        };
        Diagnostic::new(error.to_string(), help).into()
    }
}
