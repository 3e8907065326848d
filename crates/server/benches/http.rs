//! Requests per second over HTTP, with clients on the same machine, and how long a server takes to start.
//!
//! ```text
//! cargo bench -p hobgoblin-server --bench http [-- --bars]
//! ```
//!
//! With `--bars` a rate below the bar is an error.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::client::{Client, ClientError, Session};
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::Config;

const CLIENTS: u32 = 8;
/// Operations a second.
const BAR: f64 = 20_000.0;

fn main() -> ExitCode {
    let mut met = true;
    let time = Duration::from_secs(3);
    for level in [Level::RC, Level::CC, Level::SER] {
        let (rate, refused) = throughput(level, None, time);
        met &= print(&format!("{level}, history and log in memory"), rate, refused);
    }
    let dir = std::env::temp_dir().join(format!("hob-bench-http-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("there is room for a directory");
    let (rate, refused) = throughput(Level::RC, Some(&dir), time);
    met &= print("RC, history and log in files", rate, refused);
    std::fs::remove_dir_all(&dir).expect("it is ours");
    let (start, first, stop) = lifetime();
    println!(
        "http server on a shared runtime: start {start:?}, to the first answer {first:?}, stop {stop:?}"
    );
    let bars = std::env::args().any(|arg| arg == "--bars");
    ExitCode::from(u8::from(bars && !met))
}

/// Prints a rate, and gives whether it is enough.
fn print(what: &str, rate: f64, refused: u64) -> bool {
    println!(
        "http {what}: {rate:.0} operations/s, {CLIENTS} keep-alive clients (bar {BAR}), {refused} refused"
    );
    rate >= BAR
}

/// Operations a second of all clients, and how many were refused: sessions that read and write each of 10
/// keys in turn, every operation a transaction of its own, on a store set up as by default.
fn throughput(level: Level, files: Option<&Path>, time: Duration) -> (f64, u64) {
    let config = ServerConfig {
        store: Config::default().level(level),
        history: files.map(|dir| dir.join("history.jsonl")),
        log: files.map(|dir| dir.join("log.jsonl")),
        ..ServerConfig::default()
    };
    let server = Server::start(config).expect("a port is free");
    let client = Client::new(&server.url()).expect("an address");
    let sessions: Vec<_> = (0..CLIENTS).map(|_| client.session().expect("a session")).collect();
    let start = Instant::now();
    let thread = |mut session: Session| {
        std::thread::spawn(move || {
            let (mut operations, mut refused) = (0, 0);
            let mut count = |result: Result<(), ClientError>| match result {
                Ok(()) => operations += 1,
                Err(error) if error.is_abort() => {
                    (operations, refused) = (operations + 1, refused + 1)
                }
                Err(error) => panic!("{error}"),
            };
            while start.elapsed() < time {
                for key in 0..10 {
                    count(session.get(key).map(|_| ()));
                    count(session.put(key, key));
                }
            }
            (operations, refused, session)
        })
    };
    let threads: Vec<_> = sessions.into_iter().map(thread).collect();
    let done: Vec<_> = threads.into_iter().map(|thread| thread.join().expect("it ends")).collect();
    let seconds = start.elapsed().as_secs_f64();
    let operations: u64 = done.iter().map(|(operations, ..)| operations).sum();
    // What the clients counted is what the store served.
    assert_eq!(server.store().stats().requests, operations);
    let refused = done.iter().map(|(_, refused, _)| refused).sum();
    drop(done);
    server.stop().expect("it stops");
    (operations as f64 / seconds, refused)
}

/// The medians of starting a server, of having its first answer since, and of stopping it.
fn lifetime() -> (Duration, Duration, Duration) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..200 {
        let before = Instant::now();
        let server =
            Server::start_on(runtime.handle(), ServerConfig::default()).expect("a port is free");
        times[0].push(before.elapsed());
        let mut session =
            Client::new(&server.url()).and_then(|client| client.session()).expect("one");
        times[1].push(before.elapsed());
        session.put("x", 1).expect("done");
        let before = Instant::now();
        server.stop().expect("it stops");
        times[2].push(before.elapsed());
    }
    let [start, first, stop] = times.map(|mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    });
    (start, first, stop)
}
