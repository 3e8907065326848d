//! What the keys and values of tables consist of, told to the store so that a history can be read.

use std::sync::Arc;

use hobgoblin_core::{Index as KnownIndex, Schema, Table as KnownTable};
use hobgoblin_sql_schema::catalog::{Catalog, Index, IndexKey, Table};

use super::table_plan::TablePlan;

/// The tables of a catalogue that another catalogue lacks or has otherwise, with their indexes.
/// They are found by the prefixes of their keys.
pub fn described(catalog: &Catalog, but: &Catalog) -> Schema {
    let mut schema = Schema::default();
    let known =
        |table: &Arc<Table>| but.table(table.oid).is_some_and(|old| Arc::ptr_eq(old, table));
    for table in catalog.tables().filter(|table| !known(table)) {
        schema.tables.insert((*table.prefix).into(), known_table(table));
        // The primary key is in the keys of rows, unless it can be deferred.
        for index in table.indexes.iter().filter(|index| !table.keys_rows(index)) {
            schema.indexes.insert((*index.prefix).into(), known_index(table, index));
        }
    }
    schema
}

fn known_table(table: &Table) -> KnownTable {
    let columns = table.columns.iter().map(|column| match column.dropped {
        true => "".into(),
        false => column.name.as_str().into(),
    });
    let key = TablePlan::primary_of(table).unwrap_or_default();
    let key = key.into_iter().map(|at| table.columns[at].name.as_str().into());
    KnownTable { columns: columns.collect(), key: key.collect() }
}

fn known_index(table: &Table, index: &Index) -> KnownIndex {
    let columns = index.columns.iter().map(|column| match &column.key {
        IndexKey::Column(at) => table.columns[*at].name.as_str().into(),
        IndexKey::Expression(expression) => expression.text.as_str().into(),
    });
    let (of, unique) = ((*table.prefix).into(), index.unique);
    KnownIndex { table: of, columns: columns.collect(), unique }
}
