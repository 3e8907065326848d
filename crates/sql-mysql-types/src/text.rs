//! Values as texts: for clients, for functions that take texts, for the store.

use std::borrow::Cow;
use std::fmt::Write;

use hobgoblin_sql_schema::names::{Names, NoNames, TypeEnv};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

use crate::charset::Charset;
use crate::collation::Collation;
use crate::my_type::{Kind, MyType, NOT_FIXED};
use crate::settings::Settings;
use crate::temporal::{
    Day, Moment, from_utc, print_day, print_moment, print_time, read_moment, read_time,
};
use crate::{members, number};

/// A value as a text. Bytes that are no text lose what cannot be one: ask [`bytes`] for them.
pub fn print(value: &Datum, ty: TypeId, env: &TypeEnv<'_>) -> String {
    text(value, MyType::of(ty), env).into_owned()
}

/// The same as bytes, as clients get them.
pub fn bytes<'a>(value: &'a Datum, ty: MyType, env: &TypeEnv<'_>) -> Cow<'a, [u8]> {
    match (value, ty.kind) {
        (Datum::Bytes(bytes), _) => Cow::Borrowed(bytes),
        (Datum::Int(_) | Datum::Numeric(_), Kind::Bit) => {
            let bits = number::integer_of(value).unwrap_or(0) as u64;
            let length = ty.length.clamp(1, 64).div_ceil(8) as usize;
            Cow::Owned(bits.to_be_bytes()[8 - length..].to_vec())
        }
        _ => {
            let collation = if ty.has_letters() { ty.collation } else { Collation::DEFAULT };
            let results = Settings::of(env).results;
            match text(value, ty, env) {
                Cow::Borrowed(text) => Charset::result(results, text, collation),
                Cow::Owned(text) => {
                    Cow::Owned(Charset::result(results, &text, collation).into_owned())
                }
            }
        }
    }
}

/// A value as a text, borrowed where it is one.
pub fn text<'a>(value: &'a Datum, ty: MyType, env: &TypeEnv<'_>) -> Cow<'a, str> {
    match value {
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => Cow::Borrowed(text),
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes),
        _ => {
            let mut out = String::new();
            let settings = Settings::of(env);
            match (value, ty.kind) {
                (Datum::Timestamp(packed), Kind::Timestamp) => {
                    let local = from_utc(Moment::unpacked(*packed), &settings.zone);
                    print_moment(&mut out, local, ty.scale);
                }
                (Datum::Int(_) | Datum::Numeric(_), Kind::Bit) => {
                    return Cow::Owned(
                        String::from_utf8_lossy(&bytes(value, ty, env)).into_owned(),
                    );
                }
                _ => print_plain(&mut out, value, ty, env.names),
            }
            Cow::Owned(out)
        }
    }
}

/// Appends the text of a value that depends on no setting.
fn print_plain(out: &mut String, value: &Datum, ty: MyType, names: &dyn Names) {
    // Writing to a string cannot fail.
    match value {
        Datum::Null => out.push_str("NULL"),
        Datum::Bool(truth) => out.push(if *truth { '1' } else { '0' }),
        Datum::Int(_) | Datum::Numeric(_) if ty.kind == Kind::Set => {
            out.push_str(&members::set_text(ty, number::integer_of(value).unwrap_or(0), names));
        }
        Datum::Int(value) if ty.kind == Kind::Year => {
            let _ = write!(out, "{value:04}");
        }
        Datum::Int(value) => match ty.zerofill {
            true => {
                let _ = write!(out, "{value:0width$}", width = ty.length as usize);
            }
            false => {
                let _ = write!(out, "{value}");
            }
        },
        Datum::Numeric(value) => {
            let scaled = ty.kind == Kind::Decimal && value.scale() != u16::from(ty.scale);
            let text = match scaled {
                true => value.round(i32::from(ty.scale)).to_string(),
                false => value.to_string(),
            };
            if ty.zerofill {
                let width = ty.length as usize + usize::from(ty.scale > 0);
                out.extend(std::iter::repeat_n('0', width.saturating_sub(text.len())));
            }
            out.push_str(&text);
        }
        Datum::Float(value) if ty.is_float() && ty.scale < NOT_FIXED => {
            number::print_fixed(out, *value, ty.scale);
        }
        Datum::Float(value) if ty.kind == Kind::Float => number::print_float(out, *value),
        Datum::Float(value) => number::print_double(out, *value),
        Datum::Date(packed) => print_day(out, Day::unpacked(*packed)),
        Datum::Time(micros) => print_time(out, *micros, ty.scale),
        Datum::Timestamp(packed) => print_moment(out, Moment::unpacked(*packed), ty.scale),
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => out.push_str(text),
        Datum::Bytes(bytes) => {
            out.push_str("0x");
            for byte in bytes.iter() {
                let _ = write!(out, "{byte:02x}");
            }
        }
        other => {
            let _ = write!(out, "{other:?}");
        }
    }
}

/// Appends the text that the store keeps of a value: with all its digits, in UTC, bytes as `0x…`.
pub fn print_stored(out: &mut String, value: &Datum, ty: TypeId) {
    let ty = MyType::of(ty);
    match value {
        Datum::Float(value) => number::print_double(out, *value),
        Datum::Numeric(value) => out.push_str(&value.to_string()),
        _ => {
            let ty = MyType { zerofill: false, ..ty };
            print_plain(out, value, ty, &NoNames);
        }
    }
}

/// The value that a text of the store stands for.
pub fn parse_stored(text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    let ty = MyType::of(ty);
    let found = match ty.kind {
        Kind::Decimal | Kind::BigInt | Kind::Bit | Kind::Set => {
            text.parse().ok().map(Datum::Numeric)
        }
        Kind::Float | Kind::Double => text.parse().ok().map(Datum::Float),
        Kind::Date => read_moment(text, false).map(|found| Datum::Date(found.moment.day.packed())),
        Kind::DateTime | Kind::Timestamp => {
            read_moment(text, false).map(|found| found.moment.datum())
        }
        Kind::Time => read_time(text).map(|found| Datum::Time(found.moment)),
        Kind::Enum if text.is_empty() => Some(members::enum_error()),
        Kind::Enum => members::enum_named(ty, text, env.names),
        Kind::SortKey => bytes_of_hex(text),
        _ if ty.is_bytes() => bytes_of_hex(text),
        _ => Some(Datum::text(text)),
    };
    found.ok_or_else(|| {
        SqlError::internal(format!("a stored value is not of its column's type: {text}"))
    })
}

fn bytes_of_hex(text: &str) -> Option<Datum> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    Some(Datum::Bytes(pairs.collect::<Option<Vec<u8>>>()?.into()))
}
