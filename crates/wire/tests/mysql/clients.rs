//! Programs of real clients, against MariaDB and against the codec.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hobgoblin_wire::mysql::Version;

use crate::mariadb::{self, MariaDb, PASSWORD, USER};
use crate::proxy::Proxy;
use crate::recording::{self, Connection, folder};
use crate::{canned, exchange, hostile, raw};

/// How a program is run.
pub(crate) enum Program {
    /// A client by the name of its module.
    Python(&'static str),
    Node(&'static str),
    Java(&'static str),
    Cli,
    /// A client of this test, for what no other does.
    Raw,
}

const MARIADB: &[Version] = &[Version::Mariadb1011, Version::Mariadb118];

/// The programs by name, and the versions under which they hear what was recorded. Some look at the version: mysql2 reads the JSON of
/// MySQL and MariaDB differently, and Connector/J asks MySQL for other variables.
const PROGRAMS: [(&str, Program, &[Version]); 6] = [
    ("pymysql", Program::Python("pymysql"), &Version::ALL),
    ("connector", Program::Python("mysql.connector"), &Version::ALL),
    ("aiomysql", Program::Python("aiomysql"), &Version::ALL),
    ("node", Program::Node("mysql2"), MARIADB),
    ("jdbc", Program::Java("/usr/share/java/mariadb-java-client.jar"), MARIADB),
    ("cli", Program::Cli, &Version::ALL),
];

impl Program {
    /// What it prints at a server on that port; `None` if what it needs is not installed.
    fn run(&self, name: &str, port: u16) -> Option<String> {
        let programs = folder().join("programs");
        let tables = programs.join("tables.sql");
        let mut command = match self {
            Program::Python(_) => python(&format!("{name}_client.py"))?,
            Program::Node(module) => node(module, "node_client.js")?,
            Program::Java(driver) => {
                Path::new(driver).exists().then_some(())?;
                let mut command = Command::new("java");
                command.args(["-Duser.timezone=UTC", "-Dfile.encoding=UTF-8"]);
                command.args(["-Dsun.stdout.encoding=UTF-8", "-cp", driver]);
                command.arg(programs.join("JdbcClient.java"));
                command
            }
            Program::Cli => {
                let mut command = cli(port, USER, PASSWORD);
                command.args(["--column-type-info", "-t", "-vvv", "--force", "shop"]);
                let read =
                    |name| std::fs::read_to_string(programs.join(name)).expect("it is there");
                let statements = read("tables.sql").replace('\n', ";\n") + &read("cli.sql");
                return output(command, &statements).map(timeless);
            }
            Program::Raw => return Some(raw::program(port)),
        };
        command.args(["127.0.0.1", &port.to_string(), USER, PASSWORD]).arg(tables);
        output(command, "")
    }

    /// What its client says to each of these users and passwords: `in`, or the error.
    pub(crate) fn enter(&self, port: u16, logins: &[(&str, &str)]) -> Option<Vec<String>> {
        let (mut command, name) = match self {
            Program::Python(module) => (python("enter.py")?, module),
            Program::Node(module) => (node(module, "enter.js")?, module),
            Program::Cli => {
                let enter = |&(user, password): &(&str, &str)| {
                    let mut command = cli(port, user, password);
                    command.args(["-e", "\\! echo in"]);
                    // ERROR 1045 (28000): Access denied …
                    let said = output(command, "")?.replace(" (28000):", "");
                    Some(said.trim_end().trim_start_matches("ERROR ").to_owned())
                };
                return logins.iter().map(enter).collect();
            }
            Program::Java(_) | Program::Raw => return None,
        };
        command.args(["127.0.0.1", &port.to_string(), name]);
        command.args(logins.iter().flat_map(|(user, password)| [user, password]));
        Some(output(command, "")?.lines().map(str::to_owned).collect())
    }
}

/// Where setup.sh put the clients.
fn clients() -> PathBuf {
    folder().join("../../../../target/clients")
}

/// A program in Python; `None` if the clients for it are not installed.
fn python(program: &str) -> Option<Command> {
    clients().join("venv/mysql-1").exists().then_some(())?;
    let mut command = Command::new(clients().join("venv/bin/python"));
    command.arg(folder().join("programs").join(program));
    Some(command)
}

/// A program in JavaScript, likewise.
fn node(module: &str, program: &str) -> Option<Command> {
    let modules = clients().join("node/node_modules");
    modules.join(module).exists().then_some(())?;
    let mut command = Command::new("node");
    command.arg(folder().join("programs").join(program)).env("NODE_PATH", modules);
    Some(command)
}

fn cli(port: u16, user: &str, password: &str) -> Command {
    let mut command = Command::new("mariadb");
    command.args(["--no-defaults", "--default-character-set=utf8mb4", "--max-allowed-packet=64M"]);
    command.args(["-h127.0.0.1", "-u", user, &format!("-P{port}")]);
    command.arg(format!("--password={password}"));
    command
}

/// What a command prints to both ends, having read the input.
fn output(mut command: Command, input: &str) -> Option<String> {
    use std::io::Write;
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("TZ", "UTC")
        .env("PYTHONHASHSEED", "0")
        .env("PYTHONWARNINGS", "ignore");
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The output of the CLI without how long statements took.
fn timeless(output: String) -> String {
    let lines = output.lines().map(|line| match (line.find(" ("), line.ends_with(" sec)")) {
        (Some(at), true) => &line[..at],
        _ => line,
    });
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// The server made of the codec, answering what was recorded.
fn ours(connections: &[Connection], version: Version) -> u16 {
    let sessions = connections.iter().map(exchange::read).collect();
    canned::start(sessions, version, true)
}

/// Compares what was heard with what is kept, line by line.
#[track_caller]
fn assert_same(name: &str, left: &str, right: &str) {
    let all = &left[left.len().saturating_sub(3000)..];
    for (number, (left, right)) in left.lines().zip(right.lines()).enumerate() {
        assert_eq!(left, right, "{name}, line {}, of:\n{all}", number + 1);
    }
    assert_eq!(left.lines().count(), right.lines().count(), "{name}: lines");
}

/// Runs a program against MariaDB, where it is installed, and against the codec under each of these versions.
fn compare(name: &str, program: &Program, versions: &[Version], real: Option<&MariaDb>) {
    let blesses = std::env::var_os("HOB_BLESS").is_some();
    let expected = folder().join(format!("expected/{name}.txt"));
    let mut connections = Vec::new();
    let mut said = None;
    if let Some(real) = real {
        let proxy = Proxy::start(real.port);
        said = program.run(name, proxy.port);
        connections = proxy.connections();
    }
    if let Some(said) = &said {
        let failed = ["Traceback", "Error: ", "Exception in thread"];
        assert!(!failed.iter().any(|word| said.contains(word)), "{name} fails:\n{said}");
        if blesses {
            std::fs::write(&expected, said).expect("it is written");
            recording::save(name, &connections);
        }
    }
    if connections.is_empty() {
        connections = recording::load(name);
    }
    let stored = std::fs::read_to_string(&expected).expect("it is kept");
    std::thread::scope(|scope| {
        for &version in versions {
            let (connections, stored) = (&connections, &stored);
            scope.spawn(move || match program.run(name, ours(connections, version)) {
                Some(heard) => assert_same(&format!("{name} at {version}"), &heard, stored),
                None => eprintln!("skipped: the program {name}, whose client is not installed"),
            });
        }
    });
    if let Some(said) = said {
        assert_same(&format!("{name} at MariaDB"), &said, &stored);
    }
}

#[test]
fn clients_hear_the_same_from_both() {
    let real = mariadb::start();
    for (name, program, versions) in PROGRAMS {
        compare(name, &program, versions, real.as_ref());
    }
}

#[test]
fn bytes_are_the_same_from_both() {
    let real = mariadb::start();
    let versions = [Version::Mariadb1011, Version::Mariadb118];
    compare("raw", &Program::Raw, &versions, real.as_ref());
    hostile::compare(real.as_ref());
}
