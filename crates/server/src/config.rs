//! What a server is told before it starts.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use hobgoblin_front::Store;
use hobgoblin_store::{Config, Schedule};

#[cfg(feature = "mysql")]
use crate::mysql::MySqlConfig;
use crate::pg::{Granularity, PgConfig};

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Where it listens; port 0 takes a free one.
    pub addr: SocketAddr,
    /// Whether it listens there for HTTP; one without serves SQL alone.
    pub http: bool,
    /// Whether a server without HTTP has a status page for browsers of this machine, at an address of its own.
    pub page: bool,
    /// How SQL is served over the PostgreSQL protocol, if it is.
    pub pg: Option<PgConfig>,
    /// How SQL is served over the protocol of MySQL and MariaDB, if it is.
    #[cfg(feature = "mysql")]
    pub mysql: Option<MySqlConfig>,
    /// How rows are kept in the store; by the profile if it is not said.
    pub granularity: Option<Granularity>,
    /// Settings of the PostgreSQL server, as in its `postgresql.conf`.
    pub settings: Vec<(String, String)>,
    /// What every request must carry as `Authorization: Bearer`; needed unless `addr` is a loopback one.
    pub token: Option<String>,
    /// How the store is set up.
    pub store: Config,
    /// The store to serve until a reset, in place of one of its own.
    pub over: Option<Store>,
    /// How long requests may be held so that transactions overlap; engine profiles only.
    pub hold: Option<Duration>,
    /// Transactions come one at a time, and nothing is held: each waits for the open ones of other
    /// sessions, but not for one that does nothing for so long. See
    /// [`Options::serial`](hobgoblin_front::Options::serial).
    pub serial: Option<Duration>,
    /// Which of the requests that are held goes next.
    pub schedule: Schedule,
    /// How long each transaction waits before it begins, at random from the seed.
    pub delay: RangeInclusive<Duration>,
    /// How long an HTTP request may take to arrive, head and body, and an answer to be read.
    pub request_timeout: Duration,
    /// Sessions that ask nothing for so long are closed; `None` for never.
    pub idle_timeout: Option<Duration>,
    /// The file that transactions are written to as they end.
    pub history: Option<PathBuf>,
    /// The file that requests and choices are written to as they are made.
    pub log: Option<PathBuf>,
    /// Whether those files may exist already, to be overwritten.
    pub overwrite: bool,
    /// The run to repeat.
    pub replay: Option<hobgoblin_front::Replay>,
}

impl Default for ServerConfig {
    /// A store at its defaults, on a free port of this machine.
    fn default() -> ServerConfig {
        ServerConfig {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            http: true,
            page: false,
            pg: None,
            #[cfg(feature = "mysql")]
            mysql: None,
            granularity: None,
            settings: Vec::new(),
            token: None,
            store: Config::default(),
            over: None,
            hold: None,
            serial: None,
            schedule: Schedule::default(),
            delay: Duration::ZERO..=Duration::ZERO,
            request_timeout: Duration::from_secs(60),
            idle_timeout: None,
            history: None,
            log: None,
            overwrite: false,
            replay: None,
        }
    }
}

impl ServerConfig {
    /// Whether clients that speak SQL can come.
    pub(crate) fn speaks_sql(&self) -> bool {
        #[cfg(feature = "mysql")]
        if self.mysql.is_some() {
            return true;
        }
        self.pg.is_some()
    }
}

/// An address as programs on this machine reach it.
pub(crate) fn local(mut addr: SocketAddr) -> SocketAddr {
    if addr.ip().is_unspecified() {
        addr.set_ip(if addr.is_ipv4() {
            [127, 0, 0, 1].into()
        } else {
            [0, 0, 0, 0, 0, 0, 0, 1].into()
        });
    }
    addr
}
