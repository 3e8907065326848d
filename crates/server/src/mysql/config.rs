//! What the MySQL listener is told before it starts.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use hobgoblin_sql_mysql::MySql;
use hobgoblin_sql_mysql_types::{self as types, Speaker};
use hobgoblin_sql_schema::SqlError;
use hobgoblin_store::Config;
use hobgoblin_wire::mysql::Version;

use crate::listen::tls::TlsFiles;

/// The variable that makes REPEATABLE READ refuse what changed since its snapshot.
const SNAPSHOT_ISOLATION: &str = "innodb_snapshot_isolation";

/// How SQL is served over the protocol of MySQL and MariaDB.
#[derive(Clone, Debug)]
pub struct MySqlConfig {
    /// The SQL that is spoken, with its functions.
    pub dialect: &'static MySql,
    /// Which server is spoken for: its greeting, its variables and defaults.
    pub version: Version,
    /// Where it listens; port 0 takes a free one.
    pub addr: SocketAddr,
    /// The path of a Unix socket beside it.
    pub socket: Option<PathBuf>,
    /// The password of every user; needed unless `addr` is a loopback one. Without it, any user and password will do.
    pub password: Option<String>,
    /// The certificate to speak TLS with; without one, it is not offered.
    pub tls: Option<TlsFiles>,
    /// The store to have if the first client speaks this protocol. Without it, the store of the server.
    pub store: Option<Config>,
    /// Global variables, as `SET GLOBAL` sets them.
    pub settings: Vec<(String, String)>,
    /// How many sessions there may be at once. Clients that have not yet said who they are do not count.
    pub max_connections: usize,
    /// How many clients may be about to say who they are. One more takes the place of the one that has
    /// taken longest.
    pub max_waiting: usize,
    /// The longest command, in bytes; without it, what the variable `max_allowed_packet` says, which is 16 MiB in MariaDB and
    /// 64 MiB in MySQL if it is not set.
    pub max_packet: Option<usize>,
    /// How long a client may take to say who it is.
    pub startup_timeout: Duration,
}

impl MySqlConfig {
    /// The configuration of a server that says it is MariaDB 10.11, on a free port of this machine,
    /// without a password.
    pub fn new(dialect: &'static MySql) -> MySqlConfig {
        MySqlConfig {
            dialect,
            version: Version::Mariadb1011,
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            socket: None,
            password: None,
            tls: None,
            store: None,
            settings: Vec::new(),
            max_connections: 2000,
            max_waiting: 2000,
            max_packet: None,
            startup_timeout: Duration::from_secs(60),
        }
    }

    /// A store as a server with these variables has it: under `innodb_snapshot_isolation`, which is on by default in
    /// MariaDB 11.8, REPEATABLE READ refuses to change what changed since its snapshot; and but for MariaDB 10.11, who shares a
    /// row goes before those who wait for it.
    pub fn store_of(store: Config, version: Version, settings: &[(String, String)]) -> Config {
        let default = match version {
            Version::Mariadb118 => true,
            Version::Mysql97 | Version::Mariadb1011 => false,
        };
        let upgrades_first = match version {
            Version::Mysql97 | Version::Mariadb118 => true,
            Version::Mariadb1011 => false,
        };
        let set = setting(settings, SNAPSHOT_ISOLATION);
        store.upgrades_first(upgrades_first).snapshot_isolation(set.map_or(default, |value| {
            value == "1" || value.eq_ignore_ascii_case("on") || value.eq_ignore_ascii_case("true")
        }))
    }

    /// The longest command that is taken.
    pub(crate) fn max_command(&self) -> usize {
        let set = || setting(&self.settings, "max_allowed_packet")?.parse().ok();
        let default = if self.version.is_mariadb() { 16 << 20 } else { 64 << 20 };
        self.max_packet.or_else(set).unwrap_or(default)
    }

    /// The words of an error.
    pub(crate) fn worded(&self, error: SqlError) -> String {
        types::worded(error, Speaker { version: self.spoken(), database: "" }).message()
    }

    /// The version as the dialect calls it.
    pub(crate) fn spoken(&self) -> types::Version {
        match self.version {
            Version::Mysql97 => types::Version::MySql9_7,
            Version::Mariadb1011 => types::Version::MariaDb10_11,
            Version::Mariadb118 => types::Version::MariaDb11_8,
        }
    }
}

/// The last value that a variable is given.
fn setting<'a>(settings: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut given = settings.iter().rev();
    let found = given.find(|(given, _)| given.replace('-', "_").eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim())
}
