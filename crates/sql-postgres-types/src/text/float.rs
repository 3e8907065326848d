//! Floats as text: the shortest digits that read back the same, or as many as asked for.

use std::fmt::Write;

use num_bigint::BigInt;

use super::{invalid, trimmed};
use crate::error::{Result, SqlError, SqlState};

fn out_of_range(text: &str, ty: &str) -> SqlError {
    SqlError::new(
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("\"{text}\" is out of range for type {ty}"),
    )
}

/// Whether a text is a decimal number that Rust and C read alike.
fn is_decimal(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_good = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    whole.len() + fraction.len() > 0 && digits(whole) && digits(fraction) && exponent_good
}

/// The infinities and NaN by their names.
fn special(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    Some(match lower.as_str() {
        "nan" | "+nan" | "-nan" => f64::NAN,
        "infinity" | "inf" | "+infinity" | "+inf" => f64::INFINITY,
        "-infinity" | "-inf" => f64::NEG_INFINITY,
        _ => return None,
    })
}

/// Whether a decimal number is written as a zero.
fn is_zero(text: &str) -> bool {
    text.bytes().take_while(|b| !b.eq_ignore_ascii_case(&b'e')).all(|b| !matches!(b, b'1'..=b'9'))
}

/// Reads a `double precision`.
pub(super) fn parse_f64(text: &str) -> Result<f64> {
    let ty = "double precision";
    let body = trimmed(text);
    if let Some(value) = special(body) {
        return Ok(value);
    }
    if !is_decimal(body) {
        return Err(invalid(ty, text));
    }
    let value: f64 = body.parse().map_err(|_| invalid(ty, text))?;
    if value.is_infinite() || (value == 0.0 && !is_zero(body)) {
        return Err(out_of_range(body, ty));
    }
    Ok(value)
}

/// Reads a `real`.
pub(super) fn parse_f32(text: &str) -> Result<f32> {
    let body = trimmed(text);
    if let Some(value) = special(body) {
        return Ok(value as f32);
    }
    if !is_decimal(body) {
        return Err(invalid("real", text));
    }
    let value: f32 = body.parse().map_err(|_| invalid("real", text))?;
    if value.is_infinite() || (value == 0.0 && !is_zero(body)) {
        return Err(out_of_range(body, "real"));
    }
    Ok(value)
}

/// Appends a `double precision`.
pub fn print_f64(out: &mut String, value: f64, extra_digits: i32) {
    if print_special(out, value) {
        return;
    }
    if extra_digits > 0 {
        // Small whole numbers, which are most, need no search for digits.
        if value.fract() == 0.0 && value.abs() < 1e15 && value != 0.0 {
            let _ = write!(out, "{}", value as i64);
            return;
        }
        let text = shortest(
            value,
            format!("{value:e}"),
            53,
            |decimals| format!("{value:.decimals$e}"),
            |text| text.parse() == Ok(value),
        );
        lay_out(out, &text, 15);
    } else {
        let digits = (15 + extra_digits).max(1);
        general(out, value, digits);
    }
}

/// Appends a `real`.
pub fn print_f32(out: &mut String, value: f32, extra_digits: i32) {
    if print_special(out, f64::from(value)) {
        return;
    }
    if extra_digits > 0 {
        let text = shortest(
            f64::from(value),
            format!("{value:e}"),
            24,
            |decimals| format!("{value:.decimals$e}"),
            |text| text.parse() == Ok(value),
        );
        lay_out(out, &text, 6);
    } else {
        let digits = (6 + extra_digits).max(1);
        general(out, f64::from(value), digits);
    }
}

/// The shortest digits that read back the same, as PostgreSQL chooses them: of two that are as near, the
/// even one; and none that lie exactly between two floats, though those read back the same too.
fn shortest(
    value: f64,
    found: String,
    precision: i32,
    with_decimals: impl Fn(usize) -> String,
    same: impl Fn(&str) -> bool,
) -> String {
    let digits = found.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    // Numbers of up to 15 digits, of 6 for singles, are all different floats: then there is one choice.
    let mut text = found;
    if digits > if precision == 53 { 15 } else { 6 } {
        let even = with_decimals(digits - 1);
        if same(&even) {
            text = even;
        }
    }
    // Only where floats are whole and far apart can so few digits lie between two.
    if value.abs() < 2f64.powi(precision) {
        return text;
    }
    between(value, digits, precision, text.starts_with('-')).unwrap_or(text)
}

/// The shortest digits of a large float, from so many on, that lie nearer to it than to any other.
fn between(value: f64, digits: usize, precision: i32, negative: bool) -> Option<String> {
    // The value is mantissa * 2^exponent with a mantissa of so many bits.
    let bits = value.abs().to_bits();
    let exponent = u32::try_from((bits >> 52) as i32 - 1075 + (53 - precision)).ok()?;
    let mantissa = (bits & ((1 << 52) - 1) | 1 << 52) >> (53 - precision);
    let exact = BigInt::from(mantissa) << (exponent + 2);
    // Distances to the middles above and below, in quarters; below a power of two floats are denser.
    let above = BigInt::from(2) << exponent;
    let dense = mantissa == 1 << (precision - 1);
    let below = BigInt::from(if dense { 1 } else { 2 }) << exponent;
    let places = value.abs().log10().floor() as usize;
    for count in digits..=17 {
        let unit = BigInt::from(10).pow(u32::try_from((places + 1).checked_sub(count)?).ok()?);
        let quarters = &unit * 4;
        let low: BigInt = &exact / &quarters;
        let candidates = [low.clone(), low + 1].into_iter().filter_map(|candidate| {
            let distance: BigInt = &candidate * &quarters - &exact;
            let fits = distance < above && distance > -&below;
            fits.then(|| (distance.magnitude().clone(), candidate.bit(0), candidate))
        });
        if let Some((_, _, found)) = candidates.min() {
            let printed = (found * unit).to_string();
            let (first, rest) = printed.split_at(1);
            let rest = rest.trim_end_matches('0');
            let (sign, point) =
                (if negative { "-" } else { "" }, if rest.is_empty() { "" } else { "." });
            return Some(format!("{sign}{first}{point}{rest}e{}", printed.len() - 1));
        }
    }
    None
}

fn print_special(out: &mut String, value: f64) -> bool {
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        return false;
    }
    true
}

/// Appends a number as C's `%.*g` prints it.
fn general(out: &mut String, value: f64, digits: i32) {
    let decimals = digits as usize - 1;
    let printed = format!("{value:.decimals$e}");
    let (mantissa, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    lay_out(out, &format!("{mantissa}e{exponent}"), digits);
}

/// Lays out `d.ddde±x` in place when the exponent is from -4 to below `limit`, else in exponent form.
fn lay_out(out: &mut String, scientific: &str, limit: i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    out.push_str(sign);
    if !(-4..limit).contains(&exponent) {
        let mark = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{mark}{:02}", exponent.abs());
        return;
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        out.push_str(&digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', whole - digits.len()));
    } else {
        out.push_str(&digits[..whole]);
        out.push('.');
        out.push_str(&digits[whole..]);
    }
}
