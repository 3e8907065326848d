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

/// A value as the store keeps it.
pub(crate) fn to_stored(datum: &Datum, ty: TypeId, dialect: &dyn Dialect) -> Value {
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

/// The value of a type that the store keeps.
pub(crate) fn from_stored(
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

/// The value of a text that the store keeps, which is made only where the value is that text.
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

/// A row as the store keeps it: a compact JSON array. Values and types go together.
pub(crate) fn row_to_stored(row: &[Datum], types: &[TypeId], dialect: &dyn Dialect) -> Value {
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

/// Appends an integer.
pub(crate) fn push_int(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// The row the store keeps; a row of fewer columns than types is shorter.
pub(crate) fn row_from_stored(
    value: &Value,
    types: &[TypeId],
    env: &TypeEnv<'_>,
    dialect: &dyn Dialect,
) -> Result<Vec<Datum>> {
    let mut row = Vec::with_capacity(types.len());
    each_stored(value, types.iter().copied(), env, dialect, |value| row.push(value))?;
    Ok(row)
}

/// The values of a row the store keeps, one after the other.
pub(crate) fn each_stored(
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

/// Reads what [`row_to_stored`] writes.
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

    /// A string with escapes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::POSTGRES;
    use crate::types::{Format, NoNames, PgType, text};

    #[test]
    fn rows_of_fewer_columns_are_shorter() {
        let (format, names) = (Format::default(), NoNames);
        let env = TypeEnv::new(&format, &names);
        let types = [TypeId::INT4, TypeId::TEXT, TypeId::NUMERIC];
        let row = [Datum::Int(-7), Datum::text("a\"\\\n\u{1}é")];
        let stored = row_to_stored(&row, &types, &POSTGRES);
        assert_eq!(stored.to_string(), "[-7,\"a\\\"\\\\\\n\\u0001é\"]");
        let back = row_from_stored(&stored, &types, &env, &POSTGRES).unwrap();
        assert_eq!(back.len(), 2);
        assert!(back.iter().zip(&row).all(|(a, b)| a.equal(b)));
        for broken in
            ["", "[", "[1", "[1,", "[\"a", "[\"\\u12\"]", "[x]", "[99999999999999999999]", "1"]
        {
            let value = hobgoblin_core::Value::Json(broken.into());
            assert!(row_from_stored(&value, &types, &env, &POSTGRES).is_err(), "{broken}");
        }
    }

    #[test]
    fn values_of_all_kinds_come_back() {
        let format = Format::default();
        let env = TypeEnv::new(&format, &NoNames);
        for (ty, written) in [
            (TypeId::BOOL, "t"),
            (TypeId::INT8, "-9223372036854775808"),
            (TypeId::TEXT, "a, \"b\""),
            (TypeId::BPCHAR, "ab  "),
            (TypeId::NUMERIC, "1.50"),
            (TypeId::FLOAT8, "-0"),
            (TypeId::TIMESTAMPTZ, "2024-02-29 12:00:00.25+02"),
            (TypeId::INTERVAL, "1 mon -2 days"),
            (TypeId::JSON, "{\"a\": [1]}"),
            (TypeId::JSONB, "{\"b\": null}"),
            (TypeId::UUID, "00112233-4455-6677-8899-aabbccddeeff"),
            (TypeId::BYTEA, "\\x00ff"),
            (TypeId(1007), "{1,NULL,3}"),
        ] {
            let value = text::parse(written, ty, -1, &env).expect("it is one of its type");
            let alone = from_stored(&to_stored(&value, ty, &POSTGRES), ty, &env, &POSTGRES);
            let row = row_to_stored(&[value.clone(), Datum::Null], &[ty, ty], &POSTGRES);
            let row = row_from_stored(&row, &[ty, ty], &env, &POSTGRES).expect("it was written");
            let shown = |value: &Datum| text::print(value, ty, -1, &env);
            assert_eq!(shown(&alone.expect("it was written")), shown(&value), "{written}");
            assert_eq!(shown(&row[0]), shown(&value), "{written}");
            assert!(row[1].is_null(), "{written}");
        }
    }
}
