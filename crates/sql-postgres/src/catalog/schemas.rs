//! The schemas that every database has, and the temporary ones.

use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::{Catalog, Schema};
use hobgoblin_sql_value::Oid;

use super::pg::oids::PG_NAMESPACE;

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
            catalog.comments.insert((PG_NAMESPACE, oid, 0), comment.to_owned());
        }
    }
    catalog
}

/// Whether a schema is one session's temporary one.
pub(crate) fn is_temporary(schema: &str) -> bool {
    schema.starts_with("pg_temp_")
}

/// The oid of a schema.
pub(crate) fn schema_oid(catalog: &Catalog, name: &str) -> Oid {
    catalog.schemas.get(name).map_or(PG_CATALOG, |schema| schema.oid)
}
