//! A MariaDB server of a test's own, where one is installed: a folder of its own, a port of its own, stopped at the end.

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
    /// Starts one; nothing if it is not installed, or another version than the recorded answers are of.
    pub(crate) fn start() -> Option<Server> {
        let said = Command::new("mariadbd").arg("--version").output().ok()?;
        if !String::from_utf8_lossy(&said.stdout).contains("10.11.") {
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let folder = std::env::temp_dir().join(format!("hob-mysql-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).ok()?;
        let data = format!("--datadir={}", folder.join("data").display());
        let user = std::env::var("USER").unwrap_or_else(|_| "root".to_owned());
        // A server that starts removes the temporary tables of others in its folder for such.
        let installed = Command::new("mariadb-install-db")
            .env("TMPDIR", &folder)
            .args(["--no-defaults", &data, "--auth-root-authentication-method=normal"])
            .args(["--skip-test-db", &format!("--user={user}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .ok()?;
        if !installed.success() {
            let _ = fs::remove_dir_all(&folder);
            return None;
        }
        let process = Command::new("mariadbd")
            .env("TMPDIR", &folder)
            .args(["--no-defaults", &data, &format!("--port={port}"), &format!("--user={user}")])
            .args([
                "--bind-address=127.0.0.1",
                "--skip-log-bin",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .args(["--character-set-server=utf8mb4", "--default-time-zone=+00:00"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        Some(Server { process, folder, port })
    }

    /// Connects, as soon as it answers.
    pub(crate) fn client(&self) -> Client {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match Client::connect(self.port) {
                Ok(client) => return client,
                Err(error) if Instant::now() > until => panic!("no answer: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
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
