//! hstore: sets of keys with texts or NULL.

use std::cmp::Ordering;
use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::{error, mismatch};
use super::super::table::*;
use super::super::{Call, Function, SetFunction};
use hobgoblin_sql_value::Problem;

use crate::error::{Result, SqlState};
use crate::types::hstore::{Hstore, Pair};
use crate::types::{Array, Datum, PgType, TypeId, text};

const HSTORE: TypeId = TypeId::HSTORE;
const BOTH: &[TypeId] = &[HSTORE, HSTORE];

pub(super) static OPERATORS: &[Function] = &[
    function("->", &[HSTORE, TEXT], TEXT, fetch),
    function("->", &[HSTORE, TEXTS], TEXTS, slice_array),
    function("?", &[HSTORE, TEXT], BOOL, exist),
    function("?|", &[HSTORE, TEXTS], BOOL, exists_any),
    function("?&", &[HSTORE, TEXTS], BOOL, exists_all),
    function("-", &[HSTORE, TEXT], HSTORE, delete_key),
    function("-", &[HSTORE, TEXTS], HSTORE, delete_keys),
    function("-", BOTH, HSTORE, delete_pairs),
    function("||", BOTH, HSTORE, concat),
    function("@>", BOTH, BOOL, |call| {
        Ok(Datum::Bool(contains(hstore(call, 0)?, hstore(call, 1)?)))
    }),
    function("<@", BOTH, BOOL, |call| {
        Ok(Datum::Bool(contains(hstore(call, 1)?, hstore(call, 0)?)))
    }),
    function("%%", &[HSTORE], TEXTS, to_array),
    function("%#", &[HSTORE], TEXTS, to_matrix),
    function("#=", &[ANYELEMENT, HSTORE], ANYELEMENT, populate).with_nulls(),
];

macro_rules! comparisons {
    ($($symbol:literal $name:literal $holds:expr;)*) => {
        &[$(
            function($symbol, BOTH, BOOL, |call| compare(call, $holds)),
            function($name, BOTH, BOOL, |call| compare(call, $holds)),
        )*]
    };
}

pub(super) static COMPARISONS: &[Function] = comparisons! {
    "=" "hstore_eq" Ordering::is_eq;
    "<>" "hstore_ne" Ordering::is_ne;
    "#<#" "hstore_lt" Ordering::is_lt;
    "#<=#" "hstore_le" Ordering::is_le;
    "#>#" "hstore_gt" Ordering::is_gt;
    "#>=#" "hstore_ge" Ordering::is_ge;
};

pub(super) static FUNCTIONS: &[Function] = &[
    function("hstore", &[TEXT, TEXT], HSTORE, of_pair).with_nulls(),
    function("tconvert", &[TEXT, TEXT], HSTORE, of_pair).with_nulls(),
    function("hstore", &[TEXTS, TEXTS], HSTORE, of_arrays).with_nulls(),
    function("hstore", &[TEXTS], HSTORE, of_array),
    function("hstore", &[RECORD], HSTORE, of_record).with_nulls(),
    function("fetchval", &[HSTORE, TEXT], TEXT, fetch),
    function("slice_array", &[HSTORE, TEXTS], TEXTS, slice_array),
    function("slice", &[HSTORE, TEXTS], HSTORE, slice),
    function("isexists", &[HSTORE, TEXT], BOOL, exist),
    function("exist", &[HSTORE, TEXT], BOOL, exist),
    function("exists_any", &[HSTORE, TEXTS], BOOL, exists_any),
    function("exists_all", &[HSTORE, TEXTS], BOOL, exists_all),
    function("isdefined", &[HSTORE, TEXT], BOOL, defined),
    function("defined", &[HSTORE, TEXT], BOOL, defined),
    function("delete", &[HSTORE, TEXT], HSTORE, delete_key),
    function("delete", &[HSTORE, TEXTS], HSTORE, delete_keys),
    function("delete", BOTH, HSTORE, delete_pairs),
    function("hs_concat", BOTH, HSTORE, concat),
    function("hs_contains", BOTH, BOOL, |call| {
        Ok(Datum::Bool(contains(hstore(call, 0)?, hstore(call, 1)?)))
    }),
    function("hs_contained", BOTH, BOOL, |call| {
        Ok(Datum::Bool(contains(hstore(call, 1)?, hstore(call, 0)?)))
    }),
    function("hstore_cmp", BOTH, INT4, |call| {
        Ok(Datum::Int(call.arg(0).compare(call.arg(1)) as i64))
    }),
    function("hstore_to_array", &[HSTORE], TEXTS, to_array),
    function("hstore_to_matrix", &[HSTORE], TEXTS, to_matrix),
    function("akeys", &[HSTORE], TEXTS, |call| {
        Ok(list(hstore(call, 0)?.pairs().iter().map(|(key, _)| Datum::Text(key.clone())).collect()))
    }),
    function("avals", &[HSTORE], TEXTS, |call| {
        Ok(list(hstore(call, 0)?.pairs().iter().map(|(_, value)| optional(value)).collect()))
    }),
    function("hstore_to_json", &[HSTORE], JSON, |call| {
        Ok(Datum::text(text::json_of(hstore(call, 0)?, false)))
    }),
    function("hstore_to_json_loose", &[HSTORE], JSON, |call| {
        Ok(Datum::text(text::json_of(hstore(call, 0)?, true)))
    }),
    function("hstore_to_jsonb", &[HSTORE], JSONB, |call| {
        Ok(Datum::Jsonb(Arc::new(text::jsonb_of(hstore(call, 0)?, false))))
    }),
    function("hstore_to_jsonb_loose", &[HSTORE], JSONB, |call| {
        Ok(Datum::Jsonb(Arc::new(text::jsonb_of(hstore(call, 0)?, true))))
    }),
    function("populate_record", &[ANYELEMENT, HSTORE], ANYELEMENT, populate).with_nulls(),
];

pub(super) static SETS: &[SetFunction] = &[
    rows("skeys", &[HSTORE], &[("", TEXT)], |call| {
        let keys = hstore(call, 0)?;
        Ok(keys.pairs().iter().map(|(key, _)| vec![Datum::Text(key.clone())]).collect())
    }),
    rows("svals", &[HSTORE], &[("", TEXT)], |call| {
        Ok(hstore(call, 0)?.pairs().iter().map(|(_, value)| vec![optional(value)]).collect())
    }),
    rows("each", &[HSTORE], &[("key", TEXT), ("value", TEXT)], |call| {
        let pair = |(key, value): &Pair| vec![Datum::Text(key.clone()), optional(value)];
        Ok(hstore(call, 0)?.pairs().iter().map(pair).collect())
    }),
];

fn hstore<'a>(call: &Call<'a>, at: usize) -> Result<&'a Hstore> {
    match call.arg(at) {
        Datum::Hstore(value) => Ok(value),
        other => mismatch("an hstore", other),
    }
}

fn optional(value: &Option<Text>) -> Datum {
    value.as_ref().map_or(Datum::Null, |value| Datum::Text(value.clone()))
}

/// An array of texts.
fn list(items: Vec<Datum>) -> Datum {
    let dims = if items.is_empty() { Vec::new() } else { vec![(items.len(), 1)] };
    Datum::Array(Arc::new(Array { element: TypeId::TEXT, dims, items }))
}

/// The texts of an array; NULLs are none.
fn texts(call: &Call<'_>, at: usize) -> Result<Vec<Option<Text>>> {
    let item = |item: &Datum| match item {
        Datum::Text(text) => Some(text.clone()),
        _ => None,
    };
    Ok(call.array(at)?.items.iter().map(item).collect())
}

fn keys(call: &Call<'_>, at: usize) -> Result<Vec<Text>> {
    Ok(texts(call, at)?.into_iter().flatten().collect())
}

fn fetch(call: &mut Call<'_>) -> Result<Datum> {
    let value = hstore(call, 0)?;
    let found = value.get(call.text(1)?).flatten();
    Ok(found.map_or(Datum::Null, |text| Datum::Text(text.clone())))
}

fn slice_array(call: &mut Call<'_>) -> Result<Datum> {
    let value = hstore(call, 0)?;
    let array = call.array(1)?;
    let item = |key: Option<Text>| {
        let found = key.and_then(|key| value.get(&key).flatten().cloned());
        found.map_or(Datum::Null, Datum::Text)
    };
    let items: Vec<Datum> = texts(call, 1)?.into_iter().map(item).collect();
    if items.is_empty() {
        return Ok(list(items));
    }
    Ok(Datum::Array(Arc::new(Array { element: TypeId::TEXT, dims: array.dims.clone(), items })))
}

fn slice(call: &mut Call<'_>) -> Result<Datum> {
    let value = hstore(call, 0)?;
    let pair = |key: Text| value.get(&key).map(|found| (key.clone(), found.cloned()));
    Ok(Hstore::new(keys(call, 1)?.into_iter().filter_map(pair).collect()).datum())
}

fn exist(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(hstore(call, 0)?.get(call.text(1)?).is_some()))
}

fn defined(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(hstore(call, 0)?.get(call.text(1)?).flatten().is_some()))
}

fn exists_any(call: &mut Call<'_>) -> Result<Datum> {
    let value = hstore(call, 0)?;
    Ok(Datum::Bool(keys(call, 1)?.iter().any(|key| value.get(key).is_some())))
}

fn exists_all(call: &mut Call<'_>) -> Result<Datum> {
    let value = hstore(call, 0)?;
    Ok(Datum::Bool(keys(call, 1)?.iter().all(|key| value.get(key).is_some())))
}

fn kept(value: &Hstore, keep: impl Fn(&Pair) -> bool) -> Datum {
    Hstore::new(value.pairs().iter().filter(|pair| keep(pair)).cloned().collect()).datum()
}

fn delete_key(call: &mut Call<'_>) -> Result<Datum> {
    let key = call.text(1)?;
    Ok(kept(hstore(call, 0)?, |pair| &*pair.0 != key))
}

fn delete_keys(call: &mut Call<'_>) -> Result<Datum> {
    let keys = keys(call, 1)?;
    Ok(kept(hstore(call, 0)?, |pair| !keys.contains(&pair.0)))
}

fn delete_pairs(call: &mut Call<'_>) -> Result<Datum> {
    let other = hstore(call, 1)?;
    Ok(kept(hstore(call, 0)?, |pair| other.get(&pair.0) != Some(pair.1.as_ref())))
}

fn concat(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (hstore(call, 0)?, hstore(call, 1)?);
    Ok(Hstore::new(b.pairs().iter().chain(a.pairs()).cloned().collect()).datum())
}

fn contains(whole: &Hstore, part: &Hstore) -> bool {
    part.pairs().iter().all(|(key, value)| whole.get(key) == Some(value.as_ref()))
}

fn compare(call: &mut Call<'_>, holds: fn(Ordering) -> bool) -> Result<Datum> {
    Ok(Datum::Bool(holds(call.arg(0).compare(call.arg(1)))))
}

fn of_pair(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let value = if call.null(1) { None } else { Some(call.text(1)?.into()) };
    Ok(Hstore::new(vec![(call.text(0)?.into(), value)]).datum())
}

fn of_arrays(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    if call.array(0)?.dims.len() > 1 {
        return Err(Problem::SubscriptCount.into());
    }
    let keys = texts(call, 0)?;
    let values = if call.null(1) {
        vec![None; keys.len()]
    } else {
        if call.array(1)?.dims.len() > 1 {
            return Err(Problem::SubscriptCount.into());
        }
        let same = call.array(1)?.dims == call.array(0)?.dims;
        if !same {
            return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "arrays must have same bounds");
        }
        texts(call, 1)?
    };
    Ok(Hstore::of_pairs(keys.into_iter().zip(values))?.datum())
}

fn of_array(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Hstore::of_items(call.array(0)?)?.datum())
}

fn of_record(call: &mut Call<'_>) -> Result<Datum> {
    let env = call.cx.types();
    let Some(shape) = env.names.row_shape(call.ty(0), -1) else { return Ok(Datum::Null) };
    let values = match call.arg(0) {
        Datum::Record(values) => values.to_vec(),
        _ => vec![Datum::Null; shape.len()],
    };
    let pair = |(field, value): (&hobgoblin_sql_schema::shape::Field, &Datum)| {
        let shown = text::print(value, field.ty, field.typmod, &env);
        (field.name.as_str().into(), (!value.is_null()).then(|| shown.into()))
    };
    Ok(Hstore::new(shape.iter().zip(&values).map(pair).collect()).datum())
}

fn populate(call: &mut Call<'_>) -> Result<Datum> {
    let env = call.cx.types();
    let Some(shape) = env.names.row_shape(call.ty(0), -1) else {
        return error(SqlState::DATATYPE_MISMATCH, "first argument must be a rowtype");
    };
    if call.null(1) {
        return Ok(call.arg(0).clone());
    }
    let given = hstore(call, 1)?;
    let before = match call.arg(0) {
        Datum::Record(values) => values.to_vec(),
        _ => vec![Datum::Null; shape.len()],
    };
    let value = |(field, before): (&hobgoblin_sql_schema::shape::Field, Datum)| match given
        .get(&field.name)
    {
        None => Ok(before),
        Some(None) => Ok(Datum::Null),
        Some(Some(written)) => text::parse(written, field.ty, field.typmod, &env),
    };
    let values: Result<Vec<Datum>> = shape.iter().zip(before).map(value).collect();
    Ok(Datum::Record(values?.into()))
}

fn flat(value: &Hstore) -> Vec<Datum> {
    let pair = |(key, value): &Pair| [Datum::Text(key.clone()), optional(value)];
    value.pairs().iter().flat_map(pair).collect()
}

fn to_array(call: &mut Call<'_>) -> Result<Datum> {
    Ok(list(flat(hstore(call, 0)?)))
}

fn to_matrix(call: &mut Call<'_>) -> Result<Datum> {
    let items = flat(hstore(call, 0)?);
    let dims = if items.is_empty() { Vec::new() } else { vec![(items.len() / 2, 1), (2, 1)] };
    Ok(Datum::Array(Arc::new(Array { element: TypeId::TEXT, dims, items })))
}
