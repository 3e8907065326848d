//! Arithmetic operators on numbers: every result that does not fit is an error, never a wrapped value.

use super::args::{error, out_of_range};
use super::table::*;
use super::{Call, Function};
use crate::error::{Result, SqlState};
use crate::types::{Datum, TypeId};

fn division_by_zero<T>() -> Result<T> {
    error(SqlState::DIVISION_BY_ZERO, "division by zero")
}

/// An integer if it fits its type.
pub(super) fn fit(ty: TypeId, value: Option<i64>) -> Result<Datum> {
    match (ty, value) {
        (INT2, Some(v)) if i16::try_from(v).is_ok() => Ok(Datum::Int(v)),
        (INT4, Some(v)) if i32::try_from(v).is_ok() => Ok(Datum::Int(v)),
        (INT8, Some(v)) => Ok(Datum::Int(v)),
        (INT2, _) => out_of_range("smallint"),
        (INT4, _) => out_of_range("integer"),
        _ => out_of_range("bigint"),
    }
}

fn int_add(call: &mut Call<'_>) -> Result<Datum> {
    fit(call.result, call.int(0)?.checked_add(call.int(1)?))
}

fn int_subtract(call: &mut Call<'_>) -> Result<Datum> {
    fit(call.result, call.int(0)?.checked_sub(call.int(1)?))
}

fn int_multiply(call: &mut Call<'_>) -> Result<Datum> {
    fit(call.result, call.int(0)?.checked_mul(call.int(1)?))
}

pub(super) fn int_divide(call: &mut Call<'_>) -> Result<Datum> {
    match call.int(1)? {
        0 => division_by_zero(),
        divisor => fit(call.result, call.int(0)?.checked_div(divisor)),
    }
}

pub(super) fn int_modulo(call: &mut Call<'_>) -> Result<Datum> {
    match call.int(1)? {
        0 => division_by_zero(),
        divisor => fit(call.result, Some(call.int(0)?.checked_rem(divisor).unwrap_or(0))),
    }
}

fn int_negate(call: &mut Call<'_>) -> Result<Datum> {
    fit(call.result, call.int(0)?.checked_neg())
}

pub(super) fn int_abs(call: &mut Call<'_>) -> Result<Datum> {
    fit(call.result, call.int(0)?.checked_abs())
}

/// A float in its width, with PostgreSQL's checks: infinity out of finite values, zero out of others.
pub(super) fn float(ty: TypeId, value: f64, infinite_in: bool, zero_ok: bool) -> Result<Datum> {
    let value = if ty == FLOAT4 { f64::from(value as f32) } else { value };
    if value.is_infinite() && !infinite_in {
        return error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
    }
    if value == 0.0 && !zero_ok {
        return error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow");
    }
    Ok(Datum::Float(value))
}

fn float_add(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.float(0)?, call.float(1)?);
    float(call.result, a + b, a.is_infinite() || b.is_infinite(), true)
}

fn float_subtract(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.float(0)?, call.float(1)?);
    float(call.result, a - b, a.is_infinite() || b.is_infinite(), true)
}

fn float_multiply(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.float(0)?, call.float(1)?);
    float(call.result, a * b, a.is_infinite() || b.is_infinite(), a == 0.0 || b == 0.0)
}

fn float_divide(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.float(0)?, call.float(1)?);
    if b == 0.0 && !a.is_nan() {
        return division_by_zero();
    }
    float(call.result, a / b, a.is_infinite() || b.is_infinite(), a == 0.0 || b.is_infinite())
}

fn float_negate(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(-call.float(0)?))
}

fn float_abs(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.abs()))
}

/// PostgreSQL's `dpow`.
pub(super) fn float_power(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.float(0)?, call.float(1)?);
    if a == 0.0 && b < 0.0 {
        return error(
            SqlState::INVALID_ARGUMENT_FOR_POWER,
            "zero raised to a negative power is undefined",
        );
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.floor() != b {
        return error(
            SqlState::INVALID_ARGUMENT_FOR_POWER,
            "a negative number raised to a non-integer power yields a complex result",
        );
    }
    let infinite = a.is_infinite() || b.is_infinite();
    float(FLOAT8, a.powf(b), infinite, a == 0.0 || infinite)
}

pub(super) fn float_sqrt(call: &mut Call<'_>) -> Result<Datum> {
    let a = call.float(0)?;
    if a < 0.0 {
        return error(
            SqlState::INVALID_ARGUMENT_FOR_POWER,
            "cannot take square root of a negative number",
        );
    }
    Ok(Datum::Float(a.sqrt()))
}

pub(super) fn float_cbrt(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.cbrt()))
}

fn numeric_add(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.add(call.numeric(1)?)?))
}

fn numeric_subtract(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.sub(call.numeric(1)?)?))
}

fn numeric_multiply(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.mul(call.numeric(1)?)?))
}

fn numeric_divide(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.div(call.numeric(1)?)?))
}

pub(super) fn numeric_modulo(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.rem(call.numeric(1)?)?))
}

pub(super) fn numeric_power(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.power(call.numeric(1)?)?))
}

fn numeric_negate(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.neg()))
}

pub(super) fn numeric_abs(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Numeric(call.numeric(0)?.abs()))
}

fn same(call: &mut Call<'_>) -> Result<Datum> {
    Ok(call.arg(0).clone())
}

/// The four operations on each mix of integers.
macro_rules! integers {
    ($(($left:ident, $right:ident, $result:ident))*) => { &[$(
        function("+", &[$left, $right], $result, int_add),
        function("-", &[$left, $right], $result, int_subtract),
        function("*", &[$left, $right], $result, int_multiply),
        function("/", &[$left, $right], $result, int_divide),
    )*] };
}

macro_rules! floats {
    ($(($left:ident, $right:ident, $result:ident))*) => { &[$(
        function("+", &[$left, $right], $result, float_add),
        function("-", &[$left, $right], $result, float_subtract),
        function("*", &[$left, $right], $result, float_multiply),
        function("/", &[$left, $right], $result, float_divide),
    )*] };
}

pub(super) static INTEGERS: &[Function] = integers! {
    (INT4, INT4, INT4) (INT8, INT8, INT8) (INT8, INT4, INT8) (INT4, INT8, INT8) (INT2, INT2, INT2)
    (INT2, INT4, INT4) (INT4, INT2, INT4) (INT2, INT8, INT8) (INT8, INT2, INT8)
};

pub(super) static FLOATS: &[Function] = floats! {
    (FLOAT8, FLOAT8, FLOAT8) (FLOAT4, FLOAT4, FLOAT4) (FLOAT4, FLOAT8, FLOAT8) (FLOAT8, FLOAT4, FLOAT8)
};

pub(super) static OTHERS: &[Function] = &[
    function("+", &[NUMERIC, NUMERIC], NUMERIC, numeric_add),
    function("-", &[NUMERIC, NUMERIC], NUMERIC, numeric_subtract),
    function("*", &[NUMERIC, NUMERIC], NUMERIC, numeric_multiply),
    function("/", &[NUMERIC, NUMERIC], NUMERIC, numeric_divide),
    function("%", &[NUMERIC, NUMERIC], NUMERIC, numeric_modulo),
    function("^", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    function("^", &[FLOAT8, FLOAT8], FLOAT8, float_power),
    function("%", &[INT2, INT2], INT2, int_modulo),
    function("%", &[INT4, INT4], INT4, int_modulo),
    function("%", &[INT8, INT8], INT8, int_modulo),
    function("-", &[INT2], INT2, int_negate),
    function("-", &[INT4], INT4, int_negate),
    function("-", &[INT8], INT8, int_negate),
    function("-", &[FLOAT4], FLOAT4, float_negate),
    function("-", &[FLOAT8], FLOAT8, float_negate),
    function("-", &[NUMERIC], NUMERIC, numeric_negate),
    function("+", &[INT2], INT2, same),
    function("+", &[INT4], INT4, same),
    function("+", &[INT8], INT8, same),
    function("+", &[FLOAT4], FLOAT4, same),
    function("+", &[FLOAT8], FLOAT8, same),
    function("+", &[NUMERIC], NUMERIC, same),
    function("@", &[INT2], INT2, int_abs),
    function("@", &[INT4], INT4, int_abs),
    function("@", &[INT8], INT8, int_abs),
    function("@", &[FLOAT4], FLOAT4, float_abs),
    function("@", &[FLOAT8], FLOAT8, float_abs),
    function("@", &[NUMERIC], NUMERIC, numeric_abs),
    function("abs", &[INT2], INT2, int_abs),
    function("abs", &[INT4], INT4, int_abs),
    function("abs", &[INT8], INT8, int_abs),
    function("abs", &[FLOAT4], FLOAT4, float_abs),
    function("abs", &[FLOAT8], FLOAT8, float_abs),
    function("abs", &[NUMERIC], NUMERIC, numeric_abs),
    function("|/", &[FLOAT8], FLOAT8, float_sqrt),
    function("||/", &[FLOAT8], FLOAT8, float_cbrt),
];
