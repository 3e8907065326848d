//! Point statements through the executor, and whether they stay as fast as the past grows.
//!
//! Prints one line a measurement: microseconds a statement, against the bar.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Policy, Profile, Store};
use hobgoblin_sql::session::{Database, Session, Startup};
use hobgoblin_sql::types::Datum;

const ROWS: i64 = 10_000;

fn database(profile: Profile, level: Level) -> Database {
    let policy = Some(Policy::Adverse);
    // No history in memory: a server writes it to a file, and a million statements would fill it.
    let config = Config::default()
        .level(level)
        .profile(profile)
        .policy(policy)
        .window(1_000)
        .history(false)
        .log(false);
    hobgoblin_sql::open(Store::new(config).expect("the configuration is good"), None)
}

fn load(session: &mut Session) {
    session
        .run("create table t(id int primary key, a int, b text, c numeric(10,2))")
        .expect("a table");
    let mut next = 0;
    while next < ROWS {
        let rows: Vec<String> =
            (next..next + 500).map(|id| format!("({id}, 0, 'row {id}', {id}.25)")).collect();
        session.run(&format!("insert into t values {}", rows.join(","))).expect("rows");
        next += 500;
    }
}

/// The time of one statement, over so many with keys spread out.
fn time(session: &mut Session, sql: &str, count: i64) -> Duration {
    session.prepare("s", sql, &[]).expect("it binds");
    let start = Instant::now();
    for turn in 0..count {
        let id = turn.wrapping_mul(7919) % ROWS;
        session.bind("", "s", vec![Datum::Int(id)], []).expect("one parameter");
        session.execute("", 0).expect("it runs");
        session.sync().expect("it commits");
    }
    let took = start.elapsed();
    session.close_statement("s");
    took / count as u32
}

/// The same when the text is parsed and bound every time.
fn time_simple(session: &mut Session, sql: &str, count: i64) -> Duration {
    let start = Instant::now();
    for turn in 0..count {
        let id = turn.wrapping_mul(7919) % ROWS;
        session.run(&sql.replace("$1", &id.to_string())).expect("it runs");
    }
    start.elapsed() / count as u32
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: i64 = args[2].parse().unwrap();
    let database = database(Profile::Postgres, Level::RC);
    let mut session = database.connect(Startup::default()).expect("a session");
    load(&mut session);
    let select = "select a, b, c from t where id = $1";
    let update = "update t set a = a + 1 where id = $1";
    match args[1].as_str() {
        "select" => {
            time(&mut session, select, count);
        }
        "update" => {
            time(&mut session, update, count);
        }
        "select-text" => {
            time_simple(&mut session, select, count);
        }
        "update-text" => {
            time_simple(&mut session, update, count);
        }
        _ => panic!(),
    }
    std::process::exit(0);
}
