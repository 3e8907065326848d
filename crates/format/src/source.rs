//! From a file to a history.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use hobgoblin_core::History;

use crate::error::{Failure, ParseError, ReadError};
use crate::input::{self, Lines};
use crate::{Format, cobra, detect, read_as};

/// How much of a file is looked at to tell its format.
const HEAD: usize = 1 << 16;

/// Reads a history from a file, from standard input for `-`, or from a directory: one of Cobra's
/// logs, or one that holds a `history.bincode`, `history.edn` or `history.jsonl`. Gzip and Zstandard are
/// undone whatever the file is called. Without a format, the content tells it.
pub fn read_path(path: impl AsRef<Path>, format: Option<Format>) -> Result<History, ReadError> {
    load(path, format).map(|(history, _)| history)
}

/// As [`read_path`], and tells which format the history was read as.
pub fn load(
    path: impl AsRef<Path>,
    format: Option<Format>,
) -> Result<(History, Format), ReadError> {
    let path = path.as_ref();
    let is_directory = path != Path::new("-") && path.is_dir();
    if is_directory && let Some(inner) = inner_file(path, format) {
        return load(inner, format);
    }
    let file = path.display().to_string();
    if is_directory {
        if format.is_none() && !cobra::looks_like(path) {
            return Err(ReadError::Undetected { file });
        }
        let history = cobra::read(path);
        return history
            .map(|history| (history, Format::Cobra))
            .map_err(|failure| named(failure, &file, Format::Cobra));
    }
    let io = |source| ReadError::Io { file: file.clone(), source };
    let input = input::open(path).map_err(io)?;
    let error = match read_told(input, &file, format) {
        Ok(loaded) => return Ok(loaded),
        Err(error) => error,
    };
    // What was wrong only in the light of the whole has a line, but the line is gone; get it again.
    Err(match error {
        ReadError::Parse { file, format, error } => {
            let error = if path.is_file() { Box::new(show_line(*error, path)) } else { error };
            ReadError::Parse { file, format, error }
        }
        other => other,
    })
}

/// The file that a directory of another kind than Cobra's keeps its history in.
fn inner_file(directory: &Path, format: Option<Format>) -> Option<PathBuf> {
    let names: &[&str] = match format {
        None => &["history.bincode", "history.edn", "history.jsonl"],
        Some(Format::DbcopBincode) => &["history.bincode"],
        Some(Format::ElleEdn) => &["history.edn"],
        Some(Format::Jsonl) => &["history.jsonl"],
        Some(_) => &[],
    };
    names.iter().map(|name| directory.join(name)).find(|path| path.is_file())
}

/// Reads a history from an open file, which `file` names in errors and, where the content does
/// not tell, in choosing the format.
pub fn read(input: impl Read, file: &str, format: Option<Format>) -> Result<History, ReadError> {
    read_told(input, file, format).map(|(history, _)| history)
}

fn read_told(
    input: impl Read,
    file: &str,
    format: Option<Format>,
) -> Result<(History, Format), ReadError> {
    let io = |source| ReadError::Io { file: file.to_owned(), source };
    let mut input = input::decompress(input).map_err(io)?;
    let (format, head) = match format {
        Some(format) => (format, Vec::new()),
        None => {
            let head = input::read_up_to(&mut input, HEAD).map_err(io)?;
            let format = detect(&head, file);
            let undetected = || ReadError::Undetected { file: file.to_owned() };
            (format.ok_or_else(undetected)?, head)
        }
    };
    let mut input = Cursor::new(head).chain(input);
    let history = read_as(format, &mut input).map_err(|failure| named(failure, file, format))?;
    Ok((history, format))
}

fn named(failure: Failure, file: &str, format: Format) -> ReadError {
    let file = file.to_owned();
    match failure {
        Failure::Io(source) => ReadError::Io { file, source },
        Failure::Parse(error) => ReadError::Parse { file, format, error },
    }
}

/// The error with its line, read again from the file, and the column of the name it quotes.
fn show_line(error: ParseError, path: &Path) -> ParseError {
    let wanted = error.place.line;
    if wanted == 0 || error.place.excerpt.is_some() || error.place.file.is_some() {
        return error;
    }
    let find = || -> io::Result<Option<Vec<u8>>> {
        let mut lines = Lines::new(input::decompress(fs::File::open(path)?)?);
        for _ in 1..wanted {
            lines.next()?;
        }
        Ok(lines.next()?.map(<[u8]>::to_vec))
    };
    let Ok(Some(line)) = find() else { return error };
    let mut error = error;
    if error.place.column == 0 {
        let quoted = error.message.split('"').nth(1).filter(|name| !name.is_empty());
        let at = quoted.and_then(|name| memchr::memmem::find(&line, name.as_bytes()));
        error.place.column = at.unwrap_or(0) as u64 + 1;
    }
    error.excerpt(&line)
}
