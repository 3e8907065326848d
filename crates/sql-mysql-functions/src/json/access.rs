//! What is in a document.

use hobgoblin_sql_mysql_types::error::{INVALID_JSON, INVALID_JSON_PATH, error};
use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use super::document::{Bad, Document, unescaped, unquoted};
use super::path::{self, Step};
use crate::entry::{Entry, Read, a_text, a_truth, int, or_null, row, text_of};

/// A document's type: known to be one, of any length.
pub(super) fn a_document(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(types, "json")?;
    let collation = if collation == Collation::BINARY { Collation::DEFAULT } else { collation };
    let coercibility = Coercibility::Literal;
    // Blanks after commas and colons make it longer than what it is made of.
    let length = types.iter().map(|ty| common::text_length(*ty).saturating_mul(2) + 16).sum();
    Ok(MyType { collation, coercibility, length, ..MyType::new(Kind::Json) })
}

/// An argument as a document; NULL and a warning where it is none.
pub(super) fn document(call: &Call<'_>, i: usize, function: &str) -> Option<Document> {
    if call.null(i) {
        return None;
    }
    let text = call.as_text(i);
    match Document::read(&text) {
        Ok(document) => Some(document),
        Err(bad) => {
            let place = i + 1;
            let (number, message) = match bad {
                Bad::At(at) => (
                    INVALID_JSON,
                    format!(
                        "Syntax error in JSON text in argument {place} to function '{function}' at position {at}"
                    ),
                ),
                Bad::Ended => (
                    4037,
                    format!(
                        "Unexpected end of JSON text in argument {place} to function '{function}'"
                    ),
                ),
                Bad::Deep(at) => (
                    4040,
                    format!(
                        "Limit of 32 on JSON nested structures depth is reached in argument {place} to function '{function}' at position {at}"
                    ),
                ),
            };
            call.settings().warn(number, message);
            None
        }
    }
}

/// An argument as a path; NULL and a warning where it is none.
pub(super) fn steps(call: &Call<'_>, i: usize, function: &str) -> Option<Vec<Step>> {
    if call.null(i) {
        return None;
    }
    match path::read(&call.as_text(i)) {
        Ok(steps) => Some(steps),
        Err(at) => {
            let message = format!(
                "Syntax error in JSON path in argument {} to function '{function}' at position {at}",
                i + 1
            );
            call.settings().warn(INVALID_JSON_PATH, message);
            None
        }
    }
}

/// All that paths from an argument on mean, and whether there may be several.
fn extracted(call: &Call<'_>, function: &str) -> Option<(Vec<Document>, bool)> {
    let document = document(call, 0, function)?;
    let (mut all, mut several) = (Vec::new(), call.args.len() > 2);
    for i in 1..call.args.len() {
        let steps = steps(call, i, function)?;
        several |= path::is_wild(&steps);
        let mut found = Vec::new();
        path::find(&document, &steps, &mut found);
        all.extend(found.into_iter().cloned());
    }
    Some((all, several))
}

fn extract(call: &mut Call<'_>) -> Result<Datum> {
    let Some((mut found, several)) = extracted(call, "json_extract") else {
        return Ok(Datum::Null);
    };
    or_null(match several {
        _ if found.is_empty() => None,
        false => found.pop().map(|document| Datum::text(document.loose())),
        true => Some(Datum::text(Document::Array(found).loose())),
    })
}

/// `->>`: what is found, without quotes.
fn extract_unquoted(call: &mut Call<'_>) -> Result<Datum> {
    Ok(match extract(call)? {
        Datum::Text(text) => Datum::text(unquoted(&text)),
        other => other,
    })
}

fn unquote(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::text(unquoted(&call.as_text(0))))
}

fn value(call: &mut Call<'_>) -> Result<Datum> {
    let found = extracted(call, "json_value").map(|(found, _)| found).unwrap_or_default();
    let scalar = found.into_iter().find(|document| !document.is_container());
    or_null(scalar.and_then(|document| match document {
        Document::Text(raw) => Some(Datum::text(unescaped(&raw))),
        Document::Null => None,
        Document::Bool(truth) => Some(Datum::text(if truth { "1" } else { "0" })),
        other => Some(Datum::text(other.compact())),
    }))
}

fn query(call: &mut Call<'_>) -> Result<Datum> {
    let found = extracted(call, "json_query").map(|(found, _)| found).unwrap_or_default();
    let container = found.into_iter().find(Document::is_container);
    or_null(container.map(|document| Datum::text(document.compact())))
}

fn exists(call: &mut Call<'_>) -> Result<Datum> {
    or_null(extracted(call, "json_exists").map(|(found, _)| Datum::Bool(!found.is_empty())))
}

fn valid(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(document(call, 0, "json_valid").is_some()))
}

/// The document, or what the path in the second argument means in it.
fn part(call: &Call<'_>, function: &str) -> Option<Document> {
    let document = document(call, 0, function)?;
    if call.args.len() < 2 {
        return Some(document);
    }
    let steps = steps(call, 1, function)?;
    let mut found = Vec::new();
    path::find(&document, &steps, &mut found);
    found.first().map(|found| (*found).clone())
}

fn length(call: &mut Call<'_>) -> Result<Datum> {
    or_null(part(call, "json_length").map(|document| {
        Datum::Int(match document {
            Document::Array(items) => items.len() as i64,
            Document::Object(members) => members.len() as i64,
            _ => 1,
        })
    }))
}

fn depth_of(document: &Document) -> i64 {
    match document {
        Document::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Document::Object(members) => {
            1 + members.iter().map(|(_, value)| depth_of(value)).max().unwrap_or(0)
        }
        _ => 1,
    }
}

fn depth(call: &mut Call<'_>) -> Result<Datum> {
    or_null(document(call, 0, "json_depth").map(|document| Datum::Int(depth_of(&document))))
}

fn type_of(call: &mut Call<'_>) -> Result<Datum> {
    or_null(document(call, 0, "json_type").map(|document| {
        Datum::text(match document {
            Document::Null => "NULL",
            Document::Bool(_) => "BOOLEAN",
            Document::Number(digits) if digits.contains(['.', 'e', 'E']) => "DOUBLE",
            Document::Number(_) => "INTEGER",
            Document::Text(_) => "STRING",
            Document::Array(_) => "ARRAY",
            Document::Object(_) => "OBJECT",
        })
    }))
}

fn keys(call: &mut Call<'_>) -> Result<Datum> {
    or_null(match part(call, "json_keys") {
        Some(Document::Object(members)) => {
            let mut keys: Vec<Document> = Vec::new();
            for (key, _) in members {
                let key = Document::Text(key);
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
            Some(Datum::text(Document::Array(keys).loose()))
        }
        _ => None,
    })
}

/// Whether all of a document is in another.
fn contains(whole: &Document, part: &Document) -> bool {
    match (whole, part) {
        (Document::Array(items), Document::Array(parts)) => {
            parts.iter().all(|part| items.iter().any(|item| contains(item, part)))
        }
        (Document::Array(items), part) => items.iter().any(|item| contains(item, part)),
        (Document::Object(members), Document::Object(parts)) => parts.iter().all(|(key, part)| {
            members.iter().any(|(own, value)| own == key && contains(value, part))
        }),
        (whole, part) => whole.same(part),
    }
}

fn has(call: &mut Call<'_>) -> Result<Datum> {
    let Some(mut whole) = document(call, 0, "json_contains") else { return Ok(Datum::Null) };
    let Some(wanted) = document(call, 1, "json_contains") else { return Ok(Datum::Null) };
    if call.args.len() > 2 {
        let Some(steps) = steps(call, 2, "json_contains") else { return Ok(Datum::Null) };
        let mut found = Vec::new();
        path::find(&whole, &steps, &mut found);
        let Some(first) = found.first().map(|found| (*found).clone()) else {
            return Ok(Datum::Null);
        };
        whole = first;
    }
    Ok(Datum::Bool(contains(&whole, &wanted)))
}

/// Whether `'one'` or `'all'` is asked for.
fn all_wanted(call: &Call<'_>, i: usize, function: &str) -> Result<bool> {
    match &*call.as_text(i).to_ascii_lowercase() {
        "one" => Ok(false),
        "all" => Ok(true),
        _ => {
            let message =
                format!("Argument 2 to function '{function}' must be \"one\" or \"all\".");
            Err(error(4046, message))
        }
    }
}

fn has_path(call: &mut Call<'_>) -> Result<Datum> {
    let all = all_wanted(call, 1, "json_contains_path")?;
    let Some(document) = document(call, 0, "json_contains_path") else { return Ok(Datum::Null) };
    let mut truths = Vec::new();
    for i in 2..call.args.len() {
        let Some(steps) = steps(call, i, "json_contains_path") else { return Ok(Datum::Null) };
        let mut found = Vec::new();
        path::find(&document, &steps, &mut found);
        truths.push(!found.is_empty());
    }
    Ok(Datum::Bool(match all {
        true => truths.iter().all(|truth| *truth),
        false => truths.iter().any(|truth| *truth),
    }))
}

fn a_count(_: &[MyType]) -> Result<MyType> {
    Ok(int(10))
}

fn a_value(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    Ok(text_of(common::text_length(first), Collation::DEFAULT, Coercibility::Literal))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("json_extract", 2..=255, a_document, extract),
    row("json_extract_unquoted", 2..=2, a_value, extract_unquoted),
    row("json_unquote", 1..=1, a_value, unquote),
    row("json_value", 2..=2, a_value, value),
    row("json_query", 2..=2, a_document, query),
    row("json_exists", 2..=2, a_truth, exists),
    row("json_valid", 1..=1, a_truth, valid),
    row("json_length", 1..=2, a_count, length),
    row("json_depth", 1..=1, a_count, depth),
    row("json_type", 1..=1, a_text, type_of),
    row("json_keys", 1..=2, a_document, keys),
    row("json_contains", 2..=3, a_truth, has),
    row("json_contains_path", 3..=255, a_truth, has_path),
];
