//! A real PostgreSQL for a test: a cluster in a directory of its own, asked by `psql`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A cluster, gone when dropped.
pub(crate) struct Server {
    bin: PathBuf,
    directory: PathBuf,
}

impl Server {
    /// A server, or nothing where PostgreSQL is not installed, which is told; at full size it has to be there.
    pub(crate) fn start() -> Option<Server> {
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
        let directory = std::env::temp_dir().join(format!("hob-prove-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory for the cluster");
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&directory));
        }
        let server = Server { bin, directory };
        let data = server.directory.join("data");
        let mut initdb = server.program("initdb");
        initdb.args([
            "--locale=C.UTF-8",
            "-E",
            "UTF8",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-N",
            "-D",
        ]);
        run(initdb.arg(&data));
        let options = format!(
            "-c listen_addresses= -c unix_socket_directories={} -c fsync=off",
            server.directory.display()
        );
        let mut start = server.program("pg_ctl");
        start.arg("-D").arg(&data).args(["-w", "-o", &options, "-l"]);
        run(start.arg(server.directory.join("log")).arg("start"));
        Some(server)
    }

    /// A program of PostgreSQL; it does not run as root.
    fn program(&self, name: &str) -> Command {
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

    /// Runs a script in a database of its own; what it prints, row by row. An error ends the test.
    pub(crate) fn script(&self, database: &str, script: &str) -> Vec<String> {
        let mut create = self.program("createdb");
        run(create.arg("-h").arg(&self.directory).args(["-U", "postgres", database]));
        let mut psql = self.program("psql");
        psql.arg("-h").arg(&self.directory).args(["-U", "postgres", "-XqAt", "-v"]);
        psql.args(["ON_ERROR_STOP=1", "-d", database, "-f", "-"]);
        let mut psql = psql
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("psql starts");
        let mut stdin = psql.stdin.take().expect("psql reads");
        let text = script.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
        let output = psql.wait_with_output().expect("psql ends");
        writer.join().expect("the script is written").expect("the script is written");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{database}: {errors}");
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = self.program("pg_ctl");
        stop.arg("-D").arg(self.directory.join("data")).args(["-m", "immediate", "stop"]);
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}
