//! SQL over the weak-isolation store: parse, bind, execute.

pub mod catalog;
pub mod copy;
mod dialect;
pub mod parse;
pub mod session;
pub mod settings;

pub use dialect::POSTGRES;
pub use hobgoblin_sql_postgres_types as types;
pub use hobgoblin_sql_postgres_types::error;
pub use hobgoblin_sql_postgres_types::worded;
pub use hobgoblin_sql_schema::roomy;
pub use hobgoblin_sql_schema::syntax;

use hobgoblin_sql_bind as bind;
use hobgoblin_sql_exec as execute;
use hobgoblin_sql_schema::memory;
