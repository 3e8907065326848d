//! Numbers that system relations and the first database have.

use hobgoblin_sql_value::Oid;

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
