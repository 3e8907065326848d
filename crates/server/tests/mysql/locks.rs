//! Sessions that wait for each other, over the protocol.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;

use crate::packet::packet;
use crate::support::{Answer, Raw, addr, mysql, serve, serve_at};

/// Three to six sessions behind one lock: each gets it in turn, and no update is lost.
#[test]
fn sessions_queue_behind_a_lock() {
    for count in 3..=6 {
        let server = serve(mysql());
        let mut holder = Raw::open(addr(&server));
        holder.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
        holder.run("INSERT INTO t VALUES (1, 0)");
        holder.run("BEGIN");
        holder.run("UPDATE t SET b = b + 1 WHERE a = 1");
        let (tell, told) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..count {
                let (tell, addr) = (tell.clone(), addr(&server));
                scope.spawn(move || {
                    let mut raw = Raw::open(addr);
                    raw.run("BEGIN");
                    raw.run("UPDATE t SET b = b + 1 WHERE a = 1");
                    raw.run("COMMIT");
                    tell.send(()).expect("somebody listens");
                });
            }
            std::thread::sleep(Duration::from_millis(200));
            assert!(told.try_recv().is_err(), "nobody has the lock but its holder");
            holder.run("COMMIT");
            for _ in 0..count {
                told.recv_timeout(Duration::from_secs(10)).expect("all get it");
            }
        });
        assert_eq!(holder.texts("SELECT b FROM t"), [[(count + 1).to_string()]]);
    }
}

#[test]
fn waits_end_after_their_timeout() {
    let server = serve(mysql());
    let mut holder = Raw::open(addr(&server));
    holder.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    holder.run("INSERT INTO t VALUES (1, 0), (2, 0)");
    holder.run("BEGIN");
    holder.run("UPDATE t SET b = 1 WHERE a = 1");
    let mut waits = Raw::open(addr(&server));
    waits.run("SET innodb_lock_wait_timeout = 1");
    waits.run("BEGIN");
    waits.run("UPDATE t SET b = 2 WHERE a = 2");
    let started = Instant::now();
    let answer = waits.query("UPDATE t SET b = 2 WHERE a = 1");
    assert_eq!(answer.error(), 1205, "{answer:?}");
    let took = started.elapsed();
    assert!(took > Duration::from_millis(900) && took < Duration::from_secs(4), "{took:?}");
    // The statement is undone, and not the transaction.
    waits.run("COMMIT");
    holder.run("ROLLBACK");
    assert_eq!(holder.texts("SELECT b FROM t ORDER BY a"), [["0"], ["2"]]);
}

#[test]
fn one_of_a_deadlock_is_rolled_back() {
    let server = serve(mysql());
    let mut one = Raw::open(addr(&server));
    let mut two = Raw::open(addr(&server));
    one.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    one.run("INSERT INTO t VALUES (1, 0), (2, 0)");
    one.run("BEGIN");
    two.run("BEGIN");
    one.run("UPDATE t SET b = 1 WHERE a = 1");
    two.run("UPDATE t SET b = 2 WHERE a = 2");
    one.send(&packet(0, b"\x03UPDATE t SET b = 1 WHERE a = 2"));
    std::thread::sleep(Duration::from_millis(200));
    let second = two.query("UPDATE t SET b = 2 WHERE a = 1");
    let first = one.answer();
    let mut errors = [first.error(), second.error()];
    errors.sort_unstable();
    assert_eq!(errors, [0, 1213], "{first:?} {second:?}");
    for raw in [&mut one, &mut two] {
        raw.run("COMMIT");
    }
}

/// Read, then write what was computed: InnoDB's repeatable read loses one of two, and its serializable does not.
#[test]
fn updates_are_lost_at_repeatable_read() {
    for (level, lost) in [(Level::SI, true), (Level::SER, false)] {
        let server = serve_at(mysql(), level);
        let mut one = Raw::open(addr(&server));
        let mut two = Raw::open(addr(&server));
        one.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
        one.run("INSERT INTO t VALUES (1, 10)");
        for raw in [&mut one, &mut two] {
            raw.run("BEGIN");
            assert_eq!(raw.texts("SELECT b FROM t WHERE a = 1"), [["10"]]);
        }
        one.send(&packet(0, b"\x03UPDATE t SET b = 11 WHERE a = 1"));
        std::thread::sleep(Duration::from_millis(100));
        if lost {
            assert!(matches!(one.answer(), Answer::Ok { .. }));
            one.run("COMMIT");
            two.run("UPDATE t SET b = 12 WHERE a = 1");
            two.run("COMMIT");
            assert_eq!(one.texts("SELECT b FROM t"), [["12"]]);
            continue;
        }
        let second = two.query("UPDATE t SET b = 12 WHERE a = 1").error();
        let first = one.answer().error();
        let survivor = match (first, second) {
            (1213, 0) => &mut two,
            (0, 1213) => &mut one,
            errors => panic!("one of them is rolled back: {errors:?}"),
        };
        survivor.run("COMMIT");
        let expected = if second == 0 { "12" } else { "11" };
        assert_eq!(survivor.texts("SELECT b FROM t"), [[expected]]);
    }
}
