//! The SQL of MySQL and MariaDB.
//!
//! [`parse`](mod@parse) reads texts as the server that is claimed does, and refuses what it refuses, in its words.
//! [`syntax`] has what statements say where `sqlparser` has no tree for it. [`session`] runs them; [`settings`] are the
//! variables of servers and sessions.

pub mod catalog;
mod dialect;
mod functions;
mod meaning;
pub mod parse;
pub mod session;
pub mod settings;
mod stored;
pub mod syntax;

pub use dialect::MySql;
pub use functions::{Functions, Refine};
