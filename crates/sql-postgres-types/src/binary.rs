//! Values in PostgreSQL's binary format, as drivers send parameters and ask for results.
//!
//! Integers and floats are big-endian; a date counts days and a timestamp microseconds from 2000; `numeric` is digits in
//! base 10,000 with a weight and a scale; an array has its dimensions and then each element with its length, and so have
//! rows and ranges. What a client sends is checked as text is: bytes that do not fit are an error (22P03), never a
//! panic. Types without a binary form are refused by name.

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_schema::shape::RowType;

use super::datetime::{DAY, date_in_range, in_range};
use super::range::{self, Bound, Range};
use super::text::{parse_json, validate_json};
use super::{
    Array, Datum, Hstore, Inet, Interval, Numeric, Oid, PgType, TypeEnv, TypeId, builtin, cast,
    text,
};
use crate::error::{Code, Result, SqlError, SqlState};

fn bad(what: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_BINARY_REPRESENTATION, what)
}

fn range(what: &str) -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, format!("{what} out of range"))
}

/// Bytes that are taken off the front.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        if length > self.0.len() {
            return Err(bad("insufficient data left in message"));
        }
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Bytes as a text, which must be UTF-8 without zero bytes.
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    let invalid = |at: usize| {
        let shown = bytes.get(at..).unwrap_or(&[]).iter().take(1);
        let shown: Vec<String> = shown.map(|b| format!("0x{b:02x}")).collect();
        SqlError::new(
            Code("22021"),
            format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")),
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|e| invalid(e.valid_up_to()))?;
    match bytes.iter().position(|b| *b == 0) {
        Some(at) => Err(invalid(at)),
        None => Ok(text),
    }
}

/// Reads a value of this type from its binary form.
pub fn decode(bytes: &[u8], ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
    let mut input = Input(bytes);
    let datum = decode_from(&mut input, ty, typmod, env)?;
    if !input.0.is_empty() {
        return Err(bad("incorrect binary data format"));
    }
    Ok(datum)
}

fn decode_from(input: &mut Input<'_>, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
    let (ty, typmod) = builtin::base_type(ty, typmod, env.names);
    let datum = match ty {
        TypeId::BOOL => Datum::Bool(input.array::<1>()? != [0]),
        TypeId::INT2 => Datum::Int(i64::from(input.i16()?)),
        TypeId::INT4 => Datum::Int(i64::from(input.i32()?)),
        TypeId::INT8 | TypeId::XID8 => Datum::Int(input.i64()?),
        TypeId::OID
        | TypeId::XID
        | TypeId::CID
        | TypeId::REGCLASS
        | TypeId::REGTYPE
        | TypeId::REGPROC
        | TypeId::REGPROCEDURE
        | TypeId::REGOPER
        | TypeId::REGNAMESPACE
        | TypeId::REGROLE
        | TypeId::REGCOLLATION => Datum::Int(i64::from(input.u32()?)),
        TypeId::TID => {
            let block = input.u32()?;
            Datum::Int(i64::from(block) << 16 | i64::from(input.i16()? as u16))
        }
        TypeId::FLOAT4 => Datum::Float(f64::from(f32::from_be_bytes(input.array()?))),
        TypeId::FLOAT8 => Datum::Float(f64::from_be_bytes(input.array()?)),
        TypeId::NUMERIC => Datum::Numeric(decode_numeric(input)?),
        TypeId::BYTEA => Datum::Bytes(input.rest().into()),
        TypeId::CHAR => match input.array::<1>()? {
            [0] => Datum::text(""),
            [byte @ 1..=127] => Datum::text((byte as char).to_string()),
            _ => return Err(SqlError::unsupported("a \"char\" that is not ASCII")),
        },
        TypeId::DATE => {
            let days = input.i32()?;
            let infinite = days == i32::MIN || days == i32::MAX;
            if !infinite && !date_in_range(i64::from(days)) {
                return Err(range("date"));
            }
            Datum::Date(days)
        }
        TypeId::TIME => Datum::Time(decode_time(input)?),
        TypeId::TIMETZ => {
            let (time, west) = (decode_time(input)?, input.i32()?);
            if west.unsigned_abs() >= 16 * 3600 {
                return Err(SqlError::new(Code("22009"), "time zone displacement out of range"));
            }
            Datum::TimeTz(time, west)
        }
        TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ => {
            let micros = input.i64()?;
            if micros != i64::MIN && micros != i64::MAX && !in_range(micros) {
                return Err(range("timestamp"));
            }
            Datum::Timestamp(micros)
        }
        TypeId::INTERVAL => {
            let (micros, days, months) = (input.i64()?, input.i32()?, input.i32()?);
            Datum::Interval(Interval::new(months, days, micros))
        }
        TypeId::UUID => Datum::Uuid(input.array()?),
        TypeId::INET => match decode_inet(input.rest()) {
            Some(address) => Datum::Inet(address),
            None => return Err(bad("invalid external \"inet\" value")),
        },
        TypeId::JSON => {
            let json = utf8(input.rest())?;
            validate_json(json)?;
            Datum::text(json)
        }
        TypeId::JSONB => {
            let [version] = input.array()?;
            if version != 1 {
                return Err(bad(format!("unsupported jsonb version number {version}")));
            }
            Datum::Jsonb(Arc::new(parse_json(utf8(input.rest())?)?))
        }
        TypeId::HSTORE => decode_hstore(input)?,
        TypeId::BIT | TypeId::VARBIT => Datum::text(decode_bits(input)?),
        TypeId::VOID => Datum::text(""),
        TypeId::TEXT
        | TypeId::CITEXT
        | TypeId::VARCHAR
        | TypeId::BPCHAR
        | TypeId::NAME
        | TypeId::UNKNOWN
        | TypeId::CSTRING
        | TypeId::REFCURSOR => return text::parse(utf8(input.rest())?, ty, typmod, env),
        _ if builtin::element_type(ty, env.names).is_some() => {
            Datum::Array(Arc::new(decode_array(input, ty, typmod, env)?))
        }
        _ if range::subtype_of(ty).is_some() => {
            let element = range::subtype_of(ty).unwrap_or(ty);
            Datum::Range(Arc::new(decode_range(input, element, env)?))
        }
        _ if env.names.enum_type(ty).is_some() => {
            return text::parse(utf8(input.rest())?, ty, typmod, env);
        }
        _ => match env.names.row_fields(ty, typmod) {
            Some(fields) => Datum::Record(decode_record(input, &fields, env)?.into()),
            None => return Err(text::unsupported(ty, env)),
        },
    };
    cast::coerce_typmod(datum, ty, typmod, false, env)
}

/// The most pairs that an hstore may have. More would not fit into the largest piece of memory that
/// PostgreSQL allocates.
const MOST_PAIRS: i32 = 26_843_545;

/// Reads an hstore: the number of pairs, then each key and value after its length, which is -1 for
/// NULL.
fn decode_hstore(input: &mut Input<'_>) -> Result<Datum> {
    let mut pairs = Vec::new();
    let count = input.i32()?;
    if !(0..=MOST_PAIRS).contains(&count) {
        let text = format!("number of pairs ({count}) exceeds the maximum allowed ({MOST_PAIRS})");
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, text));
    }
    for _ in 0..count {
        let mut part = || -> Result<Option<Text>> {
            match usize::try_from(input.i32()?) {
                Ok(length) => Ok(Some(utf8(input.take(length)?)?.into())),
                Err(_) => Ok(None),
            }
        };
        let key = part()?;
        if key.is_none() {
            let text = "null value not allowed for hstore key";
            return Err(SqlError::new(SqlState::NULL_VALUE_NOT_ALLOWED, text));
        }
        pairs.push((key, part()?));
    }
    Ok(Hstore::of_pairs(pairs.into_iter())?.datum())
}

fn encode_hstore(value: &Hstore, out: &mut Vec<u8>) {
    let length = |length: usize| i32::try_from(length).unwrap_or(i32::MAX).to_be_bytes();
    out.extend_from_slice(&length(value.pairs().len()));
    for part in value.pairs().iter().flat_map(|(key, value)| [Some(key), value.as_ref()]) {
        out.extend_from_slice(&part.map_or((-1_i32).to_be_bytes(), |part| length(part.len())));
        out.extend_from_slice(part.map_or(&[], |part| part.as_bytes()));
    }
}

fn decode_time(input: &mut Input<'_>) -> Result<i64> {
    let time = input.i64()?;
    if (0..=DAY).contains(&time) { Ok(time) } else { Err(range("time")) }
}

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const NEG_INFINITY: u16 = 0xf000;

fn decode_numeric(input: &mut Input<'_>) -> Result<Numeric> {
    let count = input.i16()? as u16;
    let weight = input.i16()?;
    let sign = input.i16()? as u16;
    let scale = input.i16()? as u16;
    let mut digits = Vec::new();
    for _ in 0..count {
        let digit = input.i16()?;
        if !(0..10_000).contains(&digit) {
            return Err(bad("invalid digit in external \"numeric\" value"));
        }
        digits.push(digit);
    }
    match sign {
        NAN => return Ok(Numeric::NAN),
        INFINITY => return Ok(Numeric::INFINITY),
        NEG_INFINITY => return Ok(Numeric::NEG_INFINITY),
        0 | NEGATIVE => {}
        _ => return Err(bad("invalid sign in external \"numeric\" value")),
    }
    if scale > 0x3fff {
        return Err(bad("invalid scale in external \"numeric\" value"));
    }
    let mut number = String::with_capacity(digits.len() * 4 + 16);
    if sign == NEGATIVE {
        number.push('-');
    }
    number.push('0');
    for digit in &digits {
        number.push_str(&format!("{digit:04}"));
    }
    let mut exponent = (i64::from(weight) + 1 - digits.len() as i64) * 4;
    // Digits beyond the scale do not count.
    let beyond = -exponent - i64::from(scale);
    if let Ok(beyond @ 1..) = usize::try_from(beyond) {
        let kept = number.len().saturating_sub(beyond);
        number.truncate(kept);
        exponent = -i64::from(scale);
        if !number.bytes().any(|b| b.is_ascii_digit()) {
            number = "0".into();
        }
    }
    number.push_str(&format!("e{exponent}"));
    Ok(number.parse::<Numeric>()?.trunc(i32::from(scale)))
}

fn encode_numeric(value: &Numeric, out: &mut Vec<u8>) {
    let put = |out: &mut Vec<u8>, value: u16| out.extend_from_slice(&value.to_be_bytes());
    let special = match (value.is_nan(), value.is_infinite(), value.signum() < 0) {
        (true, ..) => Some([0, 0, NAN, 0]),
        // PostgreSQL sends a scale with the infinities that nobody reads.
        (_, true, false) => Some([0, 0, INFINITY, 0x20]),
        (_, true, true) => Some([0, 0, NEG_INFINITY, 0x20]),
        _ => None,
    };
    if let Some(parts) = special {
        return parts.into_iter().for_each(|part| put(out, part));
    }
    let printed = value.to_string();
    let plain = printed.trim_start_matches('-');
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let whole = whole.trim_start_matches('0');
    // Digits in groups of four on both sides of the point.
    let mut padded = "0".repeat((4 - whole.len() % 4) % 4);
    padded.push_str(whole);
    let mut weight = (padded.len() / 4) as i64 - 1;
    padded.push_str(fraction);
    padded.push_str(&"0".repeat((4 - fraction.len() % 4) % 4));
    let groups: Vec<u16> = padded
        .as_bytes()
        .chunks(4)
        .map(|group| group.iter().fold(0, |n, b| n * 10 + u16::from(b - b'0')))
        .collect();
    let leading = groups.iter().take_while(|group| **group == 0).count();
    weight -= leading as i64;
    let mut groups = groups.get(leading..).unwrap_or(&[]);
    while let [rest @ .., 0] = groups {
        groups = rest;
    }
    if groups.is_empty() {
        weight = 0;
    }
    let sign = if value.signum() < 0 { NEGATIVE } else { 0 };
    for part in [groups.len() as u16, weight as i16 as u16, sign, value.scale()] {
        put(out, part);
    }
    groups.iter().for_each(|group| put(out, *group));
}

fn decode_bits(input: &mut Input<'_>) -> Result<String> {
    let length =
        usize::try_from(input.i32()?).map_err(|_| bad("invalid length in external bit string"))?;
    let bytes = input.take(length.div_ceil(8))?;
    let bits = (0..length).map(|place| {
        let byte = bytes.get(place / 8).copied().unwrap_or(0);
        if byte >> (7 - place % 8) & 1 == 1 { '1' } else { '0' }
    });
    Ok(bits.collect())
}

fn encode_bits(bits: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(bits.len() as i32).to_be_bytes());
    for chunk in bits.as_bytes().chunks(8) {
        let bit = |(place, b): (usize, &u8)| u8::from(*b == b'1') << (7 - place);
        out.push(chunk.iter().enumerate().map(bit).sum());
    }
}

fn decode_array(
    input: &mut Input<'_>,
    ty: TypeId,
    typmod: i32,
    env: &TypeEnv<'_>,
) -> Result<Array> {
    let expected = builtin::element_type(ty, env.names).unwrap_or(TypeId(0));
    let count = input.i32()?;
    if !(0..=6).contains(&count) {
        return Err(bad(format!("invalid number of dimensions: {count}")));
    }
    if !matches!(input.i32()?, 0 | 1) {
        return Err(bad("invalid array flags"));
    }
    let element = TypeId(input.u32()?);
    if element != expected {
        return Err(SqlError::new(
            SqlState::DATATYPE_MISMATCH,
            format!(
                "binary data has array element type {} ({}) instead of expected {} ({})",
                element.0,
                builtin::format_type(element, -1, env.names),
                expected.0,
                builtin::format_type(expected, -1, env.names)
            ),
        ));
    }
    let mut dims = Vec::new();
    let mut total = 1usize;
    for _ in 0..count {
        let (length, lower) = (input.i32()?, input.i32()?);
        let length = usize::try_from(length).map_err(|_| bad("invalid array dimension"))?;
        if lower.checked_add_unsigned(length as u32).is_none() {
            return Err(bad("array lower bound is too large"));
        }
        total = total.checked_mul(length).ok_or_else(|| bad("array size exceeds the maximum"))?;
        dims.push((length, lower));
    }
    let total = if dims.is_empty() { 0 } else { total };
    // Every element takes at least four bytes.
    if total > input.0.len() / 4 {
        return Err(bad("insufficient data left in message"));
    }
    let mut items = Vec::with_capacity(total);
    for _ in 0..total {
        items.push(decode_field(input, element, typmod, env)?);
    }
    if items.is_empty() {
        dims.clear();
    }
    Ok(Array { element, dims, items })
}

fn decode_field(
    input: &mut Input<'_>,
    ty: TypeId,
    typmod: i32,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    match input.i32()? {
        -1 => Ok(Datum::Null),
        length => {
            let length =
                usize::try_from(length).map_err(|_| bad("insufficient data left in message"))?;
            decode(input.take(length)?, ty, typmod, env)
        }
    }
}

/// Appends an address: the family, the length of the prefix, whether it is a `cidr`, and the bytes
/// after their number.
fn encode_inet(inet: &Inet, out: &mut Vec<u8>) {
    let family = if inet.family() == 6 { 3 } else { 2 };
    out.extend_from_slice(&[family, inet.bits(), 0, inet.address().len() as u8]);
    out.extend_from_slice(inet.address());
}

fn decode_inet(input: &[u8]) -> Option<Inet> {
    let (&[family, bits, _, length], address) = input.split_first_chunk::<4>()?;
    let fits = matches!((family, length), (2, 4) | (3, 16)) && address.len() == usize::from(length);
    fits.then(|| Inet::new(address, bits)).flatten()
}

const EMPTY: u8 = 1;
const LOWER_INCLUSIVE: u8 = 2;
const UPPER_INCLUSIVE: u8 = 4;
const LOWER_INFINITE: u8 = 8;
const UPPER_INFINITE: u8 = 16;

/// Reads a range: flags, then those ends that are there.
fn decode_range(input: &mut Input<'_>, element: TypeId, env: &TypeEnv<'_>) -> Result<Range> {
    let [flags] = input.array::<1>()?;
    if flags & EMPTY != 0 {
        return Ok(Range::empty(element));
    }
    let mut end = |infinite: u8| match flags & infinite {
        0 => {
            decode_field(input, element, -1, env).map(|value| Some(value).filter(|v| !v.is_null()))
        }
        _ => Ok(None),
    };
    let lower = Bound::lower(end(LOWER_INFINITE)?, flags & LOWER_INCLUSIVE != 0);
    let upper = Bound::upper(end(UPPER_INFINITE)?, flags & UPPER_INCLUSIVE != 0);
    range::between(element, lower, upper)
}

fn encode_range(range: &Range, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    let Some((lower, upper)) = &range.bounds else {
        out.push(EMPTY);
        return Ok(());
    };
    let flag = |on: bool, bit: u8| if on { bit } else { 0 };
    out.push(
        flag(lower.inclusive, LOWER_INCLUSIVE)
            | flag(upper.inclusive, UPPER_INCLUSIVE)
            | flag(lower.value.is_none(), LOWER_INFINITE)
            | flag(upper.value.is_none(), UPPER_INFINITE),
    );
    for value in [lower, upper].into_iter().filter_map(|bound| bound.value.as_ref()) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        encode(value, range.element, -1, env, out)?;
        let length = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

fn decode_record(
    input: &mut Input<'_>,
    fields: &[(TypeId, i32)],
    env: &TypeEnv<'_>,
) -> Result<Vec<Datum>> {
    let count = input.i32()?;
    if usize::try_from(count).ok() != Some(fields.len()) {
        return Err(SqlError::new(
            SqlState::DATATYPE_MISMATCH,
            format!("wrong number of columns: {count}, expected {}", fields.len()),
        ));
    }
    let mut row = Vec::with_capacity(fields.len());
    for (ty, typmod) in fields {
        let given = TypeId(input.u32()?);
        if given != *ty {
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("binary data has type {} instead of expected {}", given.0, ty.0),
            ));
        }
        row.push(decode_field(input, *ty, *typmod, env)?);
    }
    Ok(row)
}

/// Appends the binary form of a value that is not NULL.
pub fn encode(
    datum: &Datum,
    ty: TypeId,
    typmod: i32,
    env: &TypeEnv<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (ty, typmod) = builtin::base_type(ty, typmod, env.names);
    match datum {
        Datum::Null => return Err(bad("NULL has no binary form")),
        Datum::Bool(value) => out.push(u8::from(*value)),
        Datum::Int(value) => match ty {
            TypeId::INT2 => out.extend_from_slice(&(*value as i16).to_be_bytes()),
            TypeId::INT8 | TypeId::XID8 => out.extend_from_slice(&value.to_be_bytes()),
            TypeId::TID => out.extend_from_slice(&value.to_be_bytes()[2..]),
            _ => out.extend_from_slice(&(*value as u32).to_be_bytes()),
        },
        Datum::Float(value) if ty == TypeId::FLOAT4 => {
            out.extend_from_slice(&(*value as f32).to_be_bytes());
        }
        Datum::Float(value) => out.extend_from_slice(&value.to_be_bytes()),
        Datum::Numeric(value) => encode_numeric(value, out),
        Datum::Text(text) => match ty {
            TypeId::CHAR => out.push(text.bytes().next().unwrap_or(0)),
            TypeId::BIT | TypeId::VARBIT => encode_bits(text, out),
            _ => out.extend_from_slice(text.as_bytes()),
        },
        Datum::Char(text) | Datum::Enum(_, text) => out.extend_from_slice(text.as_bytes()),
        Datum::Citext(value) => out.extend_from_slice(value.text.as_bytes()),
        Datum::Hstore(value) => encode_hstore(value, out),
        Datum::Bytes(bytes) => out.extend_from_slice(bytes),
        Datum::Date(days) => out.extend_from_slice(&days.to_be_bytes()),
        Datum::Time(micros) | Datum::Timestamp(micros) => {
            out.extend_from_slice(&micros.to_be_bytes());
        }
        Datum::TimeTz(time, west) => {
            out.extend_from_slice(&time.to_be_bytes());
            out.extend_from_slice(&west.to_be_bytes());
        }
        Datum::Interval(interval) => {
            out.extend_from_slice(&interval.micros.to_be_bytes());
            out.extend_from_slice(&interval.days.to_be_bytes());
            out.extend_from_slice(&interval.months.to_be_bytes());
        }
        Datum::Uuid(bytes) => out.extend_from_slice(bytes),
        Datum::Inet(address) => encode_inet(address, out),
        Datum::Jsonb(json) => {
            out.push(1);
            out.extend_from_slice(json.to_string().as_bytes());
        }
        Datum::Array(array) => encode_array(array, typmod, env, out)?,
        Datum::Range(range) => encode_range(range, env, out)?,
        Datum::Record(fields) => {
            let types = env.names.row_fields(ty, typmod).unwrap_or_default();
            out.extend_from_slice(&(fields.len() as i32).to_be_bytes());
            for (place, field) in fields.iter().enumerate() {
                let known = types.get(place).copied();
                let (ty, typmod) = known.unwrap_or_else(|| (record_type(field, env), -1));
                out.extend_from_slice(&ty.plain().0.to_be_bytes());
                encode_field(field, ty, typmod, env, out)?;
            }
        }
    }
    Ok(())
}

/// The type that a field of a row is sent as, if nothing tells the types of its fields.
fn record_type(field: &Datum, env: &TypeEnv<'_>) -> TypeId {
    let ty = text::guess(field);
    match field {
        Datum::Array(_) => builtin::array_type(ty, env.names).unwrap_or(ty),
        _ => ty,
    }
}

fn encode_array(array: &Array, typmod: i32, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    let put = |out: &mut Vec<u8>, value: i32| out.extend_from_slice(&value.to_be_bytes());
    put(out, array.dims.len() as i32);
    put(out, i32::from(array.items.iter().any(Datum::is_null)));
    let element: Oid = array.element.plain().0;
    out.extend_from_slice(&element.to_be_bytes());
    for (length, lower) in &array.dims {
        put(out, *length as i32);
        put(out, *lower);
    }
    array.items.iter().try_for_each(|item| encode_field(item, array.element, typmod, env, out))
}

fn encode_field(
    datum: &Datum,
    ty: TypeId,
    typmod: i32,
    env: &TypeEnv<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    out.extend_from_slice(&(-1i32).to_be_bytes());
    if datum.is_null() {
        return Ok(());
    }
    encode(datum, ty, typmod, env, out)?;
    let length = (out.len() - start - 4) as i32;
    if let Some(place) = out.get_mut(start..start + 4) {
        place.copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}
