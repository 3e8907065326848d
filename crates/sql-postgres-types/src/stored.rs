//! How values are kept in the store, and so how histories show them.
//!
//! NULL, booleans, integers and texts are what they are; all else is a text that depends on no setting:
//! ISO dates, UTC, the shortest digits of floats. A whole row is a JSON array of the same.

use std::sync::{Arc, LazyLock};

use hobgoblin_core::{Text, Value};

use super::json::quote_into;
use super::{Datum, Format, NoNames, PgType, TypeEnv, TypeId, builtin, text};
use crate::error::{Result, SqlError, SqlState};

/// The settings of stored texts, whatever the session's are.
static CANONICAL: LazyLock<Format> = LazyLock::new(Format::default);

fn corrupt(value: &str) -> SqlError {
    SqlError::new(
        SqlState::INTERNAL_ERROR,
        format!("a stored value is not of its column's type: {value}"),
    )
}

/// A value as the store keeps it.
pub fn to_stored(datum: &Datum, ty: TypeId) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Bool(value) => Value::Bool(*value),
        Datum::Int(value) => Value::Int(*value),
        Datum::Text(text) | Datum::Char(text) | Datum::Enum(_, text) => Value::Text(text.clone()),
        Datum::Citext(value) => Value::Text(value.text.clone()),
        other => Value::Text(canonical(other, ty).into()),
    }
}

fn canonical(datum: &Datum, ty: TypeId) -> String {
    let mut out = String::with_capacity(32);
    canonical_into(&mut out, datum, ty);
    out
}

fn canonical_into(out: &mut String, datum: &Datum, ty: TypeId) {
    text::print_into(out, datum, ty, -1, &TypeEnv::new(&CANONICAL, &NoNames));
}

/// The value of a type that the store keeps.
pub fn from_stored(value: &Value, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    match value {
        Value::Null => Ok(Datum::Null),
        Value::Bool(value) => Ok(Datum::Bool(*value)),
        Value::Int(value) => Ok(Datum::Int(*value)),
        Value::Text(text) if is_plain(ty) => Ok(plain(text.clone(), ty)),
        Value::Text(text) => read(text, ty, env),
        Value::Json(json) => Err(corrupt(json)),
    }
}

/// Whether values of a type are texts as they are.
fn is_plain(ty: TypeId) -> bool {
    matches!(
        ty,
        TypeId::TEXT
            | TypeId::VARCHAR
            | TypeId::BPCHAR
            | TypeId::NAME
            | TypeId::CHAR
            | TypeId::JSON
            | TypeId::UNKNOWN
            | TypeId::BIT
            | TypeId::VARBIT
            | TypeId::REFCURSOR
            | TypeId::PG_NODE_TREE
            | TypeId::ACLITEM
    )
}

fn plain(text: Text, ty: TypeId) -> Datum {
    match ty {
        TypeId::BPCHAR => Datum::Char(text),
        _ => Datum::Text(text),
    }
}

fn read(stored: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    let env = TypeEnv::new(&CANONICAL, env.names);
    text::parse(stored, ty, -1, &env).or_else(|error| renamed(stored, ty, &env).ok_or(error))
}

/// An enum, or an array of them, with labels that were renamed since it was stored.
fn renamed(stored: &str, ty: TypeId, env: &TypeEnv<'_>) -> Option<Datum> {
    if let Some(found) = env.names.enum_type(ty) {
        let (_, oid) = found.former.iter().find(|(text, _)| **text == *stored)?;
        let (_, place, label) = found.labels.iter().find(|(label, _, _)| label == oid)?;
        return Some(Datum::Enum(*place, label.clone()));
    }
    let element = builtin::element_type(ty, env.names)?;
    env.names.enum_type(element)?;
    text::parse_array(stored, element, |item| read(item, element, env))
        .ok()
        .map(|array| Datum::Array(Arc::new(array)))
}

/// A row as the store keeps it: a compact JSON array. Values and types go together.
pub fn row_to_stored(row: &[Datum], types: &[TypeId]) -> Value {
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
                canonical_into(&mut printed, other, *ty);
                quote_into(&mut out, &printed);
            }
        }
    }
    out.push(']');
    Value::Json(out.into())
}

/// Appends an integer.
pub fn push_int(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// The row the store keeps; a row of fewer columns than types is shorter.
pub fn row_from_stored(value: &Value, types: &[TypeId], env: &TypeEnv<'_>) -> Result<Vec<Datum>> {
    let mut row = Vec::with_capacity(types.len());
    each_stored(value, types.iter().copied(), env, |value| row.push(value))?;
    Ok(row)
}

/// The values of a row the store keeps, one after the other.
pub fn each_stored(
    value: &Value,
    types: impl Iterator<Item = TypeId>,
    env: &TypeEnv<'_>,
    mut give: impl FnMut(Datum),
) -> Result<()> {
    let Value::Json(json) = value else { return Err(corrupt(&value.to_string())) };
    let mut scanner = Scanner { json, at: 0 };
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
            return if is_plain(ty) { Ok(plain(text.into(), ty)) } else { read(text, ty, env) };
        }
        let text: Text = self.escaped(start)?.into();
        if is_plain(ty) { Ok(plain(text, ty)) } else { read(&text, ty, env) }
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
