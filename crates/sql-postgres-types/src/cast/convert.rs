//! How each conversion is done.
//!
//! Most pairs of types have no code of their own: numbers go by their kinds (`number.rs`), moments
//! by what they have in common, and anything can go by its text. Here it is decided which way a
//! pair takes.

use std::sync::Arc;

use super::kinds::{cannot_cast, is_integer, is_reg, is_string};
use super::{cast, coerce_typmod, number};
use crate::datetime::{
    self, DATE_INFINITY, DATE_NEG_INFINITY, DAY, TIMESTAMP_INFINITY, TIMESTAMP_NEG_INFINITY,
};
use crate::error::{Result, SqlError, SqlState};
use crate::text::{parse_json, validate_json};
use crate::{
    Array, Datum, Format, Hstore, Interval, Json, Numeric, PgType, TypeEnv, TypeId, builtin, text,
};

/// Converts a value that is not NULL to another type.
pub(super) fn convert(
    datum: Datum,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    use TypeId as T;
    let modified = |datum| coerce_typmod(datum, to, typmod, explicit, env);
    let integer = is_integer(to);
    match (&datum, to) {
        (Datum::Int(value), T::BOOL) if from == T::INT4 => Ok(Datum::Bool(*value != 0)),
        (Datum::Bool(value), T::INT4) => Ok(Datum::Int(i64::from(*value))),
        (Datum::Int(value), T::CHAR) if from == T::INT4 => int_to_char(*value),
        (Datum::Text(text), T::INT4) if from == T::CHAR => {
            Ok(Datum::Int(i64::from(text.bytes().next().unwrap_or(0) as i8)))
        }
        (Datum::Int(value), _) if integer || to == T::OID || is_reg(to) => {
            number::integer(*value, from, to)
        }
        (Datum::Int(value), T::NUMERIC) => modified(Datum::Numeric(Numeric::from(*value))),
        (Datum::Int(value), T::FLOAT4) => Ok(Datum::Float(f64::from(*value as f32))),
        (Datum::Int(value), T::FLOAT8) => Ok(Datum::Float(*value as f64)),
        (Datum::Int(value), T::BIT) => {
            let width = if from == T::INT8 { 64 } else { 32 };
            Ok(Datum::text(int_to_bits(*value, width, typmod)))
        }
        (Datum::Float(value), _) if integer => number::float_to_integer(*value, to),
        (Datum::Float(value), T::FLOAT4) => number::float_to_single(*value),
        (Datum::Float(value), T::FLOAT8) => Ok(Datum::Float(*value)),
        (Datum::Float(value), T::NUMERIC) => modified(Datum::Numeric(match from {
            T::FLOAT4 => Numeric::from_f32(*value as f32),
            _ => Numeric::from_f64(*value),
        })),
        (Datum::Numeric(value), _) if integer => number::numeric_to_integer(value, to),
        (Datum::Numeric(value), T::FLOAT4 | T::FLOAT8) => number::numeric_to_float(value, to),
        (Datum::Bool(value), T::TEXT | T::VARCHAR | T::BPCHAR) => {
            modified(Datum::text(if *value { "true" } else { "false" }))
        }
        (Datum::Text(bits), T::INT4 | T::INT8) if from == T::BIT => bits_to_int(bits, to),
        (Datum::Text(_), T::BIT | T::VARBIT) if matches!(from, T::BIT | T::VARBIT) => {
            modified(datum)
        }
        (Datum::Text(_), _) if is_string(from) || from == T::UNKNOWN => {
            string_to(datum, from, to, typmod, explicit, env)
        }
        (Datum::Char(_), T::BPCHAR) => modified(datum),
        (Datum::Char(_), _) if is_string(to) => {
            string_to(datum.without_blanks(), T::TEXT, to, typmod, explicit, env)
        }
        (Datum::Char(text), _) => {
            string_to(Datum::Text(text.clone()), from, to, typmod, explicit, env)
        }
        (Datum::Text(text), T::JSONB) if from == T::JSON => {
            Ok(Datum::Jsonb(Arc::new(parse_json(text)?)))
        }
        (Datum::Jsonb(json), T::JSON) => Ok(Datum::text(json.to_string())),
        (Datum::Jsonb(json), T::BOOL | T::NUMERIC | T::FLOAT4 | T::FLOAT8) => {
            json_to(json, to, typmod, explicit, env)
        }
        (Datum::Jsonb(json), _) if integer => json_to(json, to, typmod, explicit, env),
        (
            Datum::Date(_)
            | Datum::Time(_)
            | Datum::TimeTz(..)
            | Datum::Timestamp(_)
            | Datum::Interval(_),
            T::DATE | T::TIME | T::TIMETZ | T::TIMESTAMP | T::TIMESTAMPTZ | T::INTERVAL,
        ) => modified(moment(&datum, from, to, env)?),
        (Datum::Int(number), T::XID) if from == T::XID8 => Ok(Datum::Int(number & 0xffff_ffff)),
        (Datum::Array(array), T::HSTORE) => Ok(Hstore::of_items(array)?.datum()),
        (Datum::Hstore(value), T::JSON) => Ok(Datum::text(text::json_of(value, false))),
        (Datum::Hstore(value), T::JSONB) => {
            Ok(Datum::Jsonb(Arc::new(text::jsonb_of(value, false))))
        }
        (Datum::Array(array), _) => array_to(array, from, to, typmod, explicit, env),
        (Datum::Record(fields), _) => record_to(fields, from, to, typmod, explicit, env),
        _ => by_text(&datum, from, to, typmod, explicit, env),
    }
}

/// Converts a value by its text, if the types have no other way.
fn by_text(
    datum: &Datum,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    if !is_string(to) {
        return Err(cannot_cast(from, to, env.names));
    }
    let printed = Datum::text(match datum {
        Datum::Inet(address) => address.full(),
        _ => text::print(datum, from, -1, env),
    });
    match to {
        TypeId::NAME | TypeId::CHAR => string_to(printed, TypeId::TEXT, to, -1, explicit, env),
        _ => coerce_typmod(printed, to, typmod, explicit, env),
    }
}

fn string_to(
    datum: Datum,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    let Datum::Text(text) = &datum else { return Ok(datum) };
    match to {
        TypeId::TEXT | TypeId::UNKNOWN => Ok(datum),
        TypeId::VARCHAR | TypeId::BPCHAR => coerce_typmod(datum, to, typmod, explicit, env),
        TypeId::JSON => {
            validate_json(text)?;
            Ok(datum)
        }
        TypeId::BIT | TypeId::VARBIT => {
            let bits = text::parse(text, to, -1, env)?;
            coerce_typmod(bits, to, typmod, explicit, env)
        }
        _ if from == TypeId::CHAR && to == TypeId::NAME => Ok(datum),
        _ => text::parse(text, to, typmod, env),
    }
}

fn int_to_char(value: i64) -> Result<Datum> {
    match u8::try_from(value) {
        Ok(0) => Ok(Datum::text("")),
        Ok(byte @ 1..=127) => Ok(Datum::text((byte as char).to_string())),
        _ if (-128..128).contains(&value) => {
            Err(SqlError::unsupported("a \"char\" that is not ASCII"))
        }
        _ => Err(SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "\"char\" out of range")),
    }
}

/// The low bits of an integer. If it has fewer than are asked for, its sign fills the rest.
fn int_to_bits(value: i64, width: usize, typmod: i32) -> String {
    let length = usize::try_from(typmod).unwrap_or(1).max(1);
    let bit = |place: usize| value >> place.min(width - 1).min(63) & 1;
    (0..length).rev().map(|place| if bit(place) == 1 { '1' } else { '0' }).collect()
}

fn bits_to_int(bits: &str, to: TypeId) -> Result<Datum> {
    let width = if to == TypeId::INT4 { 32 } else { 64 };
    if bits.len() > width {
        return Err(number::out_of_range(to));
    }
    let value = bits.bytes().fold(0u64, |n, b| n << 1 | u64::from(b == b'1'));
    Ok(Datum::Int(if width == 32 { i64::from(value as u32 as i32) } else { value as i64 }))
}

fn json_to(
    json: &Json,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    match (json, to) {
        (Json::Bool(value), TypeId::BOOL) => Ok(Datum::Bool(*value)),
        (Json::Number(value), _) if to != TypeId::BOOL => {
            cast(Datum::Numeric(value.clone()), TypeId::NUMERIC, to, typmod, explicit, env)
        }
        _ => {
            let what = if matches!(json, Json::Number(_)) { "numeric" } else { json.type_name() };
            let to = builtin::format_type(to, -1, env.names);
            Err(SqlError::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("cannot cast jsonb {what} to type {to}"),
            ))
        }
    }
}

/// Converts between dates, times, timestamps and intervals.
fn moment(datum: &Datum, from: TypeId, to: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    use TypeId as T;
    let zone = &Format::of(env).time_zone;
    let finite = |t: i64| t != TIMESTAMP_INFINITY && t != TIMESTAMP_NEG_INFINITY;
    Ok(match (datum, to) {
        (Datum::Date(days), T::TIMESTAMP) => Datum::Timestamp(datetime::date_to_timestamp(*days)?),
        (Datum::Date(days), T::TIMESTAMPTZ) => {
            Datum::Timestamp(datetime::to_instant(datetime::date_to_timestamp(*days)?, zone)?)
        }
        (Datum::Time(time), T::INTERVAL) => Datum::Interval(Interval::new(0, 0, *time)),
        (Datum::Time(time), T::TIMETZ) => {
            let east = match (zone.fixed_offset(), env.now) {
                (Some(east), _) => east,
                (None, Some(now)) => {
                    let midnight = zone.to_local(now).0.div_euclid(DAY) * DAY;
                    zone.offset_of_local(midnight + time)
                }
                (None, None) => {
                    return Err(SqlError::unsupported(
                        "time to timetz where no current time is known",
                    ));
                }
            };
            Datum::TimeTz(*time, -east)
        }
        (Datum::TimeTz(time, _), T::TIME) => Datum::Time(*time),
        (Datum::Interval(interval), T::TIME) => Datum::Time(interval.micros.rem_euclid(DAY)),
        (Datum::Timestamp(t), T::TIMESTAMPTZ) if from == T::TIMESTAMP => {
            Datum::Timestamp(datetime::to_instant(*t, zone)?)
        }
        (Datum::Timestamp(t), T::TIMESTAMP) => Datum::Timestamp(datetime::to_local_time(*t, zone)?),
        (Datum::Timestamp(t), T::DATE | T::TIME | T::TIMETZ) => {
            let local = match from {
                T::TIMESTAMPTZ => datetime::to_local_time(*t, zone)?,
                _ => *t,
            };
            match to {
                T::DATE if *t == TIMESTAMP_INFINITY => Datum::Date(DATE_INFINITY),
                T::DATE if *t == TIMESTAMP_NEG_INFINITY => Datum::Date(DATE_NEG_INFINITY),
                T::DATE => Datum::Date(local.div_euclid(DAY) as i32),
                _ if !finite(*t) => Datum::Null,
                T::TIME => Datum::Time(local.rem_euclid(DAY)),
                _ if from == T::TIMESTAMPTZ => {
                    Datum::TimeTz(local.rem_euclid(DAY), -zone.offset_at(*t))
                }
                _ => return Err(cannot_cast(from, to, env.names)),
            }
        }
        _ => return Err(cannot_cast(from, to, env.names)),
    })
}

fn array_to(
    array: &Array,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    let Some(element) = builtin::element_type(to, env.names) else {
        return by_text(&Datum::Array(Arc::new(array.clone())), from, to, typmod, explicit, env);
    };
    let items = array.items.iter();
    let items = items
        .map(|item| cast(item.clone(), array.element, element, typmod, explicit, env))
        .collect::<Result<Vec<_>>>()?;
    Ok(Datum::Array(Arc::new(Array { element, dims: array.dims.clone(), items })))
}

fn record_to(
    fields: &Arc<[Datum]>,
    from: TypeId,
    to: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    let record = Datum::Record(fields.clone());
    if to == TypeId::RECORD {
        return Ok(record);
    }
    let Some(columns) = env.names.row_fields(to, -1) else {
        return by_text(&record, from, to, typmod, explicit, env);
    };
    let given = env.names.row_fields(from, typmod).unwrap_or_default();
    if columns.len() != fields.len() {
        let detail = match fields.len() < columns.len() {
            true => "Input has too few columns.",
            false => "Input has too many columns.",
        };
        return Err(cannot_cast(from, to, env.names).detail(detail));
    }
    let cells = fields.iter().zip(columns).enumerate().map(|(place, (field, (ty, typmod)))| {
        let from = given.get(place).map_or_else(|| text::guess(field), |(ty, _)| *ty);
        cast(field.clone(), from, ty, typmod, explicit, env)
    });
    Ok(Datum::Record(cells.collect::<Result<Vec<_>>>()?.into()))
}
