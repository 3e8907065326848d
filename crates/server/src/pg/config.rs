//! What the PostgreSQL listener is told before it starts.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use hobgoblin_sql_postgres::Postgres;
use hobgoblin_store::Config;

use crate::listen::tls::TlsFiles;

/// How SQL is served over the PostgreSQL protocol.
#[derive(Clone, Debug)]
pub struct PgConfig {
    /// The SQL that is spoken, with its functions.
    pub dialect: &'static Postgres,
    /// Where it listens; port 0 takes a free one.
    pub addr: SocketAddr,
    /// A directory for a Unix socket, named as clients expect it: `.s.PGSQL.PORT`.
    pub socket_dir: Option<PathBuf>,
    /// The password of every user, by SCRAM-SHA-256; needed unless `addr` is a loopback one.
    pub password: Option<String>,
    /// The certificate to speak TLS with; without one, clients that ask for TLS are told that it is not spoken.
    pub tls: Option<TlsFiles>,
    /// The store to have if the first client speaks SQL. Without it, the store of the server.
    pub store: Option<Config>,
    /// How many sessions there may be at once. Clients that have not yet said who they are do not count.
    pub max_connections: usize,
    /// How many clients may be about to say who they are. One more takes the place of the one that has
    /// taken longest.
    pub max_waiting: usize,
    /// The longest message, in bytes.
    pub max_message: usize,
    /// How long a client may take to say who it is.
    pub startup_timeout: Duration,
}

impl PgConfig {
    /// On a free port of this machine, for everybody who can reach it.
    pub fn new(dialect: &'static Postgres) -> PgConfig {
        PgConfig {
            dialect,
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            socket_dir: None,
            password: None,
            tls: None,
            store: None,
            max_connections: 2000,
            max_waiting: 2000,
            max_message: hobgoblin_wire::pg::MAX_MESSAGE,
            startup_timeout: Duration::from_secs(60),
        }
    }
}
