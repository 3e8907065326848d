//! SQL over the weak-isolation store: parse, bind, execute.

pub mod bind;
pub mod catalog;
pub mod copy;
pub mod error;
mod execute;
pub mod functions;
mod memory;
pub mod parse;
pub mod roomy;
pub mod session;
pub mod settings;
pub mod syntax;
pub mod types;
mod words;

pub use words::worded;
