//! A real PostgreSQL for a test, asked by `psql`.

#[path = "../../../../tests/servers/postgres.rs"]
mod postgres;

use std::io::Write;
use std::process::Stdio;

use postgres::{Postgres, run};

/// A cluster, gone when dropped.
pub(crate) struct Server(Postgres);

impl Server {
    /// A server, or nothing where PostgreSQL is not installed, which is told; at full size it has to be there.
    pub(crate) fn start() -> Option<Server> {
        Postgres::start("").map(Server)
    }

    /// Runs a script in a database of its own; what it prints, row by row. An error ends the test.
    pub(crate) fn script(&self, database: &str, script: &str) -> Vec<String> {
        let mut create = self.0.program("createdb");
        run(create.arg("-h").arg(&self.0.folder).args(["-U", "postgres", database]));
        let mut psql = self.0.program("psql");
        psql.arg("-h").arg(&self.0.folder).args(["-U", "postgres", "-XqAt", "-v"]);
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
