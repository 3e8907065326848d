//! Runs the OLTP benchmarks: `cargo run --release -p hobgoblin-oltp -- table`. See docs/oltp.md.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Policy, Profile};
use hobgoblin_oltp::count::{CELLS, Cell, count};
use hobgoblin_oltp::race::{Race, race};
use hobgoblin_oltp::run::{Ends, Plan, renew};
use hobgoblin_oltp::speed::{self, Speed};
use hobgoblin_oltp::{BENCHMARKS, Benchmark, Dialect, Error, Target, published, tpcc};

const USAGE: &str = "\
hobgoblin-oltp table [--runs N] [--seed N] [--only NAME] [--transactions N] [--serial] [--plain]
        [--policy P] [--checker P]
    the violation rates of all assertions beside MonkeyDB's
hobgoblin-oltp serializable [--runs N] [--seed N] [--only NAME] [--transactions N] [--serial]
    the same at SER, where all are 0
hobgoblin-oltp speed [--transactions N] [--sessions N] [SERVER]
    statements of TPC-C in a second, in this process or at a server, whose tables it makes anew
hobgoblin-oltp race [--only NAME] [--level rc|rr|ser] [--sessions N] [--seconds S] [--transactions N] [--runs N]
        [--think MS] [--seed N] [--plain] [SERVER]
    sessions that race at a server, whose tables it makes anew: in how many runs each assertion is broken in the end, and
    seen to be broken by a session that comes then.
    A session stops after S seconds (10) or N transactions, and waits MS before each statement. Without --level the
    server's is taken, without a SERVER that of DATABASE_URL. Exit code 1 if an assertion was broken.

SERVER is --pg ADDRESS or --mysql ADDRESS, with --user USER --database NAME.
--only takes one benchmark: tpc-c, smallbank, voter, wikipedia, or \"tpc-c with more deliveries\" or \"tpc-c with more
payments\", which are not in the table. --seed is the first seed (HOB_SEED, or 0); each run takes the next. --serial runs transactions one after
another; else they overlap between statements.
--plain leaves FOR UPDATE away. --policy and --checker say how the sessions' and the checker's reads choose.";

/// How many runs the tables are of, unless the command line says it.
const RUNS: u32 = 100;

/// What the command line says.
struct Args {
    runs: Option<u32>,
    seed: u64,
    only: Option<String>,
    transactions: Option<u32>,
    sessions: u32,
    overlap: bool,
    for_update: bool,
    policy: Option<Policy>,
    checker: Policy,
    level: Option<&'static str>,
    seconds: f64,
    think: u32,
    /// What a server at an address speaks.
    server: Option<(Dialect, String)>,
    user: Option<String>,
    database: Option<String>,
}

/// A level as SQL names it.
fn level(word: &str) -> Result<&'static str, String> {
    match word {
        "rc" => Ok("READ COMMITTED"),
        "rr" => Ok("REPEATABLE READ"),
        "ser" => Ok("SERIALIZABLE"),
        _ => Err(format!("{word:?} is neither rc nor rr nor ser")),
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args {
        runs: None,
        seed: std::env::var("HOB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0),
        only: None,
        transactions: None,
        sessions: 2,
        overlap: true,
        for_update: true,
        policy: None,
        checker: Policy::Uniform,
        level: None,
        seconds: 10.0,
        think: 0,
        server: None,
        user: None,
        database: None,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("{text:?} is no number"));
        match word.as_str() {
            "--runs" => args.runs = Some(number(value()?)?),
            "--seed" => args.seed = value()?.parse().map_err(|_| "--seed needs a number")?,
            "--only" => args.only = Some(value()?),
            "--transactions" => args.transactions = Some(number(value()?)?),
            "--sessions" => args.sessions = number(value()?)?,
            "--serial" => args.overlap = false,
            "--policy" => args.policy = Some(value()?.parse()?),
            "--checker" => args.checker = value()?.parse()?,
            "--plain" => args.for_update = false,
            "--level" => args.level = Some(level(&value()?)?),
            "--seconds" => {
                args.seconds = value()?.parse().map_err(|_| "--seconds needs a number")?;
            }
            "--think" => args.think = number(value()?)?,
            "--pg" => args.server = Some((Dialect::Postgres, value()?)),
            "--mysql" => args.server = Some((Dialect::MySql, value()?)),
            "--user" => args.user = Some(value()?),
            "--database" => args.database = Some(value()?),
            _ => return Err(format!("{word:?} is no option\n\n{USAGE}")),
        }
    }
    Ok(args)
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let done = parse(words).and_then(|args| {
        let done = match command.as_str() {
            "table" => table(&args, &CELLS),
            "serializable" => table(&args, &[(Level::SER, 2), (Level::SER, 3)]),
            "speed" => measure(&args),
            "race" => return races(&args).map_err(|error| error.to_string()),
            _ => return Err(USAGE.to_owned()),
        };
        done.map(|()| ExitCode::SUCCESS).map_err(|error| error.to_string())
    });
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

impl Args {
    fn plan(&self, level: Level, sessions: u32) -> Plan {
        Plan {
            transactions: self.transactions,
            overlap: self.overlap,
            for_update: self.for_update,
            policy: self.policy,
            checker: self.checker,
            ..Plan::new(level, sessions, self.seed)
        }
    }

    /// The server that the options name.
    fn target(&self) -> Option<Target> {
        let (dialect, address) = self.server.clone()?;
        let (user, database) = match dialect {
            Dialect::Postgres => ("postgres", "postgres"),
            Dialect::MySql => ("root", "test"),
        };
        let user = self.user.clone().unwrap_or_else(|| user.to_owned());
        let database = self.database.clone().unwrap_or_else(|| database.to_owned());
        Some(Target { dialect, address, user, database })
    }
}

/// Prints, for each cell, the runs in percent whose final state broke an assertion, those in which a weak reader
/// saw it broken, and what MonkeyDB published.
fn table(args: &Args, cells: &[(Level, u32)]) -> Result<(), Error> {
    let chosen = chosen(args.only.as_deref())?;
    let runs = args.runs.unwrap_or(RUNS);
    println!("% of {runs} runs: corrupt / seen (MonkeyDB)");
    println!();
    let names: Vec<String> =
        cells.iter().map(|(level, sessions)| format!("{level}, {sessions} sessions")).collect();
    println!("| benchmark | assertion | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(cells.len()));
    for benchmark in chosen {
        rows(args, benchmark, cells)?;
    }
    Ok(())
}

/// The benchmark of this name, or all of the table.
fn chosen(only: Option<&str>) -> Result<Vec<&'static Benchmark>, Error> {
    let Some(only) = only else { return Ok(BENCHMARKS.to_vec()) };
    let mut all = BENCHMARKS.into_iter().chain([&tpcc::DELIVERING, &tpcc::SETTLING]);
    match all.find(|benchmark| only.eq_ignore_ascii_case(benchmark.name)) {
        Some(benchmark) => Ok(vec![benchmark]),
        None => Err(Error::Broken(format!("{only:?} is no benchmark\n\n{USAGE}"))),
    }
}

fn rows(args: &Args, benchmark: &Benchmark, cells: &[(Level, u32)]) -> Result<(), Error> {
    let mut counted: Vec<(Cell, f64)> = Vec::new();
    for &(level, sessions) in cells {
        let start = Instant::now();
        let cell = count(benchmark, &args.plan(level, sessions), args.runs.unwrap_or(RUNS))?;
        counted.push((cell, start.elapsed().as_secs_f64()));
    }
    for (at, assertion) in benchmark.assertions.iter().enumerate() {
        let published = published::rates(assertion.name).unwrap_or_default();
        let mut line = format!("| {} | {} |", benchmark.name, assertion.name);
        for (number, (cell, _)) in counted.iter().enumerate() {
            let (corrupt, seen) = (cell.percent(cell.corrupt[at]), cell.percent(cell.seen[at]));
            line.push_str(&match CELLS.get(number) == cells.get(number) {
                true => {
                    let theirs = published[number];
                    let mark = if seen < theirs { " <" } else { "" };
                    format!(" {corrupt} / {seen} ({theirs}){mark} |")
                }
                false => format!(" {corrupt} / {seen} |"),
            });
        }
        println!("{line}");
    }
    let mut line = format!("| {} | ms/run |", benchmark.name);
    for (cell, seconds) in &counted {
        line.push_str(&format!(" {:.0} |", seconds * 1_000.0 / f64::from(cell.runs)));
    }
    println!("{line}");
    for ((level, sessions), (cell, _)) in cells.iter().zip(&counted) {
        eprintln!("{} {level} {sessions}: {:?}", benchmark.name, cell.ends);
    }
    Ok(())
}

fn tell(what: &str, speed: &Speed) {
    println!(
        "{what}: {:.0} statements/s, {:.0} transactions/s ({:?} in {:.2} s)",
        speed.statements(),
        speed.transactions(),
        speed.ends,
        speed.took.as_secs_f64()
    );
}

/// Measures TPC-C.
fn measure(args: &Args) -> Result<(), Error> {
    let benchmark = &tpcc::BENCHMARK;
    let mut plan = args.plan(Level::RC, args.sessions);
    plan.transactions = plan.transactions.or(Some(500));
    if let Some(target) = args.target() {
        renew(benchmark, &mut *target.connect()?)?;
        tell(&target.address, &speed::remote(benchmark, &plan, &target)?);
        return Ok(());
    }
    for (profile, level) in
        [(Profile::Spec, Level::RC), (Profile::Spec, Level::CC), (Profile::Spec, Level::SER)]
    {
        let config =
            Config::default().level(level).profile(profile).seed(0).history(false).log(false);
        tell(&format!("{profile} {level}"), &speed::local(benchmark, &plan, config)?);
    }
    let config =
        Config::default().level(Level::RC).profile(Profile::Postgres).history(false).log(false);
    // An engine locks: one session, or they wait for each other on one thread.
    let alone = Plan { sessions: 1, ..plan };
    tell("postgres RC, one session", &speed::local(benchmark, &alone, config)?);
    Ok(())
}

/// Races, and says in how many runs each assertion was broken.
fn races(args: &Args) -> Result<ExitCode, Error> {
    let named = || Target::of_url(&std::env::var("DATABASE_URL").ok()?);
    let target = args.target().or_else(named).ok_or_else(|| {
        Error::Broken("name a server: --mysql, --pg, or the URL of one in DATABASE_URL".to_owned())
    })?;
    let time = Duration::try_from_secs_f64(args.seconds);
    let plan = Race {
        level: args.level,
        sessions: args.sessions,
        time: time.map_err(|error| Error::Broken(error.to_string()))?,
        transactions: args.transactions.unwrap_or(u32::MAX),
        think: Duration::from_millis(args.think.into()),
        for_update: args.for_update,
        seed: args.seed,
    };
    let only = args.only.as_deref().unwrap_or(tpcc::BENCHMARK.name);
    let mut any = false;
    for benchmark in chosen(Some(only))? {
        let runs = args.runs.unwrap_or(1);
        let mut broken = vec![[0, 0]; benchmark.assertions.len()];
        let mut ends = Ends::default();
        for seed in args.seed..args.seed.saturating_add(u64::from(runs)) {
            let raced = race(benchmark, &target, &Race { seed, ..plan })?;
            let found = raced.corrupt.into_iter().zip(raced.seen);
            for (counts, found) in broken.iter_mut().zip(found) {
                counts[0] += u32::from(found.0);
                counts[1] += u32::from(found.1);
            }
            ends = [ends, raced.ends].into_iter().sum();
        }
        println!("{}: {runs} runs of {} sessions, {ends:?}", benchmark.name, args.sessions);
        for (assertion, [corrupt, seen]) in benchmark.assertions.iter().zip(broken) {
            println!("{}: corrupt {corrupt}, seen {seen}: {}", assertion.name, assertion.claim);
            any |= corrupt + seen > 0;
        }
    }
    Ok(ExitCode::from(u8::from(any)))
}
