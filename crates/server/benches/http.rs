//! Requests per second over HTTP, with clients on the same machine, and how long a server takes to start.
//!
//! ```text
//! cargo bench -p hobgoblin-server --bench http
//! ```
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_server::client::Client;
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::Config;

const CLIENTS: u32 = 8;

fn main() {
    for level in [Level::RC, Level::CC, Level::SER] {
        let (operations, seconds) = throughput(level, Duration::from_secs(3));
        let rate = operations as f64 / seconds;
        println!(
            "http {level:4} {CLIENTS} keep-alive clients, get and put  {rate:>9.0} operations/s"
        );
    }
    let (start, stop) = lifetime();
    println!("http server on a shared runtime: started in {start:?}, stopped in {stop:?}");
}

/// Operations of all clients in a while: sessions that read and write one of 10 keys each time.
fn throughput(level: Level, time: Duration) -> (u64, f64) {
    let store = Config { level, history: false, log: false, ..Config::default() };
    let server = Server::start(ServerConfig { store, ..ServerConfig::default() }).expect("a port");
    let client = Client::new(&server.url()).expect("an address");
    let start = Instant::now();
    let thread = |number: u32| {
        let mut session = client.session().expect("a session");
        std::thread::spawn(move || {
            let mut operations = 0;
            while start.elapsed() < time {
                for key in 0..10 {
                    session.get(key).expect("a value");
                    session.put(key, number).expect("done");
                    operations += 2;
                }
            }
            operations
        })
    };
    let threads: Vec<_> = (0..CLIENTS).map(thread).collect();
    let operations = threads.into_iter().map(|thread| thread.join().expect("it ends")).sum();
    let seconds = start.elapsed().as_secs_f64();
    server.stop().expect("it stops");
    (operations, seconds)
}

/// The medians of starting and stopping, of a server with one client.
fn lifetime() -> (Duration, Duration) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let (mut starts, mut stops) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let before = Instant::now();
        let server =
            Server::start_on(runtime.handle(), ServerConfig::default()).expect("a port is free");
        starts.push(before.elapsed());
        let mut session = Client::new(&server.url()).and_then(|client| client.session());
        session.as_mut().expect("a session").put("x", 1).expect("done");
        let before = Instant::now();
        server.stop().expect("it stops");
        stops.push(before.elapsed());
    }
    starts.sort();
    stops.sort();
    (starts[100], stops[100])
}
