//! Type modifiers: lengths of strings, precision of numbers and times.

use std::sync::Arc;

use hobgoblin_core::Text;

use crate::datetime::round_to;
use crate::error::{Code, Result, SqlError, SqlState};
use crate::{Array, Datum, PgType, TypeEnv, TypeId, builtin, interval, numeric};

/// A value as a column with this modifier holds it; -1 is no modifier.
pub fn coerce_typmod(
    datum: Datum,
    ty: TypeId,
    typmod: i32,
    explicit: bool,
    env: &TypeEnv<'_>,
) -> Result<Datum> {
    Ok(match (ty, datum) {
        (TypeId::BPCHAR, Datum::Text(text) | Datum::Char(text)) => {
            Datum::Char(padded(limited(text, typmod, explicit, "character")?, typmod))
        }
        (TypeId::VARCHAR, Datum::Text(text)) => {
            Datum::Text(limited(text, typmod, explicit, "character varying")?)
        }
        (TypeId::NUMERIC, Datum::Numeric(value)) => {
            Datum::Numeric(numeric::with_typmod(value, typmod)?)
        }
        (TypeId::TIME, Datum::Time(time)) => Datum::Time(round_to(time, typmod)),
        (TypeId::TIMETZ, Datum::TimeTz(time, west)) => Datum::TimeTz(round_to(time, typmod), west),
        (TypeId::TIMESTAMP | TypeId::TIMESTAMPTZ, Datum::Timestamp(timestamp)) => {
            Datum::Timestamp(round_to(timestamp, typmod))
        }
        (TypeId::INTERVAL, Datum::Interval(interval)) => {
            Datum::Interval(interval::with_typmod(interval, typmod))
        }
        (TypeId::BIT | TypeId::VARBIT, Datum::Text(bits)) if typmod >= 0 => {
            Datum::Text(bits_of(bits, ty, typmod as usize, explicit)?)
        }
        (_, Datum::Array(array)) if typmod >= 0 => {
            let Some(element) = builtin::element_type(ty, env.names) else {
                return Ok(Datum::Array(array));
            };
            let items = array.items.iter();
            let items = items
                .map(|item| coerce_typmod(item.clone(), element, typmod, explicit, env))
                .collect::<Result<Vec<_>>>()?;
            Datum::Array(Arc::new(Array { element, dims: array.dims.clone(), items }))
        }
        (_, datum) => datum,
    })
}

/// A string of at most so many characters. Blanks beyond that are dropped; other characters are too
/// in a cast, and are an error otherwise.
fn limited(text: Text, typmod: i32, explicit: bool, ty: &str) -> Result<Text> {
    let Some(limit) = typmod.checked_sub(4).filter(|limit| *limit >= 0) else { return Ok(text) };
    let limit = limit as usize;
    if text.len() <= limit {
        return Ok(text);
    }
    let Some((end, _)) = text.char_indices().nth(limit) else { return Ok(text) };
    if explicit || text[end..].bytes().all(|b| b == b' ') {
        return Ok(text[..end].into());
    }
    Err(SqlError::new(
        SqlState::STRING_DATA_RIGHT_TRUNCATION,
        format!("value too long for type {ty}({limit})"),
    ))
}

/// A string with blanks after it, so that it has as many characters as the modifier says.
fn padded(text: Text, typmod: i32) -> Text {
    let length = usize::try_from(typmod).unwrap_or(0).saturating_sub(4);
    // A character has a byte or more.
    if text.len() >= length && text.chars().count() >= length {
        return text;
    }
    let missing = length - text.chars().count();
    let mut out = String::with_capacity(text.len() + missing);
    out.push_str(&text);
    out.extend(std::iter::repeat_n(' ', missing));
    out.into()
}

fn bits_of(bits: Text, ty: TypeId, length: usize, explicit: bool) -> Result<Text> {
    if ty == TypeId::VARBIT {
        return match bits.get(..length) {
            Some(cut) if cut.len() < bits.len() && explicit => Ok(cut.into()),
            Some(cut) if cut.len() < bits.len() => Err(SqlError::new(
                SqlState::STRING_DATA_RIGHT_TRUNCATION,
                format!("bit string too long for type bit varying({length})"),
            )),
            _ => Ok(bits),
        };
    }
    if bits.len() == length {
        return Ok(bits);
    }
    if !explicit {
        return Err(SqlError::new(
            Code("22026"),
            format!("bit string length {} does not match type bit({length})", bits.len()),
        ));
    }
    let zeros = length.saturating_sub(bits.len());
    Ok(bits.chars().take(length).chain(std::iter::repeat_n('0', zeros)).collect::<String>().into())
}
