//! Two-phase commit beyond what isolationtester can show: sessions that end, room, queues, histories.

use std::time::Duration;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Target, Verdict};
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Config, Profile};

use crate::limits::state;
use crate::support::{Raw, addr, hello, pg};

fn enabled(most: &str) -> Server {
    let profile = Profile::Postgres;
    let store = Config::default().profile(profile).level(Level::RC).patient(true);
    let config = ServerConfig {
        http: false,
        pg: Some(pg()),
        settings: vec![("max_prepared_transactions".to_owned(), most.to_owned())],
        store,
        ..ServerConfig::default()
    };
    Server::start(config).expect("a port is free")
}

const TABLE: &str =
    "create table t(id int primary key, v int); insert into t values (1, 0), (2, 0)";

#[test]
fn a_prepared_transaction_outlives_its_session() {
    let server = enabled("3");
    let mut first = Raw::open(addr(&server));
    first.query(TABLE);
    first.query("begin; update t set v = 1 where id = 1; create table made(n int)");
    assert_eq!(state(&mut first, "prepare transaction 'g'"), "00000");
    first.query("set lock_timeout = 50");
    assert_eq!(state(&mut first, "update t set v = 2 where id = 1"), "55P03");
    drop(first);
    let mut other = Raw::open(addr(&server));
    assert_eq!(
        other.rows("select gid, owner, database from pg_prepared_xacts"),
        [["g", "hob", "hob"]]
    );
    assert_eq!(other.rows("select v from t order by id"), [["0"], ["0"]]);
    assert_eq!(state(&mut other, "select * from made"), "42P01");
    assert_eq!(state(&mut other, "commit prepared 'g'"), "00000");
    assert_eq!(other.rows("select v from t order by id"), [["1"], ["0"]]);
    assert_eq!(other.rows("select count(*) from made"), [["0"]]);
    assert_eq!(state(&mut other, "commit prepared 'g'"), "42704");
    // Its session in the history is its own, and all of it holds.
    let history = server.store().history().expect("it is recorded");
    assert!(history.sessions().any(|id| history.session(id).to_string() == "prepared g"));
    let verdict = check(&history, Target::Level(Level::RC), &Limits::default());
    assert!(matches!(verdict, Verdict::Consistent(_)), "{verdict:?}");
}

#[test]
fn there_is_room_for_as_many_as_the_server_was_told() {
    let server = enabled("2");
    let mut raw = Raw::open(addr(&server));
    raw.query(TABLE);
    let long = "x".repeat(200);
    for (name, expected) in [("a", "00000"), ("a", "42710"), (&*long, "22023"), ("b", "00000")] {
        let prepare = format!("begin; prepare transaction '{name}'");
        assert_eq!(state(&mut raw, &prepare), expected, "{name}");
    }
    assert_eq!(state(&mut raw, "begin; prepare transaction 'c'"), "53200");
    // The transaction that was refused is over.
    assert_eq!(raw.rows("select count(*) from pg_prepared_xacts"), [["2"]]);
    assert_eq!(state(&mut raw, "rollback prepared 'a'"), "00000");
    assert_eq!(state(&mut raw, "begin; prepare transaction 'c'"), "00000");
    // The same name again is another transaction.
    assert_eq!(state(&mut raw, "rollback prepared 'c'"), "00000");
    assert_eq!(state(&mut raw, "begin; update t set v = 5; prepare transaction 'c'"), "00000");
    assert_eq!(state(&mut raw, "commit prepared 'c'"), "00000");
    assert_eq!(raw.rows("select sum(v) from t"), [["10"]]);
}

#[test]
fn what_belongs_to_a_session_is_not_prepared() {
    let server = enabled("5");
    let mut raw = Raw::open(addr(&server));
    raw.query(TABLE);
    for sql in [
        "create temporary table x(n int)",
        "notify c",
        "listen c",
        "unlisten *",
        "declare c cursor with hold for select 1",
        "select pg_advisory_lock(1), pg_advisory_xact_lock(1)",
    ] {
        raw.query("begin");
        assert_eq!(state(&mut raw, sql), "00000", "{sql}");
        assert_eq!(state(&mut raw, "prepare transaction 'g'"), "0A000", "{sql}");
        assert_eq!(raw.rows("select count(*) from pg_prepared_xacts"), [["0"]]);
    }
    // A lock of the session stays with it.
    raw.query("begin; select pg_advisory_xact_lock(2)");
    assert_eq!(state(&mut raw, "prepare transaction 'g'"), "00000");
    let mut other = Raw::open(addr(&server));
    assert_eq!(other.rows("select pg_try_advisory_lock(1), pg_try_advisory_lock(2)"), [["f", "f"]]);
    drop(raw);
    while other.rows("select pg_try_advisory_lock(1)") != [["t"]] {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(other.rows("select pg_try_advisory_lock(2)"), [["f"]]);
    assert_eq!(state(&mut other, "rollback prepared 'g'"), "00000");
    assert_eq!(other.rows("select pg_try_advisory_lock(2)"), [["t"]]);
}

#[test]
fn six_wait_for_a_prepared_transaction() {
    let server = enabled("5");
    let mut raw = Raw::open(addr(&server));
    raw.query(TABLE);
    raw.query("begin; update t set v = v + 1 where id = 1; prepare transaction 'g'");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            let server = &server;
            scope.spawn(move || {
                let mut raw = Raw::open(addr(server));
                assert_eq!(state(&mut raw, "update t set v = v + 1 where id = 1"), "00000");
            });
        }
        let waiting = "select count(*) from pg_locks where not granted";
        while raw.rows(waiting) != [["6"]] {
            std::thread::sleep(Duration::from_millis(10));
        }
        let blockers =
            "select pg_blocking_pids(pid)::text from pg_locks where not granted order by 1";
        assert!(raw.rows(blockers).iter().any(|row| row[0].contains('0')));
        assert_eq!(state(&mut raw, "commit prepared 'g'"), "00000");
    });
    assert_eq!(raw.rows("select v from t where id = 1"), [["7"]]);
}

#[test]
fn it_is_off_unless_it_is_enabled() {
    let server = enabled("0");
    let mut raw = Raw::open(addr(&server));
    assert_eq!(state(&mut raw, "begin; prepare transaction 'g'"), "55000");
    assert_eq!(raw.rows("show max_prepared_transactions"), [["0"]]);
}

#[test]
fn the_level_of_the_startup_packet_counts() {
    let server = enabled("0");
    let connect = |level: &str| {
        let mut raw = Raw::silent(addr(&server));
        let options = format!("-c default_transaction_isolation={level}");
        raw.send(&hello(&[("user", "hob"), ("options", &options)]));
        raw.until_ready();
        raw
    };
    let mut writer = Raw::open(addr(&server));
    writer.query(TABLE);
    for (level, expected) in [("repeatable\\ read", "0"), ("read\\ committed", "1")] {
        writer.query("update t set v = 0");
        let mut reader = connect(level);
        reader.query("begin");
        reader.query("select v from t where id = 1");
        writer.query("update t set v = 1");
        assert_eq!(reader.rows("select v from t where id = 1"), [[expected]], "{level}");
    }
}
