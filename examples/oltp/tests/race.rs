//! Sessions that race on InnoDB's rules, here and at a real MariaDB: what TPC-C loses below SERIALIZABLE, and that
//! SERIALIZABLE loses nothing.

#[path = "../../../tests/servers/mariadb.rs"]
mod mariadb;

use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Profile};
use hobgoblin_oltp::race::{Race, race};
use hobgoblin_oltp::{BENCHMARKS, Dialect, Target, tpcc};
use hobgoblin_server::{MySqlConfig, Server, ServerConfig};
use hobgoblin_sql::MYSQL;
use mariadb::MariaDb;

const RACE: Race = Race {
    level: None,
    sessions: 3,
    time: Duration::from_secs(30),
    transactions: 60,
    think: Duration::ZERO,
    for_update: true,
    seed: 0,
};

fn ours() -> (Server, Target) {
    let store = Config::default().profile(Profile::Mysql).level(Level::SI);
    let config = ServerConfig {
        http: false,
        mysql: Some(MySqlConfig::new(&MYSQL)),
        store: store.history(false).log(false),
        hold: Some(Duration::from_millis(1)),
        ..ServerConfig::default()
    };
    let server = Server::start(config).expect("a port is free");
    let address = server.mysql_addr().expect("it serves SQL").to_string();
    (server, target(address))
}

fn target(address: String) -> Target {
    let [user, database] = ["root", "test"].map(str::to_owned);
    Target { dialect: Dialect::MySql, address, user, database }
}

/// At REPEATABLE READ a payment loses what a delivery added to the balance that it had read. Nothing else is
/// ever wrong.
fn deliveries_are_lost(target: &Target) {
    let level = Some("REPEATABLE READ");
    let lost = |seed| {
        let raced = race(&tpcc::SETTLING, target, &Race { level, seed, ..RACE });
        let raced = raced.expect("it runs");
        assert!(raced.ends.committed > 0, "{:?}", raced.ends);
        assert_eq!(raced.seen, raced.corrupt);
        let assertions = tpcc::SETTLING.assertions.iter().zip(raced.corrupt);
        let broken: Vec<&str> =
            assertions.filter(|(_, broken)| *broken).map(|(assertion, _)| assertion.name).collect();
        assert!(broken.iter().all(|name| ["A10", "A12"].contains(name)), "{broken:?}");
        !broken.is_empty()
    };
    assert!((0..100).any(lost), "nothing is lost");
}

fn nothing_is_lost(target: &Target) {
    for benchmark in BENCHMARKS {
        let plan = Race { level: Some("SERIALIZABLE"), transactions: 10, ..RACE };
        let raced = race(benchmark, target, &plan).expect("it runs");
        assert!(raced.ends.committed > 0, "{} {:?}", benchmark.name, raced.ends);
        let broken = [raced.corrupt, raced.seen].concat();
        assert!(!broken.contains(&true), "{} {broken:?}", benchmark.name);
    }
}

#[test]
fn deliveries_are_lost_here() {
    let (_server, target) = ours();
    deliveries_are_lost(&target);
}

#[test]
fn nothing_is_lost_here_at_serializable() {
    let (_server, target) = ours();
    nothing_is_lost(&target);
}

#[test]
fn a_real_server_loses_the_same() {
    let Some(server) = MariaDb::start(&[], "create database test;\n") else { return };
    let target = target(format!("127.0.0.1:{}", server.port));
    deliveries_are_lost(&target);
    nothing_is_lost(&target);
}
