//! Clients that say nothing, half of something, or never listen. They cost what they hold, and nobody else
//! notices.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hobgoblin_server::PgConfig;

use crate::limits::postgres;
use crate::support::{Raw, addr, hello, pg, query, serve};

/// How many threads this process has.
fn threads() -> usize {
    status("Threads:")
}

/// How many kilobytes it has now.
fn memory() -> usize {
    status("VmRSS:")
}

fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

/// Opens up to so many sockets that say nothing, or a part of a hello.
fn strangers(addr: std::net::SocketAddr, count: usize) -> Vec<TcpStream> {
    let (mut all, hello) = (Vec::new(), hello(&[("user", "hob")]));
    for number in 0..count {
        // A test may have fewer files than there are clients in the world.
        let Ok(mut socket) = TcpStream::connect(addr) else { break };
        let part = &hello[..number % hello.len()];
        // Those who came first may be gone already.
        let _ = socket.write_all(part);
        all.push(socket);
    }
    all
}

#[test]
fn five_thousand_who_say_nothing_keep_nobody_out() {
    let server = serve(PgConfig { max_connections: 20, ..pg() });
    let addr = addr(&server);
    let before = threads();
    let strangers = strangers(addr, 5_000);
    assert!(strangers.len() > 1_000, "only {} sockets", strangers.len());
    // Other tests have threads, too.
    assert!(threads() < before + 400, "{} threads, {before} before", threads());
    for _ in 0..3 {
        let start = Instant::now();
        let mut clients: Vec<Raw> = (0..20).map(|_| Raw::open(addr)).collect();
        for client in &mut clients {
            assert_eq!(client.rows("select 1"), [["1"]]);
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?} for 20", start.elapsed());
        // Sessions are what counts.
        let mut more = Raw::silent(addr);
        more.send(&hello(&[("user", "hob")]));
        let error = more.until_end().pop().expect("it is told");
        assert_eq!(error.field('C'), "53300");
        assert_eq!(error.field('M'), "sorry, too many clients already");
        drop(clients);
        // They are gone once the server has noticed.
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn whoever_waits_longest_makes_room() {
    let server = serve(PgConfig { max_waiting: 10, ..pg() });
    let mut first: Vec<TcpStream> = strangers(addr(&server), 1);
    let _others = strangers(addr(&server), 10);
    first[0].set_read_timeout(Some(Duration::from_secs(5))).expect("a socket has options");
    assert!(matches!(first[0].read(&mut [0]), Ok(0) | Err(_)), "it has to go");
    let start = Instant::now();
    assert_eq!(Raw::open(addr(&server)).rows("select 1"), [["1"]]);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn who_stalls_or_does_not_read_holds_only_its_own_session() {
    let server = postgres();
    let addr = addr(&server);
    let mut setup = Raw::open(addr);
    setup.query(
        "create table big(id int primary key, t text); \
         insert into big select g, repeat('x', 200) from generate_series(1, 20000) g; \
         create table small(id int primary key); insert into small values (1)",
    );
    let before = memory();
    // Four megabytes each, which nobody reads.
    let deaf: Vec<Raw> = (0..20)
        .map(|number| {
            let mut raw = Raw::open(addr);
            let sql = match number % 3 {
                0 => "select * from big",
                1 => "copy big to stdout",
                _ => "select * from big, generate_series(1, 3)",
            };
            raw.send(&query(sql));
            raw
        })
        .collect();
    let stalled: Vec<Raw> = (0..20)
        .map(|_| {
            let mut raw = Raw::open(addr);
            raw.send(b"Q\0\x10\0\0select");
            raw
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    for sql in [
        "insert into small values (2)",
        "update big set t = 'y' where id = 7",
        "alter table small add column a int",
        "create table other(a int)",
        "drop table small",
        "select count(*) from big",
    ] {
        let start = Instant::now();
        setup.rows(sql);
        assert!(start.elapsed() < Duration::from_secs(5), "{sql}: {:?}", start.elapsed());
    }
    let after = memory();
    assert!(after < before + 700_000, "{before} kB before, {after} kB after");
    drop((deaf, stalled));
}
