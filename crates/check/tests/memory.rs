//! A limit of memory holds while whom reads of repeated values read from is searched. The file has one test,
//! so that nothing else uses memory meanwhile.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, StopReason, Verdict};
use hobgoblin_gen::{Distribution, Order, Params, build};

/// A number of megabytes from the status of this process.
fn megabytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it has the line");
    let kilobytes = line.trim_start_matches(':').trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().expect("a number") / 1024
}

#[test]
fn memory_is_limited_while_sources_are_searched() {
    // A hundred thousand events, two values of each key, and few keys that most events use.
    let history = build(&Params {
        sessions: 25,
        transactions: 12_500,
        min_events: 8,
        max_events: 8,
        keys: 5_000,
        distribution: Distribution::Zipf(0.99),
        repeated_values: 1.0,
        values: 2,
        order: Order::Session,
        seed: 1,
        ..Params::default()
    })
    .expect("the parameters make sense");
    for level in [Level::RC, Level::CC, Level::SI, Level::SER] {
        let most = megabytes("VmRSS") + 10;
        let start = Instant::now();
        let limits = Limits::new(move || {
            if megabytes("VmRSS") > most {
                return Some(StopReason::Memory);
            }
            // A check that needs no more is no test of this.
            (start.elapsed() > Duration::from_secs(30)).then_some(StopReason::Time)
        });
        let verdict = check(&history, level, &limits);
        assert_eq!(verdict, Verdict::Unknown(StopReason::Memory), "{level}");
        let peak = megabytes("VmHWM");
        assert!(peak < most + 60, "{level}: {peak} MB although {most} MB were allowed");
    }
}
