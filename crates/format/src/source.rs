//! From a file to a history.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use hobgoblin_core::History;
#[cfg(feature = "watched")]
use hobgoblin_core::StopReason;

use crate::codec::read_as;
use crate::detect::detect;
use crate::error::{Failure, ParseError, ReadError};
use crate::find::find_text;
use crate::foreign;
use crate::format::Format;
use crate::input::{self, Lines};
use crate::watch::{self, Watch};

/// How much of a file is looked at to tell its format.
const HEAD: usize = 1 << 16;

/// Reads a history from a file, from standard input for `-`, or from a directory: one of Cobra's
/// logs, or one that holds a `history.bincode`, `history.edn` or `history.jsonl`. Gzip and Zstandard are
/// undone whatever the file is called. Without a format, the content tells it. A file with nothing but
/// blanks in it is an error: whoever wrote it has probably failed.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::read_path;
///
/// let missing = read_path("no/such/file.txn", None).unwrap_err();
/// assert_eq!(missing.help(), "check the path; `-` reads standard input");
/// ```
pub fn read_path(path: impl AsRef<Path>, format: Option<Format>) -> Result<History, ReadError> {
    load(path, format).map(|(history, _)| history)
}

/// As [`read_path`], and tells which format the history was read as.
pub fn load(
    path: impl AsRef<Path>,
    format: Option<Format>,
) -> Result<(History, Format), ReadError> {
    load_watched(path.as_ref(), format, None)
}

/// As [`load`], and asks again and again whether to stop, also while it waits for a pipe. The first reason
/// ends it with [`ReadError::Stopped`].
///
/// ```
/// use hobgoblin_core::StopReason;
/// use hobgoblin_format::{ReadError, load_until};
///
/// let stopped = load_until("Cargo.toml", None, &|| Some(StopReason::Time));
/// assert!(matches!(stopped, Err(ReadError::Stopped { reason: StopReason::Time, .. })));
/// ```
#[cfg(feature = "watched")]
pub fn load_until(
    path: impl AsRef<Path>,
    format: Option<Format>,
    stop: &dyn Fn() -> Option<StopReason>,
) -> Result<(History, Format), ReadError> {
    load_watched(path.as_ref(), format, Some(stop))
}

/// All bytes of a file, or of standard input for `-`, unpacked: for what is no history of transactions. It asks whether to
/// stop as [`load_until`] does.
///
/// ```
/// use hobgoblin_format::bytes_until;
///
/// assert!(bytes_until("Cargo.toml", &|| None)?.starts_with(b"[package]"));
/// # Ok::<(), hobgoblin_format::ReadError>(())
/// ```
#[cfg(feature = "watched")]
pub fn bytes_until(
    path: impl AsRef<Path>,
    stop: &dyn Fn() -> Option<StopReason>,
) -> Result<Vec<u8>, ReadError> {
    let file = path.as_ref().display().to_string();
    let read = || {
        let input = input::open(path.as_ref(), Some(stop))?;
        let mut bytes = Vec::new();
        input::decompress_watched(input, Some(stop))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| unreadable(error, &file))
}

fn load_watched(
    path: &Path,
    format: Option<Format>,
    watch: Watch<'_>,
) -> Result<(History, Format), ReadError> {
    let is_directory = path != Path::new("-") && path.is_dir();
    if is_directory && let Some(inner) = inner_file(path, format) {
        return load_watched(&inner, format, watch);
    }
    let file = path.display().to_string();
    if is_directory {
        if format.is_none() && !foreign::looks_like_directory(path) {
            return Err(ReadError::Undetected { file });
        }
        let history = foreign::read_directory(path, watch)
            .map_err(|failure| named(failure, &file, Format::Cobra))?;
        // Its logs have no headers: without transactions they have no bytes.
        return match history.txns().len() {
            0 => Err(ReadError::Empty { file }),
            _ => Ok((history, Format::Cobra)),
        };
    }
    let input = input::open(path, watch).map_err(|error| unreadable(error, &file))?;
    let error = match read_told(input, path, format, watch) {
        Ok(loaded) => return Ok(loaded),
        Err(error) => error,
    };
    // What was wrong only in the light of the whole has a line, but the line is gone; get it again.
    Err(match error {
        ReadError::Parse { file, format, error } => {
            let again = path.is_file();
            let error = if again { Box::new(show_line(*error, path, watch)) } else { error };
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
/// not tell, in choosing the format. Where the format is known, nothing at all is a history without
/// transactions.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::read;
///
/// let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
/// assert_eq!(history.txns().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(input: impl Read, file: &str, format: Option<Format>) -> Result<History, ReadError> {
    let mut input = input;
    match read_told(Box::new(&mut input), Path::new(file), format, None) {
        Ok((history, _)) => Ok(history),
        Err(ReadError::Empty { file }) => match format.or_else(|| detect(b"", &file)) {
            Some(format) => {
                read_as(format, &mut io::empty()).map_err(|failure| named(failure, &file, format))
            }
            None => Err(ReadError::Empty { file }),
        },
        Err(error) => Err(error),
    }
}

fn read_told(
    input: Box<dyn Read + '_>,
    path: &Path,
    format: Option<Format>,
    watch: Watch<'_>,
) -> Result<(History, Format), ReadError> {
    let file = &path.display().to_string();
    let io = |error| unreadable(error, file);
    let mut input = input::decompress_watched(input, watch).map_err(io)?;
    let mut head = input::read_up_to(&mut *input, HEAD).map_err(io)?;
    while head.trim_ascii().is_empty() {
        let more = input::read_up_to(&mut *input, HEAD).map_err(io)?;
        if more.is_empty() {
            return Err(ReadError::Empty { file: file.clone() });
        }
        head.extend(more);
    }
    let undetected = || ReadError::Undetected { file: file.clone() };
    let format = format.or_else(|| detect(&head, path)).ok_or_else(undetected)?;
    let mut input = Cursor::new(head).chain(input);
    let history = read_as(format, &mut input).map_err(|failure| named(failure, file, format))?;
    Ok((history, format))
}

fn named(failure: Failure, file: &str, format: Format) -> ReadError {
    match failure {
        Failure::Io(error) => unreadable(error, file),
        Failure::Parse(error) => ReadError::Parse { file: file.to_owned(), format, error },
    }
}

/// What the system said of a file, or why somebody wanted to stop.
fn unreadable(source: io::Error, file: &str) -> ReadError {
    let file = file.to_owned();
    match watch::reason(&source) {
        Some(reason) => ReadError::Stopped { file, reason },
        None => ReadError::Io { file, source },
    }
}

/// The error with its line, read again from the file, and the column of the name it quotes.
fn show_line(error: ParseError, path: &Path, watch: Watch<'_>) -> ParseError {
    let wanted = error.place.line;
    if wanted == 0 || error.place.excerpt.is_some() || error.place.file.is_some() {
        return error;
    }
    let find = || -> io::Result<Option<Vec<u8>>> {
        let mut lines =
            Lines::new(input::decompress_watched(Box::new(fs::File::open(path)?), watch)?);
        for _ in 1..wanted {
            lines.next()?;
        }
        Ok(lines.next()?.map(<[u8]>::to_vec))
    };
    let Ok(Some(line)) = find() else { return error };
    let mut error = error;
    if error.place.column == 0 {
        let quoted = error.message.split('"').nth(1).filter(|name| !name.is_empty());
        let at = quoted.and_then(|name| find_text(&line, name));
        error.place.column = at.unwrap_or(0) as u64 + 1;
    }
    error.excerpt(&line)
}
