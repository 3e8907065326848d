//! How connections end, and what they leave behind.

use std::time::{Duration, Instant};

use crate::support::{Raw, addr, hello, message, pg, query, serve, tags};

#[test]
fn who_vanishes_is_rolled_back() {
    let server = serve(pg());
    let mut one = Raw::open(addr(&server));
    one.rows("CREATE TABLE t (a int PRIMARY KEY, b int)");
    one.rows("INSERT INTO t VALUES (1, 10)");
    let mut two = Raw::open(addr(&server));
    two.rows("BEGIN");
    two.rows("UPDATE t SET b = 11 WHERE a = 1");
    drop(two);
    // The row is locked until the server has noticed.
    one.rows("UPDATE t SET b = b + 5 WHERE a = 1");
    assert_eq!(one.rows("SELECT b FROM t"), [["15"]]);
}

#[test]
fn terminate_ends_it() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(&message(b'X', b""));
    assert!(raw.until_end().is_empty());
}

#[test]
fn a_server_that_stops_says_goodbye() {
    let server = serve(pg());
    let mut idle = Raw::open(addr(&server));
    let mut busy = Raw::open(addr(&server));
    busy.rows("BEGIN");
    let addr = addr(&server);
    let started = Instant::now();
    server.stop().expect("it ends well");
    assert!(started.elapsed() < Duration::from_secs(2));
    for raw in [&mut idle, &mut busy] {
        let error = raw.until_end().pop().expect("it is told");
        assert_eq!((error.field('S').as_str(), error.field('C').as_str()), ("FATAL", "57P01"));
    }
    assert!(std::net::TcpStream::connect(addr).is_err());
}

#[test]
fn a_statement_that_waits_can_be_cancelled() {
    let server = serve(pg());
    let mut one = Raw::open(addr(&server));
    one.rows("CREATE TABLE t (a int PRIMARY KEY, b int)");
    one.rows("INSERT INTO t VALUES (1, 10)");
    one.rows("BEGIN");
    one.rows("UPDATE t SET b = 11 WHERE a = 1");
    let mut two = Raw::silent(addr(&server));
    two.send(&hello(&[("user", "hob"), ("database", "hob")]));
    let greeting = two.until_ready();
    let key = greeting.iter().find(|message| message.tag == 'K').expect("it has a key");
    two.send(&query("UPDATE t SET b = 12 WHERE a = 1"));
    std::thread::sleep(Duration::from_millis(100));
    let mut cancel = Raw::silent(addr(&server));
    cancel.send(&[&b"\0\0\0\x10\x04\xd2\x16\x2e"[..], &key.body].concat());
    assert!(cancel.until_end().is_empty());
    let answer = two.until_ready();
    assert_eq!(tags(&answer), "EZ");
    assert_eq!(answer[0].field('C'), "57014");
    one.rows("COMMIT");
    assert_eq!(two.rows("SELECT b FROM t"), [["11"]]);
}

#[test]
fn who_listens_is_told_while_it_does_nothing() {
    let server = serve(pg());
    let (mut one, mut two) = (Raw::open(addr(&server)), Raw::open(addr(&server)));
    one.rows("LISTEN news");
    two.rows("NOTIFY news, 'hello'");
    let told = one.take(1).remove(0);
    assert_eq!(told.tag, 'A');
    assert!(told.body.ends_with(b"news\0hello\0"), "{told:?}");
}
