//! Changing `jsonb`: joining, deleting, setting, inserting, stripping, and printing it in lines.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::{error, invalid, text};
use super::super::table::*;
use super::super::{Call, Function};
use crate::error::{Result, SqlError, SqlState};
use crate::types::json::quote_into;
use crate::types::{Datum, Json};

fn jsonb(value: Json) -> Result<Datum> {
    Ok(Datum::Jsonb(Arc::new(value)))
}

fn list(value: &Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items.clone(),
        other => vec![other.clone()],
    }
}

/// Objects merge, everything else becomes arrays that join.
fn concat(call: &mut Call<'_>) -> Result<Datum> {
    match (&**call.jsonb(0)?, &**call.jsonb(1)?) {
        (Json::Object(a), Json::Object(b)) => {
            jsonb(Json::object(a.iter().chain(b).cloned().collect()))
        }
        (a, b) => {
            let mut items = list(a);
            items.extend(list(b));
            jsonb(Json::Array(items))
        }
    }
}

fn scalar_delete<T>() -> Result<T> {
    invalid("cannot delete from scalar")
}

fn without(value: &Json, keys: &[&str]) -> Result<Datum> {
    let is = |item: &Json| matches!(item, Json::String(item) if keys.contains(&&**item));
    match value {
        Json::Object(pairs) => {
            let kept = pairs.iter().filter(|(key, _)| !keys.contains(&&**key));
            jsonb(Json::Object(kept.cloned().collect()))
        }
        Json::Array(items) => {
            jsonb(Json::Array(items.iter().filter(|item| !is(item)).cloned().collect()))
        }
        _ => scalar_delete(),
    }
}

fn delete_key(call: &mut Call<'_>) -> Result<Datum> {
    without(call.jsonb(0)?, &[call.text(1)?])
}

fn delete_keys(call: &mut Call<'_>) -> Result<Datum> {
    let keys: Vec<&str> = call
        .array(1)?
        .items
        .iter()
        .filter_map(|item| if let Datum::Text(key) = item { Some(&**key) } else { None })
        .collect();
    without(call.jsonb(0)?, &keys)
}

fn delete_item(call: &mut Call<'_>) -> Result<Datum> {
    match &**call.jsonb(0)? {
        Json::Array(items) => {
            let at = place(call.int(1)?, items.len());
            let kept = items.iter().enumerate().filter(|&(i, _)| Some(i) != at);
            jsonb(Json::Array(kept.map(|(_, item)| item.clone()).collect()))
        }
        Json::Object(_) => invalid("cannot delete from object using integer index"),
        _ => scalar_delete(),
    }
}

/// An index from either end.
fn place(at: i64, n: usize) -> Option<usize> {
    let at = if at < 0 { at.checked_add(n as i64)? } else { at };
    usize::try_from(at).ok().filter(|&at| at < n)
}

/// What to do at the end of a path.
enum Change {
    Delete,
    /// Replaces, and creates if the flag is set.
    Set(Json, bool),
    /// Inserts before, or after if the flag is set.
    Insert(Json, bool),
}

fn steps(call: &Call<'_>) -> Result<Vec<Text>> {
    let array = call.array(1)?;
    if array.dims.len() > 1 {
        return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts");
    }
    let step = |(i, item): (usize, &Datum)| match item {
        Datum::Text(step) => Ok(step.clone()),
        _ => error(
            SqlState::NULL_VALUE_NOT_ALLOWED,
            format!("path element at position {} is null", i + 1),
        ),
    };
    array.items.iter().enumerate().map(step).collect()
}

fn along(value: &Json, path: &[Text], depth: usize, change: &Change) -> Result<Json> {
    let Some(step) = path.get(depth) else { return Ok(value.clone()) };
    let last = depth + 1 == path.len();
    match value {
        Json::Object(pairs) => {
            let mut pairs = pairs.clone();
            let at = pairs.iter().position(|(key, _)| key == step);
            match (at, change) {
                (Some(at), _) if !last => {
                    if let Some((_, inner)) = pairs.get_mut(at) {
                        *inner = along(inner, path, depth + 1, change)?;
                    }
                }
                (Some(at), Change::Delete) => {
                    pairs.remove(at);
                }
                (Some(at), Change::Set(new, _)) => {
                    if let Some((_, inner)) = pairs.get_mut(at) {
                        *inner = new.clone();
                    }
                }
                (Some(_), Change::Insert(..)) => {
                    return invalid("cannot replace existing key").map_err(|e: SqlError| {
                        e.hint("Try using the function jsonb_set to replace key value.")
                    });
                }
                (None, Change::Set(new, true) | Change::Insert(new, _)) if last => {
                    pairs.push((step.clone(), new.clone()));
                }
                (None, _) => {}
            }
            Ok(Json::object(pairs))
        }
        Json::Array(items) => {
            let mut items = items.clone();
            let Ok(index) = step.trim_start().parse::<i32>() else {
                return error(
                    SqlState::INVALID_TEXT_REPRESENTATION,
                    format!("path element at position {} is not an integer: \"{step}\"", depth + 1),
                );
            };
            let index = i64::from(index);
            match (place(index, items.len()), change) {
                (Some(at), _) if !last => {
                    if let Some(inner) = items.get_mut(at) {
                        *inner = along(inner, path, depth + 1, change)?;
                    }
                }
                (Some(at), Change::Delete) => {
                    items.remove(at);
                }
                (Some(at), Change::Set(new, _)) => {
                    if let Some(inner) = items.get_mut(at) {
                        *inner = new.clone();
                    }
                }
                (Some(at), Change::Insert(new, after)) => {
                    items.insert(at + usize::from(*after), new.clone());
                }
                (None, Change::Set(new, true) | Change::Insert(new, _)) if last => {
                    let at = if index < 0 { 0 } else { items.len() };
                    items.insert(at, new.clone());
                }
                (None, _) => {}
            }
            Ok(Json::Array(items))
        }
        scalar => Ok(scalar.clone()),
    }
}

fn change(call: &Call<'_>, change: &Change) -> Result<Datum> {
    let value = call.jsonb(0)?;
    let path = steps(call)?;
    if !matches!(**value, Json::Object(_) | Json::Array(_)) {
        return match change {
            Change::Delete => invalid("cannot delete path in scalar"),
            _ => invalid("cannot set path in scalar"),
        };
    }
    let empty = match &**value {
        Json::Array(items) => items.is_empty(),
        Json::Object(pairs) => pairs.is_empty(),
        _ => false,
    };
    if empty && matches!(change, Change::Delete | Change::Set(_, false)) {
        return Ok(call.arg(0).clone());
    }
    jsonb(along(value, &path, 0, change)?)
}

fn delete_path(call: &mut Call<'_>) -> Result<Datum> {
    change(call, &Change::Delete)
}

fn jsonb_set(call: &mut Call<'_>) -> Result<Datum> {
    let create = if call.args.len() > 3 { call.bool(3)? } else { true };
    change(call, &Change::Set((**call.jsonb(2)?).clone(), create))
}

fn jsonb_insert(call: &mut Call<'_>) -> Result<Datum> {
    let after = if call.args.len() > 3 { call.bool(3)? } else { false };
    change(call, &Change::Insert((**call.jsonb(2)?).clone(), after))
}

fn stripped(value: &Json) -> Json {
    match value {
        Json::Object(pairs) => {
            let kept = pairs.iter().filter(|(_, value)| !matches!(value, Json::Null));
            Json::Object(kept.map(|(key, value)| (key.clone(), stripped(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(stripped).collect()),
        scalar => scalar.clone(),
    }
}

fn jsonb_strip_nulls(call: &mut Call<'_>) -> Result<Datum> {
    jsonb(stripped(call.jsonb(0)?))
}

fn pretty(out: &mut String, value: &Json, depth: usize) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", depth));
    };
    match value {
        Json::Object(pairs) => {
            out.push('{');
            for (i, (key, value)) in pairs.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                quote_into(out, key);
                out.push_str(": ");
                pretty(out, value, depth + 1);
            }
            indent(out, depth);
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                pretty(out, item, depth + 1);
            }
            indent(out, depth);
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn jsonb_pretty(call: &mut Call<'_>) -> Result<Datum> {
    let mut out = String::new();
    pretty(&mut out, call.jsonb(0)?, 0);
    text(out)
}

pub(crate) static FUNCTIONS: &[Function] = &[
    function("||", &[JSONB, JSONB], JSONB, concat),
    function("-", &[JSONB, TEXT], JSONB, delete_key),
    function("-", &[JSONB, TEXTS], JSONB, delete_keys),
    function("-", &[JSONB, INT4], JSONB, delete_item),
    function("#-", &[JSONB, TEXTS], JSONB, delete_path),
    function("jsonb_concat", &[JSONB, JSONB], JSONB, concat),
    function("jsonb_delete", &[JSONB, TEXT], JSONB, delete_key),
    function("jsonb_delete", &[JSONB, INT4], JSONB, delete_item),
    function("jsonb_delete_path", &[JSONB, TEXTS], JSONB, delete_path),
    function("jsonb_set", &[JSONB, TEXTS, JSONB], JSONB, jsonb_set),
    function("jsonb_set", &[JSONB, TEXTS, JSONB, BOOL], JSONB, jsonb_set),
    function("jsonb_insert", &[JSONB, TEXTS, JSONB], JSONB, jsonb_insert),
    function("jsonb_insert", &[JSONB, TEXTS, JSONB, BOOL], JSONB, jsonb_insert),
    function("jsonb_strip_nulls", &[JSONB], JSONB, jsonb_strip_nulls),
    function("jsonb_pretty", &[JSONB], TEXT, jsonb_pretty),
];
