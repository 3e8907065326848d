//! SQL over the weak-isolation store: parse, bind, execute.

pub mod catalog;
pub mod error;
pub mod functions;
pub mod types;
