//! How much of what clients can observe a random store shows, against all there is [Biswas 2021, section
//! 7.3].
//!
//! A client-observable state is what all operations of all sessions returned. For random harnesses of four
//! applications, the explorer tells how many of them a level has; the store is run again and again, and
//! the different ones are counted. *Without delay* the sessions run one after the other; *with delay* a random
//! session goes next at every operation. `--write` writes `docs/explore-coverage.md` and `docs/coverage.svg`.

#![allow(clippy::print_stdout, reason = "the table is what this prints")]
#![allow(unreachable_pub, reason = "modules of a program")]

mod apps;
mod plot;

use std::collections::HashSet;

use apps::{APPS, App};
use hobgoblin_core::{Key, Level, Rng, SessionId, Text, Value};
use hobgoblin_explore::{Database, End, Mode, Options, Outcome, Program, Stop, explore};
use hobgoblin_store::{Answer, Config, Machine, Policy, Request};

/// After how many iterations states are counted.
pub const POINTS: [u64; 8] = [1, 3, 10, 30, 100, 300, 1000, 3000];

/// How many harnesses an application has.
const HARNESSES: u64 = 50;

/// A way to run a store.
pub struct Way {
    /// Its name.
    pub name: &'static str,
    level: Level,
    policy: Policy,
    delay: bool,
}

/// The ways that are compared.
pub const WAYS: [Way; 5] = [
    Way { name: "CC, delay", level: Level::CC, policy: Policy::Uniform, delay: true },
    Way { name: "CC, no delay", level: Level::CC, policy: Policy::Uniform, delay: false },
    Way {
        name: "CC, delay, default policy",
        level: Level::CC,
        policy: Policy::Adverse,
        delay: true,
    },
    Way { name: "SER, delay", level: Level::SER, policy: Policy::Uniform, delay: true },
    Way { name: "SER, no delay", level: Level::SER, policy: Policy::Uniform, delay: false },
];

/// What was counted for an application, on average over its harnesses.
pub struct Coverage {
    /// Its name.
    pub app: &'static str,
    /// For each way the states after each number of iterations.
    pub reached: [[f64; POINTS.len()]; WAYS.len()],
    /// All there are at CC and at SER.
    pub most: [f64; 2],
}

fn main() {
    let write = std::env::args().any(|arg| arg == "--write");
    let quick = std::env::args().any(|arg| arg == "--quick");
    let harnesses = if quick { 5 } else { HARNESSES };
    let all: Vec<Coverage> = APPS.iter().map(|app| coverage(app, harnesses)).collect();
    print!("{}", plot::tables(&all));
    if write {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let written = std::fs::write(docs.join("explore-coverage.md"), plot::page(&all, harnesses));
        written.expect("the docs can be written");
        std::fs::write(docs.join("coverage.svg"), plot::svg(&all))
            .expect("the docs can be written");
    }
}

fn coverage(app: &App, harnesses: u64) -> Coverage {
    let mut sum = Coverage { app: app.name, reached: Default::default(), most: [0.0; 2] };
    for seed in 0..harnesses {
        let program = app.harness(seed);
        for (most, level) in sum.most.iter_mut().zip([Level::CC, Level::SER]) {
            *most += all(&program, level) as f64 / harnesses as f64;
        }
        for (reached, way) in sum.reached.iter_mut().zip(&WAYS) {
            let mut states = HashSet::new();
            let mut next = 0;
            for (reached, &point) in reached.iter_mut().zip(&POINTS) {
                for iteration in next..point {
                    states.insert(iterate(&program, way, iteration));
                }
                next = point;
                *reached += states.len() as f64 / harnesses as f64;
            }
        }
    }
    sum
}

/// How many states there are.
fn all(program: &Program, level: Level) -> u64 {
    let options = Options { mode: Mode::States, ..Options::new(level) };
    let found = explore(program, &options, &|_: &End<'_>| {}).expect("harnesses are good");
    assert!(found.complete, "nothing stops it");
    found.histories
}

/// Runs a program once on a fresh store; what its transactions returned, session by session.
fn iterate(program: &Program, way: &Way, seed: u64) -> Vec<Vec<Outcome>> {
    let initial = program.initial().to_vec();
    let (level, policy) = (way.level, way.policy);
    let (history, log) = (false, false);
    let config = Config::default()
        .level(level)
        .policy(policy)
        .seed(seed)
        .initial_values(initial)
        .history(history)
        .log(log);
    let mut machine = Machine::new(config).expect("the configuration is good");
    let count = program.sessions().len();
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(machine.connect(None).expect("sessions connect"));
    }
    let mut locals: Vec<Vec<(Text, Value)>> = vec![Vec::new(); count];
    let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); count];
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    loop {
        let left = |of: &usize| outcomes[*of].len() < program.sessions()[*of].txns.len();
        let ready: Vec<usize> = (0..count).filter(left).collect();
        let next = if way.delay { rng.below(ready.len().max(1) as u32) as usize } else { 0 };
        let Some(&at) = ready.get(next) else { return outcomes };
        let mut open = Open { machine: &mut machine, session: sessions[at] };
        open.ask(&Request::begin(None, None)).expect("nothing is open");
        let txn = outcomes[at].len();
        let outcome = program.perform(at, txn, &mut locals[at], &mut open);
        let outcome = outcome.expect("harnesses are good");
        // A refused transaction is run again.
        if outcome != Outcome::Aborted && open.ask(&Request::COMMIT).is_ok() {
            outcomes[at].push(outcome);
        }
    }
}

/// An open transaction of a store.
struct Open<'a> {
    machine: &'a mut Machine,
    session: SessionId,
}

impl Open<'_> {
    fn ask(&mut self, request: &Request) -> Result<Value, Stop> {
        match self.machine.apply(self.session, request) {
            Ok(Answer::Value(value)) => Ok(value),
            Ok(Answer::Aborted(_)) => Err(Stop::Abort),
            Ok(_) => Ok(Value::Null),
            Err(error) => Err(Stop::fault(error.to_string())),
        }
    }
}

impl Database for Open<'_> {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        self.ask(&Request::get(key.clone()))
    }

    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.ask(&Request::put(key.clone(), value.clone())).map(|_| ())
    }
}
