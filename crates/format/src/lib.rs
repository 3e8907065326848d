//! Readers and writers of history files, one module a format.
//!
//! [`read_path`] opens, decompresses, detects and reads; [`write()`] writes. `docs/formats.md`
//! describes every format.

mod awdit;
mod cobra;
mod dbcop;
mod detect;
mod edn;
mod elle;
mod error;
mod format;
mod input;
mod jsonl;
mod plume;
mod refuse;
mod txn;

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

pub use error::{ParseError, Place, ReadError, WriteError};
pub use format::Format;

use error::Failure;

/// Reads a history of a known format; every reader but Cobra's, which takes a directory.
fn read_as(format: Format, input: &mut dyn BufRead) -> Result<History, Failure> {
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
        Format::Cobra => Err(ParseError::at(
            0,
            0,
            "Cobra histories are directories",
            "name the directory that holds the `T*.log` files",
        )
        .into()),
    }
}

/// Reads a directory of Cobra logs.
fn read_directory(path: &Path) -> Result<History, Failure> {
    cobra::read(path)
}

/// Writes a history in a format that is one file; Cobra's is a directory, see [`write_path`].
pub fn write(history: &History, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
    match format {
        Format::Jsonl => jsonl::write(history, out),
        Format::Txn => txn::write(history, out),
        Format::Plume => plume::write(history, out),
        Format::DbcopBincode => dbcop::write_bincode(history, out),
        Format::DbcopJson => dbcop::write_json(history, out),
        Format::DbcopHist => dbcop::write_hist(history, out),
        Format::Awdit => awdit::write(history, out),
        Format::ElleEdn => elle::write_edn(history, out),
        Format::ElleJson => elle::write_json(history, out),
        Format::Cobra => Err(WriteError::Inexpressible {
            format,
            what: "a history in one file; name a directory".into(),
        }),
    }
}
