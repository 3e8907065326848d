//! What a database is made of, as values: tables, indexes, constraints, views, functions; the causes of errors; and
//! the seam to the dialects.

mod action;
pub mod binding;
pub mod catalog;
pub mod context;
pub mod dialect;
mod error;
pub mod function;
pub mod meaning;
pub mod memory;
pub mod names;
mod problem;
pub mod roomy;
pub mod shape;
pub mod syntax;
mod system;

pub use binding::Binding;
pub use dialect::Dialect;
pub use error::{Cause, Code, ErrorFields, Result, Severity, SqlError};
pub use problem::{Pairs, Problem, Reference};
pub use system::SystemTable;
