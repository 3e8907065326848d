//! SQL over the weak-isolation store: the database, whose sessions speak a dialect.
//!
//! What a dialect is made of stands below: PostgreSQL's parser, schema changes, system tables and sessions in
//! `sql-postgres`, its functions in `sql-postgres-functions`, and the same of MySQL in `sql-mysql` and
//! `sql-mysql-functions`. They meet here, and nowhere else.

use hobgoblin_front::Store;
#[cfg(feature = "mysql")]
use hobgoblin_sql_mysql::MySql;
#[cfg(feature = "mysql")]
use hobgoblin_sql_mysql_functions as mysql_functions;
#[cfg(feature = "mysql")]
use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_postgres::Postgres;
use hobgoblin_sql_postgres::session::{Database, Granularity};
use hobgoblin_sql_postgres_functions as functions;
use hobgoblin_sql_postgres_types::calls::Functions;

#[cfg(feature = "mysql")]
pub use hobgoblin_sql_mysql as mysql;
pub use hobgoblin_sql_postgres::{catalog, copy, session};
pub use hobgoblin_sql_postgres_types as types;
pub use hobgoblin_sql_postgres_types::{error, worded};
pub use hobgoblin_sql_schema::roomy;

/// PostgreSQL.
pub static POSTGRES: Postgres = Postgres::new(|| {
    let own = functions::entries().chain(hobgoblin_sql_postgres::functions());
    Functions::new(own, functions::of_extensions())
});

/// A database over a store, whose sessions speak PostgreSQL's SQL. Rows are kept whole in an engine's store, by cells in
/// `spec`, unless said otherwise; an engine always keeps them whole.
pub fn open(store: Store, granularity: Option<Granularity>) -> Database {
    Database::new(store, granularity, &POSTGRES)
}

/// MySQL and MariaDB.
#[cfg(feature = "mysql")]
pub static MYSQL: MySql = MySql::new(hobgoblin_sql_mysql::Functions {
    function: mysql_functions::function,
    operator: mysql_functions::operator,
    condition: mysql_functions::condition,
    refined: mysql_functions::refined,
    common_type: mysql_functions::common_type,
    has_function: mysql_functions::has_function,
    is_of_version: mysql_functions::is_of_version,
    is_aggregate: mysql_functions::is_aggregate,
    interval_function: mysql_functions::interval_function,
});

/// The databases of a server over a store, whose sessions speak as that version of MySQL or MariaDB does.
#[cfg(feature = "mysql")]
pub fn open_mysql(store: Store, version: Version) -> mysql::session::Database {
    mysql::session::Database::new(store, &MYSQL, version)
}
