//! Bytes that clients send as a text.
//!
//! Clients put bytes into strings as they are, `_binary'\xff…'`, so a statement need not be a text of UTF-8. Each string
//! that is none becomes the same bytes in digits, which are read to the same value:
//!
//! ```text
//!     INSERT INTO t VALUES (_binary'<ff>a', 'ä')   ->   INSERT INTO t VALUES (_binary x'ff61', 'ä')
//! ```

use std::borrow::Cow;
use std::fmt::Write;

use super::literal;
use super::reading::Reading;

/// The text of a statement. Bytes that are no text and stand in no string become the sign for unknown characters.
pub fn text_of(bytes: &[u8], reading: Reading) -> Cow<'_, str> {
    let Err(_) = std::str::from_utf8(bytes) else { return String::from_utf8_lossy(bytes) };
    let (mut out, mut at, mut done) = (String::new(), 0, 0);
    while at < bytes.len() {
        let length = match &bytes[at..] {
            [b'\'' | b'"' | b'`', ..] => quoted(&bytes[at..], reading),
            [b'/', b'*', ..] if bytes.get(at + 2) != Some(&b'!') => comment(&bytes[at..]),
            [b'#', ..] => line(&bytes[at..]),
            [b'-', b'-', after, ..] if after.is_ascii_whitespace() => line(&bytes[at..]),
            _ => 1,
        };
        let token = &bytes[at..at + length];
        let string = token[0] == b'\'' || token[0] == b'"' && !reading.ansi_quotes;
        if string && std::str::from_utf8(token).is_err() {
            out.push_str(&String::from_utf8_lossy(&bytes[done..at]));
            in_digits(&mut out, token, reading);
            done = at + length;
        }
        at += length;
    }
    out.push_str(&String::from_utf8_lossy(&bytes[done..]));
    Cow::Owned(out)
}

/// How long a string or a name in quotes is; what never ends goes to the end.
fn quoted(bytes: &[u8], reading: Reading) -> usize {
    let quote = bytes[0];
    let escapes =
        !reading.no_backslash_escapes && (quote == b'\'' || quote == b'"' && !reading.ansi_quotes);
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if escapes => at += 2,
            byte if byte == quote => match bytes.get(at + 1) {
                Some(next) if *next == quote => at += 2,
                _ => return at + 1,
            },
            _ => at += 1,
        }
    }
    bytes.len()
}

fn comment(bytes: &[u8]) -> usize {
    let end = bytes.windows(2).skip(2).position(|pair| pair == b"*/");
    end.map_or(bytes.len(), |end| end + 4)
}

fn line(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len())
}

/// A string as digits; as it stands, where it never ends.
fn in_digits(out: &mut String, token: &[u8], reading: Reading) {
    // A character for each byte, so that escapes are those of texts.
    let wide: String = token.iter().map(|&byte| char::from(byte)).collect();
    let Some((value, _)) = literal::string(&wide, !reading.no_backslash_escapes) else {
        out.push_str(&String::from_utf8_lossy(token));
        return;
    };
    out.push_str(" x'");
    for c in value.chars() {
        let _ = write!(out, "{:02x}", u32::from(c));
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_no_texts_become_digits() {
        let plain = Reading::default();
        let raw = Reading { no_backslash_escapes: true, ..plain };
        let ansi = Reading { ansi_quotes: true, ..plain };
        for (bytes, reading, expected) in [
            (&b"SELECT 'a'"[..], plain, "SELECT 'a'"),
            (b"SELECT _binary'\xffa', 'b'", plain, "SELECT _binary x'ff61', 'b'"),
            (b"SELECT '\xff\\'\\n\\0''\\\\', 1", plain, "SELECT  x'ff270a00275c', 1"),
            (b"SELECT '\xff\\', 1", raw, "SELECT  x'ff5c', 1"),
            (b"SELECT \"\xff\"", plain, "SELECT  x'ff'"),
            (b"SELECT \"\xff\"", ansi, "SELECT \"\u{fffd}\""),
            (b"SELECT `'`, '\xff' -- '\n", plain, "SELECT `'`,  x'ff' -- '\n"),
            (b"SELECT /* ' */ '\xff'", plain, "SELECT /* ' */  x'ff'"),
            (b"SELECT /*!50100 '\xff' */", plain, "SELECT /*!50100  x'ff' */"),
            (b"SELECT # '\n '\xff'", plain, "SELECT # '\n  x'ff'"),
            (b"SELECT '\xc3\xa4', '\xff", plain, "SELECT 'ä', '\u{fffd}"),
            (b"SELECT '\xff\\", plain, "SELECT '\u{fffd}\\"),
            (b"SELECT /* \xff", plain, "SELECT /* \u{fffd}"),
        ] {
            assert_eq!(text_of(bytes, reading), expected);
        }
    }
}
