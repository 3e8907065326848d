//! The binary format: a header, rows of counted fields, a trailer.

use super::{CopyDecoder, Place};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Datum, TypeEnv, binary};

/// The first bytes of every file.
pub(super) const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// Bytes from the front of what is left; `None` when they have not arrived.
fn take<'a>(data: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = data.split_at_checked(count)?;
    *data = rest;
    Some(taken)
}

fn i32_of(data: &mut &[u8]) -> Option<i32> {
    take(data, 4)?.try_into().ok().map(i32::from_be_bytes)
}

fn i16_of(data: &mut &[u8]) -> Option<i16> {
    take(data, 2)?.try_into().ok().map(i16::from_be_bytes)
}

impl CopyDecoder {
    /// The rows that are whole.
    pub(super) fn binary_rows(&mut self, last: bool, env: &TypeEnv<'_>) -> Result<Vec<Vec<Datum>>> {
        let pending = std::mem::take(&mut self.pending);
        let (mut rows, mut rest) = (Vec::new(), pending.as_slice());
        loop {
            let mut ahead = rest;
            let step = match self.binary {
                Place::Header => header(&mut ahead)?.map(|()| self.binary = Place::Rows),
                Place::Rows => {
                    self.lines.number += 1;
                    let row = self.binary_row(&mut ahead, env);
                    if !matches!(row, Ok(Some(_))) {
                        self.lines.number -= 1;
                    }
                    row?.map(|row| match row {
                        Some(row) => rows.push(row),
                        None => self.binary = Place::End,
                    })
                }
                Place::End if rest.is_empty() => None,
                Place::End => return Err(wrong("received copy data after EOF marker")),
            };
            if step.is_none() {
                break;
            }
            rest = ahead;
        }
        if last && self.binary == Place::Header {
            return Err(match rest.len() {
                ..11 => wrong("COPY file signature not recognized"),
                11..15 => wrong("invalid COPY file header (missing flags)"),
                _ => wrong("invalid COPY file header (missing length)"),
            });
        }
        if last && !rest.is_empty() {
            return Err(wrong("unexpected EOF in COPY data"));
        }
        self.pending = rest.to_vec();
        Ok(rows)
    }

    /// A row, or the trailer; nothing if it has not arrived whole.
    #[allow(clippy::type_complexity)]
    fn binary_row(
        &self,
        data: &mut &[u8],
        env: &TypeEnv<'_>,
    ) -> Result<Option<Option<Vec<Datum>>>> {
        let Some(count) = i16_of(data) else { return Ok(None) };
        if count == -1 {
            return Ok(Some(None));
        }
        let expected = self.columns.len();
        if usize::try_from(count) != Ok(expected) {
            let message = format!("row field count is {count}, expected {expected}");
            return Err(self.at_line(wrong(&message), None));
        }
        let mut row = Vec::with_capacity(expected);
        for column in &self.columns {
            let Some(length) = i32_of(data) else { return Ok(None) };
            match usize::try_from(length) {
                Err(_) if length == -1 => row.push(Datum::Null),
                Err(_) => return Err(self.at_line(wrong("invalid field size"), None)),
                Ok(length) => {
                    let Some(bytes) = take(data, length) else { return Ok(None) };
                    let datum = binary::decode(bytes, column.ty, column.typmod, env);
                    row.push(datum.map_err(|error| self.at_line(error, None))?);
                }
            }
        }
        Ok(Some(Some(row)))
    }
}

/// The header; nothing if it has not arrived whole.
fn header(data: &mut &[u8]) -> Result<Option<()>> {
    let known = data.len().min(SIGNATURE.len());
    if data.get(..known) != SIGNATURE.get(..known) {
        return Err(wrong("COPY file signature not recognized"));
    }
    let Some(_) = take(data, SIGNATURE.len()) else { return Ok(None) };
    let Some(flags) = i32_of(data) else { return Ok(None) };
    if flags & (1 << 16) != 0 {
        return Err(wrong("invalid COPY file header (WITH OIDS)"));
    }
    if flags >> 16 != 0 {
        return Err(wrong("unrecognized critical flags in COPY file header"));
    }
    let Some(length) = i32_of(data) else { return Ok(None) };
    let length =
        usize::try_from(length).map_err(|_| wrong("invalid COPY file header (missing length)"))?;
    Ok(take(data, length).map(|_| ()))
}

fn wrong(message: &str) -> SqlError {
    SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, message)
}
