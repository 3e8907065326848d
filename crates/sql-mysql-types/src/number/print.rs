//! The texts of floats.
//!
//! The shortest digits that read back as the same number, written out where the point is among or near them: at most 15 places
//! to the right of it, or fewer than 15 zeros after it. Else one digit, the point, the others and an exponent without a `+`.
//! A FLOAT has six digits, as many as any survive.

use std::fmt::Write;

/// How far the point may be from the first digit.
const NEAR: i32 = 15;

/// Appends a DOUBLE.
pub fn print_double(out: &mut String, value: f64) {
    let shortest = format!("{value:e}");
    // Of two shortest texts as near, the server takes the one with the even digit.
    let digits = shortest.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{value:.more$e}", more = digits.saturating_sub(1));
    match even.parse() == Ok(value) {
        true => print_digits(out, value, &even),
        false => print_digits(out, value, &shortest),
    }
}

/// Appends a FLOAT.
pub fn print_float(out: &mut String, value: f64) {
    let shortest = format!("{:e}", value as f32);
    match shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count() > 6 {
        true => print_digits(out, value, &format!("{value:.5e}")),
        false => print_digits(out, value, &shortest),
    }
}

/// Appends a float with so many digits after the point.
pub fn print_fixed(out: &mut String, value: f64, digits: u8) {
    // Beyond 53 bits the shortest digits count, and zeros stand for the others.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.abs() >= EXACT && value.is_finite() {
        let written = format!("{value:e}");
        let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let whole: String = mantissa.chars().filter(|letter| *letter != '.').collect();
        let length = exponent.parse::<usize>().unwrap_or(0) + 1 + usize::from(value < 0.0);
        let _ = write!(out, "{whole:0<length$}");
        if digits > 0 {
            out.push('.');
            out.extend(std::iter::repeat_n('0', usize::from(digits)));
        }
        return;
    }
    // There is one zero.
    let value = if value == 0.0 { 0.0 } else { value };
    // Writing to a string cannot fail.
    let _ = write!(out, "{value:.width$}", width = usize::from(digits));
}

/// Appends what is written with an exponent in the way that is due.
fn print_digits(out: &mut String, value: f64, written: &str) {
    if !value.is_finite() {
        out.push_str(if value.is_nan() {
            "nan"
        } else if value < 0.0 {
            "-inf"
        } else {
            "inf"
        });
        return;
    }
    let (mantissa, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Where the point is, counted from before the first digit.
    let point = exponent + 1;
    if value < 0.0 {
        out.push('-');
    }
    let length = digits.len() as i32;
    // Digits on both sides of the point need no exponent, however many there are.
    if point > NEAR && point >= length || point < -NEAR + 1 {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let _ = write!(out, "e{exponent}");
    } else if point <= 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', -point as usize));
        out.push_str(digits);
    } else if point >= length {
        out.push_str(digits);
        out.extend(std::iter::repeat_n('0', (point - length) as usize));
    } else {
        let (whole, fraction) = digits.split_at(point as usize);
        out.push_str(whole);
        out.push('.');
        out.push_str(fraction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_the_server_writes_them() {
        let cases = [
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (1.5e-5, "0.000015"),
            (1.23e-10, "0.000000000123"),
            (123456789012345678.0, "1.2345678901234568e17"),
            (-0.5, "-0.5"),
            (f64::MAX, "1.7976931348623157e308"),
            (2.5e-320, "2.5e-320"),
        ];
        for (value, text) in cases {
            let mut out = String::new();
            print_double(&mut out, value);
            assert_eq!(out, text);
        }
        let mut out = String::new();
        print_float(&mut out, f64::from(1.0f32 / 3.0));
        assert_eq!(out, "0.333333");
    }
}
