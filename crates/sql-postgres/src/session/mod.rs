//! A database and its sessions, as a protocol drives them.
//!
//! The protocol brings text; a [`Session`] parses, prepares, binds and executes it, keeps prepared
//! statements, portals and settings, and knows the state of the transaction. Transactions are as in
//! PostgreSQL: the first statement outside a block opens an implicit one, which [`Session::sync`] ends.

mod advisory;
mod backend;
mod connection;
mod context;
mod copy;
mod copying;
pub(crate) mod core;
mod cursor;
mod database;
mod database_statements;
mod databases;
mod ddl;
mod executor;
mod explain;
mod in_doubt;
mod interrupted;
mod outcome;
pub(crate) mod plan;
mod reading;
mod relations;
mod rows;
mod run;
mod schema_change;
mod sequences;
mod shared;
pub(crate) mod snapshot;
mod startup;
mod transaction;
mod transaction_state;
pub(crate) mod two_phase;
mod utility;

pub use connection::{Canceller, Session};
pub use database::Database;
pub use outcome::{ColumnDescription, Done, Outcome, TakeRows, TransactionStatus};
pub use plan::{Portal, Prepared};
pub use startup::Startup;

pub use crate::execute::Granularity;
pub use crate::parse::Statement;
