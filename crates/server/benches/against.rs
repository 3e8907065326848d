//! Queries over a million rows on hob and on a PostgreSQL started for it: the CPU time each server takes.
//!
//! ```text
//! cargo bench -p hobgoblin-server --bench against              the table
//! cargo bench -p hobgoblin-server --bench against -- --bars    one line each; fails if a bar is missed
//! ```
//!
//! Both run alone, at READ COMMITTED and in processes of their own, PostgreSQL without parallel workers and without
//! its compiler. CPU time is what the system has counted for the process, in steps of 10 ms; short queries are run
//! many times.
#![allow(clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../../sql/tests/differential/answer.rs"]
mod answer;
#[allow(dead_code)]
#[path = "../../sql/tests/differential/postgres.rs"]
mod postgres;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitCode, Stdio};

use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;
use hobgoblin_store::{Config, Profile};

/// What hob may take.
enum Bar {
    /// So many times PostgreSQL's time.
    Times(f64),
    /// So many milliseconds, whatever PostgreSQL takes.
    Millis(u64),
}

struct Query {
    name: &'static str,
    sql: &'static str,
    /// How many rows it is over.
    rows: u32,
    times: u32,
    bar: Bar,
}

const MILLION: u32 = 1_000_000;
const LAKH: u32 = 100_000;

const fn query(name: &'static str, sql: &'static str, rows: u32, times: u32, bar: Bar) -> Query {
    Query { name, sql, rows, times, bar }
}

/// In this order, since the first two make what the others read. `COPY` has its rows from [`rows`].
const QUERIES: &[Query] = &[
    query("COPY FROM", "COPY big FROM STDIN", MILLION, 1, Bar::Times(3.0)),
    query("CREATE INDEX", "CREATE INDEX ON big (g, v)", MILLION, 1, Bar::Times(3.0)),
    query("count(*)", "SELECT count(*) FROM big", MILLION, 3, Bar::Times(3.0)),
    query(
        "GROUP BY",
        "SELECT g, count(*), sum(v) FROM big GROUP BY g",
        MILLION,
        3,
        Bar::Times(3.0),
    ),
    query("ORDER BY", "SELECT v FROM big ORDER BY v OFFSET 999990", MILLION, 3, Bar::Times(3.0)),
    query("first by key", "SELECT id FROM big ORDER BY id LIMIT 1", MILLION, 300, Bar::Millis(300)),
    query(
        "last by key",
        "SELECT id FROM big ORDER BY id DESC LIMIT 1",
        MILLION,
        300,
        Bar::Millis(300),
    ),
    query(
        "page by key",
        "SELECT id FROM big WHERE id > 500000 ORDER BY id LIMIT 10",
        MILLION,
        300,
        Bar::Millis(300),
    ),
    query(
        "first by index",
        "SELECT v FROM big WHERE g = 7 ORDER BY v DESC LIMIT 5",
        MILLION,
        300,
        Bar::Millis(300),
    ),
    query("min and max", "SELECT min(id), max(id) FROM big", MILLION, 300, Bar::Millis(300)),
    query("join", "SELECT count(*) FROM a JOIN b ON a.x = b.x", LAKH, 1, Bar::Millis(1000)),
    query(
        "EXISTS",
        "SELECT count(*) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.x = a.x)",
        LAKH,
        1,
        Bar::Millis(1000),
    ),
    query(
        "NOT EXISTS",
        "SELECT count(*) FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND b.id > 9)",
        LAKH,
        1,
        Bar::Millis(1000),
    ),
    query(
        "NOT IN",
        "SELECT count(*) FROM a WHERE x NOT IN (SELECT x FROM b)",
        LAKH,
        1,
        Bar::Millis(1000),
    ),
];

const SCHEMA: &[&str] = &[
    "CREATE TABLE big (id int PRIMARY KEY, g int, v int)",
    "CREATE TABLE a (id int PRIMARY KEY, x int)",
    "CREATE TABLE b (id int PRIMARY KEY, x int)",
    "INSERT INTO a SELECT i, i * 7 % 100003 FROM generate_series(1, 100000) i",
    "INSERT INTO b SELECT i, i * 13 % 100003 FROM generate_series(1, 100000) i",
];

const TURNS: usize = 3;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    if args.iter().any(|arg| arg == "--serve") {
        return serve();
    }
    let bars = args.iter().any(|arg| arg == "--bars");
    let (theirs, ours) = match turns() {
        Ok(times) => times,
        Err(why) => {
            println!("queries beside PostgreSQL: skipped, {why}");
            return ExitCode::SUCCESS;
        }
    };
    if !bars {
        println!(
            "{:14} {:>9} {:>14} {:>8} {:>7}  required",
            "query", "rows", "PostgreSQL ms", "hob ms", "ratio"
        );
    }
    let mut missed = false;
    for ((query, theirs), ours) in QUERIES.iter().zip(theirs).zip(ours) {
        // Below a step of the clock nothing is known.
        let ratio = ours as f64 / theirs.max(10) as f64;
        let (met, required) = match query.bar {
            Bar::Times(times) => (ratio <= times, format!("at most {times:.0} times")),
            Bar::Millis(millis) => (ours <= millis, format!("at most {millis} ms")),
        };
        missed |= !met;
        let Query { name, rows, times, .. } = query;
        let often = if *times > 1 { format!(" ({times} times)") } else { String::new() };
        match bars {
            true => println!(
                "{name} of {rows} rows{often}: {ours} ms of CPU, {ratio:.1} times PostgreSQL's {theirs} ms{}; required: {required}",
                if met { "" } else { " MISSED" }
            ),
            false => println!(
                "{name:14} {rows:>9} {theirs:>14} {ours:>8} {ratio:>7.1}  {required}{often}"
            ),
        }
    }
    ExitCode::from(u8::from(missed && bars))
}

/// What each query takes on PostgreSQL and on hob at least, in a few turns: machines are faster at one time than at another.
fn turns() -> Result<(Vec<u64>, Vec<u64>), String> {
    let least = |a: &[u64], b: Vec<u64>| a.iter().zip(b).map(|(a, b)| *a.min(&b)).collect();
    let (mut all_theirs, mut all_ours) = (theirs()?, ours());
    for _ in 1..TURNS {
        all_theirs = least(&all_theirs, theirs()?);
        all_ours = least(&all_ours, ours());
    }
    Ok((all_theirs, all_ours))
}

/// What the queries take on PostgreSQL.
fn theirs() -> Result<Vec<u64>, String> {
    let server = postgres::Server::start("").ok_or("PostgreSQL is not installed")?;
    let socket = UnixStream::connect(server.socket().join(".s.PGSQL.5432"));
    let mut client = Client::open(socket.map_err(|error| error.to_string())?);
    for setting in ["max_parallel_workers_per_gather = 0", "max_parallel_maintenance_workers = 0"] {
        client.run(&format!("SET {setting}"));
    }
    let pid =
        client.run("SELECT pg_backend_pid()").parse().map_err(|_| "no number of a process")?;
    Ok(measure(&mut client, pid))
}

/// What they take on hob.
fn ours() -> Vec<u64> {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    let child = command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Running(child.spawn().expect("this program runs again"));
    let mut line = String::new();
    let output = child.0.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line).expect("it says where it listens");
    let stream = TcpStream::connect(line.trim()).expect("it listens");
    let pid = child.0.id();
    measure(&mut Client::open(stream), pid)
}

/// A server of its own, which ends with the one who started it.
fn serve() -> ExitCode {
    // As `hob serve` has it.
    let keep = Some(64 << 20);
    let store = Config::default().profile(Profile::Postgres).keep(keep);
    let pg = Some(PgConfig { store: Some(store.clone()), ..PgConfig::new(&POSTGRES) });
    let config = ServerConfig { http: false, pg, store, ..ServerConfig::default() };
    let server = Server::start(config).expect("a port is free");
    println!("{}", server.pg_addr().expect("it serves SQL"));
    let _ = std::io::stdin().read(&mut [0]);
    ExitCode::SUCCESS
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The milliseconds of CPU time each query takes in a process.
fn measure<S: Read + Write>(client: &mut Client<S>, pid: u32) -> Vec<u64> {
    client.run("SET default_transaction_isolation = 'read committed'");
    SCHEMA.iter().for_each(|sql| drop(client.run(sql)));
    let mut times = Vec::with_capacity(QUERIES.len());
    for query in QUERIES {
        let data = if query.sql.starts_with("COPY") { rows(query.rows) } else { String::new() };
        let before = cpu(pid);
        for _ in 0..query.times {
            client.copy(query.sql, data.as_bytes());
        }
        times.push(cpu(pid) - before);
    }
    times
}

/// Three integers a row, in an order of the first that is not that of the others.
fn rows(count: u32) -> String {
    let mut text = String::new();
    for id in 1..=u64::from(count) {
        let (g, v) = (id * 7919 % 1000, id * 104_729 % u64::from(count));
        let _ = writeln!(text, "{id}\t{g}\t{v}");
    }
    text
}

/// The CPU time of a process, in milliseconds.
fn cpu(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let after = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<u64> = after.split_whitespace().map(|f| f.parse().unwrap_or(0)).collect();
    // utime and stime are the 14th and 15th of all, in hundredths of a second.
    (fields[11] + fields[12]) * 10
}

/// Just enough of a client.
struct Client<S> {
    stream: S,
    input: Vec<u8>,
    /// The first value of the last answer.
    first: String,
}

impl<S: Read + Write> Client<S> {
    fn open(stream: S) -> Client<S> {
        let mut client = Client { stream, input: Vec::new(), first: String::new() };
        let body = b"\0\x03\0\0user\0postgres\0database\0postgres\0\0";
        let length = u32::try_from(body.len() + 4).expect("it is small").to_be_bytes();
        client.send(&[&length[..], body].concat());
        client.read_until(b'Z');
        client
    }

    fn run(&mut self, sql: &str) -> String {
        self.copy(sql, b"");
        std::mem::take(&mut self.first)
    }

    /// Runs a statement, which may ask for data.
    fn copy(&mut self, sql: &str, data: &[u8]) {
        self.first.clear();
        self.send(&message(b'Q', &[sql.as_bytes(), b"\0"]));
        if !data.is_empty() {
            self.read_until(b'G');
            for part in data.chunks(1 << 16) {
                self.send(&message(b'd', &[part]));
            }
            self.send(&message(b'c', &[]));
        }
        self.read_until(b'Z');
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// Reads messages up to one of this kind.
    fn read_until(&mut self, wanted: u8) {
        let mut chunk = [0; 64 << 10];
        loop {
            let mut at = 0;
            while let Some(head) = self.input.get(at..at + 5) {
                let tag = head[0];
                let length = u32::from_be_bytes(head[1..].try_into().expect("four bytes")) as usize;
                let Some(body) = self.input.get(at + 5..at + 1 + length) else { break };
                assert_ne!(tag, b'E', "{}", String::from_utf8_lossy(body));
                if tag == b'D' && self.first.is_empty() && body.len() > 6 {
                    self.first = String::from_utf8_lossy(&body[6..]).into_owned();
                }
                at += 1 + length;
                if tag == wanted {
                    self.input.drain(..at);
                    return;
                }
            }
            self.input.drain(..at);
            let count = self.stream.read(&mut chunk).expect("the server answers");
            assert!(count > 0, "the server is gone");
            self.input.extend_from_slice(&chunk[..count]);
        }
    }
}

fn message(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    let length = u32::try_from(body.len() + 4).expect("it is small").to_be_bytes();
    [&[tag], &length[..], &body].concat()
}
