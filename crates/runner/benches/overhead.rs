//! What a run costs beyond the command itself: the bar is 20 ms.
//!
//! `/bin/true` is run alone and under the runner, and the median times of a few rounds are compared.

#![allow(clippy::print_stdout, reason = "the line is what this prints")]

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hobgoblin_runner::{Budget, Plan, Unwatched, run};

const RUNS: u32 = 200;
const ROUNDS: usize = 5;
const BAR: Duration = Duration::from_millis(20);

fn main() {
    let alone = median(|| {
        for _ in 0..RUNS {
            let status = Command::new("true").stdin(Stdio::null()).status();
            assert!(status.expect("there is `true`").success());
        }
    });
    let plan = Plan {
        budget: Budget { runs: Some(RUNS), ..Budget::default() },
        baseline_runs: 0,
        ..Plan::new(
            vec!["true".to_owned()],
            hobgoblin_server::Dialects::new(&hobgoblin_sql::POSTGRES),
        )
    };
    let under = median(|| {
        let report = run(&plan, &Arc::new(AtomicBool::new(false)), &Unwatched).expect("it runs");
        assert_eq!((report.levels[0].runs, report.levels[0].failures), (RUNS, 0));
    });
    let overhead = under.saturating_sub(alone);
    println!(
        "hob test: {:.2} ms a run beyond the command's {:.2} ms (bar: {} ms): {}",
        overhead.as_secs_f64() * 1e3,
        alone.as_secs_f64() * 1e3,
        BAR.as_millis(),
        if overhead < BAR { "holds" } else { "FAILS" },
    );
    assert!(overhead < BAR);
}

/// The median time of one of the runs of a round.
fn median(mut round: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed() / RUNS
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}
