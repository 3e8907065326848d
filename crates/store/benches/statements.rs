//! What a request of an engine's store costs: transactions of about forty requests, as an SQL executor makes
//! them, over a hundred thousand rows. Fixed seed; times are of one thread.
//!
//! `cargo bench -p hobgoblin-store --bench statements` prints the table. With `-- postgres SER 300` it only runs so
//! many transactions of one row, with scans and without, for whoever counts instructions:
//!
//! ```sh
//! valgrind --tool=callgrind target/release/deps/statements-* postgres SER 300
//! ```

#![allow(clippy::print_stdout, reason = "the table is what this prints")]

use std::ops::Bound;
use std::time::Instant;

use hobgoblin_core::{Key, Level, Rng, SessionId, Value};
use hobgoblin_store::{Answer, Config, KeyRange, Lock, Machine, Profile, Request};

const ROWS: u32 = 100_000;
const TRANSACTIONS: u32 = 5_000;

struct Load {
    machine: Machine,
    sessions: Vec<SessionId>,
    rows: Vec<Key>,
    rng: Rng,
    requests: u32,
}

impl Load {
    fn new(profile: Profile, level: Level, kept: bool) -> Load {
        let rows: Vec<Key> =
            (0..ROWS).map(|n| Key::from(format!("stock[{},{}]", n % 10, n / 10))).collect();
        let initial = rows.iter().map(|key| (key.clone(), Value::Int(0))).collect();
        let (history, log) = (kept, kept);
        let config = Config::default()
            .profile(profile)
            .level(level)
            .initial_values(initial)
            .history(history)
            .log(log);
        let mut machine = Machine::new(config).expect("the configuration is good");
        let mut connect = || machine.connect(None).expect("sessions connect");
        let sessions = (0..10).map(|_| connect()).collect();
        Load { machine, sessions, rows, rng: Rng::new(1), requests: 0 }
    }

    fn ask(&mut self, session: SessionId, request: Request) {
        self.requests += 1;
        let answer = self.machine.apply(session, &request).expect("the request is good");
        assert!(!matches!(answer, Answer::Blocked { .. } | Answer::Aborted(_)), "{request}");
    }

    /// One transaction of ten statements: eight update a row they have locked, two scan ten rows.
    fn transaction(&mut self, scans: bool) {
        let session = *self.rng.pick(&self.sessions).expect("ten");
        self.ask(session, Request::begin(None, None));
        for number in 0..10 {
            self.ask(session, Request::statement("UPDATE stock SET quantity = $1".to_owned()));
            let at = self.rng.below(ROWS);
            let key = self.rows[at as usize].clone();
            if number >= 8 && scans {
                let row = |n: u32| Key::from(format!("stock[{},{n}]", at % 10));
                let (from, to) = (row(at / 10), row(at / 10 + 10));
                let range = KeyRange::between(Bound::Included(from), Bound::Excluded(to));
                self.ask(session, Request::scan(range));
            } else {
                self.ask(session, Request::get(key.clone()));
                self.ask(session, Request::lock(key.clone(), Lock::NoKeyUpdate));
                self.ask(session, Request::put(key, Value::Int(i64::from(at))));
            }
        }
        self.ask(session, Request::COMMIT);
        // As a file would take them.
        self.machine.take_log();
        self.machine.take_ended();
    }

    /// Nanoseconds a request.
    fn measure(&mut self, scans: bool) -> f64 {
        (0..TRANSACTIONS / 10).for_each(|_| self.transaction(scans));
        let (start, before) = (Instant::now(), self.requests);
        (0..TRANSACTIONS).for_each(|_| self.transaction(scans));
        start.elapsed().as_nanos() as f64 / f64::from(self.requests - before)
    }
}

/// Runs transactions of one profile and level, and measures nothing.
fn run(profile: &str, level: &str, transactions: &str) {
    let profile = profile.parse().expect("a profile");
    let level = level.parse().expect("a level");
    let transactions: u32 = transactions.parse().expect("how many transactions");
    let mut load = Load::new(profile, level, true);
    for scans in [false, true] {
        (0..transactions).for_each(|_| load.transaction(scans));
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [profile, level, transactions] = &arguments[..] {
        return run(profile, level, transactions);
    }
    println!("ns a request             points  points and scans  points, nothing kept");
    for (profile, level) in [
        (Profile::Postgres, Level::RC),
        (Profile::Postgres, Level::SI),
        (Profile::Postgres, Level::SER),
        (Profile::Mysql, Level::SI),
        (Profile::Mysql, Level::SER),
    ] {
        let ns = |kept, scans| Load::new(profile, level, kept).measure(scans);
        let (points, both, bare) = (ns(true, false), ns(true, true), ns(false, false));
        println!("{:<22} {points:>8.0} {both:>17.0} {bare:>21.0}", format!("{profile} {level}"));
    }
}
