//! SQL over the weak-isolation store: parse, bind, execute.

pub mod error;
pub mod types;
