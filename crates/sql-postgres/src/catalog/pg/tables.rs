//! The system relations by name and oid, and their columns.

use std::collections::HashMap;
use std::sync::LazyLock;

use hobgoblin_sql_schema::SystemTable;

use crate::types::{Datum, Format, NoNames, Oid, TypeEnv, TypeId};

struct System {
    tables: Vec<SystemTable>,
    names: HashMap<(&'static str, &'static str), usize>,
    oids: HashMap<Oid, usize>,
    row_types: HashMap<Oid, usize>,
}

static SYSTEM: LazyLock<System> = LazyLock::new(|| {
    let tables = relations();
    let names = tables.iter().enumerate().map(|(i, t)| ((t.schema, t.name), i)).collect();
    let oids = tables.iter().enumerate().map(|(i, t)| (t.oid, i)).collect();
    let row_types = tables.iter().enumerate().map(|(i, t)| (t.row_type, i)).collect();
    System { tables, names, oids, row_types }
});

/// All system relations, in the order of `data/relations.tsv`.
pub fn all() -> &'static [SystemTable] {
    &SYSTEM.tables
}

/// A relation of `pg_catalog` by name.
pub fn table(name: &str) -> Option<&'static SystemTable> {
    table_in("pg_catalog", name)
}

/// A relation of a system schema by name.
pub fn table_in(schema: &str, name: &str) -> Option<&'static SystemTable> {
    let schema = match schema {
        "pg_catalog" if name.starts_with("pg_") => "pg_catalog",
        "information_schema" => "information_schema",
        _ => return None,
    };
    let system = &*SYSTEM;
    // The map's keys are static; a lookup with a shorter life is the same comparison.
    system.names.get(&(schema, name) as &(&str, &str)).and_then(|i| system.tables.get(*i))
}

/// A system relation by oid.
pub fn by_oid(oid: Oid) -> Option<&'static SystemTable> {
    let system = &*SYSTEM;
    system.oids.get(&oid).and_then(|i| system.tables.get(*i))
}

/// A system relation by the oid of its row type.
pub fn by_row_type(oid: Oid) -> Option<&'static SystemTable> {
    let system = &*SYSTEM;
    system.row_types.get(&oid).filter(|_| oid != 0).and_then(|i| system.tables.get(*i))
}

/// Reads the system relations from `data/relations.tsv`.
fn relations() -> Vec<SystemTable> {
    include_str!("data/relations.tsv").lines().filter_map(relation).collect()
}

fn relation(line: &'static str) -> Option<SystemTable> {
    let mut fields = line.split('\t');
    let schema = fields.next()?;
    let name = fields.next()?;
    let oid = fields.next()?.parse().ok()?;
    let kind = fields.next()?.chars().next()?;
    let row_type = fields.next()?.parse().ok()?;
    let row_array = fields.next()?.parse().ok()?;
    let mut columns = Vec::new();
    let mut not_null = Vec::new();
    for column in fields.next()?.split(' ') {
        let (column, ty) = column.split_once(':')?;
        columns.push((column, TypeId(ty.trim_end_matches('!').parse().ok()?)));
        not_null.push(ty.ends_with('!'));
    }
    Some(SystemTable {
        schema,
        name,
        oid,
        columns,
        not_null,
        view: kind == 'v',
        row_type,
        row_array,
    })
}

/// A row of a table from its fields as COPY prints them.
pub(super) fn row<'a>(table: &SystemTable, fields: impl Iterator<Item = &'a str>) -> Vec<Datum> {
    let format = Format::default();
    let env = TypeEnv::new(&format, &NoNames);
    let value = |(field, (_, ty)): (&str, &(&str, TypeId))| match (field, *ty) {
        ("\\N", _) => Datum::Null,
        (field, ty) => crate::types::text::parse(&field.replace("\\\\", "\\"), ty, -1, &env)
            .unwrap_or(Datum::Null),
    };
    fields.zip(&table.columns).map(value).collect()
}
