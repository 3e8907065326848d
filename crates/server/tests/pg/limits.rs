//! What ends a statement or a session: timeouts, cancel requests, other sessions.

use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Config, Profile};

use crate::support::{Raw, addr, pg};

/// A server as `hob serve --pg --hold 0s` has it.
pub(crate) fn postgres() -> Server {
    let store = Config::default().profile(Profile::Postgres).level(Level::RC).patient(true);
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

fn list(count: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(between)
}

/// It falls into reading the text, binding, planning, running, or giving all of that back.
#[test]
fn statement_timeout_ends_long_texts_wherever_it_falls() {
    let server = postgres();
    let mut raw = Raw::open(addr(&server));
    raw.query("create table t(a int, b text)");
    // Code that is not optimized, on a machine that does other things, takes its time.
    let most =
        Duration::from_millis(if std::env::var_os("HOB_FULL").is_some() { 150 } else { 3_000 });
    let texts = [
        format!("select 1 from t {}", list(20_000, "", |at| format!("cross join t t{at} "))),
        format!("insert into t values {}", list(50_000, ",", |at| format!("({at}, 'row {at}')"))),
        format!("select 1 from t where {}", list(50_000, " or ", |at| format!("a = {at}"))),
        format!("select 1 from t where a in ({})", list(100_000, ",", |at| at.to_string())),
        format!("with {} select 1", list(10_000, ",", |at| format!("c{at} as (select {at})"))),
        format!("select case a {} end from t", list(30_000, "", |at| format!("when {at} then 1 "))),
        format!("select 1 from {}", list(10_000, ",", |at| format!("t t{at}"))),
        format!("select '{{{}}}'::int[]", list(200_000, ",", |at| at.to_string())),
        format!("create table u (a int {})", ", check (a > 0)".repeat(2_000)),
        format!("select 1 /* {} */", "x".repeat(5 << 20)),
    ];
    for text in texts {
        let mut timeout = 20;
        loop {
            raw.query(&format!("begin; set statement_timeout = {timeout}"));
            // What else the machine does may delay one, and not three.
            let mut late = Duration::MAX;
            let mut state = String::new();
            for _ in 0..3 {
                raw.query("savepoint s");
                let start = Instant::now();
                state = self::state(&mut raw, &text);
                late = late.min(start.elapsed().saturating_sub(Duration::from_millis(timeout)));
                raw.query("rollback to s");
                if state != "57014" || late < most {
                    break;
                }
            }
            raw.query("rollback");
            if state != "57014" {
                break;
            }
            assert!(late < most, "{late:?} after {timeout} ms: {}", &text[..60]);
            timeout = timeout * 3 / 2;
        }
    }
}

/// What takes the square of its length can be told to stop, or is refused before.
#[test]
fn long_lists_do_not_take_for_ever() {
    let server = postgres();
    let mut raw = Raw::open(addr(&server));
    raw.query("create table t(a int); set statement_timeout = '20s'");
    let labels = list(50_000, ",", |at| format!("'l{at}'"));
    for (sql, expected) in [
        (format!("create type e as enum ({labels})"), "00000"),
        (format!("alter table t {}", list(20_000, ",", |at| format!("add c{at} int"))), "54011"),
        (format!("create table u ({})", list(20_000, ",", |at| format!("c{at} int"))), "54011"),
        (format!("select '{{{}}}'::text[]", list(100_000, ",", |at| at.to_string())), "00000"),
        (format!("select 1 from {}", list(5_000, ",", |at| format!("t t{at}"))), "00000"),
    ] {
        assert_eq!(state(&mut raw, &sql), expected, "{}", &sql[..60]);
    }
    raw.query("set statement_timeout = 200");
    for sql in [
        "select array_agg(i) && array_agg(-i) from generate_series(1, 200000) i",
        "select array_agg(i) <@ array_agg(i) from generate_series(1, 200000) i",
    ] {
        ends(&mut raw, sql, "57014");
    }
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

/// Waits until a session sleeps for long.
fn wait_for_sleep(other: &mut Raw, pid: &str) {
    let query = format!(
        "select state from pg_stat_activity where pid = {pid} and query like '%sleep(100)'"
    );
    while other.rows(&query) != [["active"]] {
        std::thread::sleep(Duration::from_millis(5));
    }
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
            wait_for_sleep(&mut other, &pid);
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
            wait_for_sleep(&mut other, &pid);
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
    // However soon it sends the next statement, that is not answered.
    for _ in 0..100 {
        let mut idle = Raw::open(addr(&server));
        let pid = idle.rows("select pg_backend_pid()")[0][0].clone();
        other.query(&format!("select pg_terminate_backend({pid})"));
        idle.send(&crate::support::query("select 1"));
        assert!(idle.until_end().iter().all(|message| message.tag == 'E'));
    }
}
