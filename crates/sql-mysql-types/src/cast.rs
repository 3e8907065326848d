//! Conversions that are written: CAST and CONVERT. What is lost is a warning, whatever the mode.

use hobgoblin_sql_schema::dialect::CastContext;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, Numeric, TypeId};

use crate::assign::{Place, assign};
use crate::convert::{
    moment_as, sort_key, to_bytes, to_double, to_integer, to_numeric, to_text, to_time,
};
use crate::error;
use crate::my_type::{Kind, MyType};
use crate::number;
use crate::settings::{Settings, Severity};
use crate::temporal::with_digits;
use crate::text::text;

/// When values of a type convert to another: always, if anybody wants it.
pub fn cast_context(_from: TypeId, _to: TypeId) -> Option<CastContext> {
    Some(CastContext::Implicit)
}

/// A value as one of another type: as CAST does it, or as a column takes it.
pub fn cast(
    value: Datum,
    from: TypeId,
    to: TypeId,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    if value.is_null() {
        return Ok(Datum::Null);
    }
    let (from, to) = (MyType::of(from), MyType::of(to));
    match (to.kind, explicit) {
        (Kind::SortKey, _) => Ok(sort_key(&value, from, to, env)),
        (_, true) => explicitly(&value, from, to, env),
        (_, false) => assign(&value, from, to, &Place::default(), env),
    }
}

/// The type that CAST gives: integers are as wide as what they are made of, which may be a constant. What may be negative is wide as
/// an unsigned one.
pub fn cast_result(from: MyType, to: MyType, constant: Option<&Datum>) -> MyType {
    match to.kind {
        Kind::BigInt if to == MyType::BIGINT || to == MyType::UNSIGNED => {
            let positive =
                constant.is_some_and(|value| matches!(value, Datum::Int(0..) | Datum::Bool(_)));
            let width = match from.kind {
                Kind::Null => 1,
                Kind::Double | Kind::Float => 20,
                Kind::Bit => (from.length * 3).div_ceil(10).max(1),
                _ if from.is_integer() && to.unsigned && !from.unsigned && !positive => 20,
                Kind::Decimal if to.unsigned => 20,
                // A sign needs a character of its own.
                _ if from.is_text() && to.unsigned && (from.length > 1 || !from.held_loosely()) => {
                    20
                }
                _ if from.is_text() => match from.length {
                    0 if !from.held_loosely() => 20,
                    length => length,
                },
                Kind::Decimal => from.length + 1 + u32::from(from.scale > 0),
                _ if from.is_moment() => 20,
                _ => from.whole_digits() + u32::from(!to.unsigned),
            };
            let kind = if width <= 10 && to.unsigned {
                Kind::Int
            } else {
                MyType::integer(width, false).kind
            };
            MyType { length: width.clamp(1, 20), kind, ..to }
        }
        _ => to,
    }
}

fn integer(value: &Datum, from: MyType, to: MyType, env: &TypeEnv<'_>) -> Datum {
    let settings = Settings::of(env);
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    let found = to_integer(value, from, env);
    let name = if to.unsigned { "UNSIGNED BIGINT" } else { "SIGNED BIGINT" };
    let overflow = |clipped: i128| {
        let shown = text(value, from, env);
        settings.warn(
            1916,
            format!("Got overflow when converting '{shown}' to {name}. Value truncated"),
        );
        number::integer(clipped)
    };
    if matches!(value, Datum::Float(_)) || from.kind == Kind::Decimal || from.kind == Kind::Time {
        let (least, most) = match to.unsigned {
            true => (0, i128::from(u64::MAX)),
            false => (least, most),
        };
        return match found.clamp(least, most) {
            clipped if clipped == found => number::integer(found),
            clipped => overflow(clipped),
        };
    }
    // Texts and integers keep their 64 bits.
    let found = found.clamp(least, i128::from(u64::MAX));
    if to.unsigned {
        if found < 0 {
            settings.warnings.push(
                Severity::Note,
                error::UNKNOWN_ERROR,
                "Cast to unsigned converted negative integer to it's positive complement",
            );
        }
        return number::integer(i128::from(found as u64));
    }
    number::integer(i128::from(found as u64 as i64))
}

fn explicitly(value: &Datum, from: MyType, to: MyType, env: &TypeEnv<'_>) -> Result<Datum> {
    let settings = Settings::of(env);
    Ok(match to.kind {
        Kind::Null => value.clone(),
        Kind::Truth => match crate::convert::to_truth(value, from, env) {
            Some(truth) => Datum::Bool(truth),
            None => Datum::Null,
        },
        Kind::Int | Kind::BigInt => integer(value, from, to, env),
        Kind::Decimal => {
            let exact = to_numeric(value, from, env);
            let (fitting, clipped) = number::fit(&exact, to.length, u32::from(to.scale));
            if clipped {
                let message = "Out of range value for column 'cast' at row 1";
                settings.warn(error::OUT_OF_RANGE, message);
            }
            Datum::Numeric(fitting)
        }
        Kind::Double => Datum::Float(to_double(value, from, env)),
        Kind::Float => Datum::Float(f64::from(to_double(value, from, env) as f32)),
        Kind::Date => match moment_as(value, from, "date", env) {
            Some(moment) => Datum::Date(moment.day.packed()),
            None => Datum::Null,
        },
        Kind::DateTime | Kind::Timestamp => match moment_as(value, from, "datetime", env) {
            Some(mut moment) => {
                moment.micros = with_digits(moment.micros, to.scale, settings);
                if moment.micros >= hobgoblin_sql_value::datetime::DAY {
                    moment = crate::temporal::Moment::of_number(moment.number()).unwrap_or(moment);
                }
                moment.datum()
            }
            None => Datum::Null,
        },
        Kind::Time => match to_time(value, from, env) {
            Some(span) => Datum::Time(with_digits(span, to.scale, settings)),
            None => Datum::Null,
        },
        Kind::Year => assign(value, from, to, &Place::default(), env)?,
        Kind::Hex | Kind::SortKey => sort_key(value, from, to, env),
        _ if to.is_bytes() => {
            let mut bytes = to_bytes(value, from, env).into_owned();
            let length = to.length as usize;
            if length > 0 || to.kind == Kind::Char {
                if bytes.len() > length {
                    let shown = text(value, from, env);
                    settings.truncated(&format!("BINARY({length})"), &shown);
                }
                bytes.resize(length, 0);
            }
            Datum::Bytes(bytes.into())
        }
        _ if to.is_text() => {
            let mut converted = match value {
                Datum::Bytes(bytes) if from.is_bytes() || from.kind == Kind::Hex => {
                    letters(bytes, to, settings)
                }
                _ => to_text(value, from, env).into_owned(),
            };
            let length = to.length as usize;
            let limited = to.kind == Kind::Char || length > 0;
            if limited && let Some((at, _)) = converted.char_indices().nth(length) {
                settings.truncated(&format!("CHAR({length})"), &converted);
                converted.truncate(at);
            }
            Datum::text(converted)
        }
        Kind::TinyInt | Kind::SmallInt | Kind::MediumInt | Kind::Bit | Kind::Enum | Kind::Set => {
            return Err(SqlError::unsupported("CAST to the type of a column"));
        }
        Kind::Char
        | Kind::VarChar
        | Kind::TinyText
        | Kind::Text
        | Kind::MediumText
        | Kind::LongText
        | Kind::Json => Datum::text(&*to_text(value, from, env)),
    })
}

/// Bytes as letters; those that are none are question marks, and told of.
fn letters(bytes: &[u8], to: MyType, settings: &Settings) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut shown = String::new();
    let at = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    for byte in bytes.iter().skip(at).take(6) {
        if byte.is_ascii_graphic() {
            shown.push(char::from(*byte));
        } else {
            shown.push_str(&format!("\\x{byte:02X}"));
        }
    }
    let charset = to.collation.charset();
    settings.warn(1300, format!("Invalid {charset} character string: '{shown}'"));
    String::from_utf8_lossy(bytes).replace('\u{fffd}', "?")
}

/// A value as a decimal with the digits that a type has after the point.
pub fn scaled(value: &Numeric, scale: u8) -> Numeric {
    match value.scale() == u16::from(scale) {
        true => value.clone(),
        false => value.round(i32::from(scale)),
    }
}
