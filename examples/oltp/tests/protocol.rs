//! The benchmarks through the PostgreSQL protocol, against a server in this process.

use hobgoblin_core::Level;
use hobgoblin_front::Config;
use hobgoblin_oltp::run::{Plan, corrupt, load, seen, work};
use hobgoblin_oltp::{BENCHMARKS, Benchmark, Client, Remote, Rows, Value};
use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;

fn serve(level: Level, seed: u64) -> (Server, String) {
    let store = Config::default().level(level).seed(seed).history(false).log(false);
    let pg = Some(PgConfig::new(&POSTGRES));
    let config = ServerConfig { http: false, pg, store, ..ServerConfig::default() };
    let server = Server::start(config).expect("a port is free");
    let address = server.pg_addr().expect("it serves SQL").to_string();
    (server, address)
}

fn connect(address: &str) -> Remote {
    Remote::connect(address, "hob", "hob").expect("the server takes connections")
}

/// Which assertions a run leaves corrupt, and which a weak reader sees broken.
fn run(benchmark: &Benchmark, level: Level, seed: u64) -> (Vec<bool>, Vec<bool>) {
    let (_server, address) = serve(level, seed);
    let mut first = connect(&address);
    load(benchmark, &mut first).expect("it loads");
    first.query("SELECT hob_fence()", &[]).expect("it fences");
    let clients: Vec<Box<dyn Client>> =
        (0..3).map(|_| Box::new(connect(&address)) as Box<dyn Client>).collect();
    let ends = work(benchmark, &Plan::new(level, 3, seed), clients).expect("it runs");
    assert!(ends.committed > 0);
    let corrupt = corrupt(benchmark.assertions, &mut connect(&address)).expect("it is read");
    let seen = seen(benchmark.assertions, &mut connect(&address)).expect("it is read");
    (corrupt, seen)
}

#[test]
fn assertions_hold_at_serializable() {
    for benchmark in BENCHMARKS {
        let (corrupt, seen) = run(benchmark, Level::SER, 1);
        assert!(!corrupt.contains(&true), "{} {corrupt:?}", benchmark.name);
        assert!(!seen.contains(&true), "{} {seen:?}", benchmark.name);
    }
}

#[test]
fn assertions_fail_at_read_committed() {
    for benchmark in BENCHMARKS {
        let fails = |seed| run(benchmark, Level::RC, seed).0.contains(&true);
        assert!((0..10).any(fails), "{}", benchmark.name);
    }
}

#[test]
fn what_fails_to_prepare_or_run_leaves_the_connection_usable() {
    let (_server, address) = serve(Level::SER, 0);
    let mut client = connect(&address);
    client.batch("CREATE TABLE t (a int PRIMARY KEY, b text)").expect("it is made");
    assert!(client.query("SELECT nothing FROM nowhere", &[]).is_err());
    let insert = "INSERT INTO t VALUES ($1, $2)";
    assert!(client.query(insert, &["x".into(), Value::Null]).is_err());
    let one = client.query(insert, &[1.into(), Value::Null]).expect("it inserts");
    assert_eq!(one, Rows { rows: Vec::new(), affected: 1 });
    assert!(client.query(insert, &[1.into(), Value::Null]).is_err());
    let found = client.query("SELECT a, b FROM t", &[]).expect("it reads");
    assert_eq!((found.rows[0].int(0).unwrap(), found.rows[0].is_null(1)), (1, true));
}
