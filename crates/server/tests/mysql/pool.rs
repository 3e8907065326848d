//! What a pool relies on: a connection that is reset is as new.

use hobgoblin_wire::mysql::Method;

use crate::packet::packet;
use crate::support::{Answer, Raw, addr, mysql, serve};

/// Leaves a transaction, a variable, a temporary table, a lock by name and a prepared statement behind; the number of that.
fn litter(raw: &mut Raw) -> u32 {
    raw.run("SET @mine = 7");
    raw.run("SET autocommit = 0");
    raw.run("SET sql_mode = 'ANSI_QUOTES'");
    raw.run("SELECT GET_LOCK('pool', 0)");
    raw.run("BEGIN");
    raw.run("UPDATE t SET b = 99 WHERE a = 1");
    raw.send(&packet(0, b"\x16SELECT 1"));
    let prepared = raw.next().expect("an answer").payload;
    for _ in 0..2 {
        raw.next().expect("a column and its end");
    }
    u32::from_le_bytes(prepared[1..5].try_into().unwrap())
}

fn is_as_new(raw: &mut Raw, other: &mut Raw, statement: u32) {
    assert_eq!(raw.texts("SELECT @mine, @@autocommit"), [["NULL", "1"]]);
    assert!(!raw.texts("SELECT @@sql_mode")[0][0].contains("ANSI_QUOTES"));
    let execute = [&[0x17][..], &statement.to_le_bytes(), &[0, 1, 0, 0, 0]].concat();
    raw.send(&packet(0, &execute));
    assert_eq!(raw.answer().error(), 1243);
    // Nobody holds the row or the lock.
    other.run("UPDATE t SET b = b + 1 WHERE a = 1");
    assert_eq!(other.texts("SELECT GET_LOCK('pool', 0)"), [["1"]]);
    other.run("SELECT RELEASE_LOCK('pool')");
}

#[test]
fn a_pool_that_resets_connections_leaks_nothing() {
    let server = serve(mysql());
    let mut other = Raw::open(addr(&server));
    other.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    other.run("INSERT INTO t VALUES (1, 0)");
    let mut pooled = Raw::open(addr(&server));
    for _ in 0..20 {
        let statement = litter(&mut pooled);
        let answer = pooled.command(0x1f, b"");
        assert!(matches!(answer, Answer::Ok { status: 2, .. }), "{answer:?}");
        is_as_new(&mut pooled, &mut other, statement);
    }
    assert_eq!(other.texts("SELECT b FROM t"), [["20"]]);
}

#[test]
fn whoever_becomes_somebody_else_leaves_nothing() {
    let password = Some("secret word".to_owned());
    let server = serve(hobgoblin_server::MySqlConfig { password, ..mysql() });
    let open = || {
        let mut raw = Raw::silent(addr(&server));
        raw.log_in(crate::support::BASE, "hob", "secret word");
        raw
    };
    let mut other = open();
    other.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    other.run("INSERT INTO t VALUES (1, 0)");
    let mut raw = Raw::silent(addr(&server));
    let scramble = raw.greeted();
    let hello = crate::packet::login(&scramble, crate::support::BASE, "hob", "secret word", "test");
    raw.send(&packet(1, &hello));
    raw.answer();
    let statement = litter(&mut raw);
    raw.send(&packet(0, b"\x11alice\0\0test\0\x2d\0mysql_native_password\0"));
    let asked = raw.next().expect("the method").payload;
    assert_eq!(asked[0], 0xfe);
    raw.send(&packet(2, &Method::Native.answer(b"secret word", &scramble)));
    assert!(matches!(raw.answer(), Answer::Ok { status: 2, .. }));
    assert_eq!(raw.texts("SELECT USER(), DATABASE()"), [["alice@localhost", "test"]]);
    is_as_new(&mut raw, &mut other, statement);
    // Who cannot prove it is out.
    raw.send(&packet(0, b"\x11mallory\0\0test\0\x2d\0mysql_native_password\0"));
    raw.next().expect("the method");
    raw.send(&packet(2, &Method::Native.answer(b"a guess", &scramble)));
    assert_eq!(raw.answer().error(), 1045);
    assert!(raw.until_end().is_empty());
}
