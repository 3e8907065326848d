//! A MariaDB of a test's own, where the version is installed that the recorded answers are of.

#[path = "../../../../tests/servers/mariadb.rs"]
mod mariadb;

use mariadb::MariaDb;

use super::client::Client;

pub(crate) struct Server(MariaDb);

impl Server {
    /// Starts one; nothing if it is not installed.
    pub(crate) fn start() -> Option<Server> {
        MariaDb::start(&[], "").map(Server)
    }

    /// Connects, as soon as it answers.
    pub(crate) fn client(&self) -> Client {
        Client::connect(self.0.port)
    }
}
