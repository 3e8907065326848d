//! The usual PostgreSQL clients against `hob serve --pg`, unmodified.
//!
//! The programs are in tests/clients; they run against the real server too. A client that is not installed
//! is named and skipped (`support/clients.rs`).

#[path = "support/serving.rs"]
mod serving;
#[path = "support/clients.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serving::Serving;
use support::{certificate, in_path, installed, loses_an_update, python_with, root, skip};

fn serve(args: &[&str]) -> Serving {
    Serving::start(&[&["--seed", "1", "--pg", "127.0.0.1:0"], args].concat())
}

impl Serving {
    /// A command that finds this server.
    fn client(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let port = self.listens("pg_url").port().to_string();
        let url = format!("postgresql://hob@127.0.0.1:{port}/hob");
        command
            .current_dir(scripts())
            .env("DATABASE_URL", url)
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", port)
            .env("PGUSER", "hob")
            .env("PGDATABASE", "hob")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env_remove("PGPASSWORD");
        command
    }
}

fn scripts() -> PathBuf {
    root().join("tests/clients")
}

fn run(mut command: Command) {
    let output = command.output().expect("the client starts");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed: {}\n{out}{err}", output.status);
}

/// Runs a Python program, if its module is there.
fn python(module: &str, script: &str) {
    let Some(python) = python_with(module) else { return skip(module) };
    let server = serve(&[]);
    let mut command = server.client(&python);
    command.arg(script);
    run(command);
}

#[test]
fn psycopg2() {
    python("psycopg2", "psycopg2_client.py");
}

#[test]
fn psycopg3() {
    python("psycopg", "psycopg3_client.py");
}

#[test]
fn asyncpg() {
    python("asyncpg", "asyncpg_client.py");
}

#[test]
fn sqlalchemy() {
    python("sqlalchemy, psycopg2, psycopg, asyncpg, greenlet", "sqlalchemy_client.py");
}

#[test]
fn django() {
    python("django, psycopg", "django_client.py");
}

#[test]
fn node_pg() {
    let (Some(node), Some(_)) = (in_path("node"), installed("node/node_modules/pg")) else {
        return skip("node pg");
    };
    let server = serve(&[]);
    let mut command = server.client(&node);
    command.arg("node_pg.js").env("NODE_PATH", root().join("target/clients/node/node_modules"));
    run(command);
}

#[test]
fn pgjdbc() {
    let jar = Path::new("/usr/share/java/postgresql.jar");
    let (Some(java), true) = (in_path("java"), jar.exists()) else { return skip("pgjdbc") };
    let server = serve(&[]);
    let mut command = server.client(&java);
    command.arg("-cp").arg(jar).arg("Jdbc.java");
    run(command);
}

#[test]
fn sqlx() {
    let Some(program) = installed("rust/debug/hobgoblin-rust-client") else { return skip("sqlx") };
    let server = serve(&[]);
    run(server.client(&program));
}

#[test]
fn psql() {
    let Some(shell) = in_path("psql").and_then(|_| in_path("sh")) else { return skip("psql") };
    let server = serve(&[]);
    let mut command = server.client(&shell);
    command.arg("psql.sh");
    run(command);
}

#[test]
fn pgbench() {
    benchmark("pgbench");
}

#[test]
fn sysbench() {
    benchmark("sysbench");
}

/// Runs the script of a benchmark that is installed.
fn benchmark(name: &str) {
    let Some(shell) = in_path(name).and_then(|_| in_path("sh")) else { return skip(name) };
    let server = serve(&[]);
    let mut command = server.client(&shell);
    command.arg(format!("{name}.sh"));
    run(command);
}

/// The examples of the README: as ORMs are usually used they lose an update, repaired they never do, and the
/// failing run can be had again.
fn stock(program: &Path, example: &str) {
    let failure = loses_an_update(program, &root().join("examples/sql").join(example), &[]);
    assert_eq!(failure["diagnosis"]["anomaly"], "lost-update", "{failure}");
    let keys = failure["diagnosis"]["keys"].as_array().expect("keys").clone();
    assert!(keys.iter().all(|key| key.as_str().is_some_and(|k| k.contains("item["))), "{keys:?}");
}

#[test]
fn stock_with_django() {
    match python_with("django, psycopg2") {
        Some(python) => stock(&python, "stock_django.py"),
        None => skip("django, psycopg2"),
    }
}

#[test]
fn stock_with_sqlalchemy() {
    match python_with("sqlalchemy, psycopg2") {
        Some(python) => stock(&python, "stock_sqlalchemy.py"),
        None => skip("sqlalchemy, psycopg2"),
    }
}

#[test]
fn stock_with_node() {
    match in_path("node").filter(|_| installed("node/node_modules/pg").is_some()) {
        Some(node) => stock(&node, "stock_node.mjs"),
        None => skip("node pg"),
    }
}

/// What pg_dump wrote of a PostgreSQL loads, and pg_dump writes the same of what was loaded.
#[test]
fn dumps() {
    let (Some(psql), Some(pg_dump)) = (in_path("psql"), in_path("pg_dump")) else {
        return skip("psql or pg_dump");
    };
    for name in ["dump_blog.sql", "dump_shop.sql", "dump_booking.sql"] {
        let server = serve(&[]);
        let mut load = server.client(&psql);
        load.args(["-Xq", "-v", "ON_ERROR_STOP=1", "-f", name]).env("PGUSER", "postgres");
        run(load);
        let mut dump = server.client(&pg_dump);
        let dumped = dump.env("PGUSER", "postgres").output().expect("pg_dump starts");
        assert!(dumped.status.success(), "{name}: {dumped:?}");
        let is_said = |line: &&str| {
            let beside = ["--", "\\restrict", "\\unrestrict"];
            !line.is_empty() && !beside.iter().any(|start| line.starts_with(start))
        };
        let text = String::from_utf8(dumped.stdout).expect("it is text");
        let file = root().join("tests/clients").join(name);
        let given = std::fs::read_to_string(file).expect("it is there");
        // How PostgreSQL breaks the lines of a view and writes types in it does not matter.
        let words = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(is_said).flat_map(str::split_whitespace);
            lines.map(str::to_lowercase).collect()
        };
        assert_eq!(words(&text), words(&given), "{name}");
    }
}

/// A password by SCRAM, right and wrong, as libpq computes it.
#[test]
fn passwords() {
    let Some(psql) = in_path("psql") else { return skip("psql") };
    let server = serve(&["--pg-password", "sésame, ouvre-toi"]);
    let ask = |password: &str| {
        let mut command = server.client(&psql);
        command.args(["-XAtw", "-c", "SELECT 1"]).env("PGPASSWORD", password);
        command.output().expect("psql starts")
    };
    let good = ask("sésame, ouvre-toi");
    assert_eq!(String::from_utf8_lossy(&good.stdout), "1\n", "{good:?}");
    let bad = ask("sesame");
    assert_eq!(bad.status.code(), Some(2));
    let told = String::from_utf8_lossy(&bad.stderr).into_owned();
    assert!(told.contains("password authentication failed for user \"hob\""), "{told}");
}

/// TLS with a certificate of our own, and a Unix socket.
#[test]
fn tls_and_unix_sockets() {
    let (Some(psql), Some(openssl)) = (in_path("psql"), in_path("openssl")) else {
        return skip("psql or openssl");
    };
    let dir = std::env::temp_dir().join(format!("hob-clients-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("there is room for a directory");
    let file = |name: &str| dir.join(name).display().to_string();
    let socket = dir.display().to_string();
    let (cert, key) = (file("cert.pem"), file("key.pem"));
    certificate(&openssl, &cert, &key);
    let server = serve(&["--tls-cert", &cert, "--tls-key", &key, "--pg-socket", &socket]);
    let ask = |host: &str, mode: &str| {
        let mut command = server.client(&psql);
        command.args(["-XAtw", "-c", "\\conninfo", "-c", "SELECT 1"]);
        command.env("PGHOST", host).env("PGSSLMODE", mode);
        let done = command.output().expect("psql starts");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert!(ask("127.0.0.1", "require").contains("SSL connection (protocol: TLSv1.3"));
    assert!(!ask("127.0.0.1", "disable").contains("SSL"));
    assert!(ask(&socket, "disable").contains("via socket in"));
    drop(server);
    let _ = std::fs::remove_dir_all(dir);
}

/// A failing run is replayed with its rows kept as they were.
#[test]
fn replays_keep_the_granularity() {
    let Some(_) = in_path("psql").and_then(|_| in_path("sh")) else { return skip("psql") };
    let dir = std::env::temp_dir().join(format!("hob-granularity-{}", std::process::id()));
    let hob = |args: &[&str]| {
        let mut hob = Command::new(env!("CARGO_BIN_EXE_hob"));
        hob.arg("test").args(args).output().expect("hob starts")
    };
    let script = "psql -Xqc 'CREATE TABLE t (a int PRIMARY KEY, b int); INSERT INTO t VALUES (1, 2); \
                  SELECT b FROM t' && [ -n \"$HOB_BASELINE\" ]";
    let out = dir.display().to_string();
    let options = ["--profile", "spec", "--granularity", "row", "--until-fail", "--out", &out];
    let failed = hob(&[&options[..], &["--", "sh", "-c", script]].concat());
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let log = dir.join("RC-seed0.log.jsonl").display().to_string();
    let replay = hob(&["--replay", &log, "--yes", "--json"]);
    let report = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(report.contains("\"divergence\":null") && report.contains("\"tries\":1,"), "{report}");
    std::fs::remove_dir_all(&dir).expect("it is ours");
}
