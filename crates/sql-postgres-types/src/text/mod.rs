//! The text form of values, both ways, in PostgreSQL's words where a text is wrong.

mod array;
mod float;
mod hstore;
mod json;
mod names;
mod range;
mod record;
mod refused;
mod scalar;

use std::fmt::Write;
use std::sync::Arc;

pub use array::parse_array;
pub use float::{print_f32, print_f64};
pub use hstore::{json_of, jsonb_of};
pub use json::{parse_json, validate_json};
pub(crate) use record::guess;
pub use scalar::{parse_bool, parse_int};

use super::datetime::print::{print_date, print_time, print_time_tz, print_timestamp};
use super::datetime::{read_date, read_time, read_time_tz, read_timestamp, read_timestamp_tz};
use super::interval::{print_interval, read_interval};
use super::range::subtype_of;
use super::{Array, Datum, Inet, Numeric, PgType, TypeEnv, TypeId, builtin, cast, numeric};
use crate::Format;
pub(crate) use refused::{invalid, trimmed, unsupported};

use crate::error::{Result, SqlError, SqlState};

/// Reads a text as a value of a type.
pub fn parse(text: &str, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
    Ok(match ty {
        TypeId::TEXT
        | TypeId::UNKNOWN
        | TypeId::CSTRING
        | TypeId::REFCURSOR
        | TypeId::PG_NODE_TREE
        | TypeId::ACLITEM => Datum::text(text),
        TypeId::CITEXT => Datum::citext(text),
        TypeId::HSTORE => hstore::parse_hstore(text)?.datum(),
        TypeId::VARCHAR | TypeId::BPCHAR => {
            return cast::coerce_typmod(Datum::text(text), ty, typmod, false, env);
        }
        TypeId::INT2 => {
            Datum::Int(parse_int(text, i64::from(i16::MIN), i64::from(i16::MAX), "smallint")?)
        }
        TypeId::INT4 => {
            Datum::Int(parse_int(text, i64::from(i32::MIN), i64::from(i32::MAX), "integer")?)
        }
        TypeId::INT8 => Datum::Int(parse_int(text, i64::MIN, i64::MAX, "bigint")?),
        TypeId::BOOL => Datum::Bool(parse_bool(text)?),
        TypeId::NUMERIC => Datum::Numeric(numeric::with_typmod(text.parse::<Numeric>()?, typmod)?),
        TypeId::FLOAT4 => Datum::Float(f64::from(float::parse_f32(text)?)),
        TypeId::FLOAT8 => Datum::Float(float::parse_f64(text)?),
        TypeId::NAME => Datum::text(scalar::name(text)),
        TypeId::CHAR => Datum::text(text.chars().next().map(String::from).unwrap_or_default()),
        TypeId::OID => Datum::Int(scalar::parse_oid(text, "oid")?),
        TypeId::XID | TypeId::CID => Datum::Int(scalar::parse_xid(text)),
        TypeId::XID8 => Datum::Int(scalar::parse_xid8(text)),
        TypeId::TID => Datum::Int(scalar::parse_tid(text)?),
        TypeId::BYTEA => Datum::Bytes(scalar::parse_bytea(text)?.into()),
        TypeId::UUID => Datum::Uuid(scalar::parse_uuid(text)?),
        TypeId::INET => Datum::Inet(Inet::read(text).ok_or_else(|| invalid("inet", text))?),
        TypeId::DATE => Datum::Date(read_date(text, env)?),
        TypeId::TIME => Datum::Time(read_time(text, typmod, env)?),
        TypeId::TIMETZ => {
            let (time, west) = read_time_tz(text, typmod, env)?;
            Datum::TimeTz(time, west)
        }
        TypeId::TIMESTAMP => Datum::Timestamp(read_timestamp(text, typmod, env)?),
        TypeId::TIMESTAMPTZ => Datum::Timestamp(read_timestamp_tz(text, typmod, env)?),
        TypeId::INTERVAL => {
            Datum::Interval(read_interval(text, typmod, Format::of(env).interval_style)?)
        }
        TypeId::JSON => {
            validate_json(text)?;
            Datum::text(text)
        }
        TypeId::JSONB => Datum::Jsonb(Arc::new(parse_json(text)?)),
        TypeId::BIT | TypeId::VARBIT => {
            let bits = scalar::parse_bits(text)?;
            return cast::coerce_typmod(Datum::text(bits), ty, typmod, false, env);
        }
        TypeId::VOID => Datum::text(""),
        TypeId::INT2VECTOR | TypeId::OIDVECTOR => vector(text, ty)?,
        TypeId::RECORD => {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "input of anonymous composite types is not implemented",
            ));
        }
        _ => return parse_other(text, ty, typmod, env),
    })
}

fn parse_other(text: &str, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
    if let Some((base, typmod)) = env.names.domain(ty) {
        return parse(text, base, typmod, env);
    }
    if let Some(element) = subtype_of(ty) {
        return Ok(Datum::Range(Arc::new(range::parse_range(text, element, env)?)));
    }
    if let Some(oid) = names::parse(text, ty, env)? {
        return Ok(Datum::Int(i64::from(oid)));
    }
    if let Some(element) = builtin::element_type(ty, env.names) {
        let array = parse_array(text, element, |item| parse(item, element, typmod, env))?;
        return Ok(Datum::Array(Arc::new(array)));
    }
    if let Some(label) = env.names.enum_type(ty) {
        let found = label.labels.iter().find(|(_, _, label)| **label == *text);
        return match found {
            Some((_, place, label)) => Ok(Datum::Enum(*place, label.clone())),
            None => Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!(
                    "invalid input value for enum {}: \"{text}\"",
                    env.names.type_name(ty).unwrap_or_else(|| label.name.clone())
                ),
            )),
        };
    }
    if let Some(fields) = env.names.row_fields(ty, typmod) {
        return record::parse(text, &fields, env);
    }
    Err(unsupported(ty, env))
}

/// `int2vector` and `oidvector`: numbers with blanks between them, counted from 0.
fn vector(text: &str, ty: TypeId) -> Result<Datum> {
    let element = if ty == TypeId::OIDVECTOR { TypeId::OID } else { TypeId::INT2 };
    let number = |item: &str| match element {
        TypeId::OID => scalar::parse_oid(item, "oid"),
        _ => parse_int(item, i64::from(i16::MIN), i64::from(i16::MAX), "smallint"),
    };
    let items = text.split_ascii_whitespace().map(|item| number(item).map(Datum::Int));
    let items = items.collect::<Result<Vec<_>>>()?;
    let dims = vec![(items.len(), 0)];
    Ok(Datum::Array(Arc::new(Array { element, dims, items })))
}

/// A value as a text.
pub fn print(datum: &Datum, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> String {
    let mut out = String::new();
    print_into(&mut out, datum, ty, typmod, env);
    out
}

/// Appends a value as a text; nothing for NULL.
pub fn print_into(out: &mut String, datum: &Datum, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) {
    let (ty, typmod) = builtin::base_type(ty, typmod, env.names);
    match datum {
        Datum::Null => {}
        Datum::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        Datum::Int(value) if ty == TypeId::TID => {
            let _ = write!(out, "({},{})", value >> 16, value & 0xffff);
        }
        Datum::Int(value) => {
            if !names::print(out, *value, ty, env) {
                let _ = write!(out, "{value}");
            }
        }
        Datum::Float(value) if ty == TypeId::FLOAT4 => {
            print_f32(out, *value as f32, Format::of(env).extra_float_digits);
        }
        Datum::Float(value) => print_f64(out, *value, Format::of(env).extra_float_digits),
        Datum::Numeric(value) => {
            let _ = write!(out, "{value}");
        }
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => out.push_str(text),
        Datum::Citext(value) => out.push_str(&value.text),
        Datum::Hstore(value) => hstore::print_hstore(value, out),
        Datum::Bytes(bytes) => scalar::print_bytea(out, bytes, Format::of(env).bytea_hex),
        Datum::Date(days) => print_date(out, *days, Format::of(env)),
        Datum::Time(time) => print_time(out, *time),
        Datum::TimeTz(time, west) => print_time_tz(out, *time, *west),
        Datum::Timestamp(timestamp) => {
            print_timestamp(out, *timestamp, ty == TypeId::TIMESTAMPTZ, Format::of(env));
        }
        Datum::Interval(interval) => print_interval(out, interval, Format::of(env).interval_style),
        Datum::Uuid(bytes) => scalar::print_uuid(out, bytes),
        Datum::Inet(address) => {
            let _ = write!(out, "{address}");
        }
        Datum::Jsonb(json) => json.print_into(out),
        Datum::Array(array) if ty == TypeId::INT2VECTOR || ty == TypeId::OIDVECTOR => {
            for (place, item) in array.items.iter().enumerate() {
                if place > 0 {
                    out.push(' ');
                }
                print_into(out, item, array.element, -1, env);
            }
        }
        Datum::Array(array) => {
            let element = array.element;
            array::print_array(array, out, |out, item| print_into(out, item, element, typmod, env));
        }
        Datum::Range(range) => {
            let element = range.element;
            range::print_range(range, out, |out, value| print_into(out, value, element, -1, env));
        }
        Datum::Record(fields) => record::print(out, fields, ty, typmod, env),
    }
}
