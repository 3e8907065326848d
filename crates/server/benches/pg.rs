//! Statements per second over the PostgreSQL protocol on loopback, and how long one takes there and back.
//!
//! ```text
//! cargo bench -p hobgoblin-server --bench pg
//! ```
#![allow(clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;
use hobgoblin_store::{Config, Profile};

const ROWS: u32 = 1000;
const TIME: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let mut missed = false;
    for (profile, history) in [(Profile::Postgres, true), (Profile::Spec, true)] {
        let store = Config::default().profile(profile).history(history).log(history);
        let pg = Some(PgConfig { store: Some(store.clone()), ..PgConfig::new(&POSTGRES) });
        let config = ServerConfig { http: false, pg, store, ..ServerConfig::default() };
        let server = Server::start(config).expect("a port is free");
        let mut client = Client::open(&server);
        client.run("CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b text)");
        let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, 0, 'row {id}')")).collect();
        client.run(&format!("INSERT INTO t VALUES {}", rows.join(", ")));
        client.prepare("get", "SELECT id, a, b FROM t WHERE id = $1");
        client.prepare("set", "UPDATE t SET a = a + 1 WHERE id = $1");
        for (what, name) in [("point SELECT", "get"), ("point UPDATE", "set")] {
            let (mut count, mut times, start) = (0u32, Vec::new(), Instant::now());
            while start.elapsed() < TIME {
                let before = Instant::now();
                client.execute(name, count % ROWS);
                times.push(before.elapsed());
                count += 1;
            }
            let rate = f64::from(count) / start.elapsed().as_secs_f64();
            times.sort_unstable();
            let at = |share: usize| times[(times.len() - 1) * share / 100];
            missed |= rate < 10_000.0 || at(50) > Duration::from_micros(100);
            println!(
                "pg {profile}, prepared {what}: {rate:.0} statements/s (bar 10000), half within {:?}, 99 % within {:?} (bar 100 us)",
                at(50),
                at(99)
            );
        }
    }
    ExitCode::from(u8::from(missed))
}

/// Just enough of a client.
struct Client {
    stream: TcpStream,
    input: Vec<u8>,
}

impl Client {
    fn open(server: &Server) -> Client {
        let addr = server.pg_addr().expect("it serves SQL");
        let stream = TcpStream::connect(addr).expect("it listens");
        stream.set_nodelay(true).expect("it is a socket");
        let mut client = Client { stream, input: Vec::new() };
        client.ask(b"\0\0\0\x12\0\x03\0\0user\0hob\0\0");
        client
    }

    /// Sends bytes and reads up to ReadyForQuery.
    fn ask(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
        self.input.clear();
        let (mut chunk, mut at) = ([0; 16 << 10], 0);
        loop {
            while let Some(head) = self.input.get(at..at + 5) {
                let length = u32::from_be_bytes(head[1..].try_into().expect("four bytes")) as usize;
                if self.input.len() < at + 1 + length {
                    break;
                }
                let body = &self.input[at + 5..at + 1 + length];
                assert_ne!(head[0], b'E', "{}", String::from_utf8_lossy(body));
                if head[0] == b'Z' {
                    return;
                }
                at += 1 + length;
            }
            let count = self.stream.read(&mut chunk).expect("the server answers");
            assert!(count > 0, "the server is gone");
            self.input.extend_from_slice(&chunk[..count]);
        }
    }

    fn run(&mut self, sql: &str) {
        self.ask(&message(b'Q', &[sql.as_bytes(), b"\0"]));
    }

    fn prepare(&mut self, name: &str, sql: &str) {
        let body = [name.as_bytes(), b"\0", sql.as_bytes(), b"\0\0\0"];
        self.ask(&[message(b'P', &body), message(b'S', &[])].concat());
    }

    fn execute(&mut self, name: &str, id: u32) {
        let head =
            [b"\0", name.as_bytes(), b"\0\0\x01\0\x01\0\x01\0\0\0\x04", &id.to_be_bytes(), b"\0\0"];
        let all = [message(b'B', &head), message(b'E', &[b"\0\0\0\0\0"]), message(b'S', &[])];
        self.ask(&all.concat());
    }
}

fn message(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    let length = u32::try_from(body.len() + 4).expect("it is small").to_be_bytes();
    [&[tag], &length[..], &body].concat()
}
