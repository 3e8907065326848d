//! A MariaDB of a test's own: in a folder of its own, on a port of its own, stopped when it is dropped.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The version whose answers the tests know.
const VERSION: &str = "10.11.";

/// A server, which ends with this value; `root` needs no password.
pub(crate) struct MariaDb {
    #[allow(dead_code, reason = "some reach it by its socket")]
    pub port: u16,
    #[allow(dead_code, reason = "some reach it by its port")]
    pub socket: PathBuf,
    folder: PathBuf,
    process: Child,
}

impl MariaDb {
    /// Starts one with more options, and runs statements before anybody may connect. `None`, with a line that says so,
    /// where it is not installed; at full size it has to be there.
    pub(crate) fn start(options: &[&str], setup: &str) -> Option<MariaDb> {
        let program = match program() {
            Ok(program) => program,
            Err(why) => {
                assert!(std::env::var_os("HOB_FULL").is_none(), "{why}");
                eprintln!("skipped: {why}; `make setup` installs MariaDB {VERSION}x");
                return None;
            }
        };
        let folder = folder();
        // A server that starts removes the temporary tables of others in its folder for such.
        let temporary = folder.join("temporary");
        std::fs::create_dir_all(&temporary).expect("there is room for it");
        std::fs::write(folder.join("setup.sql"), setup).expect("it is written");
        let data = format!("--datadir={}", folder.join("data").display());
        let socket = folder.join("socket");
        let installed = Command::new("mariadb-install-db")
            .env("TMPDIR", &temporary)
            .args(["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"])
            .args(as_root())
            .arg(&data)
            .output()
            .expect("it is installed with the server");
        let said = String::from_utf8_lossy(&installed.stdout);
        assert!(installed.status.success(), "mariadb-install-db fails: {said}");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("there is a port").port();
        let process = Command::new(program)
            .env("TMPDIR", &temporary)
            .args(["--no-defaults", "--bind-address=127.0.0.1"])
            .args([
                "--skip-log-bin",
                "--character-set-server=utf8mb4",
                "--default-time-zone=+00:00",
            ])
            .args(["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"])
            .args(["--innodb-fast-shutdown=2", "--innodb-flush-method=nosync"])
            .args(as_root())
            .args(options)
            .arg(data)
            .arg(format!("--socket={}", socket.display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .arg(format!("--init-file={}", folder.join("setup.sql").display()))
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).expect("it is created"))
            .spawn()
            .expect("it starts");
        let started = MariaDb { port, socket, folder, process };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "MariaDB does not come up");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(started)
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The server's program, or why there is none.
fn program() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut found = folders.map(|folder| folder.join("mariadbd"));
    let program = found.find(|file| file.exists()).ok_or("MariaDB is not installed")?;
    let said = Command::new(&program).arg("--version").output();
    let said = said.map_err(|error| format!("{}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    if said.contains(VERSION) {
        Ok(program)
    } else {
        Err(format!("another MariaDB is here: {said}"))
    }
}

/// A folder that no other test has.
fn folder() -> PathBuf {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("hob-mariadb-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// A server that root starts has to be told that it may.
fn as_root() -> Option<&'static str> {
    Path::new("/root").read_dir().is_ok().then_some("--user=root")
}
