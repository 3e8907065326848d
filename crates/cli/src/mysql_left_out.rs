//! A build that does not know the clients of MySQL and MariaDB: `make demo` builds what it shows.

use std::net::SocketAddr;
use std::path::PathBuf;

use hobgoblin_runner::Plan;
use hobgoblin_server::{Dialects, Server, ServerConfig, TlsFiles};
use hobgoblin_store::Config;

use crate::diagnostic::{Diagnostic, Failure};

/// There are none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Version {}

/// Refuses every version.
pub(crate) fn version(_: &str) -> Result<Version, String> {
    Err("this `hob` was built without MySQL".to_owned())
}

/// What the flags of `hob serve` say of the listener.
#[allow(dead_code, reason = "nobody listens")]
pub(crate) struct Listening {
    pub(crate) addr: SocketAddr,
    pub(crate) password: Option<String>,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) version: Option<Version>,
    pub(crate) settings: Vec<(String, String)>,
}

/// Says that they are not served.
pub(crate) fn serve(_: &mut ServerConfig, _: Listening, _: Dialects) -> Result<(), Failure> {
    check()
}

/// Leaves a store as it is.
pub(crate) fn store_of(store: Config, _: Option<Version>, _: &[(String, String)]) -> Config {
    store
}

/// Leaves a plan as it is.
pub(crate) fn plan(
    _: &mut Plan,
    _: Config,
    _: Option<Version>,
    _: Vec<(String, String)>,
    _: Dialects,
) {
}

/// Nobody finds one.
pub(crate) fn url(_: &Server) -> Option<String> {
    None
}

/// Says that they are not served.
pub(crate) fn check() -> Result<(), Failure> {
    let help = "build all of `hob` with `cargo build --release --package hob`";
    Err(Diagnostic::new("this `hob` was built without MySQL", help).into())
}
