//! The real server, spoken to through its command line, and who waits there.

#[path = "../../../../tests/servers/mariadb.rs"]
mod server;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use server::MariaDb;

use crate::lanes::{Answer, Client, Lane};

/// A server, stopped when dropped.
pub(crate) struct Server {
    mariadb: MariaDb,
    monitor: Arc<Mutex<Monitor>>,
}

/// Who waits for a lock, as `SHOW ENGINE INNODB STATUS` tells.
struct Monitor {
    client: Client,
    waiting: Vec<u64>,
    asked: Instant,
}

impl Server {
    /// A server, or nothing where MariaDB is not installed, which is told; at full size it has to be there.
    pub(crate) fn start() -> Option<Server> {
        let options = ["--innodb-lock-wait-timeout=50", "--innodb-stats-auto-recalc=OFF"];
        let mariadb = MariaDb::start(&options, "create database test;\n")?;
        let client = Client::start(&mariadb.socket.display().to_string());
        let monitor = Monitor { client, waiting: Vec::new(), asked: Instant::now() };
        Some(Server { mariadb, monitor: Arc::new(Mutex::new(monitor)) })
    }

    /// A client, to make tables.
    pub(crate) fn client(&self) -> Client {
        Client::start(&self.mariadb.socket.display().to_string())
    }

    /// A session at a level.
    pub(crate) fn lane(&self, level: &str) -> Lane {
        let mut client = self.client();
        client.ask(&format!("set session transaction isolation level {level}"));
        let Answer::Rows(rows) = client.ask("select connection_id()") else {
            panic!("a connection has a number")
        };
        let id: u64 = rows[0][0].parse().expect("a number");
        let monitor = Arc::clone(&self.monitor);
        Lane::new(
            move |sql| client.ask(sql),
            move |since| monitor.lock().unwrap_or_else(PoisonError::into_inner).waits(id, since),
        )
    }
}

/// How long after anything happened who waits has settled.
const SETTLED: Duration = Duration::from_millis(25);

impl Monitor {
    /// Whether a connection has come to wait since something happened last.
    fn waits(&mut self, connection: u64, since: Instant) -> bool {
        if since.elapsed() < SETTLED {
            return false;
        }
        if self.asked < since + SETTLED {
            self.asked = Instant::now();
            self.waiting.clear();
            let Answer::Rows(rows) = self.client.ask("show engine innodb status") else {
                return false;
            };
            let text = rows.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
            // Newlines come as two characters.
            for transaction in text.split("---TRANSACTION ").skip(1) {
                let id = transaction.split("MariaDB thread id ").nth(1);
                let id: Option<u64> = id.and_then(|rest| rest.split(',').next()?.parse().ok());
                if transaction.contains("\\nLOCK WAIT") {
                    self.waiting.extend(id);
                }
            }
        }
        self.waiting.contains(&connection)
    }
}
