//! A server's databases and their sessions, as a protocol drives them.
//!
//! The protocol brings text, numbers of prepared statements and values; a [`Session`] reads, binds and executes
//! statements and gives what they answer to a [`TakeResults`], one result for each. Transactions are as in InnoDB: an
//! error undoes its statement and leaves the transaction open, but for those that end it, and autocommit makes a
//! transaction of every statement outside of one.

mod activity;
mod choices;
mod connection;
mod context;
mod core;
mod database;
mod ddl;
mod executor;
mod explain;
mod fields;
mod kill;
mod listing;
mod lock_owners;
mod locked_table;
mod locks;
mod name_locks;
mod outcome;
mod parameter;
mod plan;
mod planned;
mod prepared;
mod prepared_statements;
mod reset;
mod run;
mod sent;
mod sequences;
mod shared;
mod show;
mod snapshot;
mod startup;
mod state;
mod statement;
mod table_locks;
mod told;
mod transaction;
mod transactions;
mod variables;
mod warnings;

pub use connection::{Canceller, Session};
pub use database::Database;
pub use outcome::{
    Changed, ColumnDescription, ColumnFacts, Done, PreparedDescription, SessionStatus, TakeResults,
    Told,
};
pub use parameter::Parameter;
pub use startup::Startup;
