//! Conversions between numbers.

use crate::error::{Result, SqlError, SqlState};
use crate::{Datum, Numeric, PgType, TypeId};

/// The error for a number that does not fit an integer type.
pub(crate) fn out_of_range(ty: TypeId) -> SqlError {
    let name = match ty {
        TypeId::INT2 => "smallint",
        TypeId::INT4 => "integer",
        TypeId::INT8 => "bigint",
        TypeId::FLOAT4 => "real",
        TypeId::FLOAT8 => "double precision",
        _ => "OID",
    };
    let message = match ty {
        TypeId::FLOAT4 | TypeId::FLOAT8 => "value out of range: overflow".to_owned(),
        _ => format!("{name} out of range"),
    };
    SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

fn bounds(ty: TypeId) -> (i64, i64) {
    match ty {
        TypeId::INT2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        TypeId::INT4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        TypeId::INT8 => (i64::MIN, i64::MAX),
        _ => (0, i64::from(u32::MAX)),
    }
}

/// An integer as one of another integer type or an oid.
pub(super) fn integer(value: i64, from: TypeId, to: TypeId) -> Result<Datum> {
    // Integers and oids of 32 bits are the same bits.
    let value = match (from, to) {
        (TypeId::INT2 | TypeId::INT4, _) if !super::kinds::is_integer(to) => {
            i64::from(value as u32)
        }
        (_, TypeId::INT4) if !super::kinds::is_integer(from) => i64::from(value as i32),
        _ => value,
    };
    let (min, max) = bounds(to);
    if (min..=max).contains(&value) { Ok(Datum::Int(value)) } else { Err(out_of_range(to)) }
}

/// A double as an integer, ties to the even one.
pub(super) fn float_to_integer(value: f64, to: TypeId) -> Result<Datum> {
    let rounded = value.round_ties_even();
    let (min, max) = bounds(to);
    // The bound above is one more than the greatest, which a double can hold exactly.
    let fits = rounded >= min as f64 && rounded < (max as f64 + 1.0).max(max as f64);
    if fits { Ok(Datum::Int(rounded as i64)) } else { Err(out_of_range(to)) }
}

/// A numeric as an integer, ties away from zero.
pub(super) fn numeric_to_integer(value: &Numeric, to: TypeId) -> Result<Datum> {
    let name = match to {
        TypeId::INT2 => "smallint",
        TypeId::INT4 => "integer",
        _ => "bigint",
    };
    let cannot = |what: &str| {
        SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, format!("cannot convert {what} to {name}"))
    };
    if value.is_nan() {
        return Err(cannot("NaN"));
    }
    if value.is_infinite() {
        return Err(cannot("infinity"));
    }
    let (min, max) = bounds(to);
    let found = value.to_i64().filter(|value| (min..=max).contains(value));
    found.map(Datum::Int).ok_or_else(|| out_of_range(to))
}

/// A double as a single.
pub(super) fn float_to_single(value: f64) -> Result<Datum> {
    let single = value as f32;
    let range = |what: &str| {
        SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, format!("value out of range: {what}"))
    };
    if single.is_infinite() && value.is_finite() {
        return Err(range("overflow"));
    }
    if single == 0.0 && value != 0.0 {
        return Err(range("underflow"));
    }
    Ok(Datum::Float(f64::from(single)))
}

/// A numeric as a float, which may be too large for it.
pub(super) fn numeric_to_float(value: &Numeric, to: TypeId) -> Result<Datum> {
    let (float, name) = match to {
        TypeId::FLOAT4 => (f64::from(value.to_f32()), "real"),
        _ => (value.to_f64(), "double precision"),
    };
    let lost = value.is_finite() && (float.is_infinite() || (float == 0.0 && !value.is_zero()));
    if lost {
        return Err(SqlError::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("\"{value}\" is out of range for type {name}"),
        ));
    }
    Ok(Datum::Float(float))
}
