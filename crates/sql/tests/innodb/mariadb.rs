//! The real server: one of our own in a directory that is gone afterwards, on a Unix socket.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::lanes::{Answer, Client, Lane};

/// A server, stopped when dropped.
pub(crate) struct Server {
    child: Child,
    directory: PathBuf,
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
        if !PathBuf::from("/usr/sbin/mariadbd").exists() {
            let told = "MariaDB is not installed (make setup installs it)";
            assert!(std::env::var_os("HOB_FULL").is_none(), "{told}");
            eprintln!("skipped: {told}");
            return None;
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = format!("hob-innodb-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(directory);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory for the server");
        let data = directory.join("data");
        // A server that starts removes the temporary tables of others in its folder for such.
        let installed = Command::new("mariadb-install-db")
            .env("TMPDIR", &directory)
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--user=root"])
            .args(["--skip-test-db", &format!("--datadir={}", data.display())])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(installed.expect("it is installed").success(), "MariaDB makes a database");
        let socket = directory.join("socket");
        let child = Command::new("/usr/sbin/mariadbd")
            .env("TMPDIR", &directory)
            .args(["--no-defaults", "--user=root", "--skip-networking", "--skip-log-bin"])
            .args(["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M"])
            .args(["--innodb-lock-wait-timeout=50", "--innodb-stats-auto-recalc=OFF"])
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", socket.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("MariaDB starts");
        let start = Instant::now();
        loop {
            let made = Command::new("mariadb")
                .args(["--no-defaults", &format!("--socket={}", socket.display())])
                .args(["--user=root", "-e", "create database test"])
                .stderr(Stdio::null())
                .status();
            if made.expect("the client is installed").success() {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "MariaDB takes connections");
            std::thread::sleep(Duration::from_millis(50));
        }
        let client = Client::start(&socket.display().to_string());
        let monitor = Monitor { client, waiting: Vec::new(), asked: Instant::now() };
        Some(Server { child, directory, monitor: Arc::new(Mutex::new(monitor)) })
    }

    fn socket(&self) -> String {
        self.directory.join("socket").display().to_string()
    }

    /// A client, to make tables.
    pub(crate) fn client(&self) -> Client {
        Client::start(&self.socket())
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

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
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
