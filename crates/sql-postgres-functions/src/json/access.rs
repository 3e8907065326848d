//! Looking into `json` and `jsonb`: fields, items, paths, containment.
//!
//! Every function is here twice. A `jsonb` is a tree and is walked; a `json` is a text that was
//! checked when it was read, in which the piece asked for is found without reading the rest
//! ([`scan`]), so that it keeps its blanks and the order of its keys. `->` gives a document, `->>`
//! its text, where a JSON null is NULL.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::{error, invalid, text};
use super::super::table::*;
use super::super::{Call, Function};
use super::scan;
use crate::error::{Result, SqlState};
use crate::types::{Datum, Json};

fn jsonb(value: Option<&Json>) -> Datum {
    value.map_or(Datum::Null, |value| Datum::Jsonb(Arc::new(value.clone())))
}

/// A value as text: strings without their quotes, null as NULL.
pub(super) fn jsonb_text(value: Option<&Json>) -> Datum {
    match value {
        None | Some(Json::Null) => Datum::Null,
        Some(Json::String(value)) => Datum::Text(value.clone()),
        Some(value) => Datum::text(value.to_string()),
    }
}

fn json(value: Option<&str>) -> Datum {
    value.map_or(Datum::Null, Datum::text)
}

/// As [`jsonb_text`] for a piece of `json`.
pub(super) fn json_text(value: Option<&str>) -> Datum {
    match value.map(|value| (value, scan::kind(value))) {
        None | Some((_, scan::Kind::Null)) => Datum::Null,
        Some((value, scan::Kind::String)) => Datum::text(&*scan::string(value)),
        Some((value, _)) => Datum::text(value),
    }
}

fn json_field(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json(scan::get(call.text(0)?, call.text(1)?)))
}

fn json_field_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json_text(scan::get(call.text(0)?, call.text(1)?)))
}

fn json_item(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json(scan::element(call.text(0)?, call.int(1)?)))
}

fn json_item_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json_text(scan::element(call.text(0)?, call.int(1)?)))
}

fn jsonb_field(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb(call.jsonb(0)?.get(call.text(1)?)))
}

fn jsonb_field_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb_text(call.jsonb(0)?.get(call.text(1)?)))
}

/// An item; a scalar is the only item of itself.
fn item<'a>(call: &Call<'a>) -> Result<Option<&'a Json>> {
    let (value, at) = (call.jsonb(0)?, call.int(1)?);
    Ok(match &**value {
        Json::Array(_) => value.element(at),
        Json::Object(_) => None,
        scalar => (at == 0 || at == -1).then_some(scalar),
    })
}

fn jsonb_item(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb(item(call)?))
}

fn jsonb_item_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb_text(item(call)?))
}

/// The steps of a path: the texts of an array, or the arguments after the first.
fn path(call: &Call<'_>) -> Result<Option<Vec<Text>>> {
    let steps: Vec<&Datum> = match call.arg(1) {
        Datum::Array(array) => array.items.iter().collect(),
        _ => call.args.iter().skip(1).collect(),
    };
    let step = |step: &&Datum| match step {
        Datum::Text(step) => Some(step.clone()),
        _ => None,
    };
    Ok(steps.iter().map(step).collect())
}

/// A step that numbers an item, as C's `strtol` reads it.
fn number(step: &str) -> Option<i64> {
    let number: i32 = step.trim_start().parse().ok()?;
    Some(i64::from(number))
}

fn json_path<'a>(call: &Call<'a>) -> Result<Option<&'a str>> {
    let Some(steps) = path(call)? else { return Ok(None) };
    let mut at = call.text(0)?;
    for step in &steps {
        let next = match scan::kind(at) {
            scan::Kind::Object => scan::get(at, step),
            scan::Kind::Array => number(step).and_then(|n| scan::element(at, n)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn json_extract(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json(json_path(call)?))
}

fn json_extract_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(json_text(json_path(call)?))
}

fn jsonb_path<'a>(call: &Call<'a>) -> Result<Option<&'a Json>> {
    let Some(steps) = path(call)? else { return Ok(None) };
    let mut at: &Json = call.jsonb(0)?;
    for step in &steps {
        let next = match at {
            Json::Object(_) => at.get(step),
            Json::Array(_) => number(step).and_then(|n| at.element(n)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

fn jsonb_extract(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb(jsonb_path(call)?))
}

fn jsonb_extract_text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(jsonb_text(jsonb_path(call)?))
}

/// Whether a value contains another: objects by fields, arrays by items in any order; at the top an array
/// also contains a scalar that is one of its items.
fn contains(outer: &Json, inner: &Json, top: bool) -> bool {
    match (outer, inner) {
        (Json::Object(_), Json::Object(pairs)) => pairs
            .iter()
            .all(|(key, value)| outer.get(key).is_some_and(|found| contains(found, value, false))),
        (Json::Array(items), Json::Array(wanted)) => {
            wanted.iter().all(|want| items.iter().any(|item| contains(item, want, false)))
        }
        (Json::Array(items), scalar) if top && !matches!(scalar, Json::Object(_)) => {
            items.contains(scalar)
        }
        (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
        (a, b) => a == b,
    }
}

fn jsonb_contains(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(contains(call.jsonb(0)?, call.jsonb(1)?, true)))
}

fn jsonb_contained(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(contains(call.jsonb(1)?, call.jsonb(0)?, true)))
}

/// Whether a text is a key of an object, an item of an array, or the string itself.
fn has(value: &Json, key: &str) -> bool {
    let is = |item: &Json| matches!(item, Json::String(item) if **item == *key);
    match value {
        Json::Object(_) => value.get(key).is_some(),
        Json::Array(items) => items.iter().any(is),
        value => is(value),
    }
}

fn jsonb_exists(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(has(call.jsonb(0)?, call.text(1)?)))
}

fn keys<'a>(call: &Call<'a>) -> Result<impl Iterator<Item = &'a str>> {
    let items = call.array(1)?.items.iter();
    Ok(items.filter_map(|item| match item {
        Datum::Text(key) => Some(&**key),
        _ => None,
    }))
}

fn jsonb_exists_any(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.jsonb(0)?;
    Ok(Datum::Bool(keys(call)?.any(|key| has(value, key))))
}

fn jsonb_exists_all(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.jsonb(0)?;
    Ok(Datum::Bool(keys(call)?.all(|key| has(value, key))))
}

fn json_typeof(call: &mut Call<'_>) -> Result<Datum> {
    text(scan::kind(call.text(0)?).name())
}

fn jsonb_typeof(call: &mut Call<'_>) -> Result<Datum> {
    text(call.jsonb(0)?.type_name())
}

fn length(n: usize) -> Result<Datum> {
    Ok(Datum::Int(n as i64))
}

fn json_array_length(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    match scan::kind(value) {
        scan::Kind::Array => length(scan::items(value).len()),
        scan::Kind::Object => invalid("cannot get array length of a non-array"),
        _ => invalid("cannot get array length of a scalar"),
    }
}

fn jsonb_array_length(call: &mut Call<'_>) -> Result<Datum> {
    match &**call.jsonb(0)? {
        Json::Array(items) => length(items.len()),
        Json::Object(_) => {
            error(SqlState::INVALID_PARAMETER_VALUE, "cannot get array length of a non-array")
        }
        _ => invalid("cannot get array length of a scalar"),
    }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    function("->", &[JSON, TEXT], JSON, json_field),
    function("->", &[JSON, INT4], JSON, json_item),
    function("->", &[JSONB, TEXT], JSONB, jsonb_field),
    function("->", &[JSONB, INT4], JSONB, jsonb_item),
    function("->>", &[JSON, TEXT], TEXT, json_field_text),
    function("->>", &[JSON, INT4], TEXT, json_item_text),
    function("->>", &[JSONB, TEXT], TEXT, jsonb_field_text),
    function("->>", &[JSONB, INT4], TEXT, jsonb_item_text),
    function("#>", &[JSON, TEXTS], JSON, json_extract),
    function("#>>", &[JSON, TEXTS], TEXT, json_extract_text),
    function("#>", &[JSONB, TEXTS], JSONB, jsonb_extract),
    function("#>>", &[JSONB, TEXTS], TEXT, jsonb_extract_text),
    function("@>", &[JSONB, JSONB], BOOL, jsonb_contains),
    function("<@", &[JSONB, JSONB], BOOL, jsonb_contained),
    function("?", &[JSONB, TEXT], BOOL, jsonb_exists),
    function("?|", &[JSONB, TEXTS], BOOL, jsonb_exists_any),
    function("?&", &[JSONB, TEXTS], BOOL, jsonb_exists_all),
    function("jsonb_contains", &[JSONB, JSONB], BOOL, jsonb_contains),
    function("jsonb_exists", &[JSONB, TEXT], BOOL, jsonb_exists),
    function("jsonb_exists_any", &[JSONB, TEXTS], BOOL, jsonb_exists_any),
    function("jsonb_exists_all", &[JSONB, TEXTS], BOOL, jsonb_exists_all),
    function("json_extract_path", &[JSON, TEXT], JSON, json_extract).variadic(),
    function("json_extract_path_text", &[JSON, TEXT], TEXT, json_extract_text).variadic(),
    function("jsonb_extract_path", &[JSONB, TEXT], JSONB, jsonb_extract).variadic(),
    function("jsonb_extract_path_text", &[JSONB, TEXT], TEXT, jsonb_extract_text).variadic(),
    function("json_typeof", &[JSON], TEXT, json_typeof),
    function("jsonb_typeof", &[JSONB], TEXT, jsonb_typeof),
    function("json_array_length", &[JSON], INT4, json_array_length),
    function("jsonb_array_length", &[JSONB], INT4, jsonb_array_length),
];
