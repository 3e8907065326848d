//! Numbers: integers with and without sign, and the texts of all of them.
//!
//! An integer is `Datum::Int` where 64 bits with a sign hold it, and else, from 2⁶³ to 2⁶⁴ − 1, a `Datum::Numeric` without
//! digits after the point. Every integer has one datum, so equal ones hash alike, and data of both kinds compare as numbers
//! (`sql-value`). Nearly all values of BIGINT UNSIGNED, of which every `id` is one, stay as small and fast as others.

mod print;
mod read;

use hobgoblin_sql_value::{Datum, Numeric};

pub use print::{print_double, print_fixed, print_float};
pub use read::{Prefix, decimal_prefix, double_prefix, integer_prefix};

/// An integer as a datum.
pub fn integer(value: i128) -> Datum {
    match i64::try_from(value) {
        Ok(value) => Datum::Int(value),
        Err(_) => Datum::Numeric(Numeric::from_units(value, 0)),
    }
}

/// The integer that a datum is; nothing if it is none.
pub fn integer_of(datum: &Datum) -> Option<i128> {
    match datum {
        Datum::Int(value) => Some(i128::from(*value)),
        Datum::Bool(truth) => Some(i128::from(*truth)),
        Datum::Numeric(value) => integer_of_numeric(value),
        _ => None,
    }
}

/// A decimal rounded to an integer, half away from zero; what 127 bits do not hold is the extreme.
pub fn integer_of_numeric(value: &Numeric) -> Option<i128> {
    let rounded = value.round(0);
    if let Some(small) = rounded.to_i64() {
        return Some(i128::from(small));
    }
    if !value.is_finite() {
        return None;
    }
    let extreme = if value.signum() < 0 { i128::MIN } else { i128::MAX };
    Some(rounded.to_string().parse().unwrap_or(extreme))
}

/// A float rounded to an integer, half to even as the processor does it.
pub fn integer_of_float(value: f64) -> i128 {
    value.round_ties_even() as i128
}

/// A float as a decimal with its shortest digits.
pub fn numeric_of_float(value: f64) -> Numeric {
    match value.is_finite() {
        true => format!("{value:?}").parse().unwrap_or_else(|_| Numeric::from_f64(value)),
        false => Numeric::ZERO,
    }
}

/// The greatest decimal of a precision and scale.
pub fn greatest(precision: u32, scale: u32) -> Numeric {
    let whole = precision.saturating_sub(scale);
    let mut digits = "9".repeat(whole.max(1) as usize);
    if whole == 0 {
        digits = "0".to_owned();
    }
    if scale > 0 {
        digits.push('.');
        digits.push_str(&"9".repeat(scale as usize));
    }
    digits.parse().unwrap_or(Numeric::ZERO)
}

/// A decimal with so many digits after the point, and whether it had to be clipped to fit the precision.
pub fn fit(value: &Numeric, precision: u32, scale: u32) -> (Numeric, bool) {
    let rounded = value.round(scale as i32);
    let most = greatest(precision, scale);
    if rounded > most {
        return (most, true);
    }
    let least = most.neg();
    match rounded < least {
        true => (least, true),
        false => (rounded, false),
    }
}
