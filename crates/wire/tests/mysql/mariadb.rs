//! A MariaDB of one's own, with a user `hob` whose password is `secret word`.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The user that programs log in as.
pub(crate) const USER: &str = "hob";
/// The user's password.
pub(crate) const PASSWORD: &str = "secret word";

/// A server, which ends with this value.
pub(crate) struct MariaDb {
    pub port: u16,
    folder: PathBuf,
    server: Child,
}

const SETUP: &str = "CREATE USER hob@'127.0.0.1' IDENTIFIED VIA mysql_native_password USING PASSWORD('secret word');\n\
                     GRANT ALL ON *.* TO hob@'127.0.0.1';\n\
                     CREATE DATABASE shop CHARACTER SET utf8mb4;\n";

impl MariaDb {
    /// Starts one; `None`, with a line that says so, if it is not installed.
    pub(crate) fn start() -> Option<MariaDb> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("hob-wire-mariadb-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("there is room for it");
        let data = folder.join("data");
        // Servers that start at the same time take each other's temporary tables if they share a folder for these.
        let temporary = folder.join("temporary");
        std::fs::create_dir_all(&temporary).expect("there is room for it");
        let installed = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"])
            .args(as_root())
            .arg(format!("--datadir={}", data.display()))
            .env("TMPDIR", &temporary)
            .output();
        let (Some(server), Ok(installed)) = (program(), installed) else {
            eprintln!("skipped: MariaDB is not installed; the recorded answers stand for it");
            let _ = std::fs::remove_dir_all(&folder);
            return None;
        };
        let said = String::from_utf8_lossy(&installed.stdout);
        assert!(installed.status.success(), "mariadb-install-db fails: {said}");
        std::fs::write(folder.join("setup.sql"), SETUP).expect("it is written");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("there is a port").port();
        let server = Command::new(server)
            .args(["--no-defaults", "--bind-address=127.0.0.1", "--skip-name-resolve"])
            .args(["--max-allowed-packet=64M", "--innodb-flush-log-at-trx-commit=0"])
            .args(["--innodb-log-file-size=64M", "--innodb-buffer-pool-size=128M"])
            .args(as_root())
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .arg(format!("--init-file={}", folder.join("setup.sql").display()))
            .arg(format!("--port={port}"))
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).expect("it is created"))
            .spawn()
            .expect("it starts");
        let started = MariaDb { port, folder, server };
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
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("mariadbd")).find(|file| file.exists())
}

/// A server that root starts has to be told that it may.
fn as_root() -> Option<&'static str> {
    Path::new("/root").read_dir().is_ok().then_some("--user=root")
}
