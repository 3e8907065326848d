//! Numbers as values: two that are equal are one value, however they are written.
//!
//! Clients do not agree on how to write a number, and some make `1.0` of the `1` they were given. A read of
//! `1.0` is a read of the `1` that was written, so every number is brought to one notation:
//!
//! | written | value |
//! | --- | --- |
//! | `1`, `1.0`, `1e0`, `10e-1` | the integer 1 |
//! | `0`, `-0`, `0.00`, `0e9` | the integer 0 |
//! | `1.50`, `15e-1` | `1.5` |
//! | `9223372036854775808.0` | `9223372036854775808`, which is past 64 bits |
//! | `1e400`, `10E+399` | `1e+400` |
//!
//! No digit is lost: nothing here is a floating-point number.

use crate::value::Value;

/// The longest integer, or run of zeros after the point, that is written out rather than with an exponent.
const PLAIN: i64 = 40;

/// The value of a number in decimal notation; `None` for any other text.
pub fn parse(text: &str) -> Option<Value> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], unsigned[at + 1..].parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Value::Int(0));
    }
    let dropped = (digits.len() - significant.len()) as i64;
    // The number is `significant` times ten to the power of this.
    let power = exponent.checked_sub(fraction.len() as i64)?.checked_add(dropped)?;
    let text = format!("{}{}", if negative { "-" } else { "" }, notation(significant, power)?);
    Some(text.parse().map_or_else(|_| Value::Json(text.into()), Value::Int))
}

/// The one notation of a number without a sign, whose digits neither begin nor end with 0.
fn notation(digits: &str, power: i64) -> Option<String> {
    let length = digits.len() as i64;
    // How many digits stand before the point.
    let before = length.checked_add(power)?;
    Some(if power >= 0 && before <= PLAIN.max(length) {
        format!("{digits}{}", "0".repeat(power as usize))
    } else if power < 0 && before > 0 {
        let (whole, fraction) = digits.split_at(before as usize);
        format!("{whole}.{fraction}")
    } else if power < 0 && -before <= PLAIN {
        format!("0.{}{digits}", "0".repeat(-before as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{:+}", before.checked_sub(1)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_one_value() {
        let cases: [(&str, &[&str]); 12] = [
            ("0", &["0", "-0", "0.0", "-0.00", "0e9", "0E-7", "+0"]),
            ("1", &["1", "1.0", "1e0", "10e-1", "0.1e1", "1.", "100E-2", "+1"]),
            ("-1", &["-1", "-1.000", "-1E+0"]),
            ("100000", &["1e5", "1E+5", "100000.0", "0.1e6"]),
            ("1.5", &["1.5", "1.50", "15e-1", "0.15E1"]),
            ("-0.025", &["-0.025", "-25e-3", "-2.5e-2"]),
            ("9223372036854775807", &["9223372036854775807", "9223372036854775807.0"]),
            ("9223372036854775808", &["9223372036854775808", "9223372036854775808.00"]),
            ("-9223372036854775808", &["-9223372036854775808", "-9.223372036854775808e18"]),
            ("1e+400", &["1e400", "10E+399", "0.1e401"]),
            ("1.25e-60", &["1.25e-60", "125e-62"]),
            ("0.1000000000000000055", &["0.1000000000000000055", "1.000000000000000055e-1"]),
        ];
        for (shown, texts) in cases {
            let values: Vec<_> = texts.iter().map(|t| parse(t)).collect();
            let one = values[0].clone().expect(shown);
            assert_eq!(one.to_string(), shown);
            assert_eq!(parse(shown), Some(one.clone()), "{shown}");
            assert_eq!(matches!(one, Value::Int(_)), shown.parse::<i64>().is_ok(), "{shown}");
            assert!(values.iter().all(|value| value.as_ref() == Some(&one)), "{shown}: {values:?}");
        }
        let long = format!("1{}", "0".repeat(60));
        assert_eq!(parse(&long), parse("1e60"));
        let long = format!("{}7", "9".repeat(60));
        assert_eq!(parse(&long).map(|v| v.to_string()), Some(long));
    }

    #[test]
    fn other_text_is_no_number() {
        for text in
            ["", "-", "+", "x", "1/2", "1e", "e1", ".5", "1.2.3", "0x1", "1e99999999999999999999"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
