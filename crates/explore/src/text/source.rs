//! The files a program is made of, laid end to end, so that one number is a place in any of them.

use std::fmt;

use hobgoblin_format::ParseError;

use super::error::{Mistake, Span, TextError};

/// The most bytes of all files of a program together.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// The most files of a program.
pub(super) const MAX_FILES: usize = 100;

#[derive(Debug)]
struct File {
    name: String,
    text: String,
    first: usize,
}

/// The files of a program.
#[derive(Debug, Default)]
pub(super) struct Sources {
    files: Vec<File>,
}

impl Sources {
    /// Adds a file and gives the place of its first byte, or says why it is too much.
    pub(super) fn add(&mut self, name: &str, text: &str) -> Result<u32, String> {
        let first = self.files.last().map_or(0, |file| file.first + file.text.len() + 1);
        let fault = match first + text.len() > MAX_BYTES {
            true => Some(format!("the program has more than {MAX_BYTES} bytes")),
            false if self.files.len() == MAX_FILES => {
                Some(format!("the program has more than {MAX_FILES} files"))
            }
            false => None,
        };
        // A file that is too much is kept without its text: errors are told of it.
        let text = if fault.is_some() { "" } else { text };
        self.files.push(File { name: name.to_owned(), text: text.to_owned(), first });
        fault.map_or(Ok(first as u32), Err)
    }

    /// Where a byte is, for faults of a running program.
    pub(super) fn place(&self, at: u32) -> Place<'_> {
        let file = self.file(at);
        let (line, column, _) = line_of(&file.text, (at as usize).saturating_sub(file.first));
        Place { file: &file.name, line, column }
    }

    /// The mistake with its place looked up.
    pub(super) fn error(&self, mistake: Mistake) -> TextError {
        let Mistake { at: Span { start, end }, message, help } = mistake;
        let file = self.file(start);
        let start = (start as usize - file.first).min(file.text.len());
        let end = (end as usize).saturating_sub(file.first).clamp(start, file.text.len());
        let (line, column, text) = line_of(&file.text, start);
        let shown = ParseError::at(line, column, "", "").excerpt(text.as_bytes()).place;
        let first = shown.excerpt_column;
        TextError {
            file: file.name.clone(),
            span: start..end,
            line,
            column,
            message,
            help,
            excerpt: shown.excerpt.map(|text| (text.into(), first)),
        }
    }

    fn file(&self, at: u32) -> &File {
        let after = self.files.partition_point(|file| file.first <= at as usize);
        &self.files[after.saturating_sub(1)]
    }
}

/// A place as people read it.
pub(super) struct Place<'a> {
    file: &'a str,
    line: u64,
    column: u64,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The line and column of a byte, from 1, and the line's text.
fn line_of(text: &str, at: usize) -> (u64, u64, &str) {
    let bytes = &text.as_bytes()[..at.min(text.len())];
    let line = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let begin = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let rest = &text[begin..];
    let end = rest.find('\n').unwrap_or(rest.len());
    (line, (bytes.len() - begin) as u64 + 1, rest[..end].trim_end_matches('\r'))
}
