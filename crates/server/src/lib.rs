//! The weak-isolation store over HTTP and JSON, and over the PostgreSQL protocol.
//!
//! A program connects a session, begins transactions, reads and writes, in any language that speaks HTTP:
//!
//! ```text
//! POST /v1/sessions            {"name": "alice"}          201 {"session": "alice"}
//! POST /v1/sessions/alice/begin                           200 {}
//! POST /v1/sessions/alice/put  {"key": "x", "value": 1}   200 {}
//! POST /v1/sessions/alice/commit                          200 {}, or 409 and why it has to run again
//! GET  /v1/history?format=txn                             alice: t1 { w(x)=1 }
//! ```
//!
//! [`Server`] is the whole of it, for `hob serve` and the test runner. A request goes from the connection
//! (`server.rs`) past the guard (`guard.rs`) to the table of routes (`routes.rs`), whose bodies
//! (`bodies.rs`) become requests of the store that runs now (`run.rs`); answers and problems go back as JSON
//! (`answers.rs`, `problem.rs`). The [OpenAPI document](openapi) is made from the same table.
//!
//! Beside it, or alone, `pg/` serves SQL over the PostgreSQL protocol, and `mysql/` over that of MySQL, on the same store; what
//! they share is in `listen/`.
//!
//! `site.rs` serves pages that change to a browser: the status page of a store (`page.rs`), and those of `hob view`.
//!
//! A client that goes away in the middle of a request leaves nothing half done: the request was served, or
//! it never was. Its session stays until it is closed, or has been idle for
//! [`ServerConfig::idle_timeout`].

mod accept;
mod answers;
mod app;
mod bodies;
pub mod client;
mod config;
mod connection;
mod crowd;
mod databases;
mod dialects;
mod error;
mod guard;
mod listen;
#[cfg(feature = "mysql")]
mod mysql;
mod openapi;
mod page;
mod patience;
mod payload;
mod pg;
mod problem;
mod route;
mod routes;
mod run;
mod server;
mod site;
mod store_routes;
mod taken;

pub use bodies::initial_values;
pub use config::ServerConfig;
pub use databases::Tables;
pub use dialects::Dialects;
pub use error::ServerError;
pub use listen::tls::TlsFiles;
#[cfg(feature = "mysql")]
pub use mysql::{MySql, MySqlConfig, MySqlVersion};
pub use pg::{Database, Granularity, PgConfig, Postgres};
pub use routes::openapi;
pub use server::{Finished, Server};
pub use site::{Shown, Site, SiteServer};
