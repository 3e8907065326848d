//! SQL over the weak-isolation store: the database, whose sessions speak a dialect.
//!
//! What a dialect is made of stands below: PostgreSQL's parser, schema changes, system tables and sessions in
//! `sql-postgres`, its functions in `sql-postgres-functions`. They meet here, and nowhere else.

use hobgoblin_front::Store;
use hobgoblin_sql_postgres::Postgres;
use hobgoblin_sql_postgres::session::{Database, Granularity};
use hobgoblin_sql_postgres_functions as functions;
use hobgoblin_sql_postgres_types::calls::Functions;

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
