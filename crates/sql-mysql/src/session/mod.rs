//! A server's databases and their sessions, as a protocol drives them.
//!
//! The protocol brings text, numbers of prepared statements and values; a [`Session`] reads, binds and executes
//! statements and gives what they answer to a [`TakeResults`], one result for each. Transactions are as in InnoDB: an
//! error undoes its statement and leaves the transaction open, but for those that end it, and autocommit makes a
//! transaction of every statement outside of one.

mod connection;
mod database;
mod outcome;
mod parameter;
mod startup;

pub use connection::{Canceller, Session};
pub use database::Database;
pub use outcome::{
    Changed, ColumnDescription, ColumnFacts, Done, PreparedDescription, SessionStatus, TakeResults,
    Told,
};
pub use parameter::Parameter;
pub use startup::Startup;
