//! Functions on text: measuring, case, trimming, cutting, padding, joining.
//!
//! Places and lengths count characters from 1. Case follows the database's C.UTF-8 locale: a character maps
//! to one character or stays.

use super::args::{error, invalid, text};
use super::table::*;
use super::{Call, Function};
use crate::error::{Result, SqlState};
use crate::memory;
use crate::types::{Datum, TypeId, cast, text as types_text, unpadded};

fn too_long<T>() -> Result<T> {
    error(SqlState::PROGRAM_LIMIT_EXCEEDED, "requested length too large")
}

fn one(mut mapped: impl Iterator<Item = char>, c: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(mapped), None) => mapped,
        _ => c,
    }
}

fn lower_char(c: char) -> char {
    one(c.to_lowercase(), c)
}

fn upper_char(c: char) -> char {
    one(c.to_uppercase(), c)
}

pub(super) fn lower_text(value: &str) -> String {
    if value.is_ascii() {
        value.to_ascii_lowercase()
    } else {
        value.chars().map(lower_char).collect()
    }
}

/// A value as its type prints it, for `concat`, `format` and their like.
pub(super) fn output(call: &Call<'_>, i: usize) -> String {
    let ty = if call.ty(i) == UNKNOWN { TEXT } else { call.ty(i) };
    types_text::print(call.arg(i), ty, -1, &call.cx.types())
}

/// A value cast to text: as printed, but booleans are words.
pub(super) fn as_text(call: &Call<'_>, i: usize) -> Result<Datum> {
    match call.ty(i) {
        TEXT | VARCHAR | NAME | BPCHAR | UNKNOWN => Ok(call.arg(i).clone().without_blanks()),
        ty => cast::cast(call.arg(i).clone(), ty, TEXT, -1, true, &call.cx.types()),
    }
}

fn length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.text(0)?.chars().count() as i64))
}

/// The blanks after a char(n) do not count.
fn unpadded_length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(unpadded(call.text(0)?).chars().count() as i64))
}

fn octets(call: &Call<'_>) -> Result<i64> {
    Ok(match call.arg(0) {
        Datum::Bytes(bytes) => bytes.len() as i64,
        _ => call.text(0)?.len() as i64,
    })
}

fn octet_length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(octets(call)?))
}

fn bit_length(call: &mut Call<'_>) -> Result<Datum> {
    super::arithmetic::fit(INT4, octets(call)?.checked_mul(8))
}

fn lower(call: &mut Call<'_>) -> Result<Datum> {
    text(lower_text(call.text(0)?))
}

fn upper(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    text(if value.is_ascii() {
        value.to_ascii_uppercase()
    } else {
        value.chars().map(upper_char).collect::<String>()
    })
}

fn initcap(call: &mut Call<'_>) -> Result<Datum> {
    let mut inside = false;
    let map = |c: char| {
        let mapped = if inside { lower_char(c) } else { upper_char(c) };
        inside = c.is_alphanumeric();
        mapped
    };
    text(call.text(0)?.chars().map(map).collect::<String>())
}

/// The characters to trim; blanks unless told.
fn trimmed(call: &Call<'_>) -> Result<impl Fn(char) -> bool> {
    let set: Vec<char> =
        if call.args.len() > 1 { call.text(1)?.chars().collect() } else { vec![' '] };
    Ok(move |c| set.contains(&c))
}

fn btrim(call: &mut Call<'_>) -> Result<Datum> {
    text(call.text(0)?.trim_matches(trimmed(call)?))
}

fn ltrim(call: &mut Call<'_>) -> Result<Datum> {
    text(call.text(0)?.trim_start_matches(trimmed(call)?))
}

fn rtrim(call: &mut Call<'_>) -> Result<Datum> {
    text(call.text(0)?.trim_end_matches(trimmed(call)?))
}

fn trim_bytes(call: &Call<'_>, start: bool, end: bool) -> Result<Datum> {
    let (mut value, set) = (call.bytes(0)?, call.bytes(1)?);
    while let [first, rest @ ..] = value
        && start
        && set.contains(first)
    {
        value = rest;
    }
    while let [rest @ .., last] = value
        && end
        && set.contains(last)
    {
        value = rest;
    }
    Ok(Datum::Bytes(value.into()))
}

fn btrim_bytes(call: &mut Call<'_>) -> Result<Datum> {
    trim_bytes(call, true, true)
}

fn ltrim_bytes(call: &mut Call<'_>) -> Result<Datum> {
    trim_bytes(call, true, false)
}

fn rtrim_bytes(call: &mut Call<'_>) -> Result<Datum> {
    trim_bytes(call, false, true)
}

/// The bounds, from 0, of `substring(… from start for length)` on something of `n` places.
fn bounds(call: &Call<'_>, n: usize) -> Result<(usize, usize)> {
    let start = call.int(1)?;
    let end = if call.args.len() > 2 {
        let length = call.int(2)?;
        if length < 0 {
            return error(SqlState::SUBSTRING_ERROR, "negative substring length not allowed");
        }
        start.saturating_add(length)
    } else {
        i64::MAX
    };
    let place = |at: i64| usize::try_from(at.saturating_sub(1)).unwrap_or(0).min(n);
    Ok((place(start), place(end).max(place(start))))
}

fn substring(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let (start, end) = bounds(call, value.len())?;
    text(value.chars().skip(start).take(end - start).collect::<String>())
}

fn substring_bytes(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.bytes(0)?;
    let (start, end) = bounds(call, value.len())?;
    Ok(Datum::Bytes(value.get(start..end).unwrap_or_default().into()))
}

fn overlay(call: &mut Call<'_>) -> Result<Datum> {
    let (value, new, start) = (call.text(0)?, call.text(1)?, call.int(2)?);
    let length = if call.args.len() > 3 { call.int(3)? } else { new.chars().count() as i64 };
    if start <= 0 {
        return error(SqlState::SUBSTRING_ERROR, "negative substring length not allowed");
    }
    let start = start as usize - 1;
    let after = usize::try_from((start as i64).saturating_add(length)).unwrap_or(0);
    let mut out: String = value.chars().take(start).collect();
    out.push_str(new);
    out.extend(value.chars().skip(after));
    text(out)
}

fn position(call: &mut Call<'_>) -> Result<Datum> {
    let (value, part) = (call.text(0)?, call.text(1)?);
    Ok(Datum::Int(match value.find(part) {
        Some(at) => value.get(..at).unwrap_or_default().chars().count() as i64 + 1,
        None => 0,
    }))
}

fn position_bytes(call: &mut Call<'_>) -> Result<Datum> {
    let (value, part) = (call.bytes(0)?, call.bytes(1)?);
    if part.is_empty() {
        return Ok(Datum::Int(1));
    }
    let found = value.windows(part.len()).position(|window| window == part);
    Ok(Datum::Int(found.map_or(0, |at| at as i64 + 1)))
}

fn replace(call: &mut Call<'_>) -> Result<Datum> {
    let (value, from, to) = (call.text(0)?, call.text(1)?, call.text(2)?);
    if from.is_empty() {
        return Ok(call.arg(0).clone());
    }
    let found = if to.len() > from.len() { value.matches(from).count() } else { 0 };
    let more = found.saturating_mul(to.len().saturating_sub(from.len()));
    let _room = memory::enlarge(value.len(), more)?;
    text(value.replace(from, to))
}

fn translate(call: &mut Call<'_>) -> Result<Datum> {
    let from: Vec<char> = call.text(1)?.chars().collect();
    let to: Vec<char> = call.text(2)?.chars().collect();
    let map = |c: char| match from.iter().position(|&f| f == c) {
        Some(at) => to.get(at).copied(),
        None => Some(c),
    };
    text(call.text(0)?.chars().filter_map(map).collect::<String>())
}

/// The value cut to its length, and the characters that fill it up.
fn padding(call: &Call<'_>) -> Result<(String, String)> {
    let value = call.text(0)?;
    let want = usize::try_from(call.int(1)?).unwrap_or(0);
    let fill: Vec<char> =
        if call.args.len() > 2 { call.text(2)?.chars().collect() } else { vec![' '] };
    if want.saturating_mul(4) > memory::MAX_VALUE {
        return too_long();
    }
    let _room = memory::room_for(want.saturating_mul(4))?;
    let cut: String = value.chars().take(want).collect();
    let missing = want - cut.chars().count();
    let fill = fill.iter().cycle().take(if fill.is_empty() { 0 } else { missing }).collect();
    Ok((cut, fill))
}

fn lpad(call: &mut Call<'_>) -> Result<Datum> {
    let (value, fill) = padding(call)?;
    text(fill + &value)
}

fn rpad(call: &mut Call<'_>) -> Result<Datum> {
    let (value, fill) = padding(call)?;
    text(value + &fill)
}

/// How many characters a count takes from one end; a negative one leaves that many.
fn share(call: &Call<'_>) -> Result<(usize, usize)> {
    let all = call.text(0)?.chars().count();
    let n = call.int(1)?;
    let taken = if n < 0 { (all as i64).saturating_add(n).max(0) } else { n.min(all as i64) };
    Ok((taken as usize, all))
}

fn left(call: &mut Call<'_>) -> Result<Datum> {
    let (n, _) = share(call)?;
    text(call.text(0)?.chars().take(n).collect::<String>())
}

fn right(call: &mut Call<'_>) -> Result<Datum> {
    let (n, all) = share(call)?;
    text(call.text(0)?.chars().skip(all - n).collect::<String>())
}

fn repeat(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let times = usize::try_from(call.int(1)?).unwrap_or(0);
    let length = value.len().saturating_mul(times);
    if length > memory::MAX_VALUE {
        return too_long();
    }
    // It is made, then copied to where values are kept.
    let _room = memory::room_for(2 * length)?;
    text(value.repeat(times))
}

fn reverse(call: &mut Call<'_>) -> Result<Datum> {
    text(call.text(0)?.chars().rev().collect::<String>())
}

fn split_part(call: &mut Call<'_>) -> Result<Datum> {
    let (value, by, n) = (call.text(0)?, call.text(1)?, call.int(2)?);
    if n == 0 {
        return invalid("field position must not be zero");
    }
    if by.is_empty() || value.is_empty() {
        return text(if n.abs() == 1 { value } else { "" });
    }
    let at = usize::try_from(n.unsigned_abs() - 1).unwrap_or(usize::MAX);
    let part = if n > 0 {
        value.split(by).nth(at)
    } else {
        let parts: Vec<&str> = value.split(by).collect();
        parts.len().checked_sub(at + 1).and_then(|at| parts.get(at).copied())
    };
    text(part.unwrap_or_default())
}

fn concat(call: &mut Call<'_>) -> Result<Datum> {
    let mut out = String::new();
    for i in 0..call.args.len() {
        if !call.null(i) {
            let part = output(call, i);
            let _room = memory::enlarge(out.len(), part.len())?;
            out += &part;
        }
    }
    text(out)
}

fn concat_ws(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let parts = (1..call.args.len()).filter(|&i| !call.null(i)).map(|i| output(call, i));
    let (mut out, by) = (String::new(), call.text(0)?);
    for (at, part) in parts.enumerate() {
        let by = if at > 0 { by } else { "" };
        let _room = memory::enlarge(out.len() + by.len(), part.len())?;
        out += by;
        out += &part;
    }
    text(out)
}

/// `text || text` and `text || anything`.
fn join(call: &mut Call<'_>) -> Result<Datum> {
    match (as_text(call, 0)?, as_text(call, 1)?) {
        (Datum::Text(a), Datum::Text(b)) => {
            memory::check_alloc(a.len() + b.len())?;
            let mut out = String::with_capacity(a.len() + b.len());
            out.push_str(&a);
            out.push_str(&b);
            text(out)
        }
        _ => Ok(Datum::Null),
    }
}

fn join_bytes(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bytes([call.bytes(0)?, call.bytes(1)?].concat().into()))
}

fn ascii(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.text(0)?.chars().next().map_or(0, |c| i64::from(u32::from(c)))))
}

fn chr(call: &mut Call<'_>) -> Result<Datum> {
    let code = call.int(0)?;
    if code < 0 {
        return invalid("character number must be positive");
    }
    if code == 0 {
        return error(SqlState::PROGRAM_LIMIT_EXCEEDED, "null character not permitted");
    }
    if code > 0x10_ffff {
        return error(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("requested character too large for encoding: {code}"),
        );
    }
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(c) => text(c.to_string()),
        None => error(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("requested character not valid for encoding: {code}"),
        ),
    }
}

fn to_hex(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.int(0)?;
    text(if call.ty(0) == INT4 { format!("{:x}", value as i32) } else { format!("{value:x}") })
}

const VARYING: &[TypeId] = &[ANY];

pub(super) static FUNCTIONS: &[Function] = &[
    function("length", &[TEXT], INT4, length),
    function("length", &[BPCHAR], INT4, unpadded_length),
    function("length", &[BYTEA], INT4, octet_length),
    function("char_length", &[TEXT], INT4, length),
    function("char_length", &[BPCHAR], INT4, unpadded_length),
    function("character_length", &[TEXT], INT4, length),
    function("character_length", &[BPCHAR], INT4, unpadded_length),
    function("octet_length", &[TEXT], INT4, octet_length),
    function("octet_length", &[BPCHAR], INT4, octet_length),
    function("octet_length", &[BYTEA], INT4, octet_length),
    function("bit_length", &[TEXT], INT4, bit_length),
    function("bit_length", &[BYTEA], INT4, bit_length),
    function("lower", &[TEXT], TEXT, lower),
    function("upper", &[TEXT], TEXT, upper),
    function("initcap", &[TEXT], TEXT, initcap),
    function("btrim", &[TEXT], TEXT, btrim),
    function("btrim", &[TEXT, TEXT], TEXT, btrim),
    function("btrim", &[BYTEA, BYTEA], BYTEA, btrim_bytes),
    function("ltrim", &[TEXT], TEXT, ltrim),
    function("ltrim", &[TEXT, TEXT], TEXT, ltrim),
    function("ltrim", &[BYTEA, BYTEA], BYTEA, ltrim_bytes),
    function("rtrim", &[TEXT], TEXT, rtrim),
    function("rtrim", &[TEXT, TEXT], TEXT, rtrim),
    function("rtrim", &[BYTEA, BYTEA], BYTEA, rtrim_bytes),
    function("substring", &[TEXT, INT4], TEXT, substring),
    function("substring", &[TEXT, INT4, INT4], TEXT, substring),
    function("substring", &[BYTEA, INT4], BYTEA, substring_bytes),
    function("substring", &[BYTEA, INT4, INT4], BYTEA, substring_bytes),
    function("substr", &[TEXT, INT4], TEXT, substring),
    function("substr", &[TEXT, INT4, INT4], TEXT, substring),
    function("substr", &[BYTEA, INT4], BYTEA, substring_bytes),
    function("substr", &[BYTEA, INT4, INT4], BYTEA, substring_bytes),
    function("overlay", &[TEXT, TEXT, INT4], TEXT, overlay),
    function("overlay", &[TEXT, TEXT, INT4, INT4], TEXT, overlay),
    function("position", &[TEXT, TEXT], INT4, position),
    function("position", &[BYTEA, BYTEA], INT4, position_bytes),
    function("strpos", &[TEXT, TEXT], INT4, position),
    function("replace", &[TEXT, TEXT, TEXT], TEXT, replace),
    function("translate", &[TEXT, TEXT, TEXT], TEXT, translate),
    function("lpad", &[TEXT, INT4], TEXT, lpad),
    function("lpad", &[TEXT, INT4, TEXT], TEXT, lpad),
    function("rpad", &[TEXT, INT4], TEXT, rpad),
    function("rpad", &[TEXT, INT4, TEXT], TEXT, rpad),
    function("left", &[TEXT, INT4], TEXT, left),
    function("right", &[TEXT, INT4], TEXT, right),
    function("repeat", &[TEXT, INT4], TEXT, repeat),
    function("reverse", &[TEXT], TEXT, reverse),
    function("split_part", &[TEXT, TEXT, INT4], TEXT, split_part),
    function("concat", VARYING, TEXT, concat).variadic().with_nulls().stable(),
    function("concat_ws", &[TEXT, ANY], TEXT, concat_ws).variadic().with_nulls().stable(),
    function("||", &[TEXT, TEXT], TEXT, join),
    function("||", &[TEXT, ANYNONARRAY], TEXT, join).stable(),
    function("||", &[ANYNONARRAY, TEXT], TEXT, join).stable(),
    function("||", &[BYTEA, BYTEA], BYTEA, join_bytes),
    function("textcat", &[TEXT, TEXT], TEXT, join),
    function("ascii", &[TEXT], INT4, ascii),
    function("chr", &[INT4], TEXT, chr),
    function("to_hex", &[INT4], TEXT, to_hex),
    function("to_hex", &[INT8], TEXT, to_hex),
];
