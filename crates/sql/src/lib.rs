//! SQL over the weak-isolation store: parse, bind, execute.

pub mod catalog;
pub mod copy;
pub mod error;
pub mod functions;
pub mod session;
pub mod types;
