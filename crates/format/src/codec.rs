//! What every format does, by format: whether a file looks like it, reading, writing.

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

use crate::error::{Failure, ParseError, WriteError};
use crate::format::Format;
use crate::{awdit, cobra, dbcop, elle, jsonl, plume, sink, txn};

/// Whether a file that begins with `head` may be of a format.
pub(crate) fn looks_like(format: Format, head: &[u8]) -> bool {
    match format {
        Format::Jsonl => jsonl::looks_like(head),
        Format::Txn => txn::looks_like(head),
        Format::Plume => plume::looks_like(head),
        Format::DbcopBincode => dbcop::looks_like_bincode(head),
        Format::DbcopJson => dbcop::looks_like_json(head),
        Format::DbcopHist => dbcop::looks_like_hist(head),
        Format::Cobra => false,
        Format::Awdit => awdit::looks_like(head),
        Format::ElleEdn => elle::looks_like_edn(head),
        Format::ElleJson => elle::looks_like_json(head),
    }
}

/// Reads a history of a known format; every reader but Cobra's, which takes a directory.
pub(crate) fn read_as(format: Format, input: &mut dyn BufRead) -> Result<History, Failure> {
    match format {
        Format::Jsonl => jsonl::read(input),
        Format::Txn => txn::read(input),
        Format::Plume => plume::read(input),
        Format::DbcopBincode => dbcop::read_bincode(input),
        Format::DbcopJson => dbcop::read_json(input),
        Format::DbcopHist => dbcop::read_hist(input),
        Format::Awdit => awdit::read(input),
        Format::ElleEdn => elle::read_edn(input),
        Format::ElleJson => elle::read_json(input),
        Format::Cobra => {
            let help = "name the directory that holds the `T*.log` files";
            Err(ParseError::at(0, 0, "a Cobra history is a directory", help).into())
        }
    }
}

/// Writes a history in a format that is one file; Cobra's is a directory, see [`write_path`].
pub fn write(history: &History, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
    match format {
        Format::Jsonl | Format::Txn => sink::write_native(history, format, out),
        Format::Plume => plume::write(history, out),
        Format::DbcopBincode => dbcop::write_bincode(history, out),
        Format::DbcopJson => dbcop::write_json(history, out),
        Format::DbcopHist => dbcop::write_hist(history, out),
        Format::Awdit => awdit::write(history, out),
        Format::ElleEdn => elle::write_edn(history, out),
        Format::ElleJson => elle::write_json(history, out),
        Format::Cobra => {
            let what = "a history in one file; name a directory".into();
            Err(WriteError::Inexpressible { format, what })
        }
    }
}

/// Writes a history to a file, to standard output for `-`, or for Cobra to a directory.
pub fn write_path(
    history: &History,
    format: Format,
    path: impl AsRef<Path>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    if format == Format::Cobra {
        cobra::write(history, path)
    } else if path == Path::new("-") {
        write(history, format, &mut std::io::stdout().lock())
    } else {
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        write(history, format, &mut out)?;
        Ok(out.flush()?)
    }
}
