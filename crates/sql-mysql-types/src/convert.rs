//! A value where another kind of value is asked for.
//!
//! Any value is taken for a number, a text or a time. What is lost on the way is a warning (1292), never an error; what a
//! column has no room for is another matter (`assign`).

use std::borrow::Cow;

use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::datetime::{DAY, SECOND};
use hobgoblin_sql_value::{Datum, Numeric};

use crate::error::TRUNCATED_WRONG_VALUE;
use crate::my_type::{Kind, MyType};
use crate::number::{self, decimal_prefix, double_prefix, integer_prefix};
use crate::settings::Settings;
use crate::temporal::{
    Day, Moment, clock, from_utc, moment_of_number, read_moment, read_time, time_of_number,
};
use crate::text::{bytes, text};

/// The number that bytes are when they are a hexadecimal constant.
fn number_of_bytes(bytes: &[u8]) -> i128 {
    let last = &bytes[bytes.len().saturating_sub(8)..];
    i128::from(last.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
}

/// A clock's digits: `101112`.
fn clock_digits(micros: i64) -> i64 {
    let (hours, minutes, seconds, _) = clock(micros);
    hours * 10_000 + minutes * 100 + seconds
}

fn day_digits(day: Day) -> i64 {
    day.year * 10_000 + day.month * 100 + day.day
}

/// The digits of a time or a day as a decimal: `20240105101112.5`.
fn digits(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<Numeric> {
    let with_fraction = |whole: i64, micros: i64, negative: bool| {
        let units = i128::from(whole) * 1_000_000 + i128::from(micros % SECOND);
        let exact = Numeric::from_units(if negative { -units } else { units }, 6);
        exact.trunc(i32::from(ty.scale))
    };
    match value {
        Datum::Date(packed) => Some(Numeric::from(day_digits(Day::unpacked(*packed)))),
        Datum::Timestamp(packed) => {
            let mut moment = Moment::unpacked(*packed);
            if ty.kind == Kind::Timestamp {
                moment = from_utc(moment, &Settings::of(env).zone);
            }
            let whole = day_digits(moment.day) * 1_000_000 + clock_digits(moment.micros);
            Some(with_fraction(whole, moment.micros, false))
        }
        Datum::Time(micros) => {
            Some(with_fraction(clock_digits(micros.abs()), micros.abs(), *micros < 0))
        }
        _ => None,
    }
}

/// As a DOUBLE.
pub fn to_double(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> f64 {
    match value {
        Datum::Float(value) => *value,
        Datum::Int(value) => *value as f64,
        Datum::Bool(truth) => f64::from(u8::from(*truth)),
        Datum::Numeric(value) => value.to_f64(),
        Datum::Enum(place, _) => f64::from(*place),
        Datum::Bytes(bytes) if ty.kind == Kind::Hex => number_of_bytes(bytes) as f64,
        Datum::Null => 0.0,
        _ => match digits(value, ty, env) {
            Some(digits) => digits.to_f64(),
            None => {
                let text = text(value, ty, env);
                let found = double_prefix(&text);
                if found.cut || found.blanks {
                    Settings::of(env).truncated("DOUBLE", &text);
                }
                found.value
            }
        },
    }
}

/// As a decimal.
pub fn to_numeric(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Numeric {
    match value {
        Datum::Numeric(value) => value.clone(),
        Datum::Int(value) => Numeric::from(*value),
        Datum::Float(value) => number::numeric_of_float(*value),
        Datum::Bool(truth) => Numeric::from(i64::from(*truth)),
        Datum::Enum(place, _) => Numeric::from(*place as i64),
        Datum::Bytes(bytes) if ty.kind == Kind::Hex => {
            Numeric::from_units(number_of_bytes(bytes), 0)
        }
        Datum::Null => Numeric::ZERO,
        _ => digits(value, ty, env).unwrap_or_else(|| {
            let text = text(value, ty, env);
            let found = decimal_prefix(&text);
            if found.cut || found.blanks {
                Settings::of(env).truncated("DECIMAL", &text);
            }
            found.value
        }),
    }
}

/// As an integer; fractions of numbers are rounded, those of texts are cut.
pub fn to_integer(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> i128 {
    match value {
        Datum::Int(value) => i128::from(*value),
        Datum::Bool(truth) => i128::from(*truth),
        Datum::Numeric(value) => number::integer_of_numeric(value).unwrap_or(0),
        Datum::Float(value) => number::integer_of_float(*value),
        Datum::Enum(place, _) => *place as i128,
        Datum::Bytes(bytes) if ty.kind == Kind::Hex => number_of_bytes(bytes),
        Datum::Null => 0,
        _ => match digits(value, ty, env) {
            Some(digits) => digits.trunc(0).to_i64().map_or(0, i128::from),
            None => {
                let text = text(value, ty, env);
                let found = integer_prefix(&text);
                let fits = (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&found.value);
                if found.cut || found.blanks || !fits {
                    Settings::of(env).truncated("INTEGER", &text);
                }
                found.value
            }
        },
    }
}

/// As a text.
pub fn to_text<'a>(value: &'a Datum, ty: MyType, env: &TypeEnv<'_>) -> Cow<'a, str> {
    text(value, ty, env)
}

/// As bytes.
pub fn to_bytes<'a>(value: &'a Datum, ty: MyType, env: &TypeEnv<'_>) -> Cow<'a, [u8]> {
    bytes(value, ty, env)
}

/// Whether a condition holds; nothing for NULL.
pub fn to_truth(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<bool> {
    Some(match value {
        Datum::Null => return None,
        Datum::Bool(truth) => *truth,
        Datum::Int(value) => *value != 0,
        Datum::Numeric(value) => !value.is_zero(),
        other => to_double(other, ty, env) != 0.0,
    })
}

fn incorrect(kind: &str, shown: &str, env: &TypeEnv<'_>) {
    let message = format!("Incorrect {kind} value: '{shown}'");
    Settings::of(env).warn(TRUNCATED_WRONG_VALUE, message);
}

/// As a day with a time; nothing, with a warning, where it is none.
pub fn to_moment(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<Moment> {
    moment_as(value, ty, "datetime", env)
}

/// As a day.
pub fn to_day(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<Day> {
    moment_as(value, ty, "date", env).map(|moment| moment.day)
}

/// The same; `kind` is what is said to be cut.
pub(crate) fn moment_as(
    value: &Datum,
    ty: MyType,
    kind: &str,
    env: &TypeEnv<'_>,
) -> Option<Moment> {
    let settings = Settings::of(env);
    match value {
        Datum::Null => None,
        Datum::Date(packed) => Some(Moment::midnight(Day::unpacked(*packed))),
        Datum::Timestamp(packed) => {
            let moment = Moment::unpacked(*packed);
            match ty.kind {
                Kind::Timestamp => Some(from_utc(moment, &settings.zone)),
                _ => Some(moment),
            }
        }
        Datum::Time(micros) => {
            let now = env.now.map_or(0, |utc| settings.zone.to_local(utc).0);
            Moment::of_number(now.div_euclid(DAY) * DAY + micros)
        }
        Datum::Int(_) | Datum::Numeric(_) | Datum::Float(_) | Datum::Bool(_) => {
            let exact = to_numeric(value, ty, env);
            let whole = exact.trunc(0).to_i64().unwrap_or(-1);
            let micros = exact.sub(&exact.trunc(0)).ok()?.mul(&Numeric::from(SECOND)).ok()?;
            let micros = micros.trunc(0).to_i64()?;
            let found = moment_of_number(whole, micros);
            let found = found.filter(|moment| moment.day.is_allowed(settings.mode));
            if found.is_none() {
                incorrect("datetime", &text(value, ty, env), env);
            }
            found
        }
        _ => {
            let text = text(value, ty, env);
            match read_moment(&text, false) {
                Some(found) if found.moment.day.is_allowed(settings.mode) => {
                    if found.cut {
                        settings.truncated(kind, &text);
                    }
                    Some(found.moment)
                }
                _ => {
                    incorrect("datetime", &text, env);
                    None
                }
            }
        }
    }
}

/// As a span of time; nothing, with a warning, where it is none.
pub fn to_time(value: &Datum, ty: MyType, env: &TypeEnv<'_>) -> Option<i64> {
    match value {
        Datum::Null => None,
        Datum::Time(micros) => Some(*micros),
        Datum::Date(_) => Some(0),
        Datum::Timestamp(_) => to_moment(value, ty, env).map(|moment| moment.micros),
        Datum::Int(_) | Datum::Numeric(_) | Datum::Float(_) | Datum::Bool(_) => {
            let exact = to_numeric(value, ty, env);
            let whole = exact.trunc(0).to_i64().unwrap_or(i64::MAX);
            let micros = exact.sub(&exact.trunc(0)).ok()?.mul(&Numeric::from(SECOND)).ok()?;
            let found = time_of_number(whole, micros.trunc(0).to_i64()?);
            match found {
                Some((_, true)) => Settings::of(env).truncated("time", &text(value, ty, env)),
                None => incorrect("time", &text(value, ty, env), env),
                Some(_) => {}
            }
            found.map(|(span, _)| span)
        }
        _ => {
            let text = text(value, ty, env);
            let found = read_time(&text);
            match &found {
                Some(found) if found.cut => Settings::of(env).truncated("time", &text),
                None => incorrect("time", &text, env),
                Some(_) => {}
            }
            found.map(|found| found.moment)
        }
    }
}

/// What of a value compares under the collation of a key.
pub fn sort_key(value: &Datum, from: MyType, to: MyType, env: &TypeEnv<'_>) -> Datum {
    match value {
        Datum::Null => Datum::Null,
        Datum::Bytes(bytes) => Datum::Bytes(bytes.clone()),
        whole if to == MyType::WHOLE_KEY => whole.clone(),
        other => Datum::Bytes(to.collation.key(&text(other, from, env)).into()),
    }
}
