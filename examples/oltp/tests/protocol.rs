//! The benchmarks through the protocols of PostgreSQL and MySQL, against a server in this process.

use hobgoblin_core::Level;
use hobgoblin_front::Config;
use hobgoblin_oltp::run::{Plan, corrupt, renew, seen, work};
use hobgoblin_oltp::{BENCHMARKS, Benchmark, Client, Dialect, Error, Rows, Target, Value};
use hobgoblin_server::{MySqlConfig, PgConfig, Server, ServerConfig};
use hobgoblin_sql::{MYSQL, POSTGRES};

const DIALECTS: [Dialect; 2] = [Dialect::Postgres, Dialect::MySql];

fn serve(dialect: Dialect, level: Level, seed: u64) -> (Server, Target) {
    let store = Config::default().level(level).seed(seed).history(false).log(false);
    let config = ServerConfig {
        http: false,
        pg: (dialect == Dialect::Postgres).then(|| PgConfig::new(&POSTGRES)),
        mysql: (dialect == Dialect::MySql).then(|| MySqlConfig::new(&MYSQL)),
        store,
        ..ServerConfig::default()
    };
    let server = Server::start(config).expect("a port is free");
    let address = server.pg_addr().or(server.mysql_addr()).expect("it serves SQL").to_string();
    let [user, database] = ["hob", "hob"].map(str::to_owned);
    (server, Target { dialect, address, user, database })
}

fn connect(target: &Target) -> Box<dyn Client + Send> {
    target.connect().expect("the server takes connections")
}

/// Which assertions a run leaves corrupt, and which a weak reader sees broken.
fn run(benchmark: &Benchmark, dialect: Dialect, level: Level, seed: u64) -> (Vec<bool>, Vec<bool>) {
    let (_server, target) = serve(dialect, level, seed);
    renew(benchmark, &mut *connect(&target)).expect("it loads");
    let clients = (0..3).map(|_| connect(&target) as Box<dyn Client>).collect();
    let ends = work(benchmark, &Plan::new(level, 3, seed), clients).expect("it runs");
    assert!(ends.committed > 0);
    let corrupt = corrupt(benchmark.assertions, &mut *connect(&target)).expect("it is read");
    let seen = seen(benchmark.assertions, &mut *connect(&target)).expect("it is read");
    (corrupt, seen)
}

#[test]
fn assertions_hold_at_serializable() {
    for dialect in DIALECTS {
        for benchmark in BENCHMARKS {
            let (corrupt, seen) = run(benchmark, dialect, Level::SER, 1);
            assert!(!corrupt.contains(&true), "{} {dialect:?} {corrupt:?}", benchmark.name);
            assert!(!seen.contains(&true), "{} {dialect:?} {seen:?}", benchmark.name);
        }
    }
}

#[test]
fn assertions_fail_at_read_committed() {
    for dialect in DIALECTS {
        for benchmark in BENCHMARKS {
            let fails = |seed| run(benchmark, dialect, Level::RC, seed).0.contains(&true);
            assert!((0..10).any(fails), "{} {dialect:?}", benchmark.name);
        }
    }
}

#[test]
fn what_fails_to_prepare_or_run_leaves_the_connection_usable() {
    for dialect in DIALECTS {
        let (_server, target) = serve(dialect, Level::SER, 0);
        let mut client = connect(&target);
        let make = "CREATE TABLE t (a int PRIMARY KEY, b text); INSERT INTO t VALUES (7, 'it''s');";
        client.batch(make).expect("it is made");
        assert!(client.query("SELECT nothing FROM nowhere", &[]).is_err());
        assert!(client.batch("SELECT 1; SELECT nothing FROM nowhere; SELECT 2").is_err());
        let insert = "INSERT INTO t VALUES ($1, $2)";
        assert!(client.query(insert, &["x".into(), Value::Null]).is_err());
        let one = client.query(insert, &[1.into(), Value::Null]).expect("it inserts");
        assert_eq!(one, Rows { rows: Vec::new(), affected: 1 });
        let again = client.query(insert, &[1.into(), Value::Null]);
        assert!(matches!(again, Err(Error::Duplicate(_))), "{again:?}");
        let same = "UPDATE t SET a = a WHERE b IS NULL";
        assert_eq!(client.query(same, &[]).expect("it changes nothing").affected, 1);
        let found = client.query("SELECT a, b FROM t ORDER BY a", &[]).expect("it reads");
        let [first, second] = &found.rows[..] else { panic!("{found:?}") };
        assert_eq!((first.int(0).unwrap(), first.is_null(1)), (1, true));
        assert_eq!((second.int(0).unwrap(), second.text(1)), (7, "it's".to_owned()));
    }
}
