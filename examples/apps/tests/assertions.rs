//! The applications' assertions hold at SER and fail where weak isolation lets them.

use hobgoblin::Level;
use hobgoblin::store::{Config, Policy};
use hobgoblin_apps::measure::{Count, count};
use hobgoblin_apps::{APPS, App, Granularity, cart};

const BOTH: [Granularity; 2] = [Granularity::Operation, Granularity::Single];

/// How many times the iterations of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

fn run(app: &App, level: Level, granularity: Granularity, failures: u64, most: u64) -> Count {
    // The policy that was fitted to them.
    let policy = Some(Policy::Adverse);
    let config = Config::default().level(level).policy(policy).history(false).log(false);
    count(app, &config, granularity, failures, most).expect("the application runs")
}

#[test]
fn nothing_fails_at_serializable() {
    for app in &APPS {
        for granularity in BOTH {
            let count = run(app, Level::SER, granularity, 1, 1000 * scale());
            assert_eq!(count.failures, 0, "{} {granularity:?}", app.name);
        }
    }
}

#[test]
fn every_assertion_fails_at_read_committed() {
    for app in &APPS {
        for granularity in BOTH {
            let count = run(app, Level::RC, granularity, 1, 5000);
            assert_eq!(count.failures, 1, "{} {granularity:?}", app.name);
        }
    }
}

/// Who reads the emptied cart has the zeroed quantity in its causal past.
#[test]
fn every_assertion_but_that_of_the_cart_fails_at_causal() {
    for app in &APPS {
        for granularity in BOTH {
            let (most, expected) =
                if app.name == cart::APP.name { (2000 * scale(), 0) } else { (500, 1) };
            let count = run(app, Level::CC, granularity, 1, most);
            assert_eq!(count.failures, expected, "{} {granularity:?}", app.name);
        }
    }
}

/// Retries end: the snapshot levels refuse stale transactions, and all programs still come to an end.
#[test]
fn every_level_runs_every_application() {
    for app in &APPS {
        for level in Level::ALL.into_iter().filter(|&level| level != Level::RU) {
            for granularity in BOTH {
                assert_eq!(run(app, level, granularity, u64::MAX, 50).iterations, 50);
            }
        }
    }
}
