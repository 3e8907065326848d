//! Reads what a solver prints: words, and values of terms.
//!
//! ```text
//!   ((x 3) (y (- 4)) (b true) (r (/ 1.0 3.0)) ((view 3) 7))
//! ```
//!
//! Solvers write numbers in their own ways, `(- (/ 1.0 3.0))` or `(/ (- 1) 3)`, and as large as they like. What does not fit
//! in 64 bits is told as such and never cut.

use std::fmt;

/// The value of a term in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A ratio in lowest terms, whose denominator is positive.
    Ratio(i64, i64),
}

/// Words and lists of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A word, a number, or a quoted text with its quotes.
    Word(String),
    /// What stands in parentheses.
    List(Vec<Expression>),
}

impl Expression {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Expression::Word(word) => Some(word),
            Expression::List(_) => None,
        }
    }

    fn list(&self) -> Option<&[Expression]> {
        match self {
            Expression::Word(_) => None,
            Expression::List(all) => Some(all),
        }
    }

    /// `(error …)`.
    pub(super) fn is_error(&self) -> bool {
        self.list().and_then(<[_]>::first).and_then(Expression::word) == Some("error")
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Word(word) => f.write_str(word),
            Expression::List(all) => {
                f.write_str("(")?;
                for (at, each) in all.iter().enumerate() {
                    write!(f, "{}{each}", if at > 0 { " " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Deeper than this no value is nested; what is printed may be anything.
const DEEPEST: usize = 100;

/// The first expression of a text and how many bytes it takes, or nothing if it has not ended yet. Parentheses that close
/// nothing are an error, and so is a nest of them that no value has.
pub(super) fn expression(text: &str) -> Result<Option<(Expression, usize)>, ()> {
    let bytes = text.as_bytes();
    let mut open: Vec<Vec<Expression>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let done = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'(' => {
                if open.len() == DEEPEST {
                    return Err(());
                }
                open.push(Vec::new());
                at += 1;
                continue;
            }
            b')' => {
                at += 1;
                Expression::List(open.pop().ok_or(())?)
            }
            quote @ (b'"' | b'|') => {
                let Some(length) = bytes[at + 1..].iter().position(|&byte| byte == quote) else {
                    return Ok(None);
                };
                let end = at + length + 2;
                let word = text[at..end].to_owned();
                at = end;
                Expression::Word(word)
            }
            _ => {
                let length = bytes[at..].iter().position(|byte| b" \t\r\n()\"|".contains(byte));
                // A word that nothing ends may go on.
                let Some(length) = length else { return Ok(None) };
                let word = text[at..at + length].to_owned();
                at += length;
                Expression::Word(word)
            }
        };
        match open.last_mut() {
            Some(list) => list.push(done),
            None => return Ok(Some((done, at))),
        }
    }
    Ok(None)
}

/// Why there are no values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// A value that is no ratio of 64-bit numbers, as printed.
    Large(String),
    /// What was printed is not one value for each term.
    NoModel,
}

/// The values of the answer to `get-value`, which has a pair for each term, in order.
pub(super) fn values(model: &Expression, count: usize) -> Result<Vec<Value>, Unread> {
    let pairs = model.list().ok_or(Unread::NoModel)?;
    if pairs.len() != count {
        return Err(Unread::NoModel);
    }
    let each = |pair: &Expression| match pair.list() {
        Some([_, value]) => self::value(value),
        _ => Err(Unread::NoModel),
    };
    pairs.iter().map(each).collect()
}

fn value(text: &Expression) -> Result<Value, Unread> {
    match text.word() {
        Some("true") => return Ok(Value::Bool(true)),
        Some("false") => return Ok(Value::Bool(false)),
        _ => {}
    }
    let large = || Unread::Large(text.to_string());
    let number = number(text).ok_or_else(large)?;
    let numerator = i64::try_from(number.numerator).map_err(|_| large())?;
    let denominator = i64::try_from(number.denominator).map_err(|_| large())?;
    Ok(if number.whole { Value::Int(numerator) } else { Value::Ratio(numerator, denominator) })
}

/// A ratio in lowest terms.
struct Number {
    numerator: i128,
    denominator: i128,
    /// Whether it is written as a whole number, and not as one with a fraction that happens to be zero.
    whole: bool,
}

fn number(text: &Expression) -> Option<Number> {
    match text {
        Expression::Word(word) => {
            let (digits, fraction) = word.split_once('.').unwrap_or((word, ""));
            let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            if digits.is_empty() || !plain(digits) || !plain(fraction) {
                return None;
            }
            let fraction = fraction.trim_end_matches('0');
            let denominator = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
            let numerator = format!("{digits}{fraction}").parse().ok()?;
            ratio(numerator, denominator, !word.contains('.'))
        }
        Expression::List(all) => match all.as_slice() {
            [minus, of] if minus.word() == Some("-") => {
                let of = number(of)?;
                Some(Number { numerator: of.numerator.checked_neg()?, ..of })
            }
            [divide, left, right] if divide.word() == Some("/") => {
                let (left, right) = (number(left)?, number(right)?);
                let numerator = left.numerator.checked_mul(right.denominator)?;
                let denominator = left.denominator.checked_mul(right.numerator)?;
                ratio(numerator, denominator, false)
            }
            [to_real, of] if to_real.word() == Some("to_real") => {
                Some(Number { whole: false, ..number(of)? })
            }
            _ => None,
        },
    }
}

fn ratio(numerator: i128, denominator: i128, whole: bool) -> Option<Number> {
    let (mut left, mut right) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    if denominator == 0 {
        return None;
    }
    let common = i128::try_from(left.max(1)).ok()?.checked_mul(denominator.signum())?;
    Some(Number { numerator: numerator / common, denominator: denominator / common, whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, count: usize) -> Result<Vec<Value>, Unread> {
        let (model, length) = expression(text).expect("an expression").expect("all of it");
        assert_eq!(length, text.trim_end().len());
        values(&model, count)
    }

    #[test]
    fn values_are_read_as_either_solver_writes_them() {
        let z3 = "((x 3)\n (y (- 4))\n (b true)\n (r (- (/ 1.0 3.0)))\n ((view 3) 7)\n (d 2.50))\n";
        let cvc5 = "((x 3) (y (- 4)) (b true) (r (/ (- 1) 3)) ((view 3) 7) (d (/ 5 2)))\n";
        let expected = vec![
            Value::Int(3),
            Value::Int(-4),
            Value::Bool(true),
            Value::Ratio(-1, 3),
            Value::Int(7),
            Value::Ratio(5, 2),
        ];
        assert_eq!(read(z3, 6).as_ref(), Ok(&expected));
        assert_eq!(read(cvc5, 6), Ok(expected));
        assert_eq!(
            read("((r 4.0) (s (- 0.5)))", 2),
            Ok(vec![Value::Ratio(4, 1), Value::Ratio(-1, 2)])
        );
        assert_eq!(read("((|a name| 1))", 1), Ok(vec![Value::Int(1)]));
    }

    #[test]
    fn the_smallest_and_largest_whole_numbers_are_read() {
        let text = "((x 9223372036854775807) (y (- 9223372036854775808)))";
        assert_eq!(read(text, 2), Ok(vec![Value::Int(i64::MAX), Value::Int(i64::MIN)]));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        for large in [
            "9223372036854775808",
            "(- 100000000000000000000000000000000000000000000000000)",
            "(/ 1.0 100000000000000000000.0)",
            "(/ 1 0)",
            "(root-obj (+ (^ x 2) (- 2)) 1)",
            "1.",
        ] {
            let read = read(&format!("((x {large}))"), 1);
            let expected = match large {
                "1." => Ok(vec![Value::Ratio(1, 1)]),
                _ => Err(Unread::Large(large.to_owned())),
            };
            assert_eq!(read, expected, "{large}");
        }
    }

    #[test]
    fn what_is_no_model_is_told() {
        for text in ["((x 1))", "((x) (y 2))", "(x y)", "sat ", "((x 1) (y 2) (z 3))"] {
            assert_eq!(read(text, 2), Err(Unread::NoModel), "{text}");
        }
    }

    #[test]
    fn an_expression_is_waited_for() {
        for part in ["", "sat", "(", "((x 1)", "(error \"line 1", "(|a) b"] {
            assert_eq!(expression(part), Ok(None), "{part}");
        }
        assert_eq!(expression(") "), Err(()));
        assert_eq!(expression(&"(".repeat(1000)), Err(()));
        let (error, _) = expression("(error \"line 1: )\")").unwrap().unwrap();
        assert!(error.is_error());
    }
}
