//! Rows: of text in the answers to COM_QUERY, binary in those to COM_STMT_EXECUTE and COM_STMT_FETCH.
//!
//! ```text
//!     text     value with its length, or fb for NULL, each
//!     binary   00  NULL bitmap, from its third bit on  values that are not NULL
//! ```

use bytes::BufMut;

use super::column_type::ColumnType;
use super::encoder::Encoder;
use super::value::{Unfit, Value};
use super::write;

/// A row of text that is being written. It counts once it is [finished](TextRow::finish); dropped, nothing of it is sent.
#[derive(Debug)]
pub struct TextRow<'e> {
    packet: Unfinished<'e>,
}

/// A binary row that is being written. It counts once it is [finished](BinaryRow::finish); dropped, nothing of it is sent.
#[derive(Debug)]
pub struct BinaryRow<'e, 't> {
    packet: Unfinished<'e>,
    types: &'t [ColumnType],
    /// How many values were written.
    count: usize,
}

/// A packet that is taken back unless it is finished.
#[derive(Debug)]
struct Unfinished<'e> {
    encoder: &'e mut Encoder,
    start: usize,
    finished: bool,
}

impl<'e> Unfinished<'e> {
    fn new(encoder: &'e mut Encoder) -> Unfinished<'e> {
        let start = encoder.begin();
        Unfinished { encoder, start, finished: false }
    }

    fn finish(&mut self) {
        self.encoder.end(self.start);
        self.finished = true;
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.encoder.buffer.truncate(self.start);
        }
    }
}

impl Encoder {
    /// Begins a row of text.
    pub fn text_row(&mut self) -> TextRow<'_> {
        TextRow { packet: Unfinished::new(self) }
    }

    /// Begins a binary row of columns with these types.
    pub fn binary_row<'t>(&mut self, types: &'t [ColumnType]) -> BinaryRow<'_, 't> {
        let packet = Unfinished::new(self);
        packet.encoder.buffer.put_u8(0);
        packet.encoder.buffer.put_bytes(0, (types.len() + 2).div_ceil(8));
        BinaryRow { packet, types, count: 0 }
    }
}

impl TextRow<'_> {
    /// Appends NULL.
    pub fn null(&mut self) {
        self.packet.encoder.buffer.put_u8(0xfb);
    }

    /// Appends a value.
    pub fn value(&mut self, text: &[u8]) {
        write::counted(&mut self.packet.encoder.buffer, text);
    }

    /// Ends the row.
    pub fn finish(mut self) {
        self.packet.finish();
    }
}

impl BinaryRow<'_, '_> {
    /// Appends a value, which has to be of its column's type or NULL.
    pub fn value<B: AsRef<[u8]>>(&mut self, value: &Value<B>) -> Result<(), Unfit> {
        let unfit = Unfit { column: self.count };
        let ty = *self.types.get(self.count).ok_or(unfit)?;
        let buffer = &mut self.packet.encoder.buffer;
        match value {
            Value::Null => {
                let bit = self.count + 2;
                buffer[self.packet.start + 5 + bit / 8] |= 1 << (bit % 8);
            }
            _ => value.write(ty, buffer).ok_or(unfit)?,
        }
        self.count += 1;
        Ok(())
    }

    /// Ends the row, which has to have a value for each column.
    pub fn finish(mut self) -> Result<(), Unfit> {
        match self.count == self.types.len() {
            true => {
                self.packet.finish();
                Ok(())
            }
            false => Err(Unfit { column: self.count }),
        }
    }
}
