//! A PostgreSQL of a test's own: a cluster in a folder of its own, reached by its socket there, stopped when it is dropped.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server, which ends with this value; `postgres` needs no password.
pub(crate) struct Postgres {
    bin: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Postgres {
    /// Starts one with more options. `None`, with a line that says so, where it is not installed; at full size it has to
    /// be there.
    pub(crate) fn start(options: &str) -> Option<Postgres> {
        let bin = ["15", "16", "17"]
            .iter()
            .map(|version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")))
            .find(|bin| bin.join("initdb").exists());
        let Some(bin) = bin else {
            let told = "PostgreSQL is not installed (make setup installs it)";
            assert!(std::env::var_os("HOB_FULL").is_none(), "{told}");
            eprintln!("skipped: {told}");
            return None;
        };
        let folder = folder();
        std::fs::create_dir_all(&folder).expect("there is room for it");
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&folder));
        }
        let server = Postgres { bin, folder };
        let data = server.folder.join("data");
        let mut initdb = server.program("initdb");
        initdb.args(["--locale=C.UTF-8", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-N"]);
        run(initdb.arg("-D").arg(&data));
        let all = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c fsync=off {options}",
            server.folder.display()
        );
        let mut start = server.program("pg_ctl");
        start.arg("-D").arg(&data).args(["-w", "-o", &all, "-l"]);
        run(start.arg(server.folder.join("log")).arg("start"));
        Some(server)
    }

    /// A program of PostgreSQL; it does not run as root.
    pub(crate) fn program(&self, name: &str) -> Command {
        let path = self.bin.join(name);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(path);
                command
            }
            false => Command::new(path),
        };
        command.current_dir("/");
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut stop = self.program("pg_ctl");
        stop.arg("-D").arg(self.folder.join("data")).args(["-m", "immediate", "stop"]);
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A folder that no other test has.
fn folder() -> PathBuf {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("hob-postgres-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Runs a program, which has to succeed.
pub(crate) fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}
