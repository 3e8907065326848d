//! What ends a statement or a session: timeouts, cancel requests, other sessions.

use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Config, Profile};

use crate::support::{Raw, addr, pg};

/// A server as `hob serve --pg --hold 0s` has it.
pub(crate) fn postgres() -> Server {
    let store =
        Config { profile: Profile::Postgres, level: Level::RC, patient: true, ..Config::default() };
    let config = ServerConfig { http: false, pg: Some(pg()), store, ..ServerConfig::default() };
    Server::start(config).expect("a port is free")
}

/// The SQLSTATE of the error a query ends with.
pub(crate) fn state(raw: &mut Raw, sql: &str) -> String {
    let messages = raw.query(sql);
    let error = messages.iter().find(|message| message.tag == 'E');
    error.map_or_else(|| "00000".to_owned(), |error| error.field('C'))
}

/// A query ends with an error, not long after its timeout.
fn ends(raw: &mut Raw, sql: &str, expected: &str) {
    let start = Instant::now();
    assert_eq!(state(raw, sql), expected, "{sql}");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(2), "{sql}: {took:?}");
}

#[test]
fn statement_timeout_ends_what_runs_sleeps_or_waits() {
    let server = postgres();
    let mut holder = Raw::open(addr(&server));
    holder.query("create table t(id int primary key, v int); insert into t values (1, 0)");
    holder.query("begin; update t set v = 1; select pg_advisory_lock(7)");
    let waits = ["update t set v = 2", "truncate t", "select pg_advisory_lock(7)"];
    // Several wait behind one lock.
    std::thread::scope(|scope| {
        for sql in waits.iter().cycle().take(6) {
            let server = &server;
            scope.spawn(move || {
                let mut raw = Raw::open(addr(server));
                raw.query("set statement_timeout = 300");
                ends(&mut raw, sql, "57014");
                ends(&mut raw, "select pg_sleep(100)", "57014");
                // The session goes on.
                assert_eq!(raw.rows("select 1"), [["1"]]);
            });
        }
    });
    let mut raw = Raw::open(addr(&server));
    raw.query("set statement_timeout = 200");
    for sql in [
        "select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b",
        "select count(*) from generate_series(1, 9000000)",
        "with recursive r as (select 1 n union all select n + 1 from r) select count(*) from r",
        "select max(x) from (select md5(g::text) x from generate_series(1, 2000000) g order by 1) s",
        "select (repeat('a', 400) || 'b' || repeat('a', 300) || 'c') ~ '^(a+)(a+)(a+)(a+)b\\1\\2\\3\\4\\4c'",
        "select regexp_replace(repeat('a', 300000), '(a*)(a*)b|(?=a*c)', 'x', 'g')",
        "update t set v = v where v = (select count(*) from generate_series(1, 3000) a, generate_series(1, 3000) b, \
         generate_series(1, 3000) c)",
    ] {
        ends(&mut raw, sql, "57014");
    }
    assert_eq!(holder.rows("commit; select v from t"), [["1"]]);
    raw.query("set statement_timeout = 0");
    assert_eq!(raw.rows("select count(*) from generate_series(1, 100000)"), [["100000"]]);
}

#[test]
fn idle_sessions_end_when_their_time_is_over() {
    let server = postgres();
    for (setting, before, expected) in [
        ("idle_session_timeout", "select 1", "57P05"),
        ("idle_in_transaction_session_timeout", "begin", "25P03"),
    ] {
        let mut raw = Raw::open(addr(&server));
        raw.query(&format!("set {setting} = 150"));
        let start = Instant::now();
        raw.query(before);
        let last = raw.until_end();
        let error = last.iter().find(|message| message.tag == 'E').expect("it is told why");
        assert_eq!(error.field('C'), expected);
        assert!(start.elapsed() < Duration::from_secs(2));
    }
    // Who does something is not idle.
    let mut raw = Raw::open(addr(&server));
    raw.query("set idle_session_timeout = 150; set idle_in_transaction_session_timeout = 150");
    assert_eq!(raw.rows("select pg_sleep(0.5)").len(), 1);
}

#[test]
fn sessions_cancel_and_end_each_other() {
    let server = postgres();
    let mut other = Raw::open(addr(&server));
    for (function, expected) in [("pg_cancel_backend", "57014"), ("pg_terminate_backend", "57P01")]
    {
        let mut busy = Raw::open(addr(&server));
        let pid = busy.rows("select pg_backend_pid()")[0][0].clone();
        std::thread::scope(|scope| {
            let busy = scope.spawn(move || {
                busy.send(&crate::support::query("select pg_sleep(100)"));
                let message = busy.next().expect("an answer");
                (message.tag, message.field('C'))
            });
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(other.rows(&format!("select {function}({pid})")), [["t"]]);
            assert_eq!(busy.join().expect("it ends"), ('E', expected.to_owned()));
        });
    }
    // What was meant for one statement does not end the next, however soon that comes.
    let mut quick = Raw::open(addr(&server));
    let pid = quick.rows("select pg_backend_pid()")[0][0].clone();
    for _ in 0..10 {
        std::thread::scope(|scope| {
            let busy = scope.spawn(|| {
                let first = state(&mut quick, "select pg_sleep(100)");
                (first, state(&mut quick, "select pg_sleep(0.05)"))
            });
            std::thread::sleep(Duration::from_millis(60));
            other.query(&format!("select pg_cancel_backend({pid})"));
            let expected = ("57014".to_owned(), "00000".to_owned());
            assert_eq!(busy.join().expect("it ends"), expected);
        });
        quick.query("set statement_timeout = 40");
        assert_eq!(state(&mut quick, "select pg_sleep(100)"), "57014");
        quick.query("set statement_timeout = 0");
        assert_eq!(state(&mut quick, "select pg_sleep(0.03)"), "00000");
    }
    // One that does nothing hears nothing of a cancel, and is ended all the same.
    let mut idle = Raw::open(addr(&server));
    let pid = idle.rows("select pg_backend_pid()")[0][0].clone();
    other.query(&format!("select pg_cancel_backend({pid})"));
    assert_eq!(idle.rows("select 1"), [["1"]]);
    other.query(&format!("select pg_terminate_backend({pid})"));
    let last = idle.until_end();
    assert_eq!(last.last().map(|error| error.field('C')), Some("57P01".to_owned()));
    assert_eq!(other.rows("select pg_cancel_backend(99999999)"), [["f"]]);
}
