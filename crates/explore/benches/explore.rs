//! How fast programs are explored, from the applications in `examples/explore`.
//!
//! `cargo bench -p hobgoblin-explore` prints the tables; `-- --bars` prints measured against required only,
//! and fails when something is missed. `--seconds N` is the limit of a cell of the table that compares
//! algorithms, 60 by default as in [Bouajjani 2023, section 7]; `--quick` is a limit of 2.

#![allow(clippy::print_stdout, reason = "the tables are what this prints")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_explore::{End, Found, Mode, Options, Program, Transaction, explore, parse};

/// An algorithm of the paper's table.
struct Algorithm {
    name: &'static str,
    base: Level,
    level: Level,
    mode: Mode,
}

const fn swapping(name: &'static str, base: Level, level: Level) -> Algorithm {
    Algorithm { name, base, level, mode: Mode::Histories }
}

const ALGORITHMS: [Algorithm; 7] = [
    swapping("CC", Level::CC, Level::CC),
    swapping("CC+SI", Level::CC, Level::SI),
    swapping("CC+SER", Level::CC, Level::SER),
    swapping("RA+CC", Level::RA, Level::CC),
    swapping("RC+CC", Level::RC, Level::CC),
    swapping("true+CC", Level::RU, Level::CC),
    Algorithm { name: "DFS(CC)", base: Level::CC, level: Level::CC, mode: Mode::Schedules },
];

/// A program to explore, as other processes find it.
#[derive(Clone)]
struct Case {
    file: PathBuf,
    sessions: usize,
    txns: usize,
}

impl Case {
    fn new(file: PathBuf) -> Case {
        Case { file, sessions: usize::MAX, txns: usize::MAX }
    }

    fn program(&self) -> Program {
        let text = std::fs::read_to_string(&self.file).expect("the file was listed");
        let program = parse(&text, &self.file.display().to_string());
        let program = program.unwrap_or_else(|error| panic!("{error}"));
        // Assertions are not asked here, so neither is what they look at.
        program.truncated(self.sessions, self.txns)
    }

    fn name(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What a cell of a table holds.
struct Cell {
    seconds: f64,
    megabytes: f64,
    histories: f64,
    end_states: f64,
    complete: bool,
}

struct Bench {
    /// Whether to print only what is required.
    bars: bool,
    /// The limit of a cell.
    seconds: u64,
    missed: u32,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let after = |flag: &str| args.iter().position(|arg| arg == flag).map(|at| &args[at + 1..]);
    if let Some([file, sessions, txns, algorithm, seconds, ..]) = after("--cell") {
        let number = |text: &String| text.parse::<usize>().expect("a number");
        let (sessions, txns) = (number(sessions), number(txns));
        let case = Case { file: file.into(), sessions, txns };
        let algorithm = ALGORITHMS.iter().find(|a| a.name == algorithm).expect("an algorithm");
        tell_cell(&case.program(), &options(algorithm, number(seconds) as u64));
        return;
    }
    if after("--million").is_some() {
        tell_cell(&counters(8), &Options { max: Some(1_000_000), ..Options::new(Level::CC) });
        return;
    }
    let given = after("--seconds").and_then(|rest| rest.first()?.parse().ok());
    let seconds = given.unwrap_or(if after("--quick").is_some() { 2 } else { 60 });
    let mut bench = Bench { bars: after("--bars").is_some(), seconds, missed: 0 };
    bench.applications();
    bench.million();
    bench.threads();
    if !bench.bars {
        bench.algorithms();
        bench.growing();
    }
    if bench.bars && bench.missed > 0 {
        std::process::exit(1);
    }
}

fn options(algorithm: &Algorithm, seconds: u64) -> Options {
    Options {
        base: Some(algorithm.base),
        mode: algorithm.mode,
        time: Some(Duration::from_secs(seconds)),
        ..Options::new(algorithm.level)
    }
}

fn found(program: &Program, options: &Options) -> Found {
    explore(program, options, &|_: &End<'_>| {}).unwrap_or_else(|error| panic!("{error}"))
}

/// Explores, and prints a cell for [`cell_of`].
fn tell_cell(program: &Program, options: &Options) {
    let start = cpu();
    let found = found(program, options);
    let (seconds, complete) = (cpu() - start, u8::from(found.complete));
    println!("{seconds} {} {} {} {complete}", peak(), found.histories, found.end_states);
}

/// A cell that this program prints when it is run with these arguments, in a process of its own.
fn cell_of(args: &[&str]) -> Cell {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this).args(args).output().expect("this program runs");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [seconds, megabytes, histories, end_states, complete] = numbers[..] else {
        panic!("{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    Cell { seconds, megabytes, histories, end_states, complete: complete != 0.0 }
}

fn cell(case: &Case, algorithm: &Algorithm, seconds: u64) -> Cell {
    let file = case.file.display().to_string();
    let numbers = [case.sessions, case.txns].map(|number| number.to_string());
    let [sessions, txns] = &numbers;
    cell_of(&["--cell", &file, sessions, txns, algorithm.name, &seconds.to_string()])
}

/// The programs in the examples whose name fits.
fn cases(fits: impl Fn(&str) -> bool) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        file.extension().is_some_and(|extension| extension == "hob") && fits(&name)
    });
    files.sort();
    files.into_iter().map(Case::new).collect()
}

/// The clients of 3 × 3 transactions.
fn clients() -> Vec<Case> {
    let numbered =
        |name: &str| name.rsplit_once('-').is_some_and(|(_, last)| last.parse::<u8>().is_ok());
    cases(|name| numbered(name) && !name.contains("-grow-"))
}

/// n sessions that each count up the same key.
fn counters(n: usize) -> Program {
    let count = |t: &mut Transaction<'_>| {
        let n: i64 = t.read("x")?;
        t.write("x", n + 1)
    };
    let program = Program::new().init("x", 0);
    (0..n).fold(program, |program, n| program.session(&format!("s{n}"), |s| s.txn("count", count)))
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
        println!("{what}: {measured}; required {required}: {verdict}");
    }

    /// Histories a second of the applications at CC, on one thread, and the time for all.
    fn applications(&mut self) {
        self.tell("| program | histories at CC | seconds | histories/s | MB |");
        self.tell("| --- | --- | --- | --- | --- |");
        let (mut histories, mut seconds, mut complete) = (0.0, 0.0, 0);
        let cases = clients();
        for case in &cases {
            let cell = cell(case, &ALGORITHMS[0], 1800);
            let rate = cell.histories / cell.seconds;
            let (count, time, memory) = (cell.histories, cell.seconds, cell.megabytes);
            let name = case.name();
            self.tell(&format!("| {name} | {count} | {time:.2} | {rate:.0} | {memory:.1} |"));
            (histories, seconds) = (histories + count, seconds + time);
            complete += usize::from(cell.complete);
        }
        self.tell("");
        let rate = histories / seconds;
        let name = "histories of the applications at CC";
        let measured = format!("{rate:.0} a second");
        self.require(name, &measured, "at least 20000", rate >= 20_000.0);
        let measured = format!("{complete} of {} in {:.1} minutes", cases.len(), seconds / 60.0);
        let met = complete == 25 && cases.len() == 25 && seconds < 1800.0;
        self.require("applications at CC", &measured, "25 in at most 30 minutes", met);
    }

    /// A million histories of eight sessions.
    fn million(&mut self) {
        let Cell { seconds, megabytes, histories, .. } = cell_of(&["--million"]);
        let measured = format!("{seconds:.1} s, {megabytes:.1} MB");
        let met = histories == 1e6 && seconds < 60.0 && megabytes < 100.0;
        let name = "1,000,000 histories of 8 sessions that count";
        self.require(name, &measured, "less than 60 s and 100 MB", met);
    }

    /// Two threads against one: in turns, the best of nine or, while that is not enough, of more, since others use
    /// the processors too.
    fn threads(&mut self) {
        let program = counters(8);
        let time = |threads: usize| {
            let start = Instant::now();
            let max = Some(1_000_000);
            found(&program, &Options { threads, max, ..Options::new(Level::CC) });
            start.elapsed().as_secs_f64()
        };
        let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
        for turn in 0..36 {
            one = one.min(time(1));
            two = two.min(time(2));
            if turn >= 8 && one / two >= 1.7 {
                break;
            }
        }
        let ratio = one / two;
        let measured = format!("{ratio:.2} times as fast");
        self.require("two threads against one", &measured, "at least 1.7", ratio >= 1.7);
    }

    /// The paper's table: each algorithm on each program.
    fn algorithms(&mut self) {
        self.tell("");
        self.tell("| program | algorithm | seconds | MB | end states | histories | complete |");
        self.tell("| --- | --- | --- | --- | --- | --- | --- |");
        let cases = clients();
        let mut averages = Vec::new();
        for algorithm in &ALGORITHMS {
            let (mut seconds, mut megabytes, mut end_states, mut late) = (0.0, 0.0, 0.0, 0);
            for case in &cases {
                let cell = cell(case, algorithm, self.seconds);
                self.row(&case.name(), algorithm, &cell);
                seconds += cell.seconds;
                megabytes += cell.megabytes;
                end_states += cell.end_states;
                late += u32::from(!cell.complete);
            }
            let count = cases.len().max(1) as f64;
            averages.push(format!(
                "| {} | {:.2} | {:.1} | {:.0} | {late} |",
                algorithm.name,
                seconds / count,
                megabytes / count,
                end_states / count,
            ));
        }
        self.tell("");
        self.tell("| algorithm | seconds on average | MB | end states | not complete |");
        self.tell("| --- | --- | --- | --- | --- |");
        averages.iter().for_each(|line| self.tell(line));
    }

    /// Growing programs: more sessions, and more transactions in each; averages over the clients.
    fn growing(&mut self) {
        self.tell("");
        self.tell(
            "| program | sessions | transactions | seconds | MB | histories | not complete |",
        );
        self.tell("| --- | --- | --- | --- | --- | --- | --- |");
        for app in ["tpcc", "wikipedia"] {
            let clients = cases(|name| name.starts_with(&format!("{app}-grow-")));
            let sizes = (1..=5).map(|sessions| (sessions, 3)).chain((1..=5).map(|txns| (3, txns)));
            for (sessions, txns) in sizes {
                let cut = |case: &Case| Case { sessions, txns, ..case.clone() };
                let cell = |case: &Case| cell(&cut(case), &ALGORITHMS[0], self.seconds);
                let cells: Vec<Cell> = clients.iter().map(cell).collect();
                let average = |of: fn(&Cell) -> f64| {
                    cells.iter().map(of).sum::<f64>() / cells.len().max(1) as f64
                };
                self.tell(&format!(
                    "| {app} | {sessions} | {txns} | {:.2} | {:.1} | {:.0} | {} |",
                    average(|cell| cell.seconds),
                    average(|cell| cell.megabytes),
                    average(|cell| cell.histories),
                    cells.iter().filter(|cell| !cell.complete).count()
                ));
            }
        }
    }

    fn row(&self, name: &str, algorithm: &Algorithm, cell: &Cell) {
        self.tell(&format!(
            "| {name} | {} | {:.2} | {:.1} | {} | {} | {} |",
            algorithm.name,
            cell.seconds,
            cell.megabytes,
            cell.end_states,
            cell.histories,
            cell.complete
        ));
    }
}

/// Seconds this thread has been running on a processor.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.expect("Linux tells how long a thread ran") / 1e9
}

/// The most megabytes this process ever had in memory.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
