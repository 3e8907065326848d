//! The SQL of MySQL and MariaDB.
//!
//! [`parse`](mod@parse) reads texts as the server that is claimed does, and refuses what it refuses, in its words.
//! [`settings`] are the variables of servers and sessions. [`syntax`] has what statements say where `sqlparser` has no tree for it.

pub mod parse;
pub mod settings;
pub mod syntax;
