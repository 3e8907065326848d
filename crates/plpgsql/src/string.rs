//! What a string literal stands for.
//!
//! ```text
//!     'it''s'         a quote is doubled
//!     'a'             on two lines: one string, `ab`
//!     'b'
//!     E'\n\x41\u00e9' escapes: letters, bytes in octal or hexadecimal, code points; two halves of a pair are one
//!     $q$it's$q$      as it stands
//! ```
//!
//! Escapes may spell bytes, and a string whose bytes are no UTF-8 is refused, as is the code point zero.

use crate::error::ReadError;
use crate::place::Span;

/// How many bytes lie between a quote that was read and one that goes on with the string: blanks and line comments, with
/// a line break in them. The second quote is counted.
pub(crate) fn continued(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut broken = false;
    loop {
        match rest.get(at..)? {
            [b'\n' | b'\r', ..] => broken = true,
            [b' ' | b'\t' | b'\x0c', ..] => {}
            [b'-', b'-', comment @ ..] => {
                // The break that ends the comment is read next.
                at += 1 + comment.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
            }
            [b'\'', ..] if broken => return Some(at + 1),
            _ => return None,
        }
        at += 1;
    }
}

/// The length of `$$` or `$tag$` at the beginning.
pub(crate) fn dollar_quote(rest: &[u8]) -> Option<usize> {
    let tag = rest.get(1..)?;
    let letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || !byte.is_ascii();
    let length = tag.iter().take_while(|byte| letter(byte) || byte.is_ascii_digit()).count();
    let begins = tag.first().is_some_and(|byte| letter(byte) || *byte == b'$');
    (begins && tag.get(length) == Some(&b'$')).then_some(length + 2)
}

/// The text of a `'…'`, `E'…'` or `$$…$$` that the lexer found.
pub(crate) fn decode(source: &str, span: Span) -> Result<String, ReadError> {
    let literal = span.text(source);
    if literal.starts_with('$') {
        let quote = dollar_quote(literal.as_bytes()).unwrap_or_default();
        let inside = literal.get(quote..literal.len() - quote).unwrap_or_default();
        return Ok(inside.to_owned());
    }
    let escapes = !literal.starts_with('\'');
    let bytes = literal.as_bytes();
    let mut at = 1 + usize::from(escapes);
    let mut out = Vec::with_capacity(bytes.len());
    while let Some(&byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) => {
                out.push(b'\'');
                at += 2;
            }
            (b'\'', _) => match continued(&bytes[at + 1..]) {
                Some(length) => at += 1 + length,
                None => break,
            },
            (b'\\', Some(_)) if escapes => match escape(&literal[at..]) {
                Ok((length, Spelled::Byte(byte))) => {
                    out.push(byte);
                    at += length;
                }
                Ok((length, Spelled::Char(c))) => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    at += length;
                }
                Err(length) => {
                    let start = span.start + at;
                    return Err(ReadError::Escape { at: Span { start, end: start + length } });
                }
            },
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    match String::from_utf8(out) {
        // Only an escape can spell it, for no source of PostgreSQL has one.
        Ok(text) if !(escapes && text.contains('\0')) => Ok(text),
        _ => Err(ReadError::Escape { at: span }),
    }
}

/// What an escape stands for.
enum Spelled {
    Byte(u8),
    Char(char),
}

/// Reads an escape, which begins with a backslash and something: its length and meaning, or the length of what is wrong.
fn escape(text: &str) -> Result<(usize, Spelled), usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize, most: usize, radix: u32| -> &str {
        let rest = bytes.get(from..).unwrap_or_default();
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
        let length = rest.iter().take(most).take_while(is_digit).count();
        &text[from..from + length]
    };
    let byte = |digits: &str, radix| {
        // Three octal digits may be more than a byte; the bits above are dropped.
        u32::from_str_radix(digits, radix).map_or(0, |value| value as u8)
    };
    Ok(match bytes.get(1) {
        Some(b'0'..=b'7') => {
            let digits = digits(1, 3, 8);
            (1 + digits.len(), Spelled::Byte(byte(digits, 8)))
        }
        Some(b'x') if !digits(2, 2, 16).is_empty() => {
            let digits = digits(2, 2, 16);
            (2 + digits.len(), Spelled::Byte(byte(digits, 16)))
        }
        Some(kind @ (b'u' | b'U')) => {
            let wanted = if *kind == b'u' { 4 } else { 8 };
            let digits = digits(2, wanted, 16);
            let length = 2 + digits.len();
            if digits.len() < wanted {
                return Err(length);
            }
            let value = u32::from_str_radix(digits, 16).map_err(|_| length)?;
            return code_point(text, length, value);
        }
        Some(b'b') => (2, Spelled::Byte(b'\x08')),
        Some(b'f') => (2, Spelled::Byte(b'\x0c')),
        Some(b'n') => (2, Spelled::Byte(b'\n')),
        Some(b'r') => (2, Spelled::Byte(b'\r')),
        Some(b't') => (2, Spelled::Byte(b'\t')),
        Some(b'v') => (2, Spelled::Byte(b'\x0b')),
        Some(other) => (2, Spelled::Byte(*other)),
        None => return Err(1),
    })
}

/// A code point that was spelled, with the second half of a pair if it is the first.
fn code_point(text: &str, length: usize, value: u32) -> Result<(usize, Spelled), usize> {
    if !(0xd800..0xdc00).contains(&value) {
        let c = char::from_u32(value).filter(|c| *c != '\0').ok_or(length)?;
        return Ok((length, Spelled::Char(c)));
    }
    let second = text.get(length..).unwrap_or_default();
    let wanted = match second.as_bytes() {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return Err(length),
    };
    let digits = second.get(2..2 + wanted).ok_or(length)?;
    // A sign is no digit, though the standard library takes one.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(length);
    }
    let low = u32::from_str_radix(digits, 16).map_err(|_| length)?;
    if !(0xdc00..0xe000).contains(&low) {
        return Err(length);
    }
    let c = char::from_u32(0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00)).ok_or(length)?;
    Ok((length + 2 + wanted, Spelled::Char(c)))
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::place::Span;

    #[test]
    fn literals_stand_for_texts() {
        let check = |literal: &str, expected: &str| {
            let span = Span { start: 0, end: literal.len() };
            assert_eq!(decode(literal, span).as_deref(), Ok(expected), "{literal}");
        };
        check("'it''s'", "it's");
        check("'a'\n\t-- b\n'b'", "ab");
        check("'\\n'", "\\n");
        check(r"e'\n\x41\101\q\'\\'", "\nAAq'\\");
        check(r"e'\u00e9\ud83d\ude00\U0001f600'", "é😀😀");
        check(r"e'\xc3\xa9 \xg'", "é xg");
        check("$q$it's$$\\n$q$", "it's$$\\n");
        check("$$$$", "");
    }
}
