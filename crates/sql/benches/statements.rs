//! Point statements through the executor, and whether they stay as fast as the past grows.
//!
//! Prints one line a measurement: microseconds a statement, against the bar. With `--bars` one that is missed is an error.

#![allow(clippy::print_stdout)]

use std::process::ExitCode;
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

/// Prints a measurement, and gives whether it is met.
fn line(what: &str, measured: Duration, required: Duration) -> bool {
    let met = measured <= required;
    println!(
        "{what:<52} {:>8.1} µs   at most {:>5.0} µs   {}",
        measured.as_nanos() as f64 / 1e3,
        required.as_nanos() as f64 / 1e3,
        verdict(met)
    );
    met
}

fn verdict(met: bool) -> &'static str {
    if met { "ok" } else { "MISSED" }
}

fn main() -> ExitCode {
    let required = Duration::from_micros(25);
    let mut met = true;
    for (name, profile, level) in [
        ("postgres RC", Profile::Postgres, Level::RC),
        ("postgres SER", Profile::Postgres, Level::SER),
        ("spec RC", Profile::Spec, Level::RC),
        ("spec CC", Profile::Spec, Level::CC),
    ] {
        let database = database(profile, level);
        let mut session = database.connect(Startup::default()).expect("a session");
        load(&mut session);
        let select = "select a, b, c from t where id = $1";
        let update = "update t set a = a + 1 where id = $1";
        met &= line(
            &format!("{name}: point SELECT, prepared"),
            time(&mut session, select, 20_000),
            required,
        );
        let first = time(&mut session, update, 5_000);
        met &= line(&format!("{name}: point UPDATE, prepared"), first, required);
        met &= line(
            &format!("{name}: point SELECT, text"),
            time_simple(&mut session, select, 5_000),
            required * 2,
        );
        for _ in 0..6 {
            time(&mut session, update, 5_000);
        }
        let later = time(&mut session, update, 5_000);
        let growth = later.as_nanos() as f64 / first.as_nanos() as f64;
        met &= growth <= 2.0;
        println!(
            "{name}: UPDATE after 40,000 transactions against the first {growth:>8.2}      at most     2      {}",
            verdict(growth <= 2.0)
        );
    }
    let bars = std::env::args().any(|arg| arg == "--bars");
    ExitCode::from(u8::from(bars && !met))
}
