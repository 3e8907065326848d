//! How connections end, and what they leave behind.

use std::time::{Duration, Instant};

use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Config, Profile};

use crate::packet::packet;
use crate::support::{BASE, Raw, addr, mysql, serve};

#[test]
fn who_vanishes_is_rolled_back() {
    let server = serve(mysql());
    let mut one = Raw::open(addr(&server));
    one.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    one.run("INSERT INTO t VALUES (1, 10)");
    let mut two = Raw::open(addr(&server));
    two.run("BEGIN");
    two.run("UPDATE t SET b = 11 WHERE a = 1");
    drop(two);
    // The row is locked until the server has noticed.
    one.run("UPDATE t SET b = b + 5 WHERE a = 1");
    assert_eq!(one.texts("SELECT b FROM t"), [["15"]]);
}

#[test]
fn a_server_that_stops_ends_all() {
    let server = serve(mysql());
    let mut idle = Raw::open(addr(&server));
    let mut busy = Raw::open(addr(&server));
    busy.send(&packet(0, b"\x03SELECT SLEEP(100)"));
    std::thread::sleep(Duration::from_millis(100));
    let addr = addr(&server);
    let started = Instant::now();
    server.stop().expect("it ends well");
    assert!(started.elapsed() < Duration::from_secs(2));
    assert!(idle.until_end().is_empty());
    busy.until_end();
    assert!(std::net::TcpStream::connect(addr).is_err());
}

/// Waits until a session runs a statement.
fn wait_for(other: &mut Raw, connection: u32) {
    let query = format!("SELECT info FROM information_schema.processlist WHERE id = {connection}");
    let until = Instant::now() + Duration::from_secs(10);
    while !other.query(&query).texts().iter().any(|row| row[0].contains("SLEEP(100)")) {
        assert!(Instant::now() < until, "it does not sleep");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn sessions_end_each_other() {
    let server = serve(mysql());
    let mut other = Raw::open(addr(&server));
    // One that does nothing is closed without a word, by KILL and by COM_PROCESS_KILL.
    for command in [false, true] {
        let mut idle = Raw::open(addr(&server));
        let number = idle.connection;
        match command {
            false => drop(other.run(&format!("KILL {number}"))),
            true => drop(other.command(0x0c, &number.to_le_bytes())),
        }
        assert!(idle.until_end().is_empty());
    }
    assert_eq!(other.query("KILL 99999999").error(), 1094);
    assert_eq!(other.command(0x0c, &99_999_999u32.to_le_bytes()).error(), 1094);
    // However soon it sends the next statement, that is not answered.
    for _ in 0..50 {
        let mut idle = Raw::open(addr(&server));
        other.run(&format!("KILL {}", idle.connection));
        let _ = std::io::Write::write_all(&mut idle.stream, &packet(0, b"\x03SELECT 1"));
        let heard = idle.until_end();
        assert!(heard.iter().all(|packet| packet.payload[0] == 0xff), "{heard:?}");
    }
}

#[test]
fn statements_are_killed() {
    let server = serve(mysql());
    let mut holder = Raw::open(addr(&server));
    holder.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    holder.run("INSERT INTO t VALUES (1, 10)");
    holder.run("BEGIN");
    holder.run("UPDATE t SET b = 11");
    let mut waits = Raw::open(addr(&server));
    waits.send(&packet(0, b"\x03UPDATE t SET b = 12"));
    std::thread::sleep(Duration::from_millis(200));
    holder.run(&format!("KILL QUERY {}", waits.connection));
    assert_eq!(waits.answer().error(), 1317);
    assert_eq!(waits.texts("SELECT b FROM t"), [["10"]]);
    waits.send(&packet(0, b"\x03UPDATE t SET b = 12"));
    std::thread::sleep(Duration::from_millis(200));
    holder.run(&format!("KILL {}", waits.connection));
    let heard = waits.until_end();
    assert!(heard.iter().all(|packet| packet.payload[0] == 0xff), "{heard:?}");
    holder.run("COMMIT");
    assert_eq!(holder.texts("SELECT b FROM t"), [["11"]]);
}

#[test]
fn sleepers_are_killed() {
    let server = serve(mysql());
    let mut other = Raw::open(addr(&server));
    let mut sleeps = Raw::open(addr(&server));
    sleeps.send(&packet(0, b"\x03SELECT SLEEP(100)"));
    wait_for(&mut other, sleeps.connection);
    other.run(&format!("KILL {}", sleeps.connection));
    let started = Instant::now();
    sleeps.until_end();
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn idle_sessions_end_when_their_time_is_over() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    raw.run("SET wait_timeout = 1");
    let started = Instant::now();
    assert!(raw.until_end().is_empty());
    let took = started.elapsed();
    assert!(took > Duration::from_millis(900) && took < Duration::from_secs(5), "{took:?}");
}

/// Sessions of a store end when another takes its place.
#[test]
fn a_reset_ends_its_sessions() {
    let store = Config::default().profile(Profile::Mysql);
    let config = ServerConfig { mysql: Some(mysql()), store, ..ServerConfig::default() };
    let server = Server::start(config).expect("ports are free");
    let mut raw = Raw::open(addr(&server));
    raw.run("CREATE TABLE t (a INT PRIMARY KEY)");
    let mut http = std::net::TcpStream::connect(server.addr()).expect("it listens");
    let request = "POST /v1/reset HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\n\
                   content-length: 2\r\n\r\n{}";
    std::io::Write::write_all(&mut http, request.as_bytes()).expect("it reads");
    let mut heard = String::new();
    std::io::Read::read_to_string(&mut http, &mut heard).expect("it answers");
    assert!(heard.starts_with("HTTP/1.1 200"), "{heard}");
    assert!(raw.until_end().is_empty());
    let mut raw = Raw::open(addr(&server));
    assert_eq!(raw.query("SELECT * FROM t").error(), 1146);
}

/// A store has the tables of one dialect: that of its first client.
#[test]
fn one_store_has_one_dialect() {
    let pg = hobgoblin_server::PgConfig::new(&hobgoblin_sql::POSTGRES);
    let config = ServerConfig {
        http: false,
        pg: Some(pg),
        mysql: Some(mysql()),
        store: Config::default().profile(Profile::Mysql),
        ..ServerConfig::default()
    };
    let server = Server::start(config.clone()).expect("ports are free");
    let mut first = Raw::open(addr(&server));
    assert_eq!(first.texts("SELECT 1"), [["1"]]);
    let mut pg = std::net::TcpStream::connect(server.pg_addr().expect("it listens")).unwrap();
    let hello = b"\0\0\0\x12\0\x03\0\0user\0hob\0\0";
    std::io::Write::write_all(&mut pg, hello).expect("it reads");
    let mut heard = Vec::new();
    std::io::Read::read_to_end(&mut pg, &mut heard).expect("it answers");
    let heard = String::from_utf8_lossy(&heard).into_owned();
    assert!(heard.contains("tables of another dialect"), "{heard}");
    // And the other way round.
    let server = Server::start(config).expect("ports are free");
    let mut pg = std::net::TcpStream::connect(server.pg_addr().expect("it listens")).unwrap();
    std::io::Write::write_all(&mut pg, hello).expect("it reads");
    std::io::Read::read_exact(&mut pg, &mut [0; 9]).expect("it answers");
    let refused = Raw::silent(addr(&server)).log_in(BASE, "hob", "");
    assert_eq!(refused.error(), 1105, "{refused:?}");
}
