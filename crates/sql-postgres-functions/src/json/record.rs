//! Objects as rows whose columns the statement lists: `json_to_record(x) AS r (a int, b text)`.
//!
//! The listed columns come as the shape of the result. A field is read by its column's type from its text,
//! as PostgreSQL does; arrays become arrays.

use std::sync::Arc;

use super::super::args::invalid;
use super::super::table::*;
use super::super::{Call, SetFunction};
use super::access::json_text;
use super::scan::{self, Kind};
use crate::error::{Result, SqlError, SqlState};
use crate::types::builtin::element_type as element_of;
use crate::types::{Array, Datum, PgType, TypeEnv, TypeId, text};
use hobgoblin_sql_schema::shape::{Field, Shape};

type Rows = Result<Vec<Vec<Datum>>>;

fn shape(call: &Call<'_>) -> Result<Shape> {
    let found = call.cx.catalog().shapes.get(call.result, -1);
    found.ok_or_else(|| SqlError::unsupported("a row of this many shapes"))
}

/// The value of a field for a column.
fn field(value: &str, column: &Field, env: &TypeEnv<'_>) -> Result<Datum> {
    let kind = scan::kind(value);
    if matches!(kind, Kind::Null) {
        return Ok(Datum::Null);
    }
    if matches!(column.ty, TypeId::JSON | TypeId::JSONB) {
        return text::parse(value, column.ty, column.typmod, env);
    }
    let element = element_of(column.ty, env.names);
    if let (Some(element), false) = (element, matches!(kind, Kind::String)) {
        if !matches!(kind, Kind::Array) {
            let hint = format!("See the value of key \"{}\".", column.name);
            return Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                "expected JSON array",
            )
            .hint(hint));
        }
        let one = Field { ty: element, ..column.clone() };
        let items = scan::items(value).into_iter().map(|item| match scan::kind(item) {
            Kind::Array if !matches!(element, TypeId::JSON | TypeId::JSONB) => {
                Err(SqlError::unsupported("a JSON array of arrays as an array"))
            }
            _ => field(item, &one, env),
        });
        let items: Result<Vec<Datum>> = items.collect();
        return Ok(Datum::Array(Arc::new(Array::of(element, items?))));
    }
    if matches!(kind, Kind::Object | Kind::Array)
        && env.names.row_shape(column.ty, column.typmod).is_some()
    {
        return Err(SqlError::unsupported("a JSON object as a value of a row type"));
    }
    match json_text(Some(value)) {
        Datum::Text(value) => text::parse(&value, column.ty, column.typmod, env),
        other => Ok(other),
    }
}

/// The row of an object. Of twins the last counts.
fn row(object: &str, shape: &Shape, env: &TypeEnv<'_>) -> Result<Vec<Datum>> {
    let pairs = scan::pairs(object);
    let cell = |column: &Field| match pairs.iter().rev().find(|(key, _)| **key == *column.name) {
        Some((_, value)) => field(value, column, env),
        None => Ok(Datum::Null),
    };
    shape.iter().map(cell).collect()
}

fn to_record(call: &mut Call<'_>, value: Option<&str>) -> Rows {
    let shape = shape(call)?;
    let Some(value) = value else { return Ok(vec![vec![Datum::Null; shape.len()]]) };
    match scan::kind(value) {
        Kind::Object => Ok(vec![row(value, &shape, &call.cx.types())?]),
        Kind::Array => invalid("cannot call populate_composite on an array"),
        _ => invalid("cannot call populate_composite on a scalar"),
    }
}

fn json_to_record(call: &mut Call<'_>) -> Rows {
    let value = if call.args[0].is_null() { None } else { Some(call.text(0)?) };
    to_record(call, value)
}

fn jsonb_to_record(call: &mut Call<'_>) -> Rows {
    let value = if call.args[0].is_null() { None } else { Some(call.jsonb(0)?.to_string()) };
    to_record(call, value.as_deref())
}

fn to_recordset(call: &mut Call<'_>, value: &str, name: &str) -> Rows {
    let shape = shape(call)?;
    let env = call.cx.types();
    let each = scan::items(value).into_iter().map(|item| match scan::kind(item) {
        Kind::Object => row(item, &shape, &env),
        _ => invalid(format!("argument of {name} must be an array of objects")),
    });
    each.collect()
}

fn json_to_recordset(call: &mut Call<'_>) -> Rows {
    let value = call.text(0)?;
    match scan::kind(value) {
        Kind::Array => to_recordset(call, value, "json_to_recordset"),
        Kind::Object => invalid("cannot call json_to_recordset on an object"),
        _ => invalid("cannot call json_to_recordset on a scalar"),
    }
}

fn jsonb_to_recordset(call: &mut Call<'_>) -> Rows {
    let value = call.jsonb(0)?.to_string();
    match scan::kind(&value) {
        Kind::Array => to_recordset(call, &value, "jsonb_to_recordset"),
        _ => invalid("cannot call jsonb_to_recordset on a non-array"),
    }
}

pub(crate) static RECORDS: &[SetFunction] = &[
    rows("json_to_record", &[JSON], &[], json_to_record).with_nulls(),
    rows("jsonb_to_record", &[JSONB], &[], jsonb_to_record).with_nulls(),
    rows("json_to_recordset", &[JSON], &[], json_to_recordset),
    rows("jsonb_to_recordset", &[JSONB], &[], jsonb_to_recordset),
];
