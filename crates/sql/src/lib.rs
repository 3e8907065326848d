//! SQL over the weak-isolation store: parse, bind, execute.

pub mod bind;
pub mod catalog;
pub mod copy;
mod dialect;
pub mod error;
mod execute;
pub mod functions;
pub mod parse;
pub mod session;
pub mod settings;
pub mod types;
mod words;

pub use dialect::POSTGRES;
pub use hobgoblin_sql_schema::roomy;
pub use hobgoblin_sql_schema::syntax;
pub use words::worded;

use hobgoblin_sql_schema::memory;
