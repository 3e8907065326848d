//! Clients that say nothing, half of something, or never listen. They cost what they hold, and nobody else notices.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hobgoblin_server::MySqlConfig;

use crate::packet::packet;
use crate::support::{Raw, addr, mysql, serve};

/// A number of this process.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn two_thousand_who_say_nothing_keep_nobody_out() {
    let server = serve(MySqlConfig { max_waiting: 1000, ..mysql() });
    let addr = addr(&server);
    let before = status("Threads:");
    let mut strangers = Vec::new();
    for number in 0..2_000 {
        let Ok(mut socket) = TcpStream::connect(addr) else { break };
        // Those who came first may be gone already.
        let _ = socket.write_all(&b"\x40\0\0\x01\x05\xa6\x0f\0"[..number % 8]);
        strangers.push(socket);
    }
    assert!(strangers.len() > 1_000, "only {} sockets", strangers.len());
    let threads = status("Threads:");
    assert!(threads < before + 400, "{threads} threads, {before} before");
    let start = Instant::now();
    assert_eq!(Raw::open(addr).texts("SELECT 1"), [["1"]]);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn who_takes_too_long_is_sent_away() {
    let startup_timeout = Duration::from_millis(200);
    let server = serve(MySqlConfig { startup_timeout, ..mysql() });
    let mut raw = Raw::silent(addr(&server));
    let start = Instant::now();
    raw.greeted();
    assert!(raw.until_end().is_empty());
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Rows are sent as they come: those that nobody reads are not gathered.
#[test]
fn who_does_not_read_holds_only_its_own_session() {
    let server = serve(mysql());
    let addr = addr(&server);
    let mut setup = Raw::open(addr);
    setup.run("CREATE TABLE big (id INT PRIMARY KEY, t VARCHAR(200))");
    for part in 0..10 {
        let values: Vec<String> = (0..1000)
            .map(|row| format!("({}, '{}')", part * 1000 + row, "x".repeat(200)))
            .collect();
        setup.run(&format!("INSERT INTO big VALUES {}", values.join(",")));
    }
    let deaf: Vec<Raw> = (0..10)
        .map(|_| {
            let mut raw = Raw::open(addr);
            raw.send(&packet(0, b"\x03SELECT a.t, b.t FROM big a JOIN big b ON a.id = b.id"));
            raw
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    setup.run("INSERT INTO big VALUES (100000, 'y')");
    assert_eq!(setup.texts("SELECT COUNT(*) FROM big"), [["10001"]]);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(deaf);
}
