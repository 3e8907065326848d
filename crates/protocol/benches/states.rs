//! The states of two-phase commit: how many, how deep, how long, how much memory, each size in a process of its own.
//!
//! `-- --bars` compares with what is required; `-- --all` runs 3 × 3 too, for an hour at most.

#![allow(clippy::print_stdout, reason = "a table is what it prints")]

use std::process::Command;
use std::time::{Duration, Instant};

use hobgoblin_check::Limits;
use hobgoblin_protocol::models::two_phase::TwoPhase;
use hobgoblin_protocol::{Options, Progress, search};

/// Transactions, resources, states, depth; where there is one, the most seconds.
const TABLE: [(usize, usize, usize, usize, Option<f64>); 8] = [
    (1, 1, 177, 18, None),
    (1, 2, 3_364, 32, None),
    (1, 3, 48_777, 46, None),
    (2, 1, 1_118, 22, None),
    (2, 2, 49_884, 37, Some(0.3)),
    (3, 1, 4_883, 26, None),
    (3, 2, 474_524, 42, Some(5.0)),
    (2, 3, 1_938_910, 52, Some(25.0)),
];

/// The most memory of 2 × 3, in MB.
const MEMORY: f64 = 2_000.0;

/// How long 3 × 3 may take.
const PATIENCE: Duration = Duration::from_secs(3_600);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|argument| argument == "--one") {
        let number = |offset: usize| args[at + offset].parse().expect("a number");
        return one(number(1), number(2), number(3));
    }
    let bars = args.iter().any(|argument| argument == "--bars");
    let mut failed = false;
    if !bars {
        println!("size   states     depth  seconds  MB");
    }
    for (t, r, states, depth, most) in TABLE {
        let (line, numbers) = run(t, r, 1);
        if !bars {
            println!("{line}");
        }
        let &[found, deep, seconds, memory] = &numbers[..] else { panic!("four numbers: {line}") };
        assert_eq!((found as usize, deep as usize), (states, depth), "{t} × {r}");
        let Some(most) = most else { continue };
        let holds = seconds <= most && (states < 1_000_000 || memory <= MEMORY);
        if bars {
            let word = if holds { "holds" } else { "FAILED" };
            println!(
                "two-phase commit {t} × {r}: {seconds:.2} s, {memory:.0} MB; required: {most} s, {MEMORY} MB: {word}"
            );
        }
        failed |= !holds;
    }
    if args.iter().any(|argument| argument == "--all") {
        println!("{}", run(3, 3, 2).0);
    }
    if bars && failed {
        std::process::exit(1);
    }
}

/// One size in a process of its own, whose memory is its alone.
fn run(transactions: usize, resources: usize, threads: usize) -> (String, Vec<f64>) {
    let exe = std::env::current_exe().expect("it runs");
    let sizes = [transactions, resources, threads].map(|number| number.to_string());
    let output = Command::new(exe).arg("--one").args(sizes).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default().to_owned();
    let numbers = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    (line, numbers)
}

fn one(transactions: usize, resources: usize, threads: usize) {
    let protocol = TwoPhase::new(transactions, resources, false).expect("it fits");
    let start = Instant::now();
    let every = |progress: Progress| {
        if transactions * resources > 8 && progress.states.is_multiple_of(64) {
            eprintln!("{progress:?} {:.0} s", start.elapsed().as_secs_f64());
        }
    };
    let options = Options::default().threads(threads).watch(&every);
    let found = search(&protocol, &options, &Limits::time(PATIENCE));
    let seconds = start.elapsed().as_secs_f64();
    let (states, depth) = (found.states, found.depth);
    assert!(found.wrong.is_empty(), "every level holds");
    let size = format!("{transactions}×{resources}");
    println!("{size:5}  {states:<9}  {depth:<5}  {seconds:<7.2}  {:.0}", peak());
}

/// The most memory that this process had, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1_024.0
}
