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

use hobgoblin_core::Level;
use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_store::{Config, Profile};

/// How often a spec is tried.
const TRIES: usize = 3;

fn isolationtester() -> Option<PathBuf> {
    let place = |version: &&str| {
        let lib = format!("/usr/lib/postgresql/{version}/lib/pgxs/src/test/isolation");
        PathBuf::from(lib).join("isolationtester")
    };
    ["15", "16", "17"].iter().map(|version| place(version)).find(|path| path.exists())
}

/// What isolationtester prints of a spec.
fn run(tester: &Path, connection: &str, spec: &str) -> String {
    let mut child = Command::new(tester)
        .arg(connection)
        .env("PGOPTIONS", "-c default_transaction_isolation=read\\ committed")
        .env("PGAPPNAME", "isolation")
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
        eprintln!("skipped: isolationtester is not installed (make setup installs it)");
        return;
    };
    let postgres = match postgres::Server::start() {
        Ok(postgres) => postgres,
        Err(why) => {
            eprintln!("skipped: {why}");
            return;
        }
    };
    let profile = Profile::Postgres;
    let store = Config { profile, level: Level::RC, patient: true, ..Config::default() };
    let pg = Some(PgConfig::default());
    let config = ServerConfig { http: false, pg, store, ..ServerConfig::default() };
    let server = Server::start(config).expect("a port is free");
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
