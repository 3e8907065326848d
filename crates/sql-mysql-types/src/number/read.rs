//! The number that a text begins with. What is behind it does not count, and is told of by whoever asked.

use hobgoblin_sql_value::Numeric;

/// The number at the beginning of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix<T> {
    /// The number; zero where there is none.
    pub value: T,
    /// Whether there is none, or more than that.
    pub cut: bool,
    /// Whether blanks follow it, and nothing else.
    pub blanks: bool,
}

/// How many bytes of a text are a number: a sign, digits with a point among them, an exponent.
fn length(bytes: &[u8], point: bool) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut at = sign + whole;
    if !point {
        return if whole > 0 { at } else { 0 };
    }
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

fn split(text: &str, point: bool) -> (&str, bool, bool) {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let length = length(text.as_bytes(), point);
    let (number, rest) = text.split_at(length);
    let cut = length == 0 || rest.bytes().any(|byte| !byte.is_ascii_whitespace());
    (number, cut, !cut && !rest.is_empty())
}

/// As a DOUBLE; what is too large is the largest one, and cut.
pub fn double_prefix(text: &str) -> Prefix<f64> {
    let (number, cut, blanks) = split(text, true);
    let value: f64 = number.parse().unwrap_or(0.0);
    match value.is_infinite() {
        true => Prefix { value: f64::MAX.copysign(value), cut: true, blanks },
        false => Prefix { value, cut, blanks },
    }
}

/// As an exact decimal.
pub fn decimal_prefix(text: &str) -> Prefix<Numeric> {
    let (number, cut, blanks) = split(text, true);
    let number = number.strip_prefix('+').unwrap_or(number).trim_end_matches('.');
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().unwrap_or(i64::MAX)),
        None => (number, 0),
    };
    // An exponent that no decimal has room for.
    if exponent > 100 {
        let digits = format!("{}{}", digits.trim_end_matches('.'), "0".repeat(100));
        return Prefix { value: digits.parse().unwrap_or(Numeric::ZERO), cut: true, blanks };
    }
    if exponent < -100 {
        return Prefix { value: Numeric::ZERO, cut, blanks };
    }
    Prefix { value: number.parse().unwrap_or(Numeric::ZERO), cut, blanks }
}

/// As an integer: digits and a sign, no point.
pub fn integer_prefix(text: &str) -> Prefix<i128> {
    let (number, cut, blanks) = split(text, false);
    let digits = number.trim_start_matches(['+', '-']);
    // Forty digits are more than any integer has.
    let value = match digits.trim_start_matches('0') {
        "" => 0,
        digits if digits.len() > 38 => i128::MAX,
        digits => digits.parse().unwrap_or(i128::MAX),
    };
    Prefix { value: if number.starts_with('-') { -value } else { value }, cut, blanks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_begins_with_a_number() {
        let cases = [
            ("12abc", 12.0, true),
            (" 12 ", 12.0, false),
            ("", 0.0, true),
            (".5", 0.5, false),
            ("1e3x", 1000.0, true),
            ("1e", 1.0, true),
            ("-", 0.0, true),
            ("+7.", 7.0, false),
            ("1e400", f64::MAX, true),
        ];
        for (text, value, cut) in cases {
            let found = double_prefix(text);
            assert_eq!((found.value, found.cut), (value, cut), "{text:?}");
        }
        assert_eq!(integer_prefix("1.5"), Prefix { value: 1, cut: true, blanks: false });
        assert_eq!(integer_prefix(&"9".repeat(60)).value, i128::MAX);
        assert!(integer_prefix("5 ").blanks);
        assert_eq!(decimal_prefix("1e3x").value.to_string(), "1000");
        assert_eq!(decimal_prefix("1.50").value.to_string(), "1.50");
        assert_eq!(decimal_prefix("1e99999999999999999999").value.signum(), 1);
    }
}
