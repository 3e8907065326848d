//! History and log files: complete at every moment, and good for checking and replay.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Verdict};
use hobgoblin_format::read_path;
use hobgoblin_server::client::Client;
use hobgoblin_server::{Server, ServerConfig, ServerError};
use hobgoblin_store::{Config, Log};
use serde_json::json;

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hob-server-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("there is room for a directory");
    path
}

/// Sessions in threads of their own, and what each read.
fn program(url: &str) -> Vec<Vec<String>> {
    let client = Client::new(url).unwrap();
    let sessions: Vec<_> = ["a", "b", "c"].map(|name| client.session_named(name).unwrap()).into();
    let thread = |mut session: hobgoblin_server::client::Session| {
        std::thread::spawn(move || {
            let mut seen = Vec::new();
            for round in 0..20 {
                session.begin().unwrap();
                seen.push(session.get("x").unwrap().to_string());
                session.put("x", format!("{}{round}", session.id())).unwrap();
                seen.push(session.get("y").unwrap().to_string());
                session.put("y", round).unwrap();
                session.commit().unwrap();
            }
            seen
        })
    };
    let threads: Vec<_> = sessions.into_iter().map(thread).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn a_log_replays_the_run_over_http() {
    let dir = scratch("replay");
    let (history, log) = (dir.join("out.jsonl"), dir.join("log.jsonl"));
    let store = Config::default().level(Level::CC).seed(5);
    let config = ServerConfig {
        store,
        history: Some(history.clone()),
        log: Some(log.clone()),
        ..ServerConfig::default()
    };
    let server = Server::start(config).unwrap();
    let seen = program(&server.url());
    let served = Client::new(&server.url()).unwrap().history().unwrap();
    server.stop().unwrap();
    let text = std::fs::read_to_string(&history).unwrap();
    assert_eq!(text.lines().count(), 61, "a header and 60 transactions");
    assert_eq!(served.lines().count(), 61);
    let found = read_path(&history, None).unwrap();
    assert!(matches!(check(&found, Level::CC, &Limits::none()), Verdict::Consistent(_)));

    let file = Log::read(std::io::BufReader::new(std::fs::File::open(&log).unwrap())).unwrap();
    let config = ServerConfig { replay: Some(file.log.into()), ..ServerConfig::default() };
    let server = Server::start(config).unwrap();
    assert_eq!(program(&server.url()), seen);
    let finished = server.stop().unwrap();
    assert_eq!(finished.divergence, None);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_reset_begins_new_files_and_open_transactions_are_aborted() {
    let dir = scratch("reset");
    let history = Some(dir.join("out.jsonl"));
    let server = Server::start(ServerConfig { history, ..ServerConfig::default() }).unwrap();
    let client = Client::new(&server.url()).unwrap();
    for number in [1, 2] {
        let mut session = client.session().unwrap();
        session.put("x", number).unwrap();
        session.begin().unwrap();
        session.put("x", 9).unwrap();
        if number == 1 {
            client.reset(&json!({})).unwrap();
        } else {
            std::mem::forget(session);
        }
    }
    let error = client.ask("GET", "/v1/log", b"").expect_err("only the history was asked for");
    assert!(error.to_string().contains("--log FILE"), "{error}");
    server.stop().unwrap();
    for (file, value) in [("out.jsonl", "1"), ("out.2.jsonl", "2")] {
        let text = std::fs::read_to_string(dir.join(file)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains(value) && lines[2].contains("\"aborted\""), "{text}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let history = Some(PathBuf::from("/nowhere/at/all/out.jsonl"));
    let error = Server::start(ServerConfig { history, ..ServerConfig::default() }).unwrap_err();
    assert!(matches!(error, ServerError::File { .. }), "{error}");
    assert!(error.to_string().contains("/nowhere/at/all/out.jsonl"), "{error}");
}

#[test]
fn servers_share_a_runtime_and_leave_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for _ in 0..50 {
        let server = Server::start_on(runtime.handle(), ServerConfig::default()).unwrap();
        let store = server.store();
        let client = Client::new(&server.url()).unwrap();
        let mut session = client.session().unwrap();
        session.put("x", 1).unwrap();
        let addr = server.addr();
        server.stop().unwrap();
        assert_eq!(store.stats().committed, 1);
        assert_eq!(store.stats().sessions, 0);
        assert!(std::net::TcpListener::bind(addr).is_ok(), "the port is free again");
        assert!(session.get("x").is_err());
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while runtime.metrics().num_alive_tasks() > 0 {
        assert!(Instant::now() < deadline, "tasks are left");
        std::thread::sleep(Duration::from_millis(1));
    }
}
