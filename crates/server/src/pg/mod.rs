//! The store as a PostgreSQL server: SQL sessions over the PostgreSQL protocol.
//!
//! ```text
//!     listener.rs     from a socket to a session
//!     visitor.rs      messages of a client that has not said who it is
//!     startup.rs      TLS, version, who connects; auth.rs  whether it may
//!     connection.rs   the message cycle: simple.rs, extended.rs and copy.rs answer, errors.rs words errors
//!     channel.rs      messages: reads when there is no whole one, writes once per cycle
//! ```
//!
//! Every session has a thread of its own, which blocks: in a read, or in the store for a lock. However the thread
//! ends, its session is dropped, which aborts the open transaction. Before it is a session, a connection is a
//! task. Sockets, threads and their ends are in `listen/`.

mod auth;
mod channel;
mod config;
mod connection;
mod copy;
mod errors;
mod extended;
mod listener;
mod sender;
mod shared;
mod simple;
mod startup;
mod values;
mod visitor;

pub use config::PgConfig;
pub use hobgoblin_sql_postgres::Postgres;
pub use hobgoblin_sql_postgres::session::{Database, Granularity};
pub(crate) use listener::start;
