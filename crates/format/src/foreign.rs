//! The formats of other tools, by format.

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

use crate::error::{Failure, ParseError, WriteError};
use crate::format::Format;
use crate::record::{Header, TxnRecord};
use crate::watch::Watch;
use crate::{awdit, cobra, dbcop, elle, plume};

/// Whether a file that begins with `head` may be of a format.
pub(crate) fn looks_like(format: Format, head: &[u8]) -> bool {
    match format {
        Format::Plume => plume::looks_like(head),
        Format::DbcopBincode => dbcop::looks_like_bincode(head),
        Format::DbcopJson => dbcop::looks_like_json(head),
        Format::DbcopHist => dbcop::looks_like_hist(head),
        Format::Awdit => awdit::looks_like(head),
        Format::ElleEdn => elle::looks_like_edn(head),
        Format::ElleJson => elle::looks_like_json(head),
        Format::Jsonl | Format::Txn | Format::Cobra => false,
    }
}

/// Whether a directory may be a history.
pub(crate) fn looks_like_directory(path: &Path) -> bool {
    cobra::looks_like(path)
}

/// Reads a history of a known format; every reader but Cobra's, which takes a directory.
pub(crate) fn read(format: Format, input: &mut dyn BufRead) -> Result<History, Failure> {
    match format {
        Format::Plume => plume::read(input),
        Format::DbcopBincode => dbcop::read_bincode(input),
        Format::DbcopJson => dbcop::read_json(input),
        Format::DbcopHist => dbcop::read_hist(input),
        Format::Awdit => awdit::read(input),
        Format::ElleEdn => elle::read_edn(input),
        Format::ElleJson => elle::read_json(input),
        Format::Jsonl | Format::Txn | Format::Cobra => {
            let help = "name the directory that holds the `T*.log` files";
            Err(ParseError::at(0, 0, "a Cobra history is a directory", help).into())
        }
    }
}

/// Reads a history that is a directory.
pub(crate) fn read_directory(path: &Path, watch: Watch<'_>) -> Result<History, Failure> {
    cobra::read(path, watch)
}

/// Writes a history in a format that is one file.
pub(crate) fn write(
    history: &History,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    match format {
        Format::Plume => plume::write(history, out),
        Format::DbcopBincode => dbcop::write_bincode(history, out),
        Format::DbcopJson => dbcop::write_json(history, out),
        Format::DbcopHist => dbcop::write_hist(history, out),
        Format::Awdit => awdit::write(history, out),
        Format::ElleEdn => elle::write_edn(history, out),
        Format::ElleJson => elle::write_json(history, out),
        Format::Jsonl | Format::Txn | Format::Cobra => {
            let what = "a history in one file; name a directory".into();
            Err(WriteError::Inexpressible { format, what })
        }
    }
}

/// Writes a history that is a directory.
pub(crate) fn write_directory(history: &History, path: &Path) -> Result<(), WriteError> {
    cobra::write(history, path)
}

/// Transactions written one at a time, as `plume` or `awdit`.
#[derive(Default)]
pub(crate) struct Foreign {
    /// How many there are so far.
    count: u32,
    sessions: awdit::Sessions,
}

impl Foreign {
    /// Whether a format is written so.
    pub(crate) fn can_write(format: Format) -> Result<(), WriteError> {
        if matches!(format, Format::Plume | Format::Awdit) {
            return Ok(());
        }
        let what = "a history one transaction at a time; use jsonl, txn, plume or awdit".into();
        Err(WriteError::Inexpressible { format, what })
    }

    pub(crate) fn header(&self, format: Format, header: &Header) -> Result<(), WriteError> {
        plume::check_header(format, header)
    }

    /// Appends a transaction, or keeps it until the end.
    pub(crate) fn txn(
        &mut self,
        format: Format,
        out: &mut Vec<u8>,
        txn: &TxnRecord,
    ) -> Result<(), WriteError> {
        self.count += 1;
        match format {
            Format::Plume => plume::push_txn(out, txn, self.count),
            _ => self.sessions.push_txn(txn),
        }
    }

    /// Writes what was kept.
    pub(crate) fn finish(&mut self, out: &mut impl Write) -> Result<(), WriteError> {
        Ok(self.sessions.write(out)?)
    }
}
