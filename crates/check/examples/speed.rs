//! What a check costs: CPU time of reading and of deciding, and peak memory.
//!
//!     cargo run --release --example speed -p hobgoblin-check -- write FILE [key=value ...]
//!     cargo run --release --example speed -p hobgoblin-check -- check FILE LEVEL [verify]
//!
//! Keys of `write`: `events` (in total, 1000000), `length` (events a transaction, 10), `sessions` (50),
//! `keys` (1000), `reads` (share, 0.5), `zipf` (exponent, 0: uniform), `level` (SER), `anomaly` (none), `seed` (1),
//! and `order`: `arrival`, `session`, `blocks` (of ten transactions of a session, in any order) or `shuffle`.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{History, Level, Rng, Verdict};
use hobgoblin_format::{Format, read_path, write_path};
use hobgoblin_gen::transform::shuffle;
use hobgoblin_gen::{Distribution, Draft, Order, Params, anomaly_of, build};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file, ref rest @ ..] => write(file, rest),
        ["check", file, level] | ["check", file, level, "verify"] => measure(file, level.parse()?),
        _ => Err("expected write FILE [key=value ...] or check FILE LEVEL [verify]".into()),
    }
}

fn write(file: &str, args: &[&str]) -> Result<(), Error> {
    let args: HashMap<&str, &str> = args.iter().filter_map(|arg| arg.split_once('=')).collect();
    let text = |key: &str, default: &'static str| args.get(key).copied().unwrap_or(default);
    let length: u32 = text("length", "10").parse()?;
    let theta: f64 = text("zipf", "0").parse()?;
    let order = text("order", "arrival");
    let params = Params {
        transactions: text("events", "1000000").parse::<u32>()? / length,
        sessions: text("sessions", "50").parse()?,
        min_events: length,
        max_events: length,
        keys: text("keys", "1000").parse()?,
        read_share: text("reads", "0.5").parse()?,
        distribution: if theta > 0.0 { Distribution::Zipf(theta) } else { Distribution::Uniform },
        level: text("level", "SER").parse()?,
        anomaly: anomaly_of(text("anomaly", "none")),
        order: if order == "arrival" { Order::Arrival } else { Order::Session },
        seed: text("seed", "1").parse()?,
        ..Params::default()
    };
    let mut history = build(&params)?;
    if order == "shuffle" {
        history = shuffle(&history, params.seed)?;
    } else if order == "blocks" {
        history = in_blocks(&history, params.seed)?;
    }
    Ok(write_path(&history, Format::Plume, file)?)
}

/// The same history with its transactions recorded ten of a session at a time, in any order that keeps
/// session order.
fn in_blocks(history: &History, seed: u64) -> Result<History, Error> {
    const BLOCK: usize = 10;
    let mut sessions: Vec<_> =
        history.sessions().map(|s| history.session_txns(s).chunks(BLOCK)).collect();
    let mut turns: Vec<usize> =
        sessions.iter().enumerate().flat_map(|(s, chunks)| vec![s; chunks.len()]).collect();
    Rng::new(seed).shuffle(&mut turns);
    let blocks = turns.into_iter().filter_map(|s| sessions[s].next());
    let order: Vec<usize> = blocks.flatten().map(|txn| txn.index() - 1).collect();
    let mut draft = Draft::of(history);
    draft.reorder(&order);
    Ok(draft.build()?)
}

fn measure(file: &str, level: Level) -> Result<(), Error> {
    let history = read_path(file, Some(Format::Plume))?;
    let read = cpu();
    let verdict = check(&history, level, &Limits::none());
    let (checked, memory) = (cpu() - read, peak_memory());
    let answer = match &verdict {
        Verdict::Consistent(_) => "holds".to_owned(),
        Verdict::Violation(witness) => {
            format!("{} of {} transactions", witness.anomaly.code(), witness.txns.len())
        }
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    };
    println!("{file} {level}: read {read:.2} s, check {checked:.2} s, {memory} MB: {answer}");
    if std::env::args().any(|arg| arg == "verify") {
        verify(&history, level, &verdict)?;
    }
    Ok(())
}

/// CPU seconds of this process so far, in ticks of a hundredth.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| after_name.split_whitespace().nth(n).and_then(|f| f.parse::<f64>().ok());
    (field(11).unwrap_or(0.0) + field(12).unwrap_or(0.0)) / 100.0
}

/// The greatest resident memory of this process so far, in megabytes; 0 where nobody tells.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) / 1000
}
