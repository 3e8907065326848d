//! `pg_catalog` and `information_schema`: tables whose rows are made from the live catalogue.
//!
//! All system relations of PostgreSQL 15 are here with their oids and columns (`data/relations.tsv`).
//! Those that say something about user objects have a function that makes their rows; those that never
//! change (`pg_am`, `pg_opclass` …) are read from files; the others are empty, as they are in a new
//! database.

mod class;
mod data;
mod dictionaries;
mod domains;
mod extensions;
pub mod functions;
mod information;
mod other;
pub(crate) mod procedures;
mod types;
mod value;

use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) use data::{collation, default_opclass, opclass_named};
pub(crate) use dictionaries::{dictionary_by_name, dictionary_name};
pub(crate) use extensions::{extension_comment, versions};

use super::{Catalog, Scope};
use crate::types::{Datum, Oid, TypeEnv, TypeId};
use hobgoblin_sql_schema::SystemTable;

/// The oid of `pg_class`, of tables and the like in comments and dependencies.
pub const PG_CLASS: Oid = 1259;
/// The oid of `pg_type`.
pub const PG_TYPE: Oid = 1247;
/// The oid of `pg_constraint`.
pub const PG_CONSTRAINT: Oid = 2606;
/// The oid of `pg_namespace`.
pub const PG_NAMESPACE: Oid = 2615;
/// The oid of `pg_database`.
pub const PG_DATABASE: Oid = 1262;
/// The oid of `pg_extension`.
pub const PG_EXTENSION: Oid = 3079;
/// The oid of the database that is always there.
pub const DATABASE: Oid = 5;

/// Makes the rows of a system relation.
pub type RowsFn = fn(&Catalog, &VirtualCx<'_>) -> Vec<Vec<Datum>>;

/// What rows of system relations depend on beside the catalogue.
pub struct VirtualCx<'a> {
    /// The search path and the user.
    pub scope: &'a Scope,
    /// How values read and print.
    pub env: TypeEnv<'a>,
    /// The database's name.
    pub database: &'a str,
    /// The session's number, for `pg_stat_activity`.
    pub backend_pid: i32,
    /// What the session knows: prepared statements and cursors.
    pub session: &'a dyn SessionRows,
    /// Prints definitions that need bound expressions.
    pub define: &'a dyn Fn(super::Definition) -> Option<String>,
}

/// A row of `pg_stat_activity`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ActivityRow {
    pub pid: i32,
    pub database: String,
    pub user: String,
    pub application: String,
    pub query: String,
    pub state: &'static str,
    /// Whether it waits for a lock.
    pub waits: bool,
}

/// A row of `pg_locks`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct LockRow {
    /// Nothing for a prepared transaction.
    pub pid: Option<i32>,
    /// Such as `1001/1`.
    pub transaction: String,
    pub what: Locked,
    /// Such as `AccessShareLock`.
    pub mode: &'static str,
    pub granted: bool,
}

/// A row of `pg_prepared_xacts`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct PreparedRow {
    pub number: i64,
    pub identifier: String,
    pub time: i64,
    pub owner: String,
    pub database: String,
}

/// What a lock is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Locked {
    Relation(Oid),
    Advisory(hobgoblin_sql_schema::context::AdvisoryKey),
    /// The end of another transaction, which has a row.
    Transaction,
}

/// A row of `pg_settings`.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct SettingRow {
    pub name: String,
    pub setting: String,
    pub unit: &'static str,
    pub category: &'static str,
    pub description: &'static str,
    pub context: &'static str,
    pub vartype: &'static str,
    pub min: &'static str,
    pub max: &'static str,
    pub values: Vec<&'static str>,
    pub boot: String,
    pub reset: String,
    /// Whether it was set in this session.
    pub set: bool,
}

/// Rows that only the session can tell.
pub trait SessionRows {
    /// The sessions of all databases.
    fn activities(&self) -> Vec<ActivityRow>;
    /// The locks of this database.
    fn locks(&self) -> Vec<LockRow>;
    /// Prepared statements: name, text, parameter types.
    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)>;
    /// The prepared transactions of all databases.
    fn in_doubt(&self) -> Vec<PreparedRow>;
    /// Cursors: name, text, whether holdable, binary, scrollable.
    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)>;
    /// The settings, for `pg_settings`.
    fn settings(&self) -> Vec<SettingRow>;
    /// The databases.
    fn databases(&self) -> Vec<(Oid, String)>;
    /// The counter of a sequence: its last value, if it was called.
    fn last_value(&self, sequence: Oid) -> Option<i64>;
}

/// A session without anything.
impl SessionRows for () {
    fn activities(&self) -> Vec<ActivityRow> {
        Vec::new()
    }

    fn locks(&self) -> Vec<LockRow> {
        Vec::new()
    }

    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)> {
        Vec::new()
    }
    fn in_doubt(&self) -> Vec<PreparedRow> {
        Vec::new()
    }
    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)> {
        Vec::new()
    }
    fn settings(&self) -> Vec<SettingRow> {
        Vec::new()
    }
    fn databases(&self) -> Vec<(Oid, String)> {
        Vec::new()
    }
    fn last_value(&self, _sequence: Oid) -> Option<i64> {
        None
    }
}

struct System {
    tables: Vec<SystemTable>,
    /// What makes the rows of each.
    rows: Vec<RowsFn>,
    names: HashMap<(&'static str, &'static str), usize>,
    oids: HashMap<Oid, usize>,
    row_types: HashMap<Oid, usize>,
}

static SYSTEM: LazyLock<System> = LazyLock::new(|| {
    let tables = data::relations();
    let names = tables.iter().enumerate().map(|(i, t)| ((t.schema, t.name), i)).collect();
    let oids = tables.iter().enumerate().map(|(i, t)| (t.oid, i)).collect();
    let row_types = tables.iter().enumerate().map(|(i, t)| (t.row_type, i)).collect();
    let rows = tables.iter().map(|table| rows_of(table.schema, table.name)).collect();
    System { tables, rows, names, oids, row_types }
});

/// All system relations.
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

/// The rows that a system relation has now.
pub fn rows(table: &SystemTable, catalog: &Catalog, cx: &VirtualCx<'_>) -> Vec<Vec<Datum>> {
    let system = &*SYSTEM;
    let made = system.oids.get(&table.oid).and_then(|at| system.rows.get(*at));
    made.map_or_else(Vec::new, |made| made(catalog, cx))
}

/// What makes the rows of a system relation.
fn rows_of(schema: &str, name: &str) -> RowsFn {
    if schema == "information_schema" {
        return information::rows_of(name);
    }
    match name {
        "pg_class" => class::pg_class,
        "pg_attribute" => class::pg_attribute,
        "pg_attrdef" => class::pg_attrdef,
        "pg_index" => class::pg_index,
        "pg_constraint" => class::pg_constraint,
        "pg_sequence" => class::pg_sequence,
        "pg_type" => types::pg_type,
        "pg_enum" => types::pg_enum,
        "pg_proc" => procedures::pg_proc,
        "pg_namespace" => other::pg_namespace,
        "pg_database" => other::pg_database,
        "pg_authid" => other::pg_authid,
        "pg_roles" => other::pg_roles,
        "pg_user" | "pg_shadow" => other::pg_user,
        "pg_description" => other::pg_description,
        "pg_shdescription" => other::pg_shdescription,
        "pg_depend" => other::pg_depend,
        "pg_rewrite" => other::pg_rewrite,
        "pg_matviews" => other::pg_matviews,
        "pg_tables" => other::pg_tables,
        "pg_views" => other::pg_views,
        "pg_indexes" => other::pg_indexes,
        "pg_sequences" => other::pg_sequences,
        "pg_settings" => other::pg_settings,
        "pg_extension" => extensions::pg_extension,
        "pg_available_extensions" => extensions::pg_available_extensions,
        "pg_available_extension_versions" => extensions::pg_available_extension_versions,
        "pg_prepared_statements" => other::pg_prepared_statements,
        "pg_prepared_xacts" => other::pg_prepared_xacts,
        "pg_cursors" => other::pg_cursors,
        "pg_locks" => other::pg_locks,
        "pg_stat_activity" => other::pg_stat_activity,
        "pg_stat_user_tables" | "pg_stat_all_tables" => other::pg_stat_tables,
        name => data::fixed_rows(name).unwrap_or(|_, _| Vec::new()),
    }
}

#[cfg(test)]
mod tests;
