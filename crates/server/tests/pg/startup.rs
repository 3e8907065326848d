//! How connections begin.

use std::net::SocketAddr;
use std::time::Duration;

use hobgoblin_server::{PgConfig, Server, ServerConfig, ServerError};

use crate::support::{Raw, addr, hello, message, pg, serve, status, tags, versioned};

#[test]
fn the_greeting_has_thirteen_settings() {
    let server = serve(pg());
    let mut raw = Raw::silent(addr(&server));
    raw.send(&hello(&[
        ("user", "alice"),
        ("application_name", "test"),
        ("options", "-c geqo=off"),
    ]));
    let greeting = raw.until_ready();
    assert_eq!(tags(&greeting), format!("R{}KZ", "S".repeat(13)));
    assert_eq!(greeting[0].body, [0, 0, 0, 0]);
    assert_eq!(status(&greeting), 'I');
    let settings: Vec<String> = greeting[1..14]
        .iter()
        .map(|setting| String::from_utf8(setting.body.clone()).unwrap())
        .collect();
    for expect in [
        "client_encoding\0UTF8\0",
        "integer_datetimes\0on\0",
        "standard_conforming_strings\0on\0",
        "session_authorization\0alice\0",
        "application_name\0test\0",
    ] {
        assert!(settings.iter().any(|setting| setting == expect), "{expect:?} in {settings:?}");
    }
    assert!(settings.iter().any(|setting| setting.starts_with("server_version\x0015.")));
}

#[test]
fn sessions_have_the_names_they_ask_for() {
    let server = serve(pg());
    let connect = |options: &str| {
        let mut raw = Raw::silent(addr(&server));
        raw.send(&hello(&[("user", "hob"), ("options", options)]));
        raw
    };
    let mut alice = connect("-c hob.session=alice");
    alice.until_ready();
    assert_eq!(alice.rows("SHOW hob.session"), [["alice"]]);
    alice.query("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
    let history = server.store().history().expect("it is recorded");
    assert!(history.sessions().any(|id| history.session(id).to_string() == "alice"));
    // Another of that name would be mistaken for it in a replay.
    let refused = connect("-c hob.session=alice").until_end();
    let error = refused.last().expect("it hears why");
    assert_eq!((error.tag, error.field('C').as_str()), ('E', "08006"));
    assert!(error.field('M').contains("already connected"), "{}", error.field('M'));
    assert_eq!(alice.query("SET hob.session = 'bob'")[0].field('C'), "55P02");
}

#[test]
fn encryption_is_refused_where_there_is_none() {
    let server = serve(pg());
    let mut raw = Raw::silent(addr(&server));
    raw.send(b"\0\0\0\x08\x04\xd2\x16\x30");
    assert_eq!(raw.byte(), b'N');
    raw.send(b"\0\0\0\x08\x04\xd2\x16\x2f");
    assert_eq!(raw.byte(), b'N');
    raw.send(&hello(&[("user", "hob")]));
    assert_eq!(status(&raw.until_ready()), 'I');
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn newer_protocols_are_negotiated_down() {
    let server = serve(pg());
    let mut raw = Raw::silent(addr(&server));
    raw.send(&versioned(3 << 16 | 2, &[("user", "hob"), ("_pq_.new", "x")]));
    let greeting = raw.until_ready();
    assert_eq!((greeting[0].tag, greeting[1].tag), ('v', 'R'));
    assert_eq!(greeting[0].body, b"\0\x03\0\0\0\0\0\x01_pq_.new\0");
}

#[test]
fn beginnings_that_end_at_once() {
    let server = serve(pg());
    for (bytes, state, words) in [
        (versioned(2 << 16, &[("user", "hob")]), "0A000", "unsupported frontend protocol 2.0"),
        (hello(&[("database", "hob")]), "28000", "no PostgreSQL user name"),
        (hello(&[("user", "hob"), ("replication", "true")]), "0A000", "replication"),
        (hello(&[("user", "hob"), ("options", "nonsense")]), "42601", "invalid command-line"),
        (b"\xff\xff\xff\xff\0\x03\0\0".to_vec(), "08P01", "invalid length of startup packet"),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), "08P01", "invalid length of startup packet"),
    ] {
        let mut raw = Raw::silent(addr(&server));
        raw.send(&bytes);
        let end = raw.until_end();
        let error = end.last().unwrap_or_else(|| panic!("nothing came of {bytes:?}"));
        assert_eq!((error.field('S').as_str(), error.field('C').as_str()), ("FATAL", state));
        assert!(error.field('M').contains(words), "{}", error.field('M'));
    }
}

#[test]
fn a_password_is_asked_for_and_not_anything_is_one() {
    let server = serve(PgConfig { password: Some("secret".to_owned()), ..pg() });
    let attempt = |messages: &[Vec<u8>]| {
        let mut raw = Raw::silent(addr(&server));
        raw.send(&hello(&[("user", "hob")]));
        assert_eq!(raw.take(1)[0].body, b"\0\0\0\x0aSCRAM-SHA-256\0\0");
        messages.iter().for_each(|message| raw.send(message));
        raw.until_end()
    };
    let initial = |mechanism: &str, first: &str| {
        let length = (first.len() as u32).to_be_bytes();
        let body = [mechanism.as_bytes(), b"\0", &length, first.as_bytes()].concat();
        message(b'p', &body)
    };
    let state = |end: Vec<crate::support::Message>| end.last().expect("an error").field('C');
    assert_eq!(state(attempt(&[message(b'p', b"secret\0")])), "08P01");
    assert_eq!(state(attempt(&[message(b'Q', b"SELECT 1\0")])), "08P01");
    assert_eq!(state(attempt(&[initial("PLAIN", "n,,n=,r=x")])), "08P01");
    assert_eq!(state(attempt(&[initial("SCRAM-SHA-256", "nonsense")])), "08P01");
    let mut raw = Raw::silent(addr(&server));
    raw.send(&hello(&[("user", "hob")]));
    raw.take(1);
    raw.send(&initial("SCRAM-SHA-256", "n,,n=,r=abc"));
    let answer = raw.take(1).remove(0);
    let text = String::from_utf8_lossy(&answer.body[4..]).into_owned();
    let nonce = text.split(',').next().unwrap().to_owned();
    assert!(nonce.starts_with("r=abc") && nonce.len() > 20, "{text}");
    let proof = format!("c=biws,{nonce},p={}=", "A".repeat(43));
    raw.send(&message(b'p', proof.as_bytes()));
    let error = raw.until_end().pop().expect("an error");
    assert_eq!(error.field('C'), "28P01");
    assert_eq!(error.field('M'), "password authentication failed for user \"hob\"");
}

#[test]
fn other_machines_need_a_password() {
    let open: SocketAddr = "0.0.0.0:0".parse().unwrap();
    let start = |password: Option<&str>| {
        let password = password.map(str::to_owned);
        let pg = Some(PgConfig { addr: open, password, ..pg() });
        Server::start(ServerConfig { http: false, pg, ..ServerConfig::default() })
    };
    assert!(matches!(start(None), Err(ServerError::PasswordNeeded { .. })));
    assert!(matches!(start(Some("")), Err(ServerError::EmptyPassword)));
    assert!(start(Some("secret")).is_ok());
}

#[test]
fn who_does_not_say_who_it_is_has_to_go() {
    let startup_timeout = Duration::from_millis(300);
    let server = serve(PgConfig { startup_timeout, ..pg() });
    let mut slow: Vec<Raw> = (0..20).map(|_| Raw::silent(addr(&server))).collect();
    // A byte now and then does not buy time.
    for byte in &hello(&[("user", "hob")])[..6] {
        slow.iter_mut().for_each(|raw| raw.send(&[*byte]));
        std::thread::sleep(Duration::from_millis(20));
    }
    for raw in &mut slow {
        let end = raw.until_end();
        assert_eq!(end.last().expect("it is told").field('C'), "57014");
    }
    assert_eq!(Raw::open(addr(&server)).rows("SELECT 1"), [["1"]]);
}

#[test]
fn more_clients_than_there_may_be_are_told_so() {
    let server = serve(PgConfig { max_connections: 2, ..pg() });
    let (_one, _two) = (Raw::open(addr(&server)), Raw::open(addr(&server)));
    let mut three = Raw::silent(addr(&server));
    three.send(&hello(&[("user", "hob")]));
    assert_eq!(three.until_end().last().expect("it is told").field('C'), "53300");
}
