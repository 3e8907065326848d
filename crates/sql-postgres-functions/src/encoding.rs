//! Bytes as text and back, digests, single bytes.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::args::{error, invalid, text};
use super::table::*;
use super::{Call, Function};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::Datum;

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Base64 in lines of 76, as MIME has it.
fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (at, line) in bytes.chunks(57).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        STANDARD.encode_string(line, &mut out);
    }
    out
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        match byte {
            0 | 0x80.. => out += &format!("\\{byte:03o}"),
            b'\\' => out += "\\\\",
            _ => out.push(char::from(byte)),
        }
    }
    out
}

fn no_encoding<T>(name: &str) -> Result<T> {
    invalid(format!("unrecognized encoding: \"{name}\""))
}

fn encode(call: &mut Call<'_>) -> Result<Datum> {
    let (bytes, name) = (call.bytes(0)?, call.text(1)?);
    text(match name.to_ascii_lowercase().as_str() {
        "hex" => hex(bytes),
        "base64" => base64(bytes),
        "escape" => escaped(bytes),
        _ => return no_encoding(name),
    })
}

fn from_hex(value: &str) -> Result<Vec<u8>> {
    let mut digits = Vec::new();
    for c in value.chars().filter(|c| !matches!(c, ' ' | '\n' | '\t' | '\r')) {
        match c.to_digit(16) {
            Some(digit) => digits.push(digit as u8),
            None => return invalid(format!("invalid hexadecimal digit: \"{c}\"")),
        }
    }
    if digits.len() % 2 == 1 {
        return invalid("invalid hexadecimal data: odd number of digits");
    }
    Ok(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// PostgreSQL's own rules, which are laxer than the standard's: blanks anywhere, and letters after a first `=`.
fn from_base64(value: &str) -> Result<Vec<u8>> {
    let (mut out, mut word, mut place, mut end) = (Vec::new(), 0u32, 0, 0);
    for c in value.chars() {
        if matches!(c, ' ' | '\n' | '\t' | '\r') {
            continue;
        }
        let digit = if c == '=' {
            if end == 0 {
                end = match place {
                    2 => 1,
                    3 => 2,
                    _ => {
                        return invalid("unexpected \"=\" while decoding base64 sequence");
                    }
                };
            }
            0
        } else {
            match alphabet::STANDARD.as_str().find(c) {
                Some(digit) => digit as u32,
                None => {
                    return invalid(format!(
                        "invalid symbol \"{c}\" found while decoding base64 sequence"
                    ));
                }
            }
        };
        word = word << 6 | digit;
        place += 1;
        if place == 4 {
            out.push((word >> 16) as u8);
            if end == 0 || end > 1 {
                out.push((word >> 8) as u8);
            }
            if end == 0 || end > 2 {
                out.push(word as u8);
            }
            (word, place) = (0, 0);
        }
    }
    if place != 0 {
        return invalid("invalid base64 end sequence").map_err(|e: SqlError| {
            e.hint("Input data is missing padding, is truncated, or is otherwise corrupted.")
        });
    }
    Ok(out)
}

fn from_escaped(value: &str) -> Result<Vec<u8>> {
    let bad = || {
        SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea")
    };
    let mut out = Vec::new();
    let mut rest = value.as_bytes();
    loop {
        rest = match rest {
            [] => return Ok(out),
            [b'\\', b'\\', rest @ ..] => {
                out.push(b'\\');
                rest
            }
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] => {
                out.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest
            }
            [b'\\', ..] => return Err(bad()),
            [byte, rest @ ..] => {
                out.push(*byte);
                rest
            }
        };
    }
}

fn decode(call: &mut Call<'_>) -> Result<Datum> {
    let (value, name) = (call.text(0)?, call.text(1)?);
    let bytes = match name.to_ascii_lowercase().as_str() {
        "hex" => from_hex(value)?,
        "base64" => from_base64(value)?,
        "escape" => from_escaped(value)?,
        _ => return no_encoding(name),
    };
    Ok(Datum::Bytes(bytes.into()))
}

fn message<'a>(call: &Call<'a>) -> Result<&'a [u8]> {
    match call.arg(0) {
        Datum::Text(text) => Ok(text.as_bytes()),
        _ => call.bytes(0),
    }
}

fn md5(call: &mut Call<'_>) -> Result<Datum> {
    text(hex(&Md5::digest(message(call)?)))
}

fn digest<D: Digest>(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bytes(D::digest(call.bytes(0)?).as_slice().into()))
}

/// `digest(data, algorithm)` of the extension pgcrypto.
fn digest_by_name(call: &mut Call<'_>) -> Result<Datum> {
    let (data, name) = (message(call)?, call.text(1)?);
    let bytes = match name.to_ascii_lowercase().as_str() {
        "md5" => Md5::digest(data).to_vec(),
        "sha1" => Sha1::digest(data).to_vec(),
        "sha224" => Sha224::digest(data).to_vec(),
        "sha256" => Sha256::digest(data).to_vec(),
        "sha384" => Sha384::digest(data).to_vec(),
        "sha512" => Sha512::digest(data).to_vec(),
        _ => {
            let text = format!("Cannot use \"{name}\": No such hash algorithm");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
        }
    };
    Ok(Datum::Bytes(bytes.into()))
}

fn utf8(name: &str) -> bool {
    matches!(
        name.to_ascii_uppercase().replace(['-', '_'], "").as_str(),
        "UTF8" | "UNICODE" | "SQLASCII"
    )
}

fn convert_to(call: &mut Call<'_>) -> Result<Datum> {
    if !utf8(call.text(1)?) {
        return Err(SqlError::unsupported(format!("the encoding {}", call.text(1)?)));
    }
    Ok(Datum::Bytes(call.text(0)?.as_bytes().into()))
}

fn convert_from(call: &mut Call<'_>) -> Result<Datum> {
    if !utf8(call.text(1)?) {
        return Err(SqlError::unsupported(format!("the encoding {}", call.text(1)?)));
    }
    let bytes = call.bytes(0)?;
    let state = Code("22021");
    match std::str::from_utf8(bytes) {
        Ok(value) if !value.contains('\0') => text(value),
        Ok(_) => error(state, "invalid byte sequence for encoding \"UTF8\": 0x00"),
        Err(e) => {
            let bad = bytes.get(e.valid_up_to()..).unwrap_or_default();
            let bad: Vec<String> = bad
                .iter()
                .take(e.error_len().unwrap_or(bad.len()))
                .map(|b| format!("0x{b:02x}"))
                .collect();
            error(state, format!("invalid byte sequence for encoding \"UTF8\": {}", bad.join(" ")))
        }
    }
}

fn place(call: &Call<'_>, n: usize) -> Result<usize> {
    let at = call.int(1)?;
    match usize::try_from(at) {
        Ok(place) if place < n => Ok(place),
        _ => error(
            SqlState::ARRAY_SUBSCRIPT_ERROR,
            format!("index {at} out of valid range, 0..{}", n as i64 - 1),
        ),
    }
}

fn get_byte(call: &mut Call<'_>) -> Result<Datum> {
    let bytes = call.bytes(0)?;
    let at = place(call, bytes.len())?;
    Ok(Datum::Int(i64::from(bytes.get(at).copied().unwrap_or(0))))
}

fn set_byte(call: &mut Call<'_>) -> Result<Datum> {
    let mut bytes = call.bytes(0)?.to_vec();
    let at = place(call, bytes.len())?;
    if let Some(byte) = bytes.get_mut(at) {
        *byte = call.int(2)? as u8;
    }
    Ok(Datum::Bytes(bytes.into()))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("encode", &[BYTEA, TEXT], TEXT, encode),
    function("decode", &[TEXT, TEXT], BYTEA, decode),
    function("md5", &[TEXT], TEXT, md5),
    function("md5", &[BYTEA], TEXT, md5),
    function("digest", &[TEXT, TEXT], BYTEA, digest_by_name),
    function("digest", &[BYTEA, TEXT], BYTEA, digest_by_name),
    function("sha224", &[BYTEA], BYTEA, digest::<Sha224>),
    function("sha256", &[BYTEA], BYTEA, digest::<Sha256>),
    function("sha384", &[BYTEA], BYTEA, digest::<Sha384>),
    function("sha512", &[BYTEA], BYTEA, digest::<Sha512>),
    function("convert_to", &[TEXT, NAME], BYTEA, convert_to).stable(),
    function("convert_from", &[BYTEA, NAME], TEXT, convert_from).stable(),
    function("get_byte", &[BYTEA, INT4], INT4, get_byte),
    function("set_byte", &[BYTEA, INT4, INT4], BYTEA, set_byte),
];
