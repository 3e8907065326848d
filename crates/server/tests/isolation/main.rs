//! PostgreSQL's isolationtester beside PostgreSQL: specs of locks, queues, deadlocks and changes of tables print the
//! same, down to who waits and who is woken first, here and there.
//!
//! A difference counts if it is there again: what a busy machine does late is printed in another order.

#[allow(dead_code)]
#[path = "../../../sql/tests/differential/answer.rs"]
mod answer;
#[allow(dead_code)]
#[path = "../../../sql/tests/differential/postgres.rs"]
mod postgres;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;
use hobgoblin_store::{Config, Profile};

/// How often a spec is tried.
const TRIES: usize = 3;

/// Says what was left out; at full size nothing is.
fn skip(why: &str) {
    assert!(std::env::var_os("HOB_FULL").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

fn isolationtester() -> Option<PathBuf> {
    let place = |version: &&str| {
        let lib = format!("/usr/lib/postgresql/{version}/lib/pgxs/src/test/isolation");
        PathBuf::from(lib).join("isolationtester")
    };
    ["15", "16", "17"].iter().map(place).find(|path| path.exists())
}

/// A server as `hob serve --pg --hold` has it.
fn serve(hold: Option<Duration>) -> Server {
    let profile = Profile::Postgres;
    let store = Config::default().profile(profile).level(Level::RC).patient(true);
    let pg = Some(PgConfig::new(&POSTGRES));
    let settings = vec![("max_prepared_transactions".to_owned(), "20".to_owned())];
    let config = ServerConfig { http: false, pg, settings, store, hold, ..ServerConfig::default() };
    Server::start(config).expect("a port is free")
}

/// Runs a program of PostgreSQL against a server; what it prints.
fn client(program: &str, server: &Server, args: &[&str]) -> Option<String> {
    let port = server.pg_addr().expect("it serves SQL").port().to_string();
    let mut command = Command::new(program);
    command.args(["-h", "127.0.0.1", "-p", &port, "-U", "postgres"]).args(args);
    let output = command.arg("postgres").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {text}{errors}");
    Some(text)
}

/// TPC-B of eight clients that all update one branch: nobody is refused and nothing is lost. `HOB_FULL=1` runs
/// two minutes.
#[test]
fn pgbench_fails_no_transaction() {
    let seconds = if std::env::var_os("HOB_FULL").is_some() { "120" } else { "5" };
    for hold in [None, Some(Duration::from_millis(1))] {
        let server = serve(hold);
        if client("pgbench", &server, &["-i", "-q", "-n"]).is_none() {
            return skip("pgbench is not installed (make setup installs it)");
        }
        let printed = client("pgbench", &server, &["-c", "8", "-j", "2", "-n", "-T", seconds]);
        let printed = printed.expect("it ran before");
        assert!(printed.contains("number of failed transactions: 0 (0.000%)"), "{printed}");
        let sums = "select (select sum(delta) from pgbench_history) = (select sum(bbalance) from pgbench_branches), \
                    (select sum(tbalance) from pgbench_tellers) = (select sum(abalance) from pgbench_accounts)";
        let sums = client("psql", &server, &["-Atc", sums]).expect("psql comes with it");
        assert_eq!(sums.trim(), "t|t", "{printed}");
    }
}

/// What isolationtester prints of a spec.
fn run(tester: &Path, connection: &str, spec: &str) -> String {
    let mut child = Command::new(tester)
        .arg(connection)
        .env("PGOPTIONS", "-c default_transaction_isolation=read\\ committed")
        .env("PGAPPNAME", "isolation")
        // Where PostgreSQL lets another go first, a step may wait for one that never comes: for twice this.
        .env("PGISOLATIONTIMEOUT", "10")
        .env("PG_TEST_TIMEOUT_DEFAULT", "10")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(spec.as_bytes()).expect("it reads the spec");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

/// The first lines of the first permutation that differ.
fn difference(expected: &str, found: &str) -> String {
    let permutations = |text: &str| -> Vec<String> {
        text.split("\nstarting permutation").map(str::to_owned).collect()
    };
    let (expected, found) = (permutations(expected), permutations(found));
    let at = expected.iter().zip(&found).position(|(a, b)| a != b);
    let at = at.unwrap_or_else(|| expected.len().min(found.len()));
    let show = |all: &[String]| all.get(at).cloned().unwrap_or_else(|| "nothing".to_owned());
    format!("PostgreSQL:{}\nhob:{}", show(&expected), show(&found))
}

/// One for every pair of modes: the second is there at once, or refused.
fn every_pair_of_modes() -> String {
    let modes = [
        "access share",
        "row share",
        "row exclusive",
        "share update exclusive",
        "share",
        "share row exclusive",
        "exclusive",
        "access exclusive",
    ];
    let mut spec = "setup { create table t(id int); }\nteardown { drop table t; }\n".to_owned();
    for session in ["a", "b"] {
        spec.push_str(&format!("session {session}\nsetup {{ begin; }}\n"));
        for (number, mode) in modes.iter().enumerate() {
            let wait = if session == "b" { " nowait" } else { "" };
            spec.push_str(&format!(
                "step {session}{number} {{ lock table t in {mode} mode{wait}; }}\n"
            ));
        }
        spec.push_str(&format!("step {session}c {{ commit; }}\n"));
    }
    for first in 0..modes.len() {
        for second in 0..modes.len() {
            spec.push_str(&format!("permutation a{first} b{second} ac bc\n"));
        }
    }
    spec
}

#[test]
fn specs_print_the_same_here_and_there() {
    let Some(tester) = isolationtester() else {
        return skip("isolationtester is not installed (make setup installs it)");
    };
    let Some(postgres) = postgres::Server::start("-c max_prepared_transactions=20") else { return };
    let server = serve(None);
    let port = server.pg_addr().expect("it serves SQL").port();
    let theirs = format!("host={} user=postgres dbname=postgres", postgres.socket().display());
    let ours = format!("host=127.0.0.1 port={port} user=postgres dbname=postgres");

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/isolation/specs");
    let mut specs = vec![("every pair of modes".to_owned(), every_pair_of_modes())];
    for entry in std::fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        specs.push((name, std::fs::read_to_string(&path).expect("text")));
    }
    specs.sort();
    let mut wrong = Vec::new();
    for (name, spec) in &specs {
        let mut last = None;
        for _ in 0..TRIES {
            let (expected, found) = (run(&tester, &theirs, spec), run(&tester, &ours, spec));
            assert!(expected.contains("starting permutation"), "{name}: {expected}");
            last = (expected != found).then(|| difference(&expected, &found));
            if last.is_none() {
                break;
            }
        }
        wrong.extend(last.map(|difference| format!("{name}\n{difference}")));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), specs.len(), wrong.join("\n\n"));
}
