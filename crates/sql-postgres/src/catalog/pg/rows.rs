//! Which function makes the rows of which system relation.

use std::collections::HashMap;
use std::sync::LazyLock;

use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_schema::catalog::Catalog;

use super::context::{RowsFn, VirtualCx};
use super::tables::all;
use super::{
    class, depend, extensions, fixed, information, owners, procedures, sessions, types, views,
};
use crate::types::{Datum, Oid};

/// The rows that a system relation has now.
pub fn rows(table: &SystemTable, catalog: &Catalog, cx: &VirtualCx<'_>) -> Vec<Vec<Datum>> {
    static MADE: LazyLock<HashMap<Oid, RowsFn>> = LazyLock::new(|| {
        all().iter().map(|table| (table.oid, rows_of(table.schema, table.name))).collect()
    });
    MADE.get(&table.oid).map_or_else(Vec::new, |made| made(catalog, cx))
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
        "pg_namespace" => owners::pg_namespace,
        "pg_database" => owners::pg_database,
        "pg_authid" => owners::pg_authid,
        "pg_roles" => owners::pg_roles,
        "pg_user" | "pg_shadow" => owners::pg_user,
        "pg_description" => depend::pg_description,
        "pg_shdescription" => depend::pg_shdescription,
        "pg_depend" => depend::pg_depend,
        "pg_rewrite" => depend::pg_rewrite,
        "pg_matviews" => views::pg_matviews,
        "pg_tables" => views::pg_tables,
        "pg_views" => views::pg_views,
        "pg_indexes" => views::pg_indexes,
        "pg_sequences" => views::pg_sequences,
        "pg_settings" => sessions::pg_settings,
        "pg_extension" => extensions::pg_extension,
        "pg_available_extensions" => extensions::pg_available_extensions,
        "pg_available_extension_versions" => extensions::pg_available_extension_versions,
        "pg_prepared_statements" => sessions::pg_prepared_statements,
        "pg_prepared_xacts" => sessions::pg_prepared_xacts,
        "pg_cursors" => sessions::pg_cursors,
        "pg_locks" => sessions::pg_locks,
        "pg_stat_activity" => sessions::pg_stat_activity,
        "pg_stat_user_tables" | "pg_stat_all_tables" => views::pg_stat_tables,
        name => fixed::fixed_rows(name).unwrap_or(|_, _| Vec::new()),
    }
}
