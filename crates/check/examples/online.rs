//! Checks transactions as they arrive, here from a generator instead of a log.
//!
//!     cargo run --release --example online -p hobgoblin-check -- [key=value ...]
//!
//! Keys: `txns` (100000), `sessions` (50), `events` (10 a transaction), `keys` (1000), `levels`
//! (RC,RA,CC), `at` (the level generated, SER), `anomaly` (none), `lag` (0: how many transactions the
//! log of every second session lags behind), `seed` (1). Prints each violation when it appears, then
//! time and memory.

#![allow(clippy::print_stdout)]

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use hobgoblin_check::online::{ArrivedEvent, ArrivedTxn, OnlineChecker, Violation};
use hobgoblin_core::{Key, Level, Value};
use hobgoblin_gen::{GenTxn, Generator, Params, anomaly_of};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: HashMap<String, String> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())))
        .collect();
    let text = |key: &str, default: &str| args.get(key).cloned().unwrap_or(default.to_owned());
    let number = |key: &str, default: &str| text(key, default).parse::<u32>();
    let levels: Vec<Level> =
        text("levels", "RC,RA,CC").split(',').map(str::parse).collect::<Result<_, _>>()?;
    let lag = number("lag", "0")? as usize;
    let params = Params {
        transactions: number("txns", "100000")?,
        sessions: number("sessions", "50")?,
        min_events: number("events", "10")?,
        max_events: number("events", "10")?,
        keys: number("keys", "1000")?,
        level: text("at", "SER").parse()?,
        anomaly: anomaly_of(&text("anomaly", "-")),
        seed: u64::from(number("seed", "1")?),
        ..Params::default()
    };

    let mut checker = OnlineChecker::new(&levels)?;
    for key in 0..params.keys {
        checker.initial(&Key::Int(i64::from(key)), &Value::Int(0))?;
    }
    let mut generator = Generator::new(&params)?;
    let mut late: VecDeque<GenTxn> = VecDeque::new();
    let (mut events, mut busy, before) = (0, Duration::ZERO, memory());
    loop {
        // Every second session's transactions wait in a queue before they are logged.
        let next = generator.next_txn();
        let done = next.is_none();
        let arriving = match next {
            Some(txn) if lag > 0 && txn.session % 2 == 0 => {
                late.push_back(txn.clone());
                if late.len() > lag { late.pop_front() } else { None }
            }
            Some(txn) => Some(txn.clone()),
            None => late.pop_front(),
        };
        let Some(txn) = arriving else {
            if done {
                break;
            }
            continue;
        };
        events += txn.ops.len();
        let start = Instant::now();
        let violations = push(&mut checker, &txn)?;
        busy += start.elapsed();
        violations.iter().for_each(show);
    }
    checker.finish()?.iter().for_each(show);
    let stats = checker.stats();
    let all = stats.txns * params.sessions as usize * 4;
    println!(
        "{events} events in {busy:.2?}, {:.0} k events/s; levels that hold: {:?}",
        events as f64 / busy.as_secs_f64() / 1e3,
        checker.levels()
    );
    println!(
        "memory {} MB, of that clocks {:.1} MB (all clocks at 4 bytes an entry: {:.1} MB); {} edges",
        memory().saturating_sub(before) >> 10,
        stats.clock_entries as f64 * 8e-6,
        all as f64 * 1e-6,
        stats.edges
    );
    Ok(())
}

fn push(
    checker: &mut OnlineChecker,
    txn: &GenTxn,
) -> Result<Vec<Violation>, hobgoblin_check::online::OnlineError> {
    let session = Key::Int(i64::from(txn.session));
    let pairs: Vec<(Key, Value)> =
        txn.ops.iter().map(|op| (Key::Int(i64::from(op.key)), Value::Int(op.value))).collect();
    let events = txn.ops.iter().zip(&pairs).map(|(op, (k, v))| ArrivedEvent::new(op.kind, k, v));
    let arrived = ArrivedTxn { session: &session, name: None, status: txn.status, line: txn.index };
    checker.push(arrived, events)
}

fn show(violation: &Violation) {
    let Violation { level, history, witness, .. } = violation;
    let txns =
        witness.txns.iter().map(|&t| format!("{} (line {})", history.name(t), history.line(t)));
    println!("{level}: {}: {}", witness.anomaly.title(), txns.collect::<Vec<_>>().join(", "));
}

/// The resident memory of this process, in kilobytes; 0 where nobody tells.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
