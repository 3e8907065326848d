//! Constants as PostgreSQL reads them: numbers, and intervals with their fields.

use sqlparser::ast::{DateTimeField, Interval};

use crate::error::{Result, SqlError};
use crate::types::{Datum, Numeric, PgType, TypeId};

/// A number: integer, bigint or numeric, whichever fits first.
pub(super) fn number(text: &str) -> Result<(Datum, TypeId)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(value) = text.parse::<i64>()
    {
        let ty = if i32::try_from(value).is_ok() { TypeId::INT4 } else { TypeId::INT8 };
        return Ok((Datum::Int(value), ty));
    }
    if digits.contains('_') {
        let text = format!("trailing junk after numeric literal at or near \"{digits}\"");
        return Err(SqlError::syntax(text));
    }
    Ok((Datum::Numeric(text.parse::<Numeric>()?), TypeId::NUMERIC))
}

/// The type modifier of an interval with these fields; -1 for none.
pub(super) fn interval_modifier(interval: &Interval) -> Result<i32> {
    let Some(first) = &interval.leading_field else { return Ok(-1) };
    let last = interval.last_field.as_ref().unwrap_or(first);
    let digits = interval.fractional_seconds_precision.or(interval.leading_precision);
    let digits = digits.map_or(0xffff, |digits| digits.min(6) as i32);
    match fields(first, last) {
        Some(mask) => Ok(mask << 16 | digits),
        None => Err(SqlError::syntax(format!("syntax error at or near \"{first}\""))),
    }
}

/// The bits of the fields between two.
fn fields(first: &DateTimeField, last: &DateTimeField) -> Option<i32> {
    let fields =
        [("year", 2), ("month", 1), ("day", 3), ("hour", 10), ("minute", 11), ("second", 12)];
    let place = |field: &DateTimeField| {
        let name = match field {
            DateTimeField::Custom(name) => name.value.to_lowercase(),
            other => other.to_string().to_lowercase(),
        };
        fields.iter().position(|(known, _)| *known == name.trim_end_matches('s'))
    };
    let (first, last) = (place(first)?, place(last)?);
    let named = fields.get(first..=last)?;
    let ranges = first == last || (first < 2) == (last < 2);
    ranges.then(|| named.iter().map(|(_, bit)| 1 << bit).sum())
}
