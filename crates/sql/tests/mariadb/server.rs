//! A MariaDB of the test's own, where 10.11 is installed, and a database of its own for each connection.

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

    /// Connects, as soon as it answers, and uses a database of its own.
    pub(crate) fn connect(&self, database: &str) -> Client {
        let mut client = Client::connect(self.0.port);
        client.query(&format!("create database `{database}`"));
        client.query(&format!("use `{database}`"));
        client
    }
}
