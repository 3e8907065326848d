//! Writing one transaction at a time, so that a history need not fit in memory to be written.

use std::io::Write;

use hobgoblin_core::{History, Schema};

use crate::error::WriteError;
use crate::foreign::Foreign;
use crate::record::{Header, TxnRecord};
use crate::{Format, jsonl, txn};

/// Writes transactions one by one as `jsonl`, `txn`, `plume` or `awdit`.
///
/// ```
/// use hobgoblin_core::Kind;
/// use hobgoblin_format::{EventRecord, Format, TxnRecord, TxnWriter};
///
/// let mut file = Vec::new();
/// let mut writer = TxnWriter::new(Format::Plume, &mut file)?;
/// let mut txn = TxnRecord::new(3.into());
/// txn.events.push(EventRecord::new(Kind::Write, 7.into(), 1.into()));
/// writer.txn(&txn)?;
/// writer.finish()?;
/// assert_eq!(file, b"w(7,1,3,1)\n");
/// # Ok::<(), hobgoblin_format::WriteError>(())
/// ```
///
/// In Plume's and AWDIT's text, 0 is the initial value of every key; null is written as 0 there. AWDIT's
/// text is a session after the other, so until [`TxnWriter::finish`] it is kept in memory.
pub struct TxnWriter<W> {
    format: Format,
    out: W,
    buffer: Vec<u8>,
    foreign: Foreign,
}

impl<W: Write> TxnWriter<W> {
    /// A writer of one of the formats that are written a transaction at a time.
    pub fn new(format: Format, out: W) -> Result<TxnWriter<W>, WriteError> {
        if !matches!(format, Format::Jsonl | Format::Txn) {
            Foreign::can_write(format)?;
        }
        Ok(TxnWriter { format, out, buffer: Vec::new(), foreign: Foreign::default() })
    }

    /// Writes what holds before all transactions; call it first or not at all.
    pub fn header(&mut self, header: &Header) -> Result<(), WriteError> {
        match self.format {
            Format::Jsonl => jsonl::push_header(&mut self.buffer, header),
            Format::Txn => txn::push_header(&mut self.buffer, header),
            format => self.foreign.header(format, header)?,
        }
        self.flush_above(FULL)
    }

    /// Writes what became known of tables and indexes since the header; formats without them leave it out.
    pub fn schema(&mut self, schema: &Schema) -> Result<(), WriteError> {
        match self.format {
            Format::Jsonl => jsonl::push_schema(&mut self.buffer, schema),
            Format::Txn => txn::push_schema(&mut self.buffer, schema),
            _ => {}
        }
        self.flush_above(FULL)
    }

    /// Writes a transaction.
    pub fn txn(&mut self, txn: &TxnRecord) -> Result<(), WriteError> {
        match self.format {
            Format::Jsonl => jsonl::push_txn(&mut self.buffer, txn),
            Format::Txn => txn::push_txn(&mut self.buffer, txn),
            format => self.foreign.txn(format, &mut self.buffer, txn)?,
        }
        self.flush_above(FULL)
    }

    /// Writes a whole history in a native format.
    fn history(&mut self, history: &History) -> Result<(), WriteError> {
        self.header(&Header::of(history))?;
        history.txns().try_for_each(|txn| self.txn(&TxnRecord::of(history, txn)))
    }

    /// Writes what is held back so far, so that it survives the end of the process.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.flush_above(0)?;
        Ok(self.out.flush()?)
    }

    /// Writes what is still held back.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.foreign.finish(&mut self.out)?;
        self.flush_above(0)?;
        Ok(self.out.flush()?)
    }

    fn flush_above(&mut self, limit: usize) -> Result<(), WriteError> {
        if self.buffer.len() > limit {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}

/// Writes a whole history in a native format.
pub(crate) fn write_native(
    history: &History,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut writer = TxnWriter::new(format, out)?;
    writer.history(history)?;
    writer.finish()
}

/// How much is held back before it is written.
const FULL: usize = 1 << 16;
