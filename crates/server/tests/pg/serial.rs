//! One transaction at a time for SQL clients, which never run a refused transaction again.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Config, Policy, Profile};

use crate::support::{Raw, addr, pg};

/// Long enough that a machine which is busy with other things is not idle for it.
const LONG: Duration = Duration::from_secs(5);

fn serve(profile: Profile, level: Level, patience: Duration) -> Server {
    let store = Config::default().profile(profile).level(level).policy(Policy::Latest);
    let (pg, serial) = (Some(pg()), Some(patience));
    let config = ServerConfig { http: false, pg, store, serial, ..ServerConfig::default() };
    let server = Server::start(config).expect("a port is free");
    let mut raw = Raw::open(addr(&server));
    raw.rows("CREATE TABLE item (id int PRIMARY KEY, stock int)");
    raw.rows("INSERT INTO item VALUES (1, 0), (2, 0)");
    server
}

/// What an ORM does: reads, then writes what it read plus one, at every level an application may have. Nobody is
/// refused and nothing is lost, though two rows are taken in opposite orders.
#[test]
fn nobody_is_refused_and_nothing_is_lost() {
    for (profile, level) in [
        (Profile::Postgres, Level::RC),
        (Profile::Postgres, Level::SI),
        (Profile::Postgres, Level::SER),
        (Profile::Spec, Level::RC),
        (Profile::Spec, Level::SER),
    ] {
        let server = serve(profile, level, LONG);
        let at = addr(&server);
        thread::scope(|scope| {
            for session in 0..6 {
                scope.spawn(move || {
                    let mut raw = Raw::open(at);
                    for round in 0..5 {
                        let rows = if (session + round) % 2 == 0 { [1, 2] } else { [2, 1] };
                        raw.rows("BEGIN");
                        for id in rows {
                            let stock =
                                raw.rows(&format!("SELECT stock FROM item WHERE id = {id}"));
                            let stock: i64 = stock[0][0].parse().expect("a number");
                            let stock = stock + 1;
                            raw.rows(&format!("UPDATE item SET stock = {stock} WHERE id = {id}"));
                        }
                        raw.rows("COMMIT");
                        // A statement by itself is a transaction too.
                        raw.rows("UPDATE item SET stock = stock + 1 WHERE id = 1");
                    }
                });
            }
        });
        let rows = Raw::open(at).rows("SELECT stock FROM item ORDER BY id");
        assert_eq!(rows, [["60"], ["30"]], "{profile} {level}");
        let (stats, overlaps) = (server.store().stats(), server.store().overlaps());
        assert_eq!((stats.refused, stats.stale_reads, overlaps), (0, 0, None), "{profile} {level}");
    }
}

/// Clients that wait for each other inside their transactions, and idle ones beside them: one that was left in
/// a transaction, one that listens, one that has said BEGIN and no more.
#[test]
fn clients_that_wait_for_each_other_go_on() {
    for sessions in 2..=6 {
        let server = serve(Profile::Postgres, Level::RC, Duration::from_millis(20));
        let (at, barrier, started) = (addr(&server), Barrier::new(sessions), Instant::now());
        let (mut left, mut listens, mut begun) = (Raw::open(at), Raw::open(at), Raw::open(at));
        listens.rows("LISTEN news");
        begun.rows("BEGIN");
        left.rows("BEGIN");
        left.rows("SELECT * FROM item");
        thread::scope(|scope| {
            for session in 0..sessions {
                let barrier = &barrier;
                scope.spawn(move || {
                    let mut raw = Raw::open(at);
                    raw.rows("BEGIN");
                    raw.rows("SELECT * FROM item");
                    barrier.wait();
                    raw.rows(&format!("INSERT INTO item VALUES ({}, 1)", session + 10));
                    raw.rows("COMMIT");
                });
            }
        });
        assert!(started.elapsed() < Duration::from_secs(20), "{sessions} sessions");
        let rows = left.rows("SELECT count(*) FROM item");
        assert_eq!(rows, [[(sessions + 2).to_string()]]);
        let (count, _) = server.store().overlaps().expect("they overlapped");
        assert!(count >= sessions as u64, "{count}");
        begun.rows("COMMIT");
    }
}

/// Locks beyond transactions, changes of the schema, and row locks in overlapping transactions.
#[test]
fn no_lock_stops_it() {
    let server = serve(Profile::Postgres, Level::RC, Duration::from_millis(20));
    let at = addr(&server);
    let (mut one, mut two) = (Raw::open(at), Raw::open(at));
    one.rows("SELECT pg_advisory_lock(7)");
    let started = Instant::now();
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            two.rows("BEGIN");
            two.rows("SELECT * FROM item");
            two.rows("SELECT pg_advisory_lock(7)");
            two.rows("COMMIT");
        });
        thread::sleep(Duration::from_millis(50));
        one.rows("SELECT stock FROM item");
        one.rows("SELECT pg_advisory_unlock(7)");
        waits.join().expect("it gets the lock");
    });
    // The schema has a lock of its own: one changes it and then reads, the other reads and then changes it.
    one.rows("BEGIN");
    one.rows("CREATE TABLE a (x int)");
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            two.rows("BEGIN");
            two.rows("SELECT * FROM item");
            two.rows("CREATE TABLE b (x int)");
            two.rows("COMMIT");
        });
        thread::sleep(Duration::from_millis(50));
        one.rows("INSERT INTO a SELECT stock FROM item");
        one.rows("COMMIT");
        waits.join().expect("it may change the schema");
    });
    // A row that an idle transaction has locked.
    one.rows("BEGIN");
    one.rows("UPDATE item SET stock = 1 WHERE id = 1");
    thread::scope(|scope| {
        let waits = scope.spawn(|| two.rows("UPDATE item SET stock = stock + 1 WHERE id = 1"));
        thread::sleep(Duration::from_millis(100));
        one.rows("COMMIT");
        waits.join().expect("it gets the lock");
    });
    assert_eq!(one.rows("SELECT stock FROM item WHERE id = 1"), [["2"]]);
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// A client that vanishes in the middle of its transaction is not waited for.
#[test]
fn who_vanishes_lets_others_go() {
    let server = serve(Profile::Postgres, Level::RC, LONG);
    let at = addr(&server);
    let mut gone = Raw::open(at);
    gone.rows("BEGIN");
    gone.rows("UPDATE item SET stock = 9");
    let started = Instant::now();
    drop(gone);
    assert_eq!(Raw::open(at).rows("SELECT stock FROM item"), [["0"], ["0"]]);
    assert!(started.elapsed() < LONG);
    assert_eq!(server.store().overlaps(), None);
}
