//! A server for PostgreSQL's clients, over a store of this process: for tests of applications that use `sqlx`,
//! `tokio-postgres`, `diesel` or any other client.
//!
//! ```no_run
//! use hobgoblin::postgres::Server;
//! use hobgoblin::test::{self, Config};
//! use hobgoblin::{Level, Store};
//!
//! fn nobody_is_left(store: &Store) {
//!     let server = Server::start(store).expect("it listens");
//!     // let pool = PgPool::connect(&server.url()) …
//! }
//!
//! test::check(Config::at(Level::RC).runs(100), nobody_is_left);
//! ```
//!
//! Every run has a store of its own, so the application creates its tables in each. The whole of it, with an example
//! that finds a write skew, stands in `docs/applications.md`.

use std::net::SocketAddr;

use hobgoblin_front::Store;
use hobgoblin_server::{PgConfig, ServerConfig, ServerError};

/// A server that listens on a free port of this machine, until it is dropped.
#[derive(Debug)]
pub struct Server {
    inner: Option<hobgoblin_server::Server>,
    address: SocketAddr,
}

impl Server {
    /// Serves a store.
    pub fn start(store: &Store) -> std::io::Result<Server> {
        let config = ServerConfig {
            http: false,
            pg: Some(PgConfig::new(&hobgoblin_sql::POSTGRES)),
            over: Some(store.clone()),
            ..ServerConfig::default()
        };
        let inner = hobgoblin_server::Server::start(config).map_err(|error| match error {
            ServerError::Listen { source, .. } => source,
            other => std::io::Error::other(other),
        })?;
        let address = inner.pg_addr().expect("it listens for SQL");
        Ok(Server { inner: Some(inner), address })
    }

    /// Where clients find it: `postgresql://hob@127.0.0.1:40123/hob`.
    pub fn url(&self) -> String {
        format!("postgresql://hob@{}/hob", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(server) = self.inner.take() else { return };
        // A runtime's own threads may not block, and stopping waits for the clients.
        let stopped = std::thread::scope(|scope| scope.spawn(|| server.stop()).join());
        drop(stopped);
    }
}
