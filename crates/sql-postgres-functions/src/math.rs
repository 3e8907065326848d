//! Mathematical functions.

use super::args::{error, invalid};
use super::arithmetic::{
    fit, float, float_cbrt, float_power, float_sqrt, int_modulo, numeric_modulo, numeric_power,
};
use super::table::*;
use super::{Call, Function};
use crate::error::{Code, Result, SqlState};
use crate::types::{Datum, Numeric};

fn numeric(value: Numeric) -> Result<Datum> {
    Ok(Datum::Numeric(value))
}

fn numeric_ceil(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.ceil())
}

fn numeric_floor(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.floor())
}

fn places(call: &Call<'_>) -> Result<i32> {
    if call.args.len() < 2 {
        return Ok(0);
    }
    Ok(call.int(1)?.clamp(-2000, 2000) as i32)
}

fn numeric_round(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.round(places(call)?))
}

fn numeric_trunc(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.trunc(places(call)?))
}

fn numeric_sign(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.sign())
}

fn numeric_div(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.div_trunc(call.numeric(1)?)?)
}

fn numeric_sqrt(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.sqrt()?)
}

fn numeric_exp(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.exp()?)
}

fn numeric_ln(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.ln()?)
}

fn numeric_log10(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.log10()?)
}

fn numeric_log(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(1)?.log(call.numeric(0)?)?)
}

/// NaN and the infinities have no scale.
fn numeric_scale(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.numeric(0)?;
    Ok(if value.is_finite() { Datum::Int(i64::from(value.scale())) } else { Datum::Null })
}

fn numeric_min_scale(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.numeric(0)?;
    Ok(if value.is_finite() { Datum::Int(i64::from(value.min_scale())) } else { Datum::Null })
}

fn numeric_trim_scale(call: &mut Call<'_>) -> Result<Datum> {
    numeric(call.numeric(0)?.trim_scale())
}

fn float_ceil(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.ceil()))
}

fn float_floor(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.floor()))
}

fn float_round(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.round_ties_even()))
}

fn float_trunc(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.trunc()))
}

fn float_sign(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.float(0)?;
    Ok(Datum::Float(if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }))
}

fn float_exp(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.float(0)?;
    float(FLOAT8, value.exp(), value.is_infinite(), value.is_infinite())
}

fn logarithm(call: &Call<'_>, of: fn(f64) -> f64) -> Result<Datum> {
    let value = call.float(0)?;
    if value == 0.0 {
        return error(SqlState::INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of zero");
    }
    if value < 0.0 {
        return error(
            SqlState::INVALID_ARGUMENT_FOR_LOGARITHM,
            "cannot take logarithm of a negative number",
        );
    }
    Ok(Datum::Float(of(value)))
}

fn float_ln(call: &mut Call<'_>) -> Result<Datum> {
    logarithm(call, f64::ln)
}

fn float_log10(call: &mut Call<'_>) -> Result<Datum> {
    logarithm(call, f64::log10)
}

/// A function whose argument has to lie within bounds; NaN goes through.
fn within(call: &Call<'_>, low: f64, high: f64, of: fn(f64) -> f64) -> Result<Datum> {
    let value = call.float(0)?;
    if value < low || value > high {
        return error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range");
    }
    Ok(Datum::Float(of(value)))
}

macro_rules! bounded {
    ($($name:ident: $low:expr, $high:expr, $of:expr;)*) => { $(
        fn $name(call: &mut Call<'_>) -> Result<Datum> {
            within(call, $low, $high, $of)
        }
    )* };
}

bounded! {
    sin: f64::MIN, f64::MAX, f64::sin;
    cos: f64::MIN, f64::MAX, f64::cos;
    tan: f64::MIN, f64::MAX, f64::tan;
    cot: f64::MIN, f64::MAX, |x| 1.0 / x.tan();
    asin: -1.0, 1.0, f64::asin;
    acos: -1.0, 1.0, f64::acos;
    atan: f64::NEG_INFINITY, f64::INFINITY, f64::atan;
    tanh: f64::NEG_INFINITY, f64::INFINITY, f64::tanh;
    asinh: f64::NEG_INFINITY, f64::INFINITY, f64::asinh;
    acosh: 1.0, f64::INFINITY, acosh_of;
    atanh: -1.0, 1.0, f64::atanh;
    sinh: f64::NEG_INFINITY, f64::INFINITY, f64::sinh;
    cosh: f64::NEG_INFINITY, f64::INFINITY, f64::cosh;
}

/// As glibc does it in its three ranges.
fn acosh_of(x: f64) -> f64 {
    if x > 2f64.powi(28) {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let t = x - 1.0;
        (t + (2.0 * t + t * t).sqrt()).ln_1p()
    }
}

fn atan2(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)?.atan2(call.float(1)?)))
}

fn degrees(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.float(0)?;
    float(FLOAT8, value / (std::f64::consts::PI / 180.0), value.is_infinite(), true)
}

fn radians(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(call.float(0)? * (std::f64::consts::PI / 180.0)))
}

fn pi(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(std::f64::consts::PI))
}

/// 53 random bits, so that every value is as likely.
fn random(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float((call.cx.random()? >> 11) as f64 / (1u64 << 53) as f64))
}

fn greatest_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn gcd(call: &mut Call<'_>) -> Result<Datum> {
    let found = greatest_divisor(call.int(0)?.unsigned_abs(), call.int(1)?.unsigned_abs());
    fit(call.result, i64::try_from(found).ok())
}

fn lcm(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.int(0)?.unsigned_abs(), call.int(1)?.unsigned_abs());
    let divisor = greatest_divisor(a, b);
    let found = a.checked_div(divisor).unwrap_or(0).checked_mul(b);
    fit(call.result, found.and_then(|found| i64::try_from(found).ok()))
}

fn numeric_gcd_of(a: &Numeric, b: &Numeric) -> Result<Numeric> {
    let scale = i32::from(a.scale().max(b.scale()));
    let (mut a, mut b) = (a.abs(), b.abs());
    if !a.is_finite() || !b.is_finite() {
        return Ok(Numeric::from_f64(f64::NAN));
    }
    while !b.is_zero() {
        let rest = a.rem(&b)?;
        (a, b) = (b, rest);
    }
    Ok(a.round(scale))
}

fn numeric_gcd(call: &mut Call<'_>) -> Result<Datum> {
    numeric(numeric_gcd_of(call.numeric(0)?, call.numeric(1)?)?)
}

fn numeric_lcm(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.numeric(0)?, call.numeric(1)?);
    let scale = i32::from(a.scale().max(b.scale()));
    if !a.is_finite() || !b.is_finite() {
        return numeric(Numeric::from_f64(f64::NAN));
    }
    if a.is_zero() || b.is_zero() {
        return numeric(Numeric::from(0).round(scale));
    }
    let divisor = numeric_gcd_of(a, b)?;
    numeric(a.div_trunc(&divisor)?.mul(b)?.abs().round(scale))
}

fn factorial(call: &mut Call<'_>) -> Result<Datum> {
    let n = call.int(0)?;
    if n < 0 {
        return error(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            "factorial of a negative number is undefined",
        );
    }
    if n > 32177 {
        return error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }
    let mut product = Numeric::from(1);
    for i in 2..=n {
        product = product.mul(&Numeric::from(i))?;
    }
    numeric(product)
}

const BUCKET_STATE: Code = Code("2201G");

fn buckets(call: &Call<'_>) -> Result<i64> {
    match call.int(3)? {
        count if count > 0 => Ok(count),
        _ => error(BUCKET_STATE, "count must be greater than zero"),
    }
}

fn float_bucket(call: &mut Call<'_>) -> Result<Datum> {
    let (value, low, high) = (call.float(0)?, call.float(1)?, call.float(2)?);
    let count = buckets(call)?;
    if value.is_nan() || low.is_nan() || high.is_nan() {
        return error(BUCKET_STATE, "operand, lower bound, and upper bound cannot be NaN");
    }
    if low.is_infinite() || high.is_infinite() {
        return error(BUCKET_STATE, "lower and upper bounds must be finite");
    }
    let (value, from, to) = if low < high { (value, low, high) } else { (-value, -low, -high) };
    let bucket = if low == high {
        return error(BUCKET_STATE, "lower bound cannot equal upper bound");
    } else if value < from {
        0
    } else if value >= to {
        count + 1
    } else {
        ((value - from) / (to - from) * count as f64).floor() as i64 + 1
    };
    fit(INT4, Some(bucket))
}

fn numeric_bucket(call: &mut Call<'_>) -> Result<Datum> {
    let (value, low, high) = (call.numeric(0)?, call.numeric(1)?, call.numeric(2)?);
    let count = buckets(call)?;
    if value.is_nan() || low.is_nan() || high.is_nan() {
        return error(BUCKET_STATE, "operand, lower bound, and upper bound cannot be NaN");
    }
    if low.is_infinite() || high.is_infinite() {
        return error(BUCKET_STATE, "lower and upper bounds must be finite");
    }
    if low == high {
        return error(BUCKET_STATE, "lower bound cannot equal upper bound");
    }
    let up = low < high;
    let before = if up { value < low } else { value > low };
    let after = if up { value >= high } else { value <= high };
    let bucket = if before {
        0
    } else if after {
        count + 1
    } else {
        let part = value.sub(low)?.mul(&Numeric::from(count))?;
        let whole = part.div_trunc(&high.sub(low)?)?;
        whole.to_i64().unwrap_or(0) + 1
    };
    fit(INT4, Some(bucket))
}

/// The place of a value among sorted thresholds.
fn array_bucket(call: &mut Call<'_>) -> Result<Datum> {
    let thresholds = call.array(1)?;
    if thresholds.dims.len() > 1 {
        return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "thresholds must be one-dimensional array");
    }
    if thresholds.items.iter().any(Datum::is_null) {
        return error(SqlState::NULL_VALUE_NOT_ALLOWED, "thresholds array must not contain NULLs");
    }
    let below = |threshold: &Datum| threshold.compare(call.arg(0)).is_le();
    Ok(Datum::Int(thresholds.items.partition_point(below) as i64))
}

fn set_seed(call: &mut Call<'_>) -> Result<Datum> {
    let seed = call.float(0)?;
    if !(-1.0..=1.0).contains(&seed) {
        return invalid(format!("setseed parameter {seed} is out of allowed range [-1,1]"));
    }
    Err(crate::error::SqlError::unsupported("setseed (random numbers come from the store's seed)"))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("ceil", &[NUMERIC], NUMERIC, numeric_ceil),
    function("ceil", &[FLOAT8], FLOAT8, float_ceil),
    function("ceiling", &[NUMERIC], NUMERIC, numeric_ceil),
    function("ceiling", &[FLOAT8], FLOAT8, float_ceil),
    function("floor", &[NUMERIC], NUMERIC, numeric_floor),
    function("floor", &[FLOAT8], FLOAT8, float_floor),
    function("round", &[NUMERIC], NUMERIC, numeric_round),
    function("round", &[NUMERIC, INT4], NUMERIC, numeric_round),
    function("round", &[FLOAT8], FLOAT8, float_round),
    function("trunc", &[NUMERIC], NUMERIC, numeric_trunc),
    function("trunc", &[NUMERIC, INT4], NUMERIC, numeric_trunc),
    function("trunc", &[FLOAT8], FLOAT8, float_trunc),
    function("sign", &[NUMERIC], NUMERIC, numeric_sign),
    function("sign", &[FLOAT8], FLOAT8, float_sign),
    function("mod", &[INT2, INT2], INT2, int_modulo),
    function("mod", &[INT4, INT4], INT4, int_modulo),
    function("mod", &[INT8, INT8], INT8, int_modulo),
    function("mod", &[NUMERIC, NUMERIC], NUMERIC, numeric_modulo),
    function("div", &[NUMERIC, NUMERIC], NUMERIC, numeric_div),
    function("power", &[FLOAT8, FLOAT8], FLOAT8, float_power),
    function("power", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    function("pow", &[FLOAT8, FLOAT8], FLOAT8, float_power),
    function("pow", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    function("sqrt", &[FLOAT8], FLOAT8, float_sqrt),
    function("sqrt", &[NUMERIC], NUMERIC, numeric_sqrt),
    function("cbrt", &[FLOAT8], FLOAT8, float_cbrt),
    function("exp", &[FLOAT8], FLOAT8, float_exp),
    function("exp", &[NUMERIC], NUMERIC, numeric_exp),
    function("ln", &[FLOAT8], FLOAT8, float_ln),
    function("ln", &[NUMERIC], NUMERIC, numeric_ln),
    function("log", &[FLOAT8], FLOAT8, float_log10),
    function("log", &[NUMERIC], NUMERIC, numeric_log10),
    function("log", &[NUMERIC, NUMERIC], NUMERIC, numeric_log),
    function("log10", &[FLOAT8], FLOAT8, float_log10),
    function("log10", &[NUMERIC], NUMERIC, numeric_log10),
    function("sin", &[FLOAT8], FLOAT8, sin),
    function("cos", &[FLOAT8], FLOAT8, cos),
    function("tan", &[FLOAT8], FLOAT8, tan),
    function("cot", &[FLOAT8], FLOAT8, cot),
    function("asin", &[FLOAT8], FLOAT8, asin),
    function("acos", &[FLOAT8], FLOAT8, acos),
    function("atan", &[FLOAT8], FLOAT8, atan),
    function("atan2", &[FLOAT8, FLOAT8], FLOAT8, atan2),
    function("sinh", &[FLOAT8], FLOAT8, sinh),
    function("cosh", &[FLOAT8], FLOAT8, cosh),
    function("tanh", &[FLOAT8], FLOAT8, tanh),
    function("asinh", &[FLOAT8], FLOAT8, asinh),
    function("acosh", &[FLOAT8], FLOAT8, acosh),
    function("atanh", &[FLOAT8], FLOAT8, atanh),
    function("degrees", &[FLOAT8], FLOAT8, degrees),
    function("radians", &[FLOAT8], FLOAT8, radians),
    function("pi", &[], FLOAT8, pi),
    function("random", &[], FLOAT8, random).volatile(),
    function("setseed", &[FLOAT8], VOID, set_seed).volatile(),
    function("gcd", &[INT4, INT4], INT4, gcd),
    function("gcd", &[INT8, INT8], INT8, gcd),
    function("gcd", &[NUMERIC, NUMERIC], NUMERIC, numeric_gcd),
    function("lcm", &[INT4, INT4], INT4, lcm),
    function("lcm", &[INT8, INT8], INT8, lcm),
    function("lcm", &[NUMERIC, NUMERIC], NUMERIC, numeric_lcm),
    function("factorial", &[INT8], NUMERIC, factorial),
    function("scale", &[NUMERIC], INT4, numeric_scale),
    function("min_scale", &[NUMERIC], INT4, numeric_min_scale),
    function("trim_scale", &[NUMERIC], NUMERIC, numeric_trim_scale),
    function("width_bucket", &[FLOAT8, FLOAT8, FLOAT8, INT4], INT4, float_bucket),
    function("width_bucket", &[NUMERIC, NUMERIC, NUMERIC, INT4], INT4, numeric_bucket),
    function("width_bucket", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], INT4, array_bucket),
];
