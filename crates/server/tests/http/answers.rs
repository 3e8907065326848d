//! The server as clients meet it: what it answers, to good requests and bad ones.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::client::{Client, ClientError};
use hobgoblin_server::{Server, ServerConfig, ServerError};
use hobgoblin_store::{Config, Policy, Profile};
use serde_json::{Value as Json, json};

use crate::support::{Raw, server, start};

/// What a body is answered with: the status and the problem's type, or the success's body.
#[track_caller]
fn expect(
    raw: &mut Raw,
    method: &str,
    path: &str,
    body: &str,
    status: u16,
    contains: &str,
) -> Json {
    let (found, text) = raw.ask(method, path, body);
    assert_eq!(found, status, "{method} {path} {body}: {text}");
    assert!(text.contains(contains), "{method} {path} {body}: {text}");
    let json: Json = serde_json::from_str(&text).unwrap_or_default();
    if status >= 400 {
        assert_eq!(json["status"], status, "{text}");
        for member in ["type", "title", "detail"] {
            assert!(json[member].as_str().is_some_and(|text| !text.is_empty()), "{text}");
        }
    }
    json
}

#[test]
fn a_transaction_from_begin_to_commit() {
    let server = server(Level::SER);
    let mut raw = Raw::new(&server);
    let s = "/v1/sessions/alice";
    expect(&mut raw, "POST", "/v1/sessions", r#"{"name":"alice"}"#, 201, r#"{"session":"alice"}"#);
    expect(&mut raw, "POST", &format!("{s}/begin"), "", 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/get"), r#"{"key":"x"}"#, 200, r#"{"value":null}"#);
    let value = r#"{"key":"x","value":{"b":[1,2.50],"a":"\u00e9\""}}"#;
    expect(&mut raw, "POST", &format!("{s}/put"), value, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/put"), r#"{"key":7,"value":-1}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/savepoint"), r#"{"name":"sp"}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/put"), r#"{"key":8,"value":1}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/rollback"), r#"{"savepoint":"sp"}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/release"), r#"{"savepoint":"sp"}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/commit"), "{}", 200, "{}");
    let read = r#"{"value":{"a":"é\"","b":[1,2.5]}}"#;
    expect(&mut raw, "POST", &format!("{s}/get"), r#"{"key":"x"}"#, 200, read);
    let rows = expect(&mut raw, "POST", &format!("{s}/scan"), "{}", 200, "rows");
    assert_eq!(rows["rows"][0], json!({"key": 7, "value": -1}));
    assert_eq!(rows["rows"].as_array().map(Vec::len), Some(2));
    expect(&mut raw, "POST", &format!("{s}/scan"), r#"{"prefix":"y"}"#, 200, r#"{"rows":[]}"#);
    expect(&mut raw, "POST", &format!("{s}/delete"), r#"{"key":7}"#, 200, "{}");
    expect(&mut raw, "POST", &format!("{s}/scan"), r#"{"from":0,"to":9}"#, 200, r#"{"rows":[]}"#);
    let (status, history) = raw.ask("GET", "/v1/history?format=txn", "");
    assert_eq!(status, 200);
    assert!(history.contains("alice:") && history.contains("w(7)=-1"), "{history}");
    assert!(!history.contains("w(8)"), "{history}");
    expect(&mut raw, "GET", "/v1/check", "", 200, r#""verdict":"holds""#);
    let stats = expect(&mut raw, "GET", "/v1/stats", "", 200, "committed");
    assert_eq!((&stats["sessions"], &stats["open"]), (&json!(1), &json!(0)));
    let (status, _) = raw.ask("DELETE", s, "");
    assert_eq!(status, 204);
    expect(&mut raw, "POST", &format!("{s}/begin"), "", 404, "there is no session alice");
    let finished = server.stop().expect("it stops");
    assert_eq!((finished.stats.committed, finished.resets), (6, 0));
}

#[test]
fn bad_requests_get_a_clear_error_and_change_nothing() {
    let server = server(Level::RC);
    let mut raw = Raw::new(&server);
    expect(&mut raw, "POST", "/v1/sessions", "", 201, r#"{"session":"1"}"#);
    expect(&mut raw, "POST", "/v1/sessions", r#"{"name":"bob"}"#, 201, "bob");
    let one = |operation: &str| format!("/v1/sessions/1/{operation}");
    for (path, body, status, contains) in [
        ("/v1/sessions", r#"{"name":"bob"}"#, 409, "already connected"),
        ("/v1/sessions", r#"{"name":"a b"}"#, 400, "a session's name"),
        ("/v1/sessions", r#"{"name":"7"}"#, 400, "a session's name"),
        ("/v1/sessions/9/begin", "", 404, "there is no session 9"),
        ("/v1/sessions/0/begin", "", 404, "there is no session 0"),
        ("/v1/sessions/4294967295/begin", "", 404, "there is no session 4294967295"),
        ("/v1/sessions/99999999999/begin", "", 404, "there is no session 99999999999"),
        ("/v1/sessions/nobody/get", r#"{"key":1}"#, 404, "there is no session nobody"),
        ("/v1/sessions/%ff/begin", "", 400, "UTF-8"),
        (&one("commit"), "", 409, "no open transaction"),
        (&one("abort"), "", 409, "no open transaction"),
        (&one("get"), "", 400, "missing field `key`"),
        (&one("get"), r#"{"key":1.5}"#, 400, "a key is a string or an integer"),
        (&one("get"), r#"{"key":null}"#, 400, "a key is a string or an integer"),
        (&one("get"), r#"{"key":"x","lock":"both"}"#, 400, "`share`"),
        (&one("get"), r#"{"key":"x","policy":"newest"}"#, 400, "latest-per-session"),
        (&one("get"), "{\"key\":\n  nope}", 400, "line 2, column 4"),
        (&one("get"), "[1]", 400, "column"),
        (&one("get"), "{\"key\":\"\u{0}\"}", 400, "control character"),
        (&one("put"), r#"{"key":"x"}"#, 400, "missing field `value`"),
        (&one("put"), r#"{"key":"x","value":1,"valeu":2}"#, 400, "unknown field `valeu`"),
        (&one("put"), r#"{"key":"x","key":"y","value":1}"#, 400, "duplicate field"),
        (&one("scan"), r#"{"prefix":"a","from":"b"}"#, 400, "not both"),
        (&one("scan"), r#"{"limit":-1}"#, 400, "u32"),
        (&one("begin"), r#"{"level":"acid"}"#, 400, "SSER"),
        (&one("begin"), r#"{"level":"RU"}"#, 400, "RC"),
        (&one("level"), "{}", 400, "missing field `level`"),
        (&one("rollback"), r#"{"savepoint":"s"}"#, 409, "no open transaction"),
        ("/v1/reset", r#"{"seed":-1}"#, 400, "u64"),
        ("/v1/reset", r#"{"initial":7}"#, 400, "a list of pairs"),
        ("/v1/reset", r#"{"level":"RU"}"#, 400, "RC"),
        ("/v1/fence", "{\"now\":1}", 400, "unknown field"),
    ] {
        expect(&mut raw, "POST", path, body, status, contains);
    }
    for (method, path, status, contains) in [
        ("GET", "/v2", 404, "/openapi.json"),
        ("POST", "/v1/sessions/1/jump", 404, "/v1/sessions/1/jump"),
        ("GET", "/v1/sessions", 405, "use POST"),
        ("PUT", "/v1/sessions/1", 405, "use DELETE"),
        ("POST", "/v1/stats", 405, "use GET"),
        ("GET", "/v1/history?format=xml", 400, "jsonl or txn"),
        ("GET", "/v1/history?from=1", 400, "\\\"format\\\""),
        ("GET", "/v1/check?level=acid", 400, "SSER"),
    ] {
        expect(&mut raw, method, path, "", status, contains);
    }
    let long = format!(r#"{{"key":"{}"}}"#, "k".repeat(10 << 20));
    expect(&mut raw, "POST", &one("get"), &long, 413, "at most 4096");
    let long = format!(r#"{{"key":"x","value":"{}"}}"#, "v".repeat((16 << 20) + 1));
    expect(&mut raw, "POST", &one("put"), &long, 413, "at most 16777216");
    let long = format!(r#"{{"key":"x","value":"{}"}}"#, "v".repeat(20 << 20));
    expect(&mut raw, "POST", &one("put"), &long, 413, "longer than 17825792");
    expect(&mut raw, "POST", &one("begin"), "", 200, "{}");
    expect(&mut raw, "POST", &one("begin"), "", 409, "already has an open transaction");
    expect(&mut raw, "POST", &one("rollback"), r#"{"savepoint":"s"}"#, 400, "no savepoint");
    expect(&mut raw, "POST", &one("commit"), "", 200, "{}");
    expect(&mut raw, "POST", &one("commit"), "", 409, "no open transaction");
    expect(&mut raw, "GET", "/v1/snapshot", "", 200, "[]");
    expect(&mut raw, "GET", "/v1/check", "", 200, "holds");
    server.stop().expect("it stops");
}

#[test]
fn a_refused_transaction_is_to_be_run_again() {
    let server = server(Level::SER);
    let client = Client::new(&server.url()).expect("the address is good");
    let (mut a, mut b) = (client.session().unwrap(), client.session_named("b").unwrap());
    for session in [&mut a, &mut b] {
        session.begin().unwrap();
        assert_eq!(session.get("x").unwrap(), Json::Null);
        session.put("x", session.id() == "b").unwrap();
    }
    a.commit().unwrap();
    let error = b.commit().expect_err("x was overwritten");
    assert!(error.is_abort(), "{error}");
    assert!(matches!(&error, ClientError::Aborted { reason, .. } if reason == "serialization"));
    let mut attempts = 0;
    let seen = b.transaction(3, |t| {
        attempts += 1;
        let seen = t.get("x")?;
        t.put("x", true).map(|()| seen)
    });
    assert_eq!((seen.unwrap(), attempts), (json!(false), 1));
    let error = b.transaction(3, |t| t.commit()).expect_err("it is committed inside");
    assert!(matches!(error, ClientError::Refused { status: 409, .. }), "{error}");
    drop((a, b));
    assert_eq!(server.store().stats().sessions, 0, "sessions end with their clients");
    server.stop().expect("it stops");
}

#[test]
fn reset_starts_afresh() {
    let server = server(Level::CC);
    let client = Client::new(&server.url()).unwrap();
    let mut session = client.session().unwrap();
    session.put("x", 1).unwrap();
    client.reset(&json!({"seed": 18446744073709551615_u64, "initial": {"y": 2}})).unwrap();
    let error = session.get("y").expect_err("its session is closed");
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error}");
    let seed = client.ask("GET", "/v1/seed", b"").unwrap();
    assert_eq!(seed, r#"{"seed":18446744073709551615}"#);
    assert_eq!(client.ask("GET", "/v1/snapshot", b"").unwrap(), "[[\"y\",2]]\n");
    let mut session = client.session().unwrap();
    assert_eq!((session.get("x").unwrap(), session.get("y").unwrap()), (Json::Null, json!(2)));
    assert_eq!(server.store().stats().sessions, 1);
    client.fence().unwrap();
    server.stop().expect("it stops");
}

#[test]
fn others_need_a_token() {
    let addr = "0.0.0.0:0".parse().unwrap();
    let config = ServerConfig { addr, ..ServerConfig::default() };
    assert!(matches!(Server::start(config.clone()), Err(ServerError::TokenNeeded { .. })));
    for bad in ["", "a b", "é"] {
        let config = ServerConfig { token: Some(bad.to_owned()), ..config.clone() };
        assert!(matches!(Server::start(config), Err(ServerError::BadToken)), "{bad}");
    }
    let server =
        Server::start(ServerConfig { token: Some("secret".to_owned()), ..config }).unwrap();
    let client = Client::new(&server.url()).unwrap();
    let error = client.session().expect_err("there is no token");
    assert!(matches!(error, ClientError::Refused { status: 401, .. }), "{error}");
    let mut session = client.with_token("secret").session().unwrap();
    session.put("x", 1).unwrap();
    drop(session);
    server.stop().expect("it stops");
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = server(Level::RC);
    for header in ["host: evil.example", "host: localhost\r\norigin: http://evil.example"] {
        let mut stream = TcpStream::connect(server.addr()).unwrap();
        let request = format!("GET /v1/seed HTTP/1.1\r\n{header}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    }
    server.stop().expect("it stops");
}

#[test]
fn a_client_that_goes_away_while_it_waits_leaves_nothing_behind() {
    let server = start(Config::default().profile(Profile::Postgres).level(Level::RC));
    let client = Client::new(&server.url()).unwrap();
    let mut a = client.session_named("a").unwrap();
    a.begin().unwrap();
    a.put("x", 1).unwrap();
    let mut raw = Raw::new(&server);
    expect(&mut raw, "POST", "/v1/sessions", r#"{"name":"b"}"#, 201, "b");
    expect(&mut raw, "POST", "/v1/sessions/b/begin", "", 200, "{}");
    raw.send("POST", "/v1/sessions/b/put", r#"{"key":"x","value":2}"#);
    std::thread::sleep(Duration::from_millis(100));
    drop(raw);
    std::thread::sleep(Duration::from_millis(100));
    a.commit().unwrap();
    assert_eq!(a.get("x").unwrap(), 1);
    let mut raw = Raw::new(&server);
    // Its request gave up, and with it its transaction.
    expect(&mut raw, "POST", "/v1/sessions/b/commit", "", 409, "no-transaction");
    expect(&mut raw, "POST", "/v1/sessions/b/get", r#"{"key":"x"}"#, 200, "1");
    drop(a);
    server.stop().expect("it stops");
}

#[test]
fn waits_end_by_themselves() {
    let server = start(Config::default().profile(Profile::Postgres).level(Level::RC));
    let client = Client::new(&server.url()).unwrap();
    let (mut a, mut b) = (client.session().unwrap(), client.session().unwrap());
    a.begin().unwrap();
    a.put("x", 1).unwrap();
    b.begin().unwrap();
    let error = b.put("x", 2).expect_err("a holds the lock and does not move");
    assert!(
        matches!(&error, ClientError::Aborted { reason, .. } if reason == "lock-timeout"),
        "{error}"
    );
    a.commit().unwrap();
    drop((a, b));
    server.stop().expect("it stops");
}

#[test]
fn idle_sessions_are_closed_where_asked() {
    let idle_timeout = Some(Duration::from_millis(200));
    let server = Server::start(ServerConfig { idle_timeout, ..ServerConfig::default() }).unwrap();
    let client = Client::new(&server.url()).unwrap();
    let (mut a, mut b) = (client.session().unwrap(), client.session_named("b").unwrap());
    b.begin().unwrap();
    for _ in 0..8 {
        std::thread::sleep(Duration::from_millis(50));
        a.get("x").unwrap();
    }
    let error = b.commit().expect_err("it was idle for too long");
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error}");
    drop((a, b));
    server.stop().expect("it stops");
}

#[test]
fn the_status_page_is_self_contained() {
    let server = server(Level::PSI);
    let page = Client::new(&server.url()).unwrap().ask("GET", "/", b"").unwrap();
    for part in ["parallel snapshot isolation (PSI)", "Open transactions", "Seed", "color-scheme"] {
        assert!(page.contains(part), "{part}");
    }
    // Nothing of it is elsewhere: the policy allows its own script and style, and questions to its own server.
    assert!(
        page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"),
        "{page}"
    );
    let outside = ["src=", "<link", "https://", "href=\"http"];
    assert!(!outside.iter().any(|part| page.replace("script-src", "").contains(part)));
    server.stop().expect("it stops");
}

#[test]
fn a_lag_bounds_how_long_a_commit_is_missed() {
    let policy = Some(Policy::Stale);
    let missed = |lag| {
        let server = start(Config::default().level(Level::CC).policy(policy).lag(lag));
        let client = Client::new(&server.url()).unwrap();
        client.session().unwrap().put("x", 1).unwrap();
        std::thread::sleep(Duration::from_millis(60));
        let read = |_| client.session().unwrap().get("x").unwrap();
        let missed = (0..30).map(read).filter(Json::is_null).count();
        server.stop().expect("it stops");
        missed
    };
    assert_eq!(missed(Some(20)), 0);
    assert!(missed(None) > 0, "without a lag it may be missed for ever");
}

#[test]
fn a_delay_comes_before_each_transaction_only() {
    let pause = Duration::from_millis(30);
    let config = ServerConfig { delay: pause..=pause, ..ServerConfig::default() };
    let server = Server::start(config).unwrap();
    let mut session = Client::new(&server.url()).unwrap().session().unwrap();
    let start = Instant::now();
    session.begin().unwrap();
    assert!(start.elapsed() >= pause);
    // A hundred pauses would take three seconds.
    let start = Instant::now();
    for _ in 0..100 {
        session.get("x").unwrap();
    }
    session.commit().unwrap();
    assert!(start.elapsed() < 100 * pause);
    let start = Instant::now();
    session.get("x").unwrap();
    assert!(start.elapsed() >= pause, "it is a transaction of its own");
    drop(session);
    server.stop().expect("it stops");
}
