//! `hob serve` as people and programs run it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod full;
mod pages;
#[path = "../support/serving.rs"]
mod serving;

use hobgoblin_server::client::Client;
use serde_json::Value as Json;
use serving::Serving;

/// A directory of this test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("hob-serve-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is room for a directory");
        Scratch(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn hob(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
    command.args(args).env_remove("HOB_TOKEN").env_remove("HOB_HTTP_URL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Serves over HTTP.
fn serve(flags: &[&str]) -> Serving {
    Serving::start(&[&["--http", "127.0.0.1:0"], flags].concat())
}

impl Serving {
    fn client(&self) -> Client {
        Client::new(self.ready["url"].as_str().expect("an address")).expect("a good one")
    }
}

/// A hundred transactions, the last one open.
fn work(client: &Client) {
    let mut session = client.session_named("alice").unwrap();
    for number in 0..99 {
        session.begin().unwrap();
        session.get("x").unwrap();
        session.put("x", number).unwrap();
        session.commit().unwrap();
    }
    session.begin().unwrap();
    session.put("x", "lost").unwrap();
    // Closing it would abort the transaction.
    std::mem::forget(session);
}

fn check(file: &str, level: &str) -> Output {
    hob(&["check", file, "--level", level]).output().expect("hob runs")
}

#[test]
fn a_signal_ends_it_without_losing_anything() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let scratch = Scratch::new(signal);
        let file = scratch.file("out.jsonl");
        let serving = serve(&["--level", "causal", "--seed", "7", "--history", &file]);
        assert_eq!((&serving.ready["level"], &serving.ready["seed"]), (&"CC".into(), &7.into()));
        assert_eq!(serving.ready["policy"], "uniform", "seed 7 draws it");
        work(&serving.client());
        let (code, rest) = serving.end(signal);
        assert_eq!(code, Some(0), "{rest}");
        let summary: Json = serde_json::from_str(&rest).expect("a summary");
        assert_eq!((&summary["committed"], &summary["aborted"]), (&99.into(), &1.into()));
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().count(), 101, "a header, 99 committed, 1 aborted");
        assert_eq!(check(&file, "CC").status.code(), Some(0));
    }
}

#[test]
fn a_killed_server_leaves_a_readable_history() {
    let scratch = Scratch::new("kill");
    let (file, log) = (scratch.file("out.jsonl"), scratch.file("log.jsonl"));
    let serving = serve(&["--level", "RC", "--history", &file, "--log", &log]);
    work(&serving.client());
    let (code, rest) = serving.end("-KILL");
    assert_eq!((code, rest.as_str()), (None, ""));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 100, "a header and what was committed");
    assert!(text.ends_with('\n'));
    let checked = check(&file, "RC");
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    let serving = serve(&["--replay", &log]);
    work(&serving.client());
    let (code, rest) = serving.end("-INT");
    let summary: Json = serde_json::from_str(&rest).expect("a summary");
    assert_eq!((code, &summary["divergence"]), (Some(0), &Json::Null), "{rest}");
}

#[test]
fn a_replay_says_where_the_program_changed() {
    let scratch = Scratch::new("diverge");
    let log = scratch.file("log.jsonl");
    let serving = serve(&["--seed", "3", "--log", &log]);
    serving.client().session_named("a").unwrap().put("x", 1).unwrap();
    serving.end("-INT");
    let serving = serve(&["--replay", &log]);
    assert_eq!(serving.ready["seed"], 3);
    serving.client().session_named("a").unwrap().put("x", 2).unwrap();
    let (_, rest) = serving.end("-INT");
    let summary: Json = serde_json::from_str(&rest).expect("a summary");
    let divergence = summary["divergence"].as_str().expect("it changed");
    assert!(divergence.contains("put x = 1") && divergence.contains("put x = 2"), "{divergence}");
}

#[test]
fn initial_values_and_people() {
    let scratch = Scratch::new("initial");
    let file = scratch.file("initial.json");
    std::fs::write(&file, r#"{"x": 5, "list": [1]}"#).unwrap();
    let mut child = hob(&["serve", "--http", "localhost:0", "--level", "ser", "--initial", &file])
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.contains("serves serializability (SER), seed "), "{line}");
    let url = line.split(' ').next().unwrap();
    let mut session = Client::new(url).unwrap().session().unwrap();
    assert_eq!(session.get("x").unwrap(), 5);
    assert_eq!(session.get("list").unwrap(), serde_json::json!([1]));
    drop(session);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(
        rest,
        "2 committed, 0 aborted, 0 refused; 0 of 2 external reads were not of the newest version\n"
    );
}

/// Runs what cannot start; what it says.
#[track_caller]
fn refused(args: &[&str], contains: &[&str]) {
    let output = hob(&[&["serve"], args].concat()).output().expect("hob runs");
    let said = String::from_utf8(output.stderr).expect("errors are text");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    for part in contains {
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn what_cannot_start_says_why() {
    let serving = serve(&[]);
    let addr = serving.ready["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let scratch = Scratch::new("errors");
    let (initial, log) = (scratch.file("initial.json"), scratch.file("log.jsonl"));
    std::fs::write(&initial, "{\"x\":\n 1,}").unwrap();
    std::fs::write(&log, "not a log\n").unwrap();
    assert!(!Path::new("/nowhere").exists());
    for (args, contains) in [
        (&["--http", addr][..], &["cannot listen", "in use", "--http"][..]),
        (&["--http", "nonsense"], &["expected an address such as 127.0.0.1:7437"]),
        (&["--http", "0.0.0.0:0"], &["no token", "--token", "HOB_TOKEN"]),
        (&["--http", "0.0.0.0:0", "--token", "a b"], &["visible ASCII"]),
        (&["--level", "acid"], &["acid", "SER"]),
        (&["--http", "127.0.0.1:0", "--level", "RU"], &["does not serve RU"]),
        (&["--profile", "oracle"], &["spec, postgres or mysql"]),
        (&["--policy", "newest"], &["uniform"]),
        (&["--http", "127.0.0.1:0", "--pg-set", "statement_timeout=1s"], &["--pg-set", "add --pg"]),
        (&["--delay", "4..1ms"], &["a range such as 0..4ms"]),
        (&["--abort-rate", "2"], &["a share from 0 to 1"]),
        (&["--history", "/nowhere/out.jsonl"], &["/nowhere/out.jsonl", "cannot write"]),
        (&["--initial", "/nowhere/initial.json"], &["/nowhere/initial.json", "cannot read"]),
        (&["--initial", &initial], &["initial.json:2", "no JSON"]),
        (&["--replay", &log], &["log.jsonl"]),
        (&["--replay", &log, "--seed", "3"], &["cannot be used with"]),
    ] {
        refused(args, contains);
    }
    serving.end("-INT");
}
