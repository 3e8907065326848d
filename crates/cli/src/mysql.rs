//! Clients of MySQL and MariaDB: how they are served.

use std::net::SocketAddr;
use std::path::PathBuf;

use hobgoblin_runner::Plan;
use hobgoblin_server::{Dialects, MySqlConfig, MySqlVersion, Server, ServerConfig, TlsFiles};
use hobgoblin_store::Config;

use crate::diagnostic::{Diagnostic, Failure};

/// Which server is spoken for.
pub(crate) type Version = MySqlVersion;

/// Reads the name of a version.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    text.parse().map_err(|_| {
        let names = Version::ALL.map(Version::name).join(", ");
        format!("expected one of {names}")
    })
}

/// What the flags of `hob serve` say of the listener.
pub(crate) struct Listening {
    pub(crate) addr: SocketAddr,
    pub(crate) password: Option<String>,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) version: Option<Version>,
    pub(crate) settings: Vec<(String, String)>,
}

/// Lets a server serve these clients too.
pub(crate) fn serve(
    config: &mut ServerConfig,
    listening: Listening,
    dialects: Dialects,
) -> Result<(), Failure> {
    let Listening { addr, password, socket, tls, version, settings } = listening;
    let default = of(dialects, version, settings).ok_or_else(missing)?;
    let mysql = MySqlConfig { addr, password, socket, tls, ..default };
    config.store = store_of(config.store.clone(), version, &mysql.settings);
    config.mysql = Some(mysql);
    Ok(())
}

/// Lets the command of a plan speak to these, with this store if it does.
pub(crate) fn plan(
    plan: &mut Plan,
    store: Config,
    version: Option<Version>,
    settings: Vec<(String, String)>,
    dialects: Dialects,
) {
    let of = of(dialects, version, settings);
    plan.mysql = of.map(|mysql| MySqlConfig { store: Some(store), ..mysql });
}

/// A store as the server of a version has it.
pub(crate) fn store_of(
    store: Config,
    version: Option<Version>,
    settings: &[(String, String)],
) -> Config {
    MySqlConfig::store_of(store, version.unwrap_or(Version::Mariadb1011), settings)
}

fn of(
    dialects: Dialects,
    version: Option<Version>,
    settings: Vec<(String, String)>,
) -> Option<MySqlConfig> {
    let default = MySqlConfig::new(dialects.mysql?);
    Some(MySqlConfig { version: version.unwrap_or(default.version), settings, ..default })
}

fn missing() -> Failure {
    Diagnostic::new("this `hob` does not know the SQL of MySQL", "build all of `hob`").into()
}

/// Where clients find a server.
pub(crate) fn url(server: &Server) -> Option<String> {
    server.mysql_url()
}

/// Whether a command that asks for it can be served.
pub(crate) fn check() -> Result<(), Failure> {
    Ok(())
}
