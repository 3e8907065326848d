//! Beside MariaDB: which texts are statements, where those that are not go wrong, and what expressions and literals mean.
//!
//! They share a server, and are skipped where MariaDB is not installed.

mod acceptance;
mod definitions;
mod expressions;
mod literals;
mod print;
mod random;
mod schemas;
mod server;
mod variables;
