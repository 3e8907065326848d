//! Literals: numbers exactly, as ratios where they have fractions.

use sqlparser::ast::Value;

use super::error::{Fault, Problem, Result};
use super::types::OPEN;
use crate::program::{Expr, ExprKind, Place, Type};

/// A literal.
pub(super) fn value(value: &Value, at: Place) -> Result<Expr> {
    let (kind, ty) = match value {
        Value::Null => (ExprKind::Null, OPEN),
        Value::Boolean(truth) => (ExprKind::Bool(*truth), Type::Bool),
        Value::Number(digits, _) => number(digits, at)?,
        Value::SingleQuotedString(text)
        | Value::EscapedStringLiteral(text)
        | Value::UnicodeStringLiteral(text) => (ExprKind::Text(text.clone()), Type::Text),
        Value::DollarQuotedString(text) => (ExprKind::Text(text.value.clone()), Type::Text),
        other => {
            let what = format!("the literal {other}");
            return Err(Fault::unsupported(at, what, "we know numbers, texts, true, false, NULL"));
        }
    };
    Ok(Expr { kind, ty, place: at })
}

fn number(digits: &str, at: Place) -> Result<(ExprKind, Type)> {
    let too_large =
        || Fault::new(at, Problem::Number { number: digits.chars().take(40).collect() });
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = digits.parse().map_err(|_| too_large())?;
        return Ok((ExprKind::Int(number), Type::Int));
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| too_large())?),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let together = format!("0{whole}{fraction}");
    let numerator: i64 = together.parse().map_err(|_| too_large())?;
    let places = i32::try_from(fraction.len()).map_err(|_| too_large())?;
    let power = exponent.checked_sub(places).ok_or_else(too_large)?;
    let ten = 10_i64.checked_pow(power.unsigned_abs()).ok_or_else(too_large)?;
    let ratio = match power >= 0 {
        true => (numerator.checked_mul(ten).ok_or_else(too_large)?, 1),
        false => reduced(numerator, ten),
    };
    Ok((ExprKind::Decimal(ratio.0, ratio.1), Type::Decimal))
}

/// A ratio without common factors.
fn reduced(numerator: i64, denominator: i64) -> (i64, i64) {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (numerator / a.max(1), denominator / a.max(1))
}

#[cfg(test)]
mod tests {
    use super::number;
    use crate::program::{ExprKind, Place};

    #[test]
    fn fractions_are_exact() {
        let at = Place { start: 0, end: 0 };
        for (digits, wanted) in [
            ("1.50", Some((3, 2))),
            (".25", Some((1, 4))),
            ("3.", Some((3, 1))),
            ("12e2", Some((1200, 1))),
            ("12.5e-1", Some((5, 4))),
            ("0.0", Some((0, 1))),
            ("1e19", None),
            ("1e-19", None),
            ("1e99999999999", None),
            ("12345678901234567890.5", None),
        ] {
            let found = match number(digits, at) {
                Ok((ExprKind::Decimal(numerator, denominator), _)) => {
                    Some((numerator, denominator))
                }
                _ => None,
            };
            assert_eq!(found, wanted, "{digits}");
        }
    }
}
