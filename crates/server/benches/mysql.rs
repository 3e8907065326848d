//! Statements per second over MySQL's protocol on loopback, as text and prepared, and how long one takes there and back.
//!
//! ```text
//! cargo bench -p hobgoblin-server --bench mysql
//! ```
#![allow(clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::{MySqlConfig, Server, ServerConfig};
use hobgoblin_sql::MYSQL;
use hobgoblin_store::{Config, Profile};

const ROWS: u32 = 1000;
const TIME: Duration = Duration::from_secs(3);

/// A statement, and how many of it there have to be in a second as text and prepared.
struct Point {
    name: &'static str,
    sql: &'static str,
    bars: Option<[f64; 2]>,
}

const POINTS: [Point; 2] = [
    Point {
        name: "SELECT",
        sql: "SELECT id, a, b FROM t WHERE id = ?",
        bars: Some([10_000.0, 15_000.0]),
    },
    Point { name: "UPDATE", sql: "UPDATE t SET a = a + 1 WHERE id = ?", bars: None },
];

fn main() -> ExitCode {
    let store = Config::default().profile(Profile::Mysql).level(Level::SI);
    let mysql = Some(MySqlConfig::new(&MYSQL));
    let config = ServerConfig { http: false, mysql, store, ..ServerConfig::default() };
    let server = Server::start(config).expect("a port is free");
    let mut client = Client::open(&server);
    client.run("CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b text)");
    let rows: Vec<String> = (0..ROWS).map(|id| format!("({id}, 0, 'row {id}')")).collect();
    client.run(&format!("INSERT INTO t VALUES {}", rows.join(", ")));
    let mut missed = false;
    for point in POINTS {
        let statement = client.prepare(point.sql);
        for (at, how) in ["text", "prepared"].into_iter().enumerate() {
            let (mut count, mut times, start) = (0u32, Vec::new(), Instant::now());
            while start.elapsed() < TIME {
                let (id, before) = (count % ROWS, Instant::now());
                match how {
                    "text" => client.run(&point.sql.replace('?', &id.to_string())),
                    _ => client.execute(statement, id),
                }
                times.push(before.elapsed());
                count += 1;
            }
            let rate = f64::from(count) / start.elapsed().as_secs_f64();
            times.sort_unstable();
            let quantile = |share: usize| times[(times.len() - 1) * share / 100];
            let bar = point.bars.map(|bars| bars[at]);
            missed |= bar.is_some_and(|bar| rate < bar);
            println!(
                "mysql, {how} point {}: {rate:.0} statements/s{}, half within {:?}, 99 % within {:?}",
                point.name,
                bar.map(|bar| format!(" (bar {bar})")).unwrap_or_default(),
                quantile(50),
                quantile(99)
            );
        }
    }
    ExitCode::from(u8::from(missed))
}

/// Just enough of a client.
struct Client {
    stream: TcpStream,
    input: Vec<u8>,
    /// How much of the input was read.
    at: usize,
}

impl Client {
    fn open(server: &Server) -> Client {
        let addr = server.mysql_addr().expect("it serves SQL");
        let stream = TcpStream::connect(addr).expect("it listens");
        stream.set_nodelay(true).expect("it is a socket");
        let mut client = Client { stream, input: Vec::new(), at: 0 };
        client.packet();
        // PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, CONNECT_WITH_DB; utf8mb4; an empty password.
        let capabilities = 0xa208_u32.to_le_bytes();
        let head = [&capabilities[..], &[0, 0, 0, 1, 45], &[0; 23]].concat();
        client.send(1, &[&head, b"hob\0\0hob\0"]);
        assert_eq!(client.packet()[0], 0, "it trusts us");
        client
    }

    fn send(&mut self, number: u8, parts: &[&[u8]]) {
        let body = parts.concat();
        let length = u32::try_from(body.len()).expect("it is small").to_le_bytes();
        let packet = [&length[..3], &[number], &body].concat();
        self.stream.write_all(&packet).expect("the server reads");
    }

    /// The next packet.
    fn packet(&mut self) -> &[u8] {
        let mut chunk = [0; 16 << 10];
        loop {
            if let Some(&[a, b, c, _]) = self.input.get(self.at..self.at + 4) {
                let (start, length) = (self.at + 4, u32::from_le_bytes([a, b, c, 0]) as usize);
                if self.input.len() >= start + length {
                    self.at = start + length;
                    let packet = &self.input[start..self.at];
                    let told = String::from_utf8_lossy(packet);
                    assert_ne!(packet.first(), Some(&0xff), "{told}");
                    return packet;
                }
            }
            self.input.drain(..self.at);
            self.at = 0;
            let count = self.stream.read(&mut chunk).expect("the server answers");
            assert!(count > 0, "the server is gone");
            self.input.extend_from_slice(&chunk[..count]);
        }
    }

    /// Reads packets up to one that ends a list.
    fn end(&mut self) {
        while self.packet()[0] != 0xfe {}
    }

    /// Reads the answer to a statement: OK, or columns and rows.
    fn answer(&mut self) {
        if self.packet()[0] != 0 {
            self.end();
            self.end();
        }
    }

    fn run(&mut self, sql: &str) {
        self.send(0, &[&[0x03], sql.as_bytes()]);
        self.answer();
    }

    /// Prepares a statement with a parameter; its number.
    fn prepare(&mut self, sql: &str) -> u32 {
        self.send(0, &[&[0x16], sql.as_bytes()]);
        let packet = self.packet();
        let number = u32::from_le_bytes(packet[1..5].try_into().expect("four bytes"));
        let columns = packet[5];
        self.end();
        if columns > 0 {
            self.end();
        }
        number
    }

    /// Executes a statement with an INT.
    fn execute(&mut self, statement: u32, id: u32) {
        let head = [0, 1, 0, 0, 0, 0, 1, 3, 0];
        self.send(0, &[&[0x17], &statement.to_le_bytes(), &head, &id.to_le_bytes()]);
        self.answer();
    }
}
