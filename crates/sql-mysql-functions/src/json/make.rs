//! Documents made of values.

use hobgoblin_sql_mysql_types::{Kind, MyType, convert};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

use super::access::{a_document, document};
use super::document::{Document, escaped};
use crate::entry::{Entry, Read, or_null, row};

/// A value as a part of a document: numbers and truths are themselves, documents too, all else is a string.
pub(super) fn part(call: &Call<'_>, i: usize) -> Document {
    document_of(call.arg(i), call.my(i), &call.env())
}

/// The text of a value as a part of a document.
pub(crate) fn part_of(value: &Datum, my: MyType, env: &TypeEnv<'_>) -> String {
    document_of(value, my, env).loose()
}

fn document_of(value: &Datum, my: MyType, env: &TypeEnv<'_>) -> Document {
    match value {
        Datum::Null => return Document::Null,
        Datum::Bool(truth) => return Document::Bool(*truth),
        _ => {}
    }
    let text = convert::to_text(value, my, env);
    if my.kind == Kind::Json
        && let Ok(document) = Document::read(&text)
    {
        return document;
    }
    match my.is_number() && my.kind != Kind::Bit {
        true => Document::Number(text.into_owned()),
        false => Document::text(&text),
    }
}

fn object(call: &mut Call<'_>) -> Result<Datum> {
    let members = (0..call.args.len() / 2)
        .map(|pair| (escaped(&call.as_text(2 * pair)), part(call, 2 * pair + 1)));
    let document = Document::Object(members.collect());
    Ok(Datum::text(document.loose()))
}

fn array(call: &mut Call<'_>) -> Result<Datum> {
    let items = (0..call.args.len()).map(|i| part(call, i));
    let document = Document::Array(items.collect());
    Ok(Datum::text(document.loose()))
}

fn quote(call: &mut Call<'_>) -> Result<Datum> {
    match call.my(0).is_text() {
        true => Ok(Datum::text(Document::text(&call.as_text(0)).compact())),
        false => Ok(Datum::Null),
    }
}

fn quoted(types: &[MyType]) -> Result<MyType> {
    super::access::a_document(types)
}

fn compact(call: &mut Call<'_>) -> Result<Datum> {
    or_null(document(call, 0, "json_compact").map(|document| Datum::text(document.compact())))
}

fn loose(call: &mut Call<'_>) -> Result<Datum> {
    or_null(document(call, 0, "json_loose").map(|document| Datum::text(document.loose())))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("json_object", 0..=254, a_document, object).with_nulls(),
    row("json_array", 0..=255, a_document, array).with_nulls(),
    row("json_quote", 1..=1, quoted, quote),
    row("json_compact", 1..=1, a_document, compact),
    row("json_loose", 1..=1, a_document, loose),
];
