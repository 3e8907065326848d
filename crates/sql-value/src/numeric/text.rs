//! Reading and printing `numeric`.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;

use super::{MAX_SCALE, MAX_WHOLE_DIGITS, Numeric, Repr, digits_of, pow10};
use crate::{Problem, Result};

fn invalid(text: &str) -> Problem {
    Problem::NotANumber(text.to_owned())
}

impl FromStr for Numeric {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Numeric> {
        let trimmed = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
        let (negative, body) = match trimmed.as_bytes().first() {
            Some(b'-') => (true, &trimmed[1..]),
            Some(b'+') => (false, &trimmed[1..]),
            _ => (false, trimmed),
        };
        if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return special(trimmed, negative, body).ok_or_else(|| invalid(text));
        }
        let (mantissa, exponent) = match body.find(['e', 'E']) {
            Some(at) => {
                (&body[..at], parse_exponent(&body[at + 1..]).ok_or_else(|| invalid(text))?)
            }
            None => (body, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
            return Err(invalid(text));
        }
        if exponent.abs() >= i64::from(i32::MAX / 2) {
            return Err(Problem::NumericOverflow);
        }
        build(negative, whole, fraction, exponent)
    }
}

fn special(trimmed: &str, negative: bool, body: &str) -> Option<Numeric> {
    if trimmed.eq_ignore_ascii_case("nan") {
        Some(Numeric::NAN)
    } else if body.eq_ignore_ascii_case("inf") || body.eq_ignore_ascii_case("infinity") {
        Some(if negative { Numeric::NEG_INFINITY } else { Numeric::INFINITY })
    } else {
        None
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().unwrap_or(i64::from(i32::MAX));
    Some(if text.starts_with('-') { -size } else { size })
}

fn build(negative: bool, whole: &str, fraction: &str, exponent: i64) -> Result<Numeric> {
    let scale = fraction.len() as i64 - exponent;
    if whole.len() + fraction.len() <= 18 && (0..=MAX_SCALE).contains(&scale) {
        let units =
            whole.bytes().chain(fraction.bytes()).fold(0, |n, b| n * 10 + i64::from(b - b'0'));
        return Ok(Numeric(Repr::Small(if negative { -units } else { units }, scale as u16)));
    }
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Numeric::from_big(BigInt::ZERO, scale.max(0));
    }
    if digits.len() as i64 - scale > MAX_WHOLE_DIGITS {
        return Err(Problem::NumericOverflow);
    }
    let mut units: BigInt = digits.parse().map_err(|_| Problem::NumericOverflow)?;
    if negative {
        units = -units;
    }
    if scale < 0 {
        units *= pow10(scale.unsigned_abs() as u32);
    }
    debug_assert!(scale >= 0 || digits_of(&units) <= MAX_WHOLE_DIGITS);
    Numeric::from_big(units, scale.max(0))
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, scale) = match &self.0 {
            Repr::NaN => return f.pad("NaN"),
            Repr::Infinity => return f.pad("Infinity"),
            Repr::NegInfinity => return f.pad("-Infinity"),
            Repr::Small(units, 0) => return units.fmt(f),
            Repr::Small(units, scale) => (units.to_string(), usize::from(*scale)),
            Repr::Big(units, scale) => (units.to_string(), usize::from(*scale)),
        };
        if scale == 0 {
            return f.pad(&text);
        }
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text.as_str()),
        };
        if digits.len() > scale {
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            write!(f, "{sign}{whole}.{fraction}")
        } else {
            write!(f, "{sign}0.{digits:0>scale$}")
        }
    }
}
