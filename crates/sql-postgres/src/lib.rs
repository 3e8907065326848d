//! PostgreSQL over the weak-isolation store: what its text means, what its schema is made of and shows, and what its
//! sessions do.
//!
//! Its functions are in a crate that this one does not know: whoever opens a database brings them.

pub mod catalog;
pub mod copy;
mod dialect;
pub mod parse;
pub mod session;
pub mod settings;

pub use catalog::pg::functions::entries as functions;
pub use dialect::Postgres;

use hobgoblin_sql_bind as bind;
use hobgoblin_sql_exec as execute;
use hobgoblin_sql_postgres_types as types;
use hobgoblin_sql_postgres_types::{error, worded};
use hobgoblin_sql_schema::{memory, roomy, syntax};

/// PostgreSQL with all its functions, for unit tests.
#[cfg(test)]
static POSTGRES: Postgres = Postgres::new(|| {
    use hobgoblin_sql_postgres_functions as values;
    let own = values::entries().chain(functions());
    types::calls::Functions::new(own, values::of_extensions())
});
