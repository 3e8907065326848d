//! The table of the store: requests per second, memory over a million transactions, and how many
//! iterations the paper's applications take until weak isolation breaks them under the policy `adverse`. All
//! from fixed seeds; times are CPU times.
//!
//! `cargo bench -p hob --bench store` prints the tables; with `-- --bars` one line for each value that is
//! required, and it fails if one is missed. `-- --table1` prints only the iterations until weak isolation
//! breaks the applications, as table 1 of [Biswas 2021]. `-- --quick` runs a tenth.

#![allow(clippy::print_stdout, reason = "the tables are what this prints")]

use std::process::Command;

use hobgoblin_apps::measure::{count, iteration};
use hobgoblin_apps::{APPS, App, Granularity, Stop};
use hobgoblin_core::{Key, Level, Rng, SessionId, Value};
use hobgoblin_store::{Answer, Config, Machine, Policy, Request};

const LEVELS: [Level; 8] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER, Level::SSER];

/// What was asked for on the command line, and whether all that is required was met.
struct Bench {
    bars: bool,
    /// Runs are divided by this.
    quick: u64,
    missed: u32,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let quick = if has("--quick") { 10 } else { 1 };
    if let Some(level) = args.iter().position(|a| a == "--memory").and_then(|at| args.get(at + 1)) {
        let (first, last, rate) = memory(level.parse().expect("a level"), 1_000_000 / quick);
        println!("{first} {last} {rate}");
        return;
    }
    let mut bench = Bench { bars: has("--bars"), quick, missed: 0 };
    if !has("--table1") {
        bench.speed();
        bench.memory();
        bench.cart();
    }
    bench.effectiveness();
    if bench.bars && bench.missed > 0 {
        std::process::exit(1);
    }
}

impl Bench {
    /// Says a line that belongs to a table.
    fn tell(&self, line: &str) {
        if !self.bars {
            println!("{line}");
        }
    }

    /// Says a measured value beside the required one.
    fn require(&mut self, what: &str, measured: &str, required: &str, met: bool) {
        self.missed += u32::from(!met);
        let verdict = if met { "met" } else { "MISSED" };
        if self.bars {
            println!("{what}: {measured}; required {required}: {verdict}");
        } else if !met {
            println!("{what}: {measured}; required {required}: MISSED");
        }
    }

    /// Gets and puts per second with a past of 1,000 and of 10,000 transactions on ten keys.
    fn speed(&mut self) {
        self.tell("| level | past | get/s | put/s | get and put/s |");
        self.tell("| --- | --- | --- | --- | --- |");
        for level in LEVELS {
            let [few, many] = [1_000, 10_000].map(|past| {
                let best = |a: Speed, b: Speed| if a.both > b.both { a } else { b };
                let runs = (0..3).map(|seed| speed(level, past, seed));
                let speed = runs.reduce(best).expect("three runs");
                let Speed { get, put, both } = speed;
                self.tell(&format!("| {level} | {past} | {get:.0} | {put:.0} | {both:.0} |"));
                speed
            });
            if matches!(level, Level::RC | Level::CC) {
                let name = format!("get and put at {level}, 10 keys, 10,000 transactions before");
                let measured = format!("{:.0} a second", many.both);
                self.require(&name, &measured, "at least 200000", many.both >= 200_000.0);
                let ratio = few.get / many.get;
                let name = format!("time of a read at {level}, 10,000 transactions against 1,000");
                self.require(&name, &format!("{ratio:.2} times"), "at most 2", ratio <= 2.0);
            }
        }
        self.tell("");
    }

    /// Memory over a million transactions with a window of 1,000 commits.
    fn memory(&mut self) {
        let total = 1_000_000 / self.quick;
        self.tell("| level | transactions | MB after a tenth | MB at the end | transactions/s |");
        self.tell("| --- | --- | --- | --- | --- |");
        for level in [Level::RC, Level::CC, Level::SI, Level::SER] {
            let [first, last, rate] = memory_alone(level, self.quick > 1);
            self.tell(&format!("| {level} | {total} | {first:.1} | {last:.1} | {rate:.0} |"));
            let name = format!("memory of {total} transactions at {level}, window 1000");
            let measured = format!("{first:.1} MB after a tenth, {last:.1} MB at the end");
            let flat = last <= 1.1 * first + 1.0;
            self.require(&name, &measured, "no more than a tenth and 1 MB more", flat);
        }
        self.tell("");
    }

    /// Iterations per second of the shopping cart.
    fn cart(&mut self) {
        let config = adverse(Level::RC);
        let total = 100_000 / self.quick;
        let start = cpu();
        for seed in 0..total {
            iteration(&hobgoblin_apps::cart::APP, &config, Granularity::Operation, seed)
                .expect("the cart runs");
        }
        let rate = total as f64 / (cpu() - start);
        let (name, measured) = ("iterations of the cart at RC", format!("{rate:.0} a second"));
        self.tell(&format!("{name}: {measured}\n"));
        self.require(name, &measured, "at least 20000", rate >= 20_000.0);
    }

    /// Iterations until an assertion fails, on average; none may fail at SER.
    fn effectiveness(&mut self) {
        self.tell("| assertion | transactions | level | iterations to a failure | required |");
        self.tell("| --- | --- | --- | --- | --- |");
        for app in &APPS {
            for granularity in [Granularity::Operation, Granularity::Single] {
                for level in [Level::RC, Level::CC] {
                    self.average(app, granularity, level).expect("the application runs");
                }
                self.never(app, granularity).expect("the application runs");
            }
        }
    }

    fn average(&mut self, app: &App, granularity: Granularity, level: Level) -> Result<(), Stop> {
        let required = required(app.name, granularity, level);
        if self.bars && required.is_none() {
            return Ok(());
        }
        let failures = 2_000 / self.quick;
        let config = adverse(level).history(false).log(false);
        let counted = count(app, &config, granularity, failures, 500 * failures)?;
        let average = if counted.failures == 0 { f64::INFINITY } else { counted.average() };
        let most = required.map_or("-".to_owned(), |most| format!("{most:.1}"));
        let name = app.name;
        self.tell(&format!("| {name} | {granularity:?} | {level} | {average:.1} | {most} |"));
        if let Some(most) = required {
            let what = format!("iterations to a failure of {name} ({granularity:?}, {level})");
            self.require(
                &what,
                &format!("{average:.1}"),
                &format!("at most {most:.1}"),
                average <= most,
            );
        }
        Ok(())
    }

    fn never(&mut self, app: &App, granularity: Granularity) -> Result<(), Stop> {
        let config = adverse(Level::SER).history(false).log(false);
        let counted = count(app, &config, granularity, u64::MAX, 10_000 / self.quick)?;
        let what = format!("failures of {} ({granularity:?}) at SER", app.name);
        let measured = format!("{} in {}", counted.failures, counted.iterations);
        self.require(&what, &measured, "none", counted.failures == 0);
        Ok(())
    }
}

/// A store whose reads choose by the policy that was fitted to the paper's applications. It is also the one
/// with the most to do.
fn adverse(level: Level) -> Config {
    Config::default().level(level).policy(Policy::Adverse)
}

/// What an average must not exceed: 1.25 times that of MonkeyDB's own store where it was measured.
fn required(app: &str, granularity: Granularity, level: Level) -> Option<f64> {
    let measured = match (app, granularity, level) {
        ("stack", Granularity::Operation, Level::CC) => 4.2,
        ("overflow", Granularity::Operation, Level::CC) => 4.8,
        ("removed", Granularity::Operation, Level::CC) => 7.1,
        ("tweets", Granularity::Operation, Level::CC) => 11.9,
        ("stack", Granularity::Operation, Level::RC) => 15.6,
        ("overflow", Granularity::Operation, Level::RC) => 5.0,
        ("removed", Granularity::Operation, Level::RC) => 5.1,
        ("tweets", Granularity::Operation, Level::RC) => 12.3,
        ("cart", Granularity::Single, Level::RC) => return Some(115.0),
        ("list-cart", Granularity::Operation, Level::CC) => return Some(40.0),
        ("list-cart", Granularity::Operation, Level::RC) => return Some(60.0),
        _ => return None,
    };
    Some(1.25 * measured)
}

/// A store and three sessions that read and write ten keys, one transaction each.
struct Load {
    machine: Machine,
    sessions: Vec<SessionId>,
    keys: Vec<Key>,
    rng: Rng,
}

impl Load {
    fn new(config: Config) -> Load {
        let rng = Rng::new(config.seed);
        let mut machine = Machine::new(config).expect("the configuration is good");
        let connect = |_| machine.connect(None).expect("sessions connect");
        let sessions = (0..3).map(connect).collect();
        Load { machine, sessions, keys: (0..10).map(Key::Int).collect(), rng }
    }

    fn ask(&mut self, write: bool) {
        let session = *self.rng.pick(&self.sessions).expect("three");
        let key = self.rng.pick(&self.keys).expect("ten").clone();
        let request = if write {
            Request::put(key, Value::Int(self.rng.next_u64() as i64 >> 1))
        } else {
            Request::get(key)
        };
        let answer = self.machine.apply(session, &request).expect("the request is good");
        assert!(!matches!(answer, Answer::Blocked { .. }), "nothing locks here");
    }

    /// Requests a second.
    fn rate(&mut self, requests: u32, mut write: impl FnMut(u32) -> bool) -> f64 {
        let start = cpu();
        for number in 0..requests {
            self.ask(write(number));
        }
        f64::from(requests) / (cpu() - start)
    }
}

#[derive(Clone, Copy)]
struct Speed {
    get: f64,
    put: f64,
    both: f64,
}

fn speed(level: Level, past: u32, seed: u64) -> Speed {
    let mut load = Load::new(adverse(level).seed(seed));
    load.rate(past, |_| true);
    let get = load.rate(20_000, |_| false);
    let both = load.rate(40_000, |number| number % 2 == 0);
    let put = load.rate(20_000, |_| true);
    Speed { get, put, both }
}

/// [`memory`] in a process of its own, where nothing else has been in memory before.
fn memory_alone(level: Level, quick: bool) -> [f64; 3] {
    let this = std::env::current_exe().expect("this program has a path");
    let flags = if quick { &["--quick"][..] } else { &[] };
    let output = Command::new(this).args(["--memory", level.name()]).args(flags).output();
    let text = String::from_utf8(output.expect("this program runs").stdout).expect("numbers");
    let mut numbers = text.split_whitespace().map(|n| n.parse().expect("a number"));
    std::array::from_fn(|_| numbers.next().expect("three numbers"))
}

/// Seconds this thread has been running on a processor.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.expect("Linux tells how long a thread ran") / 1e9
}

/// Megabytes after a tenth of the transactions and at the end, and transactions a second. The history
/// and the log are taken as they grow, as a server does that writes them to files.
fn memory(level: Level, total: u64) -> (f64, f64, f64) {
    let mut load = Load::new(adverse(level).window(1000));
    let start = cpu();
    let mut first = 0.0;
    for number in 1..=total {
        let write = load.rng.below(2) == 0;
        load.ask(write);
        if number % 1000 == 0 {
            drop(load.machine.take_ended());
            drop(load.machine.take_log());
        }
        if number == total / 10 {
            first = resident();
        }
    }
    (first, resident(), total as f64 / (cpu() - start))
}

/// Megabytes of this process that are in memory.
fn resident() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = pages.split_whitespace().nth(1).and_then(|field| field.parse::<f64>().ok());
    resident.unwrap_or(0.0) * 4096.0 / 1e6
}
