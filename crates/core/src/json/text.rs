//! Strings as JSON has them.

use std::fmt::{self, Write};

/// Writes a string as JSON has it.
pub fn write_text(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.write_str(&text[plain..at])?;
        plain = at + 1;
        if escape.is_empty() {
            write!(out, "\\u{byte:04x}")?;
        } else {
            out.write_str(escape)?;
        }
    }
    out.write_str(&text[plain..])?;
    out.write_char('"')
}

/// How many bytes from the first on stand in a string for themselves: ASCII without quotes, backslashes and control
/// characters. Eight at a time, as most strings are short.
#[inline]
pub(super) fn plain(bytes: &[u8]) -> usize {
    let mut len = 0;
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        let special = special(u64::from_le_bytes(*word));
        if special != 0 {
            return len + special.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    let is_special = |&byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..);
    let rest = &bytes[len..];
    len + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// Has the highest bit of the first byte that is special, and none before it.
#[inline]
fn special(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 255;
    const HIGH: u64 = EACH * 0x80;
    // A byte below `least` borrows from its highest bit; what was borrowed further up comes after the first one.
    let below = |word: u64, least: u64| word.wrapping_sub(EACH * least) & !word;
    let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    (word | below(word, 0x20) | is(b'"') | is(b'\\')) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found() {
        for before in 0..20 {
            for byte in 0..=u8::MAX {
                for after in
                    [b"".as_slice(), b"\"", b"abcdefghijk", &[0xff; 9], &[b'!'; 9], &[0; 9]]
                {
                    for fill in [b'a', b' ', b'!', b'#', b'[', b']', 0x7f] {
                        let mut bytes = vec![fill; before];
                        bytes.push(byte);
                        bytes.extend_from_slice(after);
                        let is_special =
                            |&byte: &u8| !matches!(byte, 0x20..0x80) || b"\"\\".contains(&byte);
                        let first = bytes.iter().position(is_special).unwrap_or(bytes.len());
                        assert_eq!(plain(&bytes), first, "{bytes:?}");
                    }
                }
            }
        }
    }
}
