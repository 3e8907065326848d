//! The histories of a file: one JSON object, or one on every line.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hobgoblin_core::json::Reader;
use hobgoblin_crdt::CrdtReadError;
use hobgoblin_format::{ParseError, ReadError, bytes_until};

use crate::diagnostic::Diagnostic;

/// A history of a file, not understood yet.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: Arc<str>,
    text: Arc<Vec<u8>>,
    span: Range<usize>,
    /// The line it is on, if every line is one.
    pub(super) line: Option<u64>,
}

impl Entry {
    pub(super) fn text(&self) -> &[u8] {
        &self.text[self.span.clone()]
    }

    /// Where and what is wrong with it.
    pub(super) fn diagnostic(&self, error: &CrdtReadError) -> Diagnostic {
        let text = self.text();
        let at = error.at.min(text.len());
        let start = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let end = text[at..].iter().position(|&b| b == b'\n').map_or(text.len(), |end| at + end);
        let lines_before = || text[..start].iter().filter(|&&b| b == b'\n').count() as u64;
        let line = self.line.unwrap_or_else(|| lines_before() + 1);
        let column = (at - start) as u64 + 1;
        let place = ParseError::at(line, column, "", "").excerpt(&text[start..end]).place;
        let first = place.excerpt_column;
        Diagnostic {
            message: error.to_string(),
            file: Some(self.file.to_string()),
            line,
            column,
            offset: None,
            excerpt: place.excerpt.map(|text| (text.into(), first)),
            help: Some(error.help.clone()).filter(|help| !help.is_empty()),
        }
    }
}

/// The histories of a file, or of standard input for `-`; compressed or not.
pub(super) fn entries(
    path: &Path,
    stop: &dyn Fn() -> Option<hobgoblin_core::StopReason>,
) -> Result<Vec<Entry>, ReadError> {
    let file = path.display().to_string();
    let mut text = bytes_until(path, stop)?;
    if text.trim_ascii().is_empty() {
        return Err(ReadError::Empty { file });
    }
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    let (file, text) = (Arc::from(file), Arc::new(text));
    let entry =
        |(line, span)| Entry { file: Arc::clone(&file), text: Arc::clone(&text), span, line };
    Ok(spans(&text).into_iter().map(entry).collect())
}

/// Where the histories are, with their lines if every line is one.
///
/// An object that is written over many lines may have lines that are objects, and a line that should be a history may be
/// anything. What tells them apart is a line that is an object with replicas: no part of a history is one.
fn spans(text: &[u8]) -> Vec<(Option<u64>, Range<usize>)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (number, line) in text.split(|&b| b == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            lines.push((Some(number as u64 + 1), start..start + line.len()));
        }
        start += line.len() + 1;
    }
    match lines.len() > 1 && lines.iter().any(|(_, span)| is_history(&text[span.clone()])) {
        true => lines,
        false => vec![(None, 0..text.len())],
    }
}

fn is_history(line: &[u8]) -> bool {
    let mut reader = Reader::new(line);
    let mut has_replicas = false;
    let read = reader.members(|reader, name| {
        has_replicas |= name == "replicas";
        reader.skip()
    });
    read.is_ok() && has_replicas && reader.peek().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_history_or_one_on_every_line() {
        let lines = |text: &str| -> Vec<Option<u64>> {
            spans(text.as_bytes()).into_iter().map(|(line, _)| line).collect()
        };
        let one = r#"{"type": "mvr", "replicas": []}"#;
        assert_eq!(lines(one), [None]);
        assert_eq!(lines(&format!("\n{one}\n\n")), [None]);
        assert_eq!(lines(&format!("{one}\n\n{one}\n")), [Some(1), Some(3)]);
        assert_eq!(lines(&format!("{{\"replicas\": \n{one}\r\n[]")), [Some(1), Some(2), Some(3)]);
        // An operation on a line of its own is no history.
        let pretty = "{\"replicas\": [{\"id\": 1, \"ops\": [\n{\"f\": \"add\"}\n]}]}";
        assert_eq!(lines(pretty), [None]);
        assert_eq!(lines(&pretty[..40]), [None]);
    }
}
