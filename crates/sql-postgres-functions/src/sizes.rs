//! How large relations are. Rows are keys of the store, not pages: the sizes are those of the keys and values
//! that are committed, in whole pages, as PostgreSQL's are.

use super::args::error;
use super::table::*;
use super::{Call, Function};
use crate::error::{Result, SqlState};
use crate::types::{Datum, Oid};
use hobgoblin_sql_schema::catalog::{Catalog, Found, Index, Table};

const PAGE: i64 = 8192;

/// What a database has before anything is made in it.
const EMPTY_DATABASE: i64 = 900 * PAGE;

fn pages(bytes: i64) -> i64 {
    (bytes + PAGE - 1) / PAGE * PAGE
}

fn heap(call: &Call<'_>, table: &Table) -> i64 {
    let (rows, cells) = (format!("{}[", table.prefix), format!("{}.", table.prefix));
    pages(call.cx.stored_bytes(&rows) + call.cx.stored_bytes(&cells))
}

/// An index begins with a page that says where its root is.
fn entries(call: &Call<'_>, table: &Table, index: &Index) -> i64 {
    let prefix = if table.keys_rows(index) { &table.prefix } else { &index.prefix };
    PAGE + pages(call.cx.stored_bytes(&format!("{prefix}[")) / 2)
}

fn all_entries(call: &Call<'_>, table: &Table) -> i64 {
    table.indexes.iter().map(|index| entries(call, table, index)).sum()
}

/// The size of a relation, of its indexes, or of both; `None` if it is not there.
fn size_of(call: &Call<'_>, catalog: &Catalog, oid: Oid, own: bool, more: bool) -> Option<i64> {
    Some(match catalog.relation(oid)? {
        Found::Table(table) => {
            let own = if own { heap(call, table) } else { 0 };
            own + if more { all_entries(call, table) } else { 0 }
        }
        Found::Index(table, index) if own => entries(call, table, index),
        Found::Sequence(_) if own => PAGE,
        _ => 0,
    })
}

fn size(call: &mut Call<'_>, own: bool, more: bool) -> Result<Datum> {
    let oid = call.int(0)? as Oid;
    let size = size_of(call, call.cx.catalog(), oid, own, more);
    Ok(size.map_or(Datum::Null, Datum::Int))
}

fn relation(call: &mut Call<'_>) -> Result<Datum> {
    size(call, true, false)
}

fn fork(call: &mut Call<'_>) -> Result<Datum> {
    match call.text(1)? {
        "main" => size(call, true, false),
        "fsm" | "vm" | "init" => size(call, false, false),
        _ => error(SqlState::INVALID_PARAMETER_VALUE, "invalid fork name"),
    }
}

fn indexes(call: &mut Call<'_>) -> Result<Datum> {
    size(call, false, true)
}

fn total(call: &mut Call<'_>) -> Result<Datum> {
    size(call, true, true)
}

fn database(call: &mut Call<'_>) -> Result<Datum> {
    let catalog = call.cx.catalog();
    let tables = catalog.tables().map(|table| heap(call, table) + all_entries(call, table));
    Ok(Datum::Int(EMPTY_DATABASE + tables.sum::<i64>()))
}

pub(super) static SIZES: &[Function] = &[
    function("pg_relation_size", &[REGCLASS], INT8, relation).volatile(),
    function("pg_relation_size", &[REGCLASS, TEXT], INT8, fork).volatile(),
    function("pg_table_size", &[REGCLASS], INT8, relation).volatile(),
    function("pg_indexes_size", &[REGCLASS], INT8, indexes).volatile(),
    function("pg_total_relation_size", &[REGCLASS], INT8, total).volatile(),
    function("pg_database_size", &[NAME], INT8, database).volatile(),
    function("pg_database_size", &[OID], INT8, database).volatile(),
    function("pg_size_bytes", &[TEXT], INT8, size_bytes),
    function("pg_my_temp_schema", &[], OID, my_temp_schema).stable(),
    function("pg_is_other_temp_schema", &[OID], BOOL, other_temp_schema).stable(),
];

fn my_temp_schema(call: &mut Call<'_>) -> Result<Datum> {
    let schema = call.cx.catalog().schemas.get(call.cx.temporary());
    Ok(Datum::Int(schema.map_or(0, |schema| i64::from(schema.oid))))
}

fn other_temp_schema(call: &mut Call<'_>) -> Result<Datum> {
    let oid = call.int(0)? as Oid;
    let schemas = &call.cx.catalog().schemas;
    let found = schemas.iter().find(|(_, schema)| schema.oid == oid);
    let other = found.is_some_and(|(name, _)| {
        call.cx.catalog().dialect.is_temporary(name) && name != call.cx.temporary()
    });
    Ok(Datum::Bool(other))
}

/// `10.5 kB` in bytes.
fn size_bytes(call: &mut Call<'_>) -> Result<Datum> {
    const UNITS: [(&str, f64); 8] = [
        ("", 1.0),
        ("bytes", 1.0),
        ("b", 1.0),
        ("kb", 1024.0),
        ("mb", 1_048_576.0),
        ("gb", 1_073_741_824.0),
        ("tb", 1_099_511_627_776.0),
        ("pb", 1_125_899_906_842_624.0),
    ];
    let text = call.text(0)?.trim();
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = text.find(|c| !number(c)).unwrap_or(text.len());
    let (digits, unit) = (&text[..end], text[end..].trim().to_ascii_lowercase());
    let Ok(size) = digits.parse::<f64>() else {
        let text = format!("invalid size: \"{}\"", call.text(0)?);
        return error(SqlState::INVALID_PARAMETER_VALUE, text);
    };
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    match factor {
        Some(factor) => Ok(Datum::Int((size * factor).round() as i64)),
        None => {
            let text = format!("invalid size: \"{}\"", call.text(0)?);
            error(SqlState::INVALID_PARAMETER_VALUE, text)
        }
    }
}
