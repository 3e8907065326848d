//! Integers, booleans, bytes, uuids and other small types as text.

use std::fmt::Write;

use super::{invalid, trimmed};
use crate::error::{Result, SqlError, SqlState};

/// Reads an integer between two bounds; `ty` is for the error.
pub fn parse_int(text: &str, min: i64, max: i64, ty: &str) -> Result<i64> {
    let body = trimmed(text);
    let digits = body.strip_prefix(['+', '-']).unwrap_or(body);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(invalid(ty, text));
    }
    let value = body.parse::<i64>().ok().filter(|value| (min..=max).contains(value));
    value.ok_or_else(|| {
        SqlError::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type {ty}"),
        )
    })
}

/// A boolean: any beginning of true, false, yes, no, on, off that is not ambiguous, 1 or 0.
pub fn parse_bool(text: &str) -> Result<bool> {
    let body = trimmed(text).to_ascii_lowercase();
    let begins = |word: &str, least: usize| body.len() >= least && word.starts_with(&body);
    if begins("true", 1) || begins("yes", 1) || body == "on" || body == "1" {
        Ok(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || body == "0" {
        Ok(false)
    } else {
        Err(invalid("boolean", text))
    }
}

/// An oid; negative numbers wrap, as C's `strtoul` has it.
pub(super) fn parse_oid(text: &str, ty: &str) -> Result<i64> {
    let body = trimmed(text);
    let digits = body.strip_prefix(['+', '-']).unwrap_or(body);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(invalid(ty, text));
    }
    let value = body.parse::<i64>().ok();
    match value {
        Some(value @ 0..=0xffff_ffff) => Ok(value),
        Some(value @ -0x8000_0000..0) => Ok(value + (1 << 32)),
        _ => Err(SqlError::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type {ty}"),
        )),
    }
}

/// A transaction or command number; PostgreSQL takes what it can read and ignores the rest.
pub(super) fn parse_xid(text: &str) -> i64 {
    let digits = trimmed(text).bytes().take_while(u8::is_ascii_digit);
    let value = digits.fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    (value & 0xffff_ffff) as i64
}

/// Digits, as many as there are.
pub(super) fn parse_xid8(text: &str) -> i64 {
    let digits = trimmed(text).bytes().take_while(u8::is_ascii_digit);
    digits.fold(0i64, |n, b| n.saturating_mul(10).saturating_add(i64::from(b - b'0')))
}

/// Reads `(block,offset)`, as one number that sorts as places do.
pub(super) fn parse_tid(text: &str) -> Result<i64> {
    let inner = text.trim().strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let (block, offset) = inner
        .and_then(|inner| inner.split_once(','))
        .and_then(|(block, offset)| {
            Some((block.trim().parse::<u32>().ok()?, offset.trim().parse::<u16>().ok()?))
        })
        .ok_or_else(|| invalid("tid", text))?;
    Ok(i64::from(block) << 16 | i64::from(offset))
}

/// A text cut to the 63 bytes that a name may have.
pub(super) fn name(text: &str) -> &str {
    let mut end = text.len().min(63);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Bytes in either of PostgreSQL's forms.
pub(super) fn parse_bytea(text: &str) -> Result<Vec<u8>> {
    if let Some(hex) = text.strip_prefix("\\x") {
        return parse_hex(hex);
    }
    let bad = || {
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea")
    };
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next().ok_or_else(bad)? {
            b'\\' => out.push(b'\\'),
            first @ b'0'..=b'3' => {
                let mut value = first - b'0';
                for _ in 0..2 {
                    let digit = bytes.next().filter(|b| (b'0'..=b'7').contains(b));
                    value = value << 3 | (digit.ok_or_else(bad)? - b'0');
                }
                out.push(value);
            }
            _ => return Err(bad()),
        }
    }
    Ok(out)
}

fn parse_hex(hex: &str) -> Result<Vec<u8>> {
    let error = |text: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text);
    let mut out = Vec::with_capacity(hex.len() / 2);
    let mut chars = hex.chars();
    let digit = |c: char| {
        c.to_digit(16).ok_or_else(|| error(format!("invalid hexadecimal digit: \"{c}\"")))
    };
    while let Some(c) = chars.next() {
        if matches!(c, ' ' | '\n' | '\t' | '\r') {
            continue;
        }
        let high = digit(c)?;
        let low = chars
            .next()
            .ok_or_else(|| error("invalid hexadecimal data: odd number of digits".into()))?;
        out.push((high << 4 | digit(low)?) as u8);
    }
    Ok(out)
}

/// Appends bytes in hexadecimal or escape form.
pub(super) fn print_bytea(out: &mut String, bytes: &[u8], hex: bool) {
    if hex {
        out.push_str("\\x");
        print_hex(out, bytes);
        return;
    }
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e => out.push(*byte as char),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
}

fn print_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
}

/// A uuid: 32 digits, with a dash allowed after every fourth, in braces or not.
pub(super) fn parse_uuid(text: &str) -> Result<[u8; 16]> {
    let bad = || invalid("uuid", text);
    let mut rest = text.as_bytes();
    let braced = rest.first() == Some(&b'{');
    if braced {
        rest = &rest[1..];
    }
    let mut out = [0; 16];
    for (place, byte) in out.iter_mut().enumerate() {
        let [high, low, more @ ..] = rest else { return Err(bad()) };
        let digit = |b: u8| (b as char).to_digit(16).ok_or_else(bad);
        *byte = (digit(*high)? << 4 | digit(*low)?) as u8;
        rest = more;
        if place % 2 == 1 && place < 15 && rest.first() == Some(&b'-') {
            rest = &rest[1..];
        }
    }
    let end: &[u8] = if braced { b"}" } else { b"" };
    if rest == end { Ok(out) } else { Err(bad()) }
}

/// Appends a UUID in its usual form, with dashes.
pub(super) fn print_uuid(out: &mut String, bytes: &[u8; 16]) {
    for (place, pair) in bytes.chunks(2).enumerate() {
        if (2..=5).contains(&place) {
            out.push('-');
        }
        print_hex(out, pair);
    }
}

/// Bits as a text of zeros and ones; `x` begins hexadecimal digits, `b` binary ones.
pub(super) fn parse_bits(text: &str) -> Result<String> {
    let bad = |c: char, kind: &str| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("\"{c}\" is not a valid {kind} digit"),
        )
    };
    if let Some(hex) = text.strip_prefix(['x', 'X']) {
        let mut out = String::with_capacity(hex.len() * 4);
        for c in hex.chars() {
            let digit = c.to_digit(16).ok_or_else(|| bad(c, "hexadecimal"))?;
            let _ = write!(out, "{digit:04b}");
        }
        return Ok(out);
    }
    let bits = text.strip_prefix(['b', 'B']).unwrap_or(text);
    match bits.chars().find(|c| *c != '0' && *c != '1') {
        Some(c) => Err(bad(c, "binary")),
        None => Ok(bits.to_owned()),
    }
}
