//! The pieces of `json` and `jsonb` as rows.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::invalid;
use super::super::table::*;
use super::super::{Call, SetFunction};
use super::access::{json_text, jsonb_text};
use super::scan::{self, Kind};
use crate::error::Result;
use crate::types::{Datum, Json, TypeId};

type Rows = Result<Vec<Vec<Datum>>>;

fn object<'a>(call: &Call<'a>, name: &str) -> Result<&'a str> {
    let value = call.text(0)?;
    match scan::kind(value) {
        Kind::Object => Ok(value),
        Kind::Array => invalid(format!("cannot call {name} on an array")),
        _ => invalid(format!("cannot call {name} on a scalar")),
    }
}

fn deconstructed(call: &Call<'_>) -> Result<Vec<(Text, Text)>> {
    let value = call.text(0)?;
    match scan::kind(value) {
        Kind::Object => Ok(scan::pairs(value)
            .into_iter()
            .map(|(k, v)| (Text::from(&*k), Text::from(v)))
            .collect()),
        Kind::Array => invalid("cannot deconstruct an array as an object"),
        _ => invalid("cannot deconstruct a scalar"),
    }
}

fn json_each(call: &mut Call<'_>) -> Rows {
    let pairs = deconstructed(call)?.into_iter();
    call.gather(pairs.map(|(key, value)| vec![Datum::Text(key), Datum::Text(value)]))
}

fn json_each_text(call: &mut Call<'_>) -> Rows {
    let pairs = deconstructed(call)?.into_iter();
    call.gather(pairs.map(|(key, value)| vec![Datum::Text(key), json_text(Some(&value))]))
}

fn fields<'a>(call: &Call<'a>, name: &str) -> Result<&'a [(Text, Json)]> {
    match &**call.jsonb(0)? {
        Json::Object(pairs) => Ok(pairs),
        Json::Array(_) if name == "jsonb_object_keys" => {
            invalid(format!("cannot call {name} on an array"))
        }
        _ if name == "jsonb_object_keys" => invalid(format!("cannot call {name} on a scalar")),
        _ => invalid(format!("cannot call {name} on a non-object")),
    }
}

fn jsonb_each(call: &mut Call<'_>) -> Rows {
    let pairs = fields(call, "jsonb_each")?.iter();
    let row = |(key, value): &(Text, Json)| {
        vec![Datum::Text(key.clone()), Datum::Jsonb(Arc::new(value.clone()))]
    };
    call.gather(pairs.map(row))
}

fn jsonb_each_text(call: &mut Call<'_>) -> Rows {
    let pairs = fields(call, "jsonb_each_text")?.iter();
    call.gather(pairs.map(|(key, value)| vec![Datum::Text(key.clone()), jsonb_text(Some(value))]))
}

fn json_object_keys(call: &mut Call<'_>) -> Rows {
    let value = object(call, "json_object_keys")?;
    call.gather(scan::pairs(value).into_iter().map(|(key, _)| vec![Datum::text(&*key)]))
}

fn jsonb_object_keys(call: &mut Call<'_>) -> Rows {
    let pairs = fields(call, "jsonb_object_keys")?.iter();
    call.gather(pairs.map(|(key, _)| vec![Datum::Text(key.clone())]))
}

fn json_items<'a>(call: &Call<'a>, name: &str) -> Result<Vec<&'a str>> {
    let value = call.text(0)?;
    match scan::kind(value) {
        Kind::Array => Ok(scan::items(value)),
        Kind::Object => invalid(format!("cannot call {name} on a non-array")),
        _ => invalid(format!("cannot call {name} on a scalar")),
    }
}

fn json_array_elements(call: &mut Call<'_>) -> Rows {
    let items = json_items(call, "json_array_elements")?;
    call.gather(items.into_iter().map(|item| vec![Datum::text(item)]))
}

fn json_array_elements_text(call: &mut Call<'_>) -> Rows {
    let items = json_items(call, "json_array_elements_text")?;
    call.gather(items.into_iter().map(|item| vec![json_text(Some(item))]))
}

fn jsonb_items<'a>(call: &Call<'a>) -> Result<&'a [Json]> {
    match &**call.jsonb(0)? {
        Json::Array(items) => Ok(items),
        Json::Object(_) => invalid("cannot extract elements from an object"),
        _ => invalid("cannot extract elements from a scalar"),
    }
}

fn jsonb_array_elements(call: &mut Call<'_>) -> Rows {
    let items = jsonb_items(call)?.iter();
    call.gather(items.map(|item| vec![Datum::Jsonb(Arc::new(item.clone()))]))
}

fn jsonb_array_elements_text(call: &mut Call<'_>) -> Rows {
    call.gather(jsonb_items(call)?.iter().map(|item| vec![jsonb_text(Some(item))]))
}

const JSON_PAIR: &[(&str, TypeId)] = &[("key", TEXT), ("value", JSON)];
const JSONB_PAIR: &[(&str, TypeId)] = &[("key", TEXT), ("value", JSONB)];
const TEXT_PAIR: &[(&str, TypeId)] = &[("key", TEXT), ("value", TEXT)];

pub(crate) static SETS: &[SetFunction] = &[
    rows("json_each", &[JSON], JSON_PAIR, json_each),
    rows("json_each_text", &[JSON], TEXT_PAIR, json_each_text),
    rows("jsonb_each", &[JSONB], JSONB_PAIR, jsonb_each),
    rows("jsonb_each_text", &[JSONB], TEXT_PAIR, jsonb_each_text),
    rows("json_object_keys", &[JSON], &[("", TEXT)], json_object_keys),
    rows("jsonb_object_keys", &[JSONB], &[("", TEXT)], jsonb_object_keys),
    rows("json_array_elements", &[JSON], &[("value", JSON)], json_array_elements),
    rows("json_array_elements_text", &[JSON], &[("value", TEXT)], json_array_elements_text),
    rows("jsonb_array_elements", &[JSONB], &[("value", JSONB)], jsonb_array_elements),
    rows("jsonb_array_elements_text", &[JSONB], &[("value", TEXT)], jsonb_array_elements_text),
];
