//! The roles that every database has.

use hobgoblin_sql_value::Oid;

/// The roles that every PostgreSQL 15 has.
pub(crate) const PREDEFINED: [(Oid, &str); 12] = [
    (4544, "pg_checkpoint"),
    (6171, "pg_database_owner"),
    (4571, "pg_execute_server_program"),
    (3373, "pg_monitor"),
    (6181, "pg_read_all_data"),
    (3374, "pg_read_all_settings"),
    (3375, "pg_read_all_stats"),
    (4569, "pg_read_server_files"),
    (4200, "pg_signal_backend"),
    (3377, "pg_stat_scan_tables"),
    (6182, "pg_write_all_data"),
    (4570, "pg_write_server_files"),
];

/// Whether every PostgreSQL has this role.
pub(crate) fn is_predefined_role(name: &str) -> bool {
    PREDEFINED.iter().any(|(_, known)| *known == name)
}
