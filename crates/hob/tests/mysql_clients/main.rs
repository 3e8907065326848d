//! The usual clients of MySQL and MariaDB against `hob serve --mysql`, unmodified.
//!
//! The programs are in tests/clients/mysql. Each runs against MariaDB, where it is installed, and against `hob`, and has
//! to print the same. A client that is not installed is named and skipped (`support/clients.rs`).

#![cfg(feature = "mysql")]

#[path = "../../../wire/tests/mysql/mariadb.rs"]
mod mariadb;
mod scenarios;
mod schemas;
#[path = "../support/serving.rs"]
mod serving;
#[path = "../support/clients.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mariadb::{PASSWORD, USER};
use serving::Serving;
use support::{certificate, in_path, installed, loses_an_update, python_with, root, skip};

fn serve(args: &[&str]) -> Serving {
    let first = ["--seed", "1", "--mysql", "127.0.0.1:0", "--level", "SI", "--hold", "0s"];
    Serving::start(&[&first[..], args].concat())
}

impl Serving {
    fn port(&self) -> u16 {
        self.listens("mysql_url").port()
    }
}

fn programs() -> PathBuf {
    root().join("tests/clients/mysql")
}

/// What a program prints, which ends well.
fn output(mut command: Command) -> String {
    command
        .current_dir(programs())
        .env("TZ", "UTC")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONWARNINGS", "ignore");
    let done = command.stdin(Stdio::null()).output().expect("the client starts");
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?} failed: {}\n{out}{err}", done.status);
    out + &err
}

/// A program prints the same at both, given the port.
fn same(name: &str, program: impl Fn(u16) -> Command) {
    let ours = serve(&[]);
    let heard = output(program(ours.port()));
    let Some(real) = mariadb::start() else { return };
    let expected = output(program(real.port));
    for (number, (heard, expected)) in heard.lines().zip(expected.lines()).enumerate() {
        assert_eq!(heard, expected, "{name}, line {}", number + 1);
    }
    assert_eq!(heard.lines().count(), expected.lines().count(), "{name}: {heard}");
}

/// The arguments of all programs.
fn arguments(command: &mut Command, port: u16) {
    command.args(["127.0.0.1", &port.to_string(), USER, PASSWORD]);
}

/// A program in Python, if its modules are there.
fn python(modules: &str, script: &'static str) {
    let Some(python) = python_with(modules) else { return skip(modules) };
    same(script, |port| {
        let mut command = Command::new(&python);
        command.arg(script);
        arguments(&mut command, port);
        command
    });
}

#[test]
fn pymysql() {
    python("pymysql", "pymysql_client.py");
}

#[test]
fn aiomysql() {
    python("aiomysql", "aiomysql_client.py");
}

#[test]
fn mysql_connector() {
    python("mysql.connector", "connector_client.py");
}

#[test]
fn sqlalchemy() {
    python("sqlalchemy, pymysql", "sqlalchemy_client.py");
}

#[test]
fn django() {
    python("django, pymysql", "django_client.py");
}

#[test]
fn node_mysql2() {
    let (Some(node), Some(modules)) = (in_path("node"), installed("node/node_modules")) else {
        return skip("node mysql2");
    };
    if !modules.join("mysql2").exists() {
        return skip("node mysql2");
    }
    same("mysql2_client.js", |port| {
        let mut command = Command::new(&node);
        command.arg("mysql2_client.js").env("NODE_PATH", &modules);
        arguments(&mut command, port);
        command
    });
}

#[test]
fn connector_j() {
    let driver = Path::new("/usr/share/java/mariadb-java-client.jar");
    let (Some(java), true) = (in_path("java"), driver.exists()) else {
        return skip("MariaDB Connector/J");
    };
    same("JdbcClient.java", |port| {
        let mut command = Command::new(&java);
        command.args(["-Duser.timezone=UTC", "-Dfile.encoding=UTF-8", "-cp"]).arg(driver);
        command.arg("JdbcClient.java");
        arguments(&mut command, port);
        command
    });
}

#[test]
fn sqlx() {
    let Some(program) = installed("rust/debug/mysql") else { return skip("sqlx") };
    same("sqlx", |port| {
        let mut command = Command::new(&program);
        arguments(&mut command, port);
        command
    });
}

/// A command line of MariaDB's own programs.
fn mariadb_client(program: &Path, port: u16) -> Command {
    let mut command = Command::new(program);
    command.args(["--no-defaults", "--default-character-set=utf8mb4", "-h127.0.0.1", "-u", USER]);
    command.args([format!("--port={port}"), format!("--password={PASSWORD}")]);
    command
}

#[test]
fn mariadb_command_line() {
    let Some(program) = in_path("mariadb") else { return skip("mariadb") };
    same("mariadb.sql", |port| {
        let mut command = mariadb_client(&program, port);
        command.args(["--table", "--force", "-vv", "shop", "-e", "source mariadb.sql"]);
        command
    });
}

/// What mariadb-dump writes of ours is what it writes of MariaDB's, and loads into both.
#[test]
fn dumps() {
    let (Some(client), Some(dump)) = (in_path("mariadb"), in_path("mariadb-dump")) else {
        return skip("mariadb or mariadb-dump");
    };
    let ours = serve(&[]);
    let Some(real) = mariadb::start() else { return };
    let dumped = |port: u16| {
        let mut command = mariadb_client(&dump, port);
        command.args(["--compact", "--skip-opt", "--create-options", "shop"]);
        output(command)
    };
    let load = |port: u16, file: &Path| {
        let mut command = mariadb_client(&client, port);
        command.args(["shop", "-e", &format!("source {}", file.display())]);
        output(command);
    };
    let ports = [ours.port(), real.port];
    ports.iter().for_each(|port| load(*port, &programs().join("dump.sql")));
    let [heard, expected] = ports.map(dumped);
    for (heard, expected) in heard.lines().zip(expected.lines()) {
        assert_eq!(heard, expected);
    }
    let file = std::env::temp_dir().join(format!("hob-mysql-dump-{}.sql", std::process::id()));
    // As mariadb-dump writes it unless it is to be short: tables come in the order of their names.
    let whole = format!("SET foreign_key_checks = 0;\n{heard}");
    std::fs::write(&file, whole).expect("it is written");
    let other = serve(&[]);
    load(other.port(), &file);
    assert_eq!(dumped(other.port()), expected);
    let _ = std::fs::remove_file(file);
}

#[test]
fn sysbench() {
    let (Some(shell), Some(_)) = (in_path("sh"), in_path("sysbench")) else {
        return skip("sysbench");
    };
    same("sysbench.sh", |port| {
        let mut command = Command::new(&shell);
        command.arg("sysbench.sh");
        arguments(&mut command, port);
        command
    });
}

/// 64 threads of sysbench for a while. Then as many that are killed in the middle: they leave no session, and no lock on
/// any row.
#[test]
fn sysbench_of_many_threads() {
    let (Some(sysbench), Some(client)) = (in_path("sysbench"), in_path("mariadb")) else {
        return skip("sysbench or mariadb");
    };
    let seconds = if std::env::var_os("HOB_FULL").is_some() { 30 } else { 3 };
    let server = serve(&[]);
    let bench = |what: &[&str]| {
        let mut command = Command::new(&sysbench);
        command.args(["--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-db=shop"]);
        command.args([format!("--mysql-port={}", server.port()), format!("--mysql-user={USER}")]);
        command.args(["--threads=64", "--tables=1", "--table-size=1000", "oltp_read_write"]);
        command.args(what);
        command
    };
    output(bench(&["prepare"]));
    let told = output(bench(&[&format!("--time={seconds}"), "run"]));
    let of = |line: &str| told.lines().find(|told| told.trim_start().starts_with(line));
    let sent = of("queries:").and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    assert!(sent > Some(200u64), "{told}");
    let mut killed = bench(&["--time=60", "run"]);
    let mut killed = killed.stdout(Stdio::null()).spawn().expect("sysbench starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    killed.kill().expect("it still runs");
    killed.wait().expect("it has been killed");
    let mut all = mariadb_client(&client, server.port());
    let sql = "SET innodb_lock_wait_timeout = 5; UPDATE sbtest1 SET k = k + 1; SELECT ROW_COUNT();
        DO SLEEP(1); SELECT COUNT(*) FROM information_schema.processlist";
    all.args(["-N", "shop", "-e", sql]);
    assert_eq!(output(all), "1000\n1\n");
}

/// A password, right and wrong, by the methods of each server.
#[test]
fn passwords() {
    let Some(client) = in_path("mariadb") else { return skip("mariadb") };
    for version in ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"] {
        let server = serve(&["--mysql-password", PASSWORD, "--mysql-version", version]);
        let mut right = mariadb_client(&client, server.port());
        right.args(["-N", "-e", "SELECT 1", "shop"]);
        assert_eq!(output(right), "1\n", "{version}");
        let mut wrong = Command::new(&client);
        wrong.args([
            "--no-defaults",
            "-h127.0.0.1",
            "-u",
            USER,
            "--password=guess",
            "-e",
            "SELECT 1",
        ]);
        let done = wrong.arg(format!("--port={}", server.port())).output().expect("it starts");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            told.contains("ERROR 1045 (28000): Access denied for user 'hob'@'localhost'"),
            "{told}"
        );
    }
}

/// TLS with a certificate of our own, and a Unix socket.
#[test]
fn tls_and_unix_sockets() {
    let (Some(client), Some(openssl)) = (in_path("mariadb"), in_path("openssl")) else {
        return skip("mariadb or openssl");
    };
    let dir = std::env::temp_dir().join(format!("hob-mysql-clients-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("there is room for a directory");
    let file = |name: &str| dir.join(name).display().to_string();
    let (cert, key, socket) = (file("cert.pem"), file("key.pem"), file("socket"));
    certificate(&openssl, &cert, &key);
    let server = serve(&["--tls-cert", &cert, "--tls-key", &key, "--mysql-socket", &socket]);
    let ask = |options: &[&str]| {
        let mut command = Command::new(&client);
        command.args(["--no-defaults", "-u", USER, "-N", "-e", "status", "shop"]).args(options);
        output(command)
    };
    let port = format!("--port={}", server.port());
    assert!(ask(&["-h127.0.0.1", &port, "--ssl"]).contains("Cipher in use is TLS"));
    assert!(!ask(&["-h127.0.0.1", &port, "--skip-ssl"]).contains("Cipher in use"));
    assert!(ask(&["--socket", &socket]).contains("Localhost via UNIX socket"));
    drop(server);
    let _ = std::fs::remove_dir_all(dir);
}

/// The example of a lost update: found at InnoDB's repeatable read, and had again.
#[test]
fn tests_find_lost_updates() {
    let Some(python) = python_with("pymysql") else { return skip("pymysql") };
    let wanted = ["--mysql", "--level", "repeatable-read"];
    let failure = loses_an_update(&python, &programs().join("stock_pymysql.py"), &wanted);
    assert!(failure["diagnosis"]["anomaly"].is_string(), "{failure}");
}
