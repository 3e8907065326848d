//! Texts and bytes written in other ways: hexadecimal, base 64, digests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hobgoblin_sql_mysql_types::error::WRONG_PARAMETERS_TO_FUNCTION;
use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use crate::arithmetic::bits;
use crate::entry::{Entry, Read, a_text, or_null, row, text_of};

fn written(bytes: &[u8], upper: bool) -> String {
    const DIGITS: [&[u8; 16]; 2] = [b"0123456789abcdef", b"0123456789ABCDEF"];
    let digits = DIGITS[usize::from(upper)];
    let both = |byte: &u8| [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]];
    bytes.iter().flat_map(both).map(char::from).collect()
}

fn hex(call: &mut Call<'_>) -> Result<Datum> {
    let my = call.my(0);
    Ok(match my.is_number() && !matches!(call.arg(0), Datum::Text(_)) {
        true => call.texts(format!("{:X}", bits(call, 0))),
        false => call.texts(written(&call.as_bytes(0), true)),
    })
}

fn unhex(call: &mut Call<'_>) -> Result<Datum> {
    let digits = call.as_text(0);
    let padded = match digits.len() % 2 {
        1 => format!("0{digits}"),
        _ => digits.into_owned(),
    };
    let pairs = padded.as_bytes().chunks(2).map(|pair| {
        let digits = std::str::from_utf8(pair).ok()?;
        let good = pair.iter().all(u8::is_ascii_hexdigit);
        u8::from_str_radix(digits, 16).ok().filter(|_| good)
    });
    let bytes: Option<Vec<u8>> = pairs.collect();
    or_null(bytes.map(|bytes| Datum::Bytes(bytes.into())))
}

fn digest<D: Digest>(call: &Call<'_>) -> String {
    let mut digest = D::new();
    digest.update(call.as_bytes(0));
    written(digest.finalize().as_slice(), false)
}

fn sha2(call: &mut Call<'_>) -> Result<Datum> {
    let found = match call.as_integer(1) {
        224 => digest::<Sha224>(call),
        0 | 256 => digest::<Sha256>(call),
        384 => digest::<Sha384>(call),
        512 => digest::<Sha512>(call),
        _ => {
            let message = "Incorrect parameters in the call to native function 'sha2'";
            call.settings().warn(WRONG_PARAMETERS_TO_FUNCTION, message);
            return Ok(Datum::Null);
        }
    };
    Ok(call.texts(found))
}

/// Lines of 76 characters, as the server breaks them.
fn to_base64(call: &mut Call<'_>) -> Result<Datum> {
    let whole = STANDARD.encode(&*call.as_bytes(0));
    let lines: Vec<&str> =
        whole.as_bytes().chunks(76).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    Ok(call.texts(lines.join("\n")))
}

fn from_base64(call: &mut Call<'_>) -> Result<Datum> {
    let text = call.as_text(0);
    let digits: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    match STANDARD.decode(digits) {
        Ok(bytes) => Ok(Datum::Bytes(bytes.into())),
        Err(_) => {
            call.settings().warn(1958, "Bad base64 data as position 0");
            Ok(Datum::Null)
        }
    }
}

fn doubled(types: &[MyType]) -> Result<MyType> {
    let length = types.first().map_or(0, |ty| common::text_length(*ty));
    Ok(text_of(length.saturating_mul(8), Collation::DEFAULT, Coercibility::Literal))
}

fn halved(types: &[MyType]) -> Result<MyType> {
    let length = types.first().map_or(0, |ty| common::text_length(*ty));
    Ok(MyType::bytes(length.div_ceil(2)))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("hex", 1..=1, doubled, hex),
    row("unhex", 1..=1, halved, unhex),
    row("md5", 1..=1, a_text, |call| Ok(call.texts(digest::<Md5>(call)))),
    row("sha", 1..=1, a_text, |call| Ok(call.texts(digest::<Sha1>(call)))),
    row("sha1", 1..=1, a_text, |call| Ok(call.texts(digest::<Sha1>(call)))),
    row("sha2", 2..=2, a_text, sha2),
    row("to_base64", 1..=1, doubled, to_base64),
    row("from_base64", 1..=1, halved, from_base64),
];
