//! A MariaDB server of the test's own, where 10.11 is installed: a folder of its own, a port of its own, stopped at the end.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::client::Client;

pub(crate) struct Server {
    process: Child,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// Starts one; nothing if it is not installed.
    pub(crate) fn start() -> Option<Server> {
        let said = Command::new("mariadbd").arg("--version").output().ok()?;
        if !String::from_utf8_lossy(&said.stdout).contains("10.11.") {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let folder = std::env::temp_dir().join(format!("hob-sql-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).ok()?;
        let data = format!("--datadir={}", folder.join("data").display());
        // A server that starts removes the temporary tables of others in its folder for such.
        let installed = Command::new("mariadb-install-db")
            .env("TMPDIR", &folder)
            .args(["--no-defaults", &data, "--auth-root-authentication-method=normal"])
            .args(["--skip-test-db", "--user=root"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?;
        assert!(installed.success(), "MariaDB makes its tables");
        let process = Command::new("mariadbd")
            .env("TMPDIR", &folder)
            .args(["--no-defaults", &data, &format!("--port={port}"), "--user=root"])
            .args(["--bind-address=127.0.0.1", "--skip-log-bin"])
            .args(["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M"])
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .args(["--character-set-server=utf8mb4", "--default-time-zone=+00:00"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Server { process, folder, port })
    }

    /// Connects, as soon as it answers, and uses a database of its own.
    pub(crate) fn connect(&self, database: &str) -> Client {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match Client::connect(self.port) {
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

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
