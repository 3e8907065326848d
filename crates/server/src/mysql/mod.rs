//! The store as a MySQL or MariaDB server: SQL sessions over their protocol.
//!
//! ```text
//!     listener.rs     from a socket to a session
//!     visitor.rs      packets of a client that has not said who it is
//!     entrance.rs     the greeting, TLS, who connects and whether it may
//!     connection.rs   one command after the other; answer.rs tells how they ended, errors.rs that they failed
//!     prepared.rs     the commands of prepared statements; statements.rs has their parameters and cursors
//!     sender.rs       rows on their way: columns.rs describes them, values.rs writes them
//!     channel.rs      packets: reads when there is no whole one, writes when an answer ends
//! ```
//!
//! Every session has a thread of its own, which blocks: in a read, or in the store for a lock. However the thread
//! ends, its session is dropped, which rolls back the open transaction. Before it is a session, a connection is a
//! task. Sockets, threads and their ends are in `listen/`.

mod answer;
mod channel;
mod columns;
mod config;
mod connection;
mod entrance;
mod errors;
mod listener;
mod prepared;
mod sender;
mod shared;
mod statements;
mod values;
mod visitor;

pub use config::MySqlConfig;
pub use hobgoblin_sql_mysql::MySql;
pub(crate) use hobgoblin_sql_mysql::session::Database;
pub use hobgoblin_wire::mysql::Version as MySqlVersion;
pub(crate) use listener::start;
