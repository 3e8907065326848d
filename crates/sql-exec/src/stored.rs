//! How values are kept in the store, and so how histories show them.
//!
//! NULL, booleans, integers and texts are what they are; all else is a text that depends on no setting:
//! ISO dates, UTC, the shortest digits of floats. A whole row is a JSON array of the same.

use hobgoblin_core::{Text, Value};
use hobgoblin_sql_schema::dialect::{Dialect, Kept};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::json::quote_into;
use hobgoblin_sql_value::{Datum, TypeId};

fn corrupt(value: &str) -> SqlError {
    SqlError::internal(format!("a stored value is not of its column's type: {value}"))
}

/// A value of SQL as a value of the store.
pub fn to_stored(datum: &Datum, ty: TypeId, dialect: &dyn Dialect) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Bool(value) => Value::Bool(*value),
        Datum::Int(value) => Value::Int(*value),
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => Value::Text(text.clone()),
        Datum::Citext(value) => Value::Text(value.text.clone()),
        other => {
            let mut out = String::with_capacity(32);
            dialect.print_stored(&mut out, other, ty);
            Value::Text(out.into())
        }
    }
}

/// A value of the store as a value of this type.
pub fn from_stored(
    value: &Value,
    ty: TypeId,
    env: &TypeEnv<'_>,
    dialect: &dyn Dialect,
) -> Result<Datum> {
    match value {
        Value::Null => Ok(Datum::Null),
        Value::Bool(value) => Ok(Datum::Bool(*value)),
        Value::Int(value) => Ok(Datum::Int(*value)),
        Value::Text(text) => read(text, || text.clone(), ty, env, dialect),
        Value::Json(json) => Err(corrupt(json)),
    }
}

/// A text of the store as a value of this type. `own` makes a copy of the text and is called only
/// if the value is that text.
fn read(
    text: &str,
    own: impl FnOnce() -> Text,
    ty: TypeId,
    env: &TypeEnv<'_>,
    dialect: &dyn Dialect,
) -> Result<Datum> {
    match dialect.facts(ty).kept {
        Kept::Text => Ok(Datum::Text(own())),
        Kept::PaddedText => Ok(Datum::Char(own())),
        Kept::Printed => dialect.parse_stored(text, ty, env),
    }
}

/// A row as a value of the store: compact JSON. The types are those of the values, in order.
pub fn row_to_stored(row: &[Datum], types: &[TypeId], dialect: &dyn Dialect) -> Value {
    let mut out = String::with_capacity(row.len() * 12 + 2);
    let mut printed = String::new();
    out.push('[');
    for (place, (datum, ty)) in row.iter().zip(types).enumerate() {
        if place > 0 {
            out.push(',');
        }
        match datum {
            Datum::Null => out.push_str("null"),
            Datum::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Datum::Int(value) => push_int(&mut out, *value),
            Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => {
                quote_into(&mut out, text);
            }
            Datum::Citext(value) => quote_into(&mut out, &value.text),
            other => {
                printed.clear();
                dialect.print_stored(&mut printed, other, *ty);
                quote_into(&mut out, &printed);
            }
        }
    }
    out.push(']');
    Value::Json(out.into())
}

/// Appends the digits of an integer.
pub fn push_int(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// A row that [`row_to_stored`] made. It may have fewer values than there are types, if columns
/// were added since.
pub fn row_from_stored(
    value: &Value,
    types: &[TypeId],
    env: &TypeEnv<'_>,
    dialect: &dyn Dialect,
) -> Result<Vec<Datum>> {
    let mut row = Vec::with_capacity(types.len());
    each_stored(value, types.iter().copied(), env, dialect, |value| row.push(value))?;
    Ok(row)
}

/// Calls `take` with the values of such a row, one after the other.
pub fn each_stored(
    value: &Value,
    types: impl Iterator<Item = TypeId>,
    env: &TypeEnv<'_>,
    dialect: &dyn Dialect,
    mut give: impl FnMut(Datum),
) -> Result<()> {
    let Value::Json(json) = value else { return Err(corrupt(&value.to_string())) };
    let mut scanner = Scanner { json, at: 0, dialect };
    scanner.expect(b'[')?;
    if scanner.skip(b']') {
        return Ok(());
    }
    for ty in types {
        give(scanner.value(ty, env)?);
        if scanner.skip(b',') {
            continue;
        }
        scanner.expect(b']')?;
        break;
    }
    Ok(())
}

/// Reads what [`row_to_stored`] wrote, and no other JSON.
struct Scanner<'a> {
    json: &'a str,
    at: usize,
    dialect: &'a dyn Dialect,
}

impl Scanner<'_> {
    fn rest(&self) -> &[u8] {
        self.json.as_bytes().get(self.at..).unwrap_or(&[])
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.rest().first() == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.skip(byte) { Ok(()) } else { Err(corrupt(self.json)) }
    }

    fn value(&mut self, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
        let word = match self.rest().first() {
            Some(b'"') => return self.string(ty, env),
            Some(b'n') => ("null", Datum::Null),
            Some(b't') => ("true", Datum::Bool(true)),
            Some(b'f') => ("false", Datum::Bool(false)),
            _ => return self.integer(),
        };
        if !self.rest().starts_with(word.0.as_bytes()) {
            return Err(corrupt(self.json));
        }
        self.at += word.0.len();
        Ok(word.1)
    }

    fn integer(&mut self) -> Result<Datum> {
        let negative = self.skip(b'-');
        // The magnitude: one more is possible below zero than above.
        let (mut value, mut digits) = (0u64, 0);
        for byte in self.rest().iter().take_while(|byte| byte.is_ascii_digit()) {
            let digit = u64::from(byte - b'0');
            // Eighteen digits always fit.
            value = match digits < 18 {
                true => value * 10 + digit,
                false => value
                    .checked_mul(10)
                    .and_then(|value| value.checked_add(digit))
                    .ok_or_else(|| corrupt(self.json))?,
            };
            digits += 1;
        }
        self.at += digits;
        let value = match negative {
            true => 0i64.checked_sub_unsigned(value),
            false => i64::try_from(value).ok(),
        };
        value.filter(|_| digits > 0).map(Datum::Int).ok_or_else(|| corrupt(self.json))
    }

    fn string(&mut self, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
        self.at += 1;
        let start = self.at;
        let bytes = self.rest();
        let end = bytes.iter().position(|b| matches!(b, b'"' | b'\\'));
        let end = end.ok_or_else(|| corrupt(self.json))?;
        if bytes.get(end) == Some(&b'"') {
            self.at += end + 1;
            let text = self.json.get(start..start + end).ok_or_else(|| corrupt(self.json))?;
            return read(text, || text.into(), ty, env, self.dialect);
        }
        let text: Text = self.escaped(start)?.into();
        read(&text, || text.clone(), ty, env, self.dialect)
    }

    /// The rest of a string that has escapes in it.
    fn escaped(&mut self, start: usize) -> Result<String> {
        let mut out = String::new();
        let mut plain = start;
        self.at = start;
        let json = self.json;
        let bad = || corrupt(json);
        loop {
            let byte = *self.rest().first().ok_or_else(bad)?;
            if byte != b'"' && byte != b'\\' {
                self.at += 1;
                continue;
            }
            out.push_str(json.get(plain..self.at).ok_or_else(bad)?);
            self.at += 1;
            if byte == b'"' {
                return Ok(out);
            }
            let escape = *self.rest().first().ok_or_else(bad)?;
            self.at += 1;
            out.push(match escape {
                b'"' => '"',
                b'\\' => '\\',
                b'/' => '/',
                b'b' => '\x08',
                b'f' => '\x0c',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    let hex = json.get(self.at..self.at + 4).ok_or_else(bad)?;
                    self.at += 4;
                    let code = u32::from_str_radix(hex, 16).map_err(|_| bad())?;
                    char::from_u32(code).ok_or_else(bad)?
                }
                _ => return Err(bad()),
            });
            plain = self.at;
        }
    }
}
