//! Bits as texts: MAKE_SET, EXPORT_SET.

use hobgoblin_sql_mysql_types::{Coercibility, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use crate::arithmetic::bits;
use crate::entry::{Entry, Read, row, text_of};

/// Those of the texts whose bits are set, with commas between them; NULLs are passed over.
fn make_set(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let set = bits(call, 0);
    let chosen = (1..call.args.len().min(65)).filter(|i| set >> (i - 1) & 1 == 1 && !call.null(*i));
    let texts: Vec<String> = chosen.map(|i| call.as_text(i).into_owned()).collect();
    Ok(call.texts(texts.join(",")))
}

/// A text for each bit, one if it is set and another if not, from the lowest on.
fn export_set(call: &mut Call<'_>) -> Result<Datum> {
    let set = bits(call, 0);
    let count = match call.args.len() {
        5 => usize::try_from(call.as_integer(4)).map_or(64, |count| count.min(64)),
        _ => 64,
    };
    let (on, off) = (call.as_text(1), call.as_text(2));
    let between = if call.args.len() > 3 { call.as_text(3) } else { ",".into() };
    let texts: Vec<&str> =
        (0..count).map(|at| if set >> at & 1 == 1 { &*on } else { &*off }).collect();
    let text = texts.join(&between);
    Ok(call.texts(text))
}

/// As long as all the texts with commas between them.
fn of_texts(types: &[MyType]) -> Result<MyType> {
    let texts = types.get(1..).unwrap_or_default();
    let (collation, hold) = common::collation_of(texts, "make_set")?;
    let length: u32 = texts.iter().map(|ty| common::text_length(*ty)).sum();
    let commas = u32::try_from(texts.len().saturating_sub(1)).unwrap_or(0);
    Ok(text_of(length + commas, collation, hold.max(Coercibility::Explicit)))
}

/// Sixty-four of the longer text, with what is between them.
fn of_bits(types: &[MyType]) -> Result<MyType> {
    let texts = types.get(1..types.len().min(4)).unwrap_or_default();
    let (collation, hold) = common::collation_of(texts, "export_set")?;
    let length = |i: usize| types.get(i).map_or(1, |ty| common::text_length(*ty));
    Ok(text_of(length(1).max(length(2)) * 64 + length(3) * 63, collation, hold))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("make_set", 2..=255, of_texts, make_set).with_nulls(),
    row("export_set", 3..=5, of_bits, export_set),
];
