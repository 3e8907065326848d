//! Values as applications send and get them.

use std::fmt;

use crate::error::Error;

/// A parameter or a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer of any width.
    Int(i64),
    /// An amount of money; in results it is a text.
    Money(Money),
    /// Anything else, as the database prints it.
    Text(String),
}

/// An amount of money, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub i64);

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

impl Money {
    /// Reads what a database prints; digits after the cents must be zeros.
    fn parse(text: &str) -> Option<Money> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let (part, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        if rest.bytes().any(|byte| byte != b'0') {
            return None;
        }
        let mut cents: i64 = if part.is_empty() { 0 } else { part.parse().ok()? };
        if part.len() == 1 {
            cents *= 10;
        }
        let cents = whole.parse::<i64>().ok()?.checked_mul(100)?.checked_add(cents)?;
        Some(Money(if negative { -cents } else { cents }))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<Money> for Value {
    fn from(value: Money) -> Value {
        Value::Money(value)
    }
}

/// A row of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<Value>);

impl Row {
    fn cell(&self, at: usize) -> &Value {
        self.0.get(at).unwrap_or(&Value::Null)
    }

    fn wrong(&self, at: usize, wanted: &str) -> Error {
        Error::Broken(format!("column {at} of {:?} is not {wanted}", self.0))
    }

    /// Whether a cell is NULL.
    pub fn is_null(&self, at: usize) -> bool {
        *self.cell(at) == Value::Null
    }

    /// The integer in a column, by place.
    pub fn int(&self, at: usize) -> Result<i64, Error> {
        match self.cell(at) {
            Value::Int(value) => Ok(*value),
            Value::Text(text) => text.parse().map_err(|_| self.wrong(at, "an integer")),
            Value::Money(_) | Value::Null => Err(self.wrong(at, "an integer")),
        }
    }

    /// An amount of money; NULL is none.
    pub fn money(&self, at: usize) -> Result<Money, Error> {
        match self.cell(at) {
            Value::Null => Ok(Money(0)),
            Value::Money(value) => Ok(*value),
            Value::Int(whole) => {
                let cents = whole.checked_mul(100).ok_or_else(|| self.wrong(at, "money"))?;
                Ok(Money(cents))
            }
            Value::Text(text) => Money::parse(text).ok_or_else(|| self.wrong(at, "money")),
        }
    }

    /// A text; NULL is empty.
    pub fn text(&self, at: usize) -> String {
        match self.cell(at) {
            Value::Null => String::new(),
            Value::Int(value) => value.to_string(),
            Value::Money(value) => value.to_string(),
            Value::Text(text) => text.clone(),
        }
    }

    /// The first integers of the row.
    pub fn ints<const N: usize>(&self) -> Result<[i64; N], Error> {
        let mut all = [0; N];
        for (at, value) in all.iter_mut().enumerate() {
            *value = self.int(at)?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::Money;

    #[test]
    fn money_prints_and_parses() {
        for cents in [0, 1, -1, 99, 100, -12_345, 300_000] {
            assert_eq!(Money::parse(&Money(cents).to_string()), Some(Money(cents)));
        }
        assert_eq!(Money::parse("7"), Some(Money(700)));
        assert_eq!(Money::parse("7.5"), Some(Money(750)));
        assert_eq!(Money::parse("7.5000"), Some(Money(750)));
        assert_eq!(Money::parse("7.501"), None);
        assert_eq!(Money::parse("x"), None);
    }
}
