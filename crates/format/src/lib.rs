//! Readers and writers of history files, one module a format.
//!
//! [`read_path`] opens, decompresses, detects and reads; [`write()`] writes. `docs/formats.md`
//! describes every format. [`JsonlReader`] and [`TxnWriter`] take and make transactions one at a
//! time.
//!
//! Text is read line by line through one buffer, and every event goes straight into a
//! [`HistoryBuilder`](hobgoblin_core::HistoryBuilder), so reading needs little more memory than the
//! history itself. Whatever the bytes are, the answer is a history or a [`ReadError`] with the
//! place and the next step.
//!
//! ```
//! use hobgoblin_format::{Format, read, write};
//!
//! let history = read("s1: t1 { w(x)=1 }".as_bytes(), "example.txn", None)?;
//! let mut out = Vec::new();
//! write(&history, Format::Jsonl, &mut out)?;
//! assert_eq!(out, br#"{"hobgoblin":1}
//! {"session":"s1","id":"t1","ops":[["w","x",1]]}
//! "#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod awdit;
mod cobra;
mod dbcop;
mod detect;
mod digits;
mod edn;
mod elle;
mod error;
mod format;
mod initial;
mod input;
pub mod json;
mod jsonl;
mod number;
mod parsed;
mod plume;
mod record;
mod refuse;
mod sink;
mod source;
mod txn;
mod watch;

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

pub use detect::detect;
pub use error::{ParseError, Place, ReadError, WriteError};
pub use format::{Format, UnknownFormat};
pub use jsonl::{JsonlReader, Record};
pub use record::{EventRecord, Header, TxnRecord, WriterRecord};
pub use sink::TxnWriter;
pub use source::{load, load_until, read, read_path};

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
        Format::Cobra => {
            let help = "name the directory that holds the `T*.log` files";
            Err(ParseError::at(0, 0, "a Cobra history is a directory", help).into())
        }
    }
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
