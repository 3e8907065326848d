//! What every format does, by format: whether a file looks like it, reading, writing.

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

use crate::error::{Failure, WriteError};
use crate::format::Format;
use crate::{foreign, jsonl, sink, txn};

/// Whether a file that begins with `head` may be of a format.
pub(crate) fn looks_like(format: Format, head: &[u8]) -> bool {
    match format {
        Format::Jsonl => jsonl::looks_like(head),
        Format::Txn => txn::looks_like(head),
        other => foreign::looks_like(other, head),
    }
}

/// Reads a history of a known format that is one file.
pub(crate) fn read_as(format: Format, input: &mut dyn BufRead) -> Result<History, Failure> {
    match format {
        Format::Jsonl => jsonl::read(input),
        Format::Txn => txn::read(input),
        other => foreign::read(other, input),
    }
}

/// Writes a history in a format that is one file; Cobra's is a directory, see [`write_path`].
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{Format, read, write};
///
/// let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
/// let mut out = Vec::new();
/// write(&history, Format::Txn, &mut out)?;
/// assert_eq!(out, b"s1: t1 { w(x)=1 }\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(history: &History, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
    match format {
        Format::Jsonl | Format::Txn => sink::write_native(history, format, out),
        other => foreign::write(history, other, out),
    }
}

/// Writes a history to a file, to standard output for `-`, or for Cobra to a directory.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::format::{Format, read, write_path};
///
/// let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
/// let path = std::env::temp_dir().join("hobgoblin-example.jsonl");
/// write_path(&history, Format::Jsonl, &path)?;
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_path(
    history: &History,
    format: Format,
    path: impl AsRef<Path>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    if format == Format::Cobra {
        foreign::write_directory(history, path)
    } else if path == Path::new("-") {
        write(history, format, &mut std::io::stdout().lock())
    } else {
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        write(history, format, &mut out)?;
        Ok(out.flush()?)
    }
}
