//! The schema as PostgreSQL has it: its own tables, names and types, and the statements that change it.
//!
//! What a catalogue is made of stands in [`hobgoblin_sql_schema::catalog`].

pub mod ddl;
pub mod deparse;
pub(crate) mod mentions;
pub mod names;
pub mod pg;
mod types;
mod viewdef;

pub use crate::types::builtin::quote_ident;
pub use hobgoblin_sql_schema::catalog::*;
pub use names::{fold, folded, split_name};
pub use types::{TypeRef, data_type, resolve_type};

use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_value::Oid;

/// The oid of the schema `pg_catalog`.
pub(crate) const PG_CATALOG: Oid = 11;
/// The oid of the schema `public`.
pub(crate) const PUBLIC: Oid = 2200;
/// The oid of `information_schema`.
const INFORMATION_SCHEMA: Oid = 13231;

/// A catalogue with the system schemas and an empty `public`.
pub fn new(dialect: &'static dyn Dialect) -> Catalog {
    let mut catalog = Catalog::new(dialect);
    for (name, oid, comment) in [
        ("pg_catalog", PG_CATALOG, "system catalog schema"),
        ("information_schema", INFORMATION_SCHEMA, ""),
        ("public", PUBLIC, "standard public schema"),
    ] {
        catalog.schemas.insert(name.to_owned(), Schema::new(oid, name));
        if !comment.is_empty() {
            catalog.comments.insert((pg::PG_NAMESPACE, oid, 0), comment.to_owned());
        }
    }
    catalog
}

/// Whether a schema is one session's temporary one.
pub(crate) fn is_temporary(schema: &str) -> bool {
    schema.starts_with("pg_temp_")
}
