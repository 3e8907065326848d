//! A line of the text format, taken apart.

use std::borrow::Cow;

use super::field::Field;
use super::options::CopyOptions;
use crate::error::{Code, Result, SqlError};

/// The fields of a line.
pub(super) fn fields<'a>(line: &'a str, options: &CopyOptions) -> Result<Vec<Field<'a>>> {
    let (mut all, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, byte) in line.bytes().enumerate() {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == options.delimiter {
            all.push(field(line.get(start..at).unwrap_or_default())?);
            start = at + 1;
        }
    }
    all.push(field(line.get(start..).unwrap_or_default())?);
    Ok(all)
}

fn field(raw: &str) -> Result<Field<'_>> {
    let text = match raw.contains('\\') {
        true => Cow::Owned(unescaped(raw)?),
        false => Cow::Borrowed(raw),
    };
    Ok(Field { raw, text, quoted: false })
}

/// What a field means: `\n` and its like, `\ooo` and `\xhh` bytes, any other character after a backslash is
/// itself.
fn unescaped(raw: &str) -> Result<String> {
    let mut out: Vec<u8> = Vec::with_capacity(raw.len());
    let mut bytes = raw.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next() {
            None => b'\\',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'v') => 11,
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|byte| matches!(byte, b'0'..=b'7')) else {
                        break;
                    };
                    value = value * 8 + u32::from(next - b'0');
                }
                (value & 0xff) as u8
            }
            Some(b'x') => {
                let mut value = None;
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(u8::is_ascii_hexdigit) else { break };
                    let digit = char::from(next).to_digit(16).unwrap_or(0);
                    value = Some(value.unwrap_or(0) * 16 + digit);
                }
                value.map_or(b'x', |value| (value & 0xff) as u8)
            }
            Some(other) => other,
        });
    }
    String::from_utf8(out).ok().filter(|text| !text.contains('\0')).ok_or_else(|| {
        SqlError::new(Code("22021"), "invalid byte sequence for encoding \"UTF8\" in an escape")
    })
}
