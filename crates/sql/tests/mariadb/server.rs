//! A MariaDB of the test's own, where 10.11 is installed, and a database of its own for each connection.

#[path = "../../../../tests/servers/mariadb.rs"]
mod mariadb;

use std::time::{Duration, Instant};

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
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match Client::connect(self.0.port) {
                Ok(mut client) => {
                    client.query(&format!("create database `{database}`"));
                    client.query(&format!("use `{database}`"));
                    return client;
                }
                Err(error) if Instant::now() > until => panic!("no answer: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}
