//! `information_schema`: tables whose rows are made from the live catalogue.
//!
//! The tables have the names, columns and types of MariaDB 10.11 (`relations.tsv`); their names are found whatever case they are
//! written in. What nobody makes rows for is empty, as it is on a server where there is nothing of it.

mod columns;
mod constraints;
mod fixed;
mod relations;
mod seen;
mod server;
mod tables;
mod transactions;

use hobgoblin_sql_schema::SystemTable;
use hobgoblin_sql_value::Datum;

pub use self::columns::shown_default;
pub use self::fixed::{PLUGINS, PRIVILEGES};
pub use self::relations::{all, by_oid, table};
pub use self::seen::{OpenTransaction, Process, RowWait, Seen, SessionRows};

/// The rows that a table has now.
pub fn rows(table: &SystemTable, seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    match table.name {
        "SCHEMATA" => tables::schemata(seen),
        "TABLES" => tables::tables(seen),
        "VIEWS" => tables::views(seen),
        "COLUMNS" => columns::columns(seen),
        "#COLUMNS" => columns::shown_columns(seen),
        "#OPEN" => tables::open_tables(seen),
        "STATISTICS" => constraints::statistics(seen),
        "KEY_COLUMN_USAGE" => constraints::key_column_usage(seen),
        "TABLE_CONSTRAINTS" => constraints::table_constraints(seen),
        "REFERENTIAL_CONSTRAINTS" => constraints::referential_constraints(seen),
        "CHECK_CONSTRAINTS" => constraints::check_constraints(seen),
        "ENGINES" => fixed::engines(),
        "CHARACTER_SETS" => fixed::character_sets(seen.version),
        "COLLATIONS" => fixed::collations(seen.version),
        "COLLATION_CHARACTER_SET_APPLICABILITY" => fixed::applicability(seen.version),
        "PLUGINS" => fixed::plugins(),
        "USER_PRIVILEGES" => fixed::user_privileges(),
        "PROCESSLIST" => server::processlist(seen),
        "INNODB_TRX" => transactions::transactions(seen),
        "INNODB_LOCK_WAITS" => transactions::lock_waits(seen),
        "INNODB_LOCKS" => transactions::locks(seen),
        "GLOBAL_VARIABLES" => server::pairs(seen.session.variables(true)),
        "SESSION_VARIABLES" => server::pairs(seen.session.variables(false)),
        "GLOBAL_STATUS" => server::pairs(seen.session.status(true)),
        "SESSION_STATUS" => server::pairs(seen.session.status(false)),
        "SYSTEM_VARIABLES" => server::system_variables(seen),
        "#GLOBAL_VARIABLES" => server::plain_pairs(seen.session.variables(true)),
        "#SESSION_VARIABLES" => server::plain_pairs(seen.session.variables(false)),
        "#GLOBAL_STATUS" => server::plain_pairs(seen.session.status(true)),
        "#SESSION_STATUS" => server::plain_pairs(seen.session.status(false)),
        _ => Vec::new(),
    }
}
