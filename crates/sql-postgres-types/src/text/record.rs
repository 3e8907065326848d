//! Rows as text: `(1,"a b",)`, where nothing between commas is NULL.

use super::{parse as parse_value, print_into};
use crate::error::{Result, SqlError, SqlState};
use crate::{Datum, PgType, TypeEnv, TypeId, range};

/// The type of a value whose row has no known type: what values of its kind mostly are.
pub(crate) fn guess(datum: &Datum) -> TypeId {
    match datum {
        Datum::Null | Datum::Text(_) | Datum::Enum(..) => TypeId::TEXT,
        Datum::Citext(_) => TypeId::CITEXT,
        Datum::Hstore(_) => TypeId::HSTORE,
        Datum::Char(_) => TypeId::BPCHAR,
        Datum::Bool(_) => TypeId::BOOL,
        Datum::Int(value) if i32::try_from(*value).is_ok() => TypeId::INT4,
        Datum::Int(_) => TypeId::INT8,
        Datum::Float(_) => TypeId::FLOAT8,
        Datum::Numeric(_) => TypeId::NUMERIC,
        Datum::Bytes(_) => TypeId::BYTEA,
        Datum::Date(_) => TypeId::DATE,
        Datum::Time(_) => TypeId::TIME,
        Datum::TimeTz(..) => TypeId::TIMETZ,
        Datum::Timestamp(_) => TypeId::TIMESTAMP,
        Datum::Interval(_) => TypeId::INTERVAL,
        Datum::Uuid(_) => TypeId::UUID,
        Datum::Inet(_) => TypeId::INET,
        Datum::Jsonb(_) => TypeId::JSONB,
        Datum::Array(array) => array.element,
        Datum::Record(_) => TypeId::RECORD,
        Datum::Range(range) => range::range_of(range.element).unwrap_or(TypeId::UNKNOWN),
    }
}

/// Appends a row with its fields, each as its type prints.
pub(super) fn print(
    out: &mut String,
    fields: &[Datum],
    ty: TypeId,
    typmod: i32,
    env: &TypeEnv<'_>,
) {
    let types = env.names.row_fields(ty, typmod).unwrap_or_default();
    out.push('(');
    let mut field_text = String::new();
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        if field.is_null() {
            continue;
        }
        let (ty, typmod) = types.get(place).copied().unwrap_or_else(|| (guess(field), -1));
        field_text.clear();
        print_into(&mut field_text, field, ty, typmod, env);
        let special = |b: u8| b"\"\\(),".contains(&b) || b.is_ascii_whitespace() || b == 0x0b;
        if !field_text.is_empty() && !field_text.bytes().any(special) {
            out.push_str(&field_text);
            continue;
        }
        out.push('"');
        for c in field_text.chars() {
            if c == '"' || c == '\\' {
                out.push(c);
            }
            out.push(c);
        }
        out.push('"');
    }
    out.push(')');
}

/// Reads a row whose columns have these types and modifiers.
pub(super) fn parse(text: &str, types: &[(TypeId, i32)], env: &TypeEnv<'_>) -> Result<Datum> {
    let malformed = |detail: &str| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed record literal: \"{text}\""),
        )
        .detail(detail)
    };
    let body = text.trim_start().strip_prefix('(');
    let mut chars = body.ok_or_else(|| malformed("Missing left parenthesis."))?.chars().peekable();
    let mut fields = Vec::with_capacity(types.len());
    let end = || malformed("Unexpected end of input.");
    for (place, (ty, typmod)) in types.iter().enumerate() {
        if place > 0 && chars.next_if_eq(&',').is_none() {
            return Err(malformed("Too few columns."));
        }
        if matches!(chars.peek(), Some(',' | ')')) {
            fields.push(Datum::Null);
            continue;
        }
        let mut field = String::new();
        let mut quoted = false;
        loop {
            let c = *chars.peek().ok_or_else(end)?;
            if !quoted && (c == ',' || c == ')') {
                break;
            }
            chars.next();
            match c {
                '\\' => field.push(chars.next().ok_or_else(end)?),
                '"' if !quoted => quoted = true,
                '"' if chars.next_if_eq(&'"').is_some() => field.push('"'),
                '"' => quoted = false,
                c => field.push(c),
            }
        }
        fields.push(parse_value(&field, *ty, *typmod, env)?);
    }
    match chars.next() {
        Some(')') => {}
        Some(',') => return Err(malformed("Too many columns.")),
        _ if types.is_empty() => return Err(malformed("Too many columns.")),
        _ => return Err(end()),
    }
    if chars.any(|c| !c.is_ascii_whitespace()) {
        return Err(malformed("Junk after right parenthesis."));
    }
    Ok(Datum::Record(fields.into()))
}
