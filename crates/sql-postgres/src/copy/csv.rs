//! A line of CSV, taken apart; it may have newlines within quotes.

use std::borrow::Cow;

use super::field::Field;
use super::options::CopyOptions;
use crate::error::{Result, SqlError, SqlState};

/// The fields of a line. Quotes may begin and end anywhere in a field.
pub(super) fn fields<'a>(line: &'a str, options: &CopyOptions) -> Result<Vec<Field<'a>>> {
    let bytes = line.as_bytes();
    let (mut all, mut start, mut at) = (Vec::new(), 0, 0);
    // The text of the field so far, as soon as it is not just what is written.
    let mut text: Option<Vec<u8>> = None;
    let mut inside = false;
    loop {
        let byte = bytes.get(at).copied();
        let so_far = |text: &mut Option<Vec<u8>>| {
            text.get_or_insert_with(|| bytes.get(start..at).unwrap_or_default().to_vec());
        };
        match byte {
            None if inside => {
                let message = "unterminated CSV quoted field";
                return Err(SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, message));
            }
            Some(byte) if inside => {
                let next = bytes.get(at + 1).copied();
                let escapes = next.filter(|next| {
                    byte == options.escape && (*next == options.quote || *next == options.escape)
                });
                if let (Some(next), Some(text)) = (escapes, &mut text) {
                    text.push(next);
                    at += 1;
                } else if byte == options.quote {
                    inside = false;
                } else if let Some(text) = &mut text {
                    text.push(byte);
                }
            }
            Some(byte) if byte == options.quote => {
                so_far(&mut text);
                inside = true;
            }
            Some(byte) if byte != options.delimiter => {
                if let Some(text) = &mut text {
                    text.push(byte);
                }
            }
            _ => {
                let raw = line.get(start..at).unwrap_or_default();
                let quoted = text.is_some();
                let text = match text.take() {
                    // Only whole characters were moved, since quotes and escapes are ASCII.
                    Some(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
                    None => Cow::Borrowed(raw),
                };
                all.push(Field { raw, text, quoted });
                start = at + 1;
                if byte.is_none() {
                    return Ok(all);
                }
            }
        }
        at += 1;
    }
}
