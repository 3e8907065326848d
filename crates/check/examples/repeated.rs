//! How long histories take in which values repeat, by shape, level and seed.
//!
//! ```text
//! cargo run --release -p hobgoblin-check --example repeated -- SECONDS SHAPE… LEVEL…
//! ```
//!
//! prints CPU seconds; a check that takes longer than SECONDS is stopped. Without names of shapes or
//! levels, all of them are tried.

#![allow(clippy::print_stdout, reason = "the table is what this prints")]

use std::sync::atomic::{AtomicU32, Ordering};

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Anomaly, Level, StopReason, Verdict};
use hobgoblin_gen::{Distribution, Order, Params, build};

const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let seconds: f64 =
        if args.is_empty() { 10.0 } else { args.remove(0).parse().expect("seconds") };
    let levels: Vec<Level> = LEVELS.into_iter().filter(|l| args.contains(&l.to_string())).collect();
    let levels = if levels.is_empty() { LEVELS.to_vec() } else { levels };
    let seeds: u64 = args.iter().find_map(|a| a.strip_prefix("seeds=")?.parse().ok()).unwrap_or(1);
    let first: u64 = args.iter().find_map(|a| a.strip_prefix("first=")?.parse().ok()).unwrap_or(1);
    let shapes = shapes();
    let asked = shapes.iter().any(|(name, _)| args.contains(name));
    for (name, params) in shapes.iter().filter(|(name, _)| !asked || args.contains(name)) {
        for seed in first..first + seeds {
            let history = match build(&Params { seed, ..params.clone() }) {
                Ok(history) => history,
                Err(error) => panic!("{name}: {error}"),
            };
            let mut line = format!("{name:<28} {seed:>3} {:>6}", history.ambiguous_reads().len());
            for &level in &levels {
                let before = cpu();
                let asked = AtomicU32::new(0);
                let limits = Limits::new(move || {
                    // Once it is over it stays over.
                    let asks = asked.load(Ordering::Relaxed);
                    if asks == u32::MAX {
                        return Some(StopReason::Time);
                    }
                    let over = asks.is_multiple_of(64) && cpu() - before > seconds;
                    asked.store(if over { u32::MAX } else { (asks + 1) % 64 }, Ordering::Relaxed);
                    over.then_some(StopReason::Time)
                });
                let verdict = check(&history, level, &limits);
                let took = cpu() - before;
                let answer = match &verdict {
                    Verdict::Consistent(_) => "+",
                    Verdict::Violation(_) => "-",
                    Verdict::Unknown(_) => "?",
                };
                let wrong = match verify(&history, level, &verdict) {
                    Err(error) if !matches!(verdict, Verdict::Unknown(_)) => format!(" {error}"),
                    _ => String::new(),
                };
                line += &format!("  {level}{answer}{took:.2}{wrong}");
            }
            println!("{line}");
        }
    }
}

/// CPU seconds of this process, in ticks of a hundredth.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| after_name.split_whitespace().nth(n).and_then(|f| f.parse::<f64>().ok());
    (field(11).unwrap_or(0.0) + field(12).unwrap_or(0.0)) / 100.0
}

fn shapes() -> Vec<(String, Params)> {
    let zipf = Distribution::Zipf(0.99);
    let base = Params {
        sessions: 25,
        transactions: 10_000,
        min_events: 8,
        max_events: 8,
        keys: 5_000,
        repeated_values: 1.0,
        values: 100,
        order: Order::Session,
        ..Params::default()
    };
    let long = Params {
        sessions: 20,
        transactions: 2_000,
        min_events: 15,
        max_events: 15,
        ..base.clone()
    };
    let small = Params { transactions: 2_000, keys: 1_000, ..base.clone() };
    let mut shapes = vec![
        ("uniform".to_owned(), base.clone()),
        ("zipf-values".to_owned(), Params { value_distribution: zipf, ..base.clone() }),
        ("zipf-keys".to_owned(), Params { distribution: zipf, ..base.clone() }),
        (
            "zipf-both".to_owned(),
            Params { distribution: zipf, value_distribution: zipf, ..base.clone() },
        ),
        ("long".to_owned(), long.clone()),
        ("long-zipf".to_owned(), Params { distribution: zipf, value_distribution: zipf, ..long }),
        ("arrival".to_owned(), Params { order: Order::Arrival, ..base.clone() }),
        ("arrival-2".to_owned(), Params { order: Order::Arrival, values: 2, ..base.clone() }),
    ];
    for values in [2, 5, 10, 1000] {
        shapes.push((format!("values-{values}"), Params { values, ..base.clone() }));
        shapes.push((format!("small-values-{values}"), Params { values, ..small.clone() }));
    }
    for keys in [20, 100, 100_000] {
        shapes.push((format!("keys-{keys}"), Params { keys, ..base.clone() }));
    }
    for (name, read_share) in [("read-heavy", 0.95), ("write-heavy", 0.2)] {
        shapes.push((name.to_owned(), Params { read_share, ..base.clone() }));
    }
    for events in [1, 2, 3, 60] {
        let params = Params { min_events: events, max_events: events, ..base.clone() };
        let transactions = 80_000 / events.max(8);
        shapes.push((format!("events-{events}"), Params { transactions, ..params }));
    }
    for sessions in [2, 5, 100, 1000] {
        shapes.push((format!("sessions-{sessions}"), Params { sessions, ..base.clone() }));
    }
    for level in [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI] {
        shapes.push((format!("at-{level}"), Params { level, ..base.clone() }));
        let crowded = Params { keys: 500, ..base.clone() };
        shapes.push((format!("crowded-{level}"), Params { level, ..crowded }));
    }
    shapes.push(("crowded-SER".to_owned(), Params { keys: 500, ..base.clone() }));
    for anomaly in hobgoblin_gen::injectable().filter(|&a| a != Anomaly::RealTimeViolation) {
        let params = Params { anomaly: Some(anomaly), ..base.clone() };
        shapes.push((format!("with-{}", anomaly.code()), params));
    }
    shapes.push((
        "statuses".to_owned(),
        Params { aborted_share: 0.1, unknown_share: 0.1, ..base.clone() },
    ));
    shapes.push(("times".to_owned(), Params { timestamps: true, ..base }));
    shapes
}
