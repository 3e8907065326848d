//! What a database is made of, as values: tables, indexes, constraints, views, functions; and the causes of errors.

mod error;
mod problem;

pub use error::{Cause, Code, ErrorFields, Result, Severity, SqlError};
pub use problem::{Pairs, Problem};
