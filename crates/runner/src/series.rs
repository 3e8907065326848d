//! The runs at one level, several at once, counted in the order of their seeds.
//!
//! Runs are handed out by number. When one fails and the first failure is the end, those already
//! handed out are awaited, and what comes after the smallest failing number is not counted: the
//! report is the same however many went on at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use crate::error::RunnerError;
use crate::report::Ended;
use crate::tally::{Run, Tally};
use crate::watch::Watch;

/// When a series ends: at whichever comes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) runs: Option<u32>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) until_fail: bool,
}

/// Makes runs by `run`, which gets their numbers from 0 and returns nothing if it was stopped.
pub(crate) fn series<L: Send>(
    limit: Limit,
    jobs: usize,
    stop: &AtomicBool,
    watch: &dyn Watch,
    run: impl Fn(u32) -> Result<Option<Run<L>>, RunnerError> + Sync,
) -> Result<(Tally<L>, Ended), RunnerError> {
    let next = AtomicU32::new(0);
    let enough = AtomicBool::new(false);
    let last = limit.runs.unwrap_or(u32::MAX);
    let go_on = || {
        !enough.load(Ordering::Relaxed)
            && !stop.load(Ordering::Relaxed)
            && limit.deadline.is_none_or(|deadline| Instant::now() < deadline)
    };
    let mut collected = Collected { until_fail: limit.until_fail, ..Collected::default() };
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.min(last as usize) {
            let (sender, next, run, go_on) = (sender.clone(), &next, &run, &go_on);
            scope.spawn(move || {
                while go_on() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= last || sender.send((number, run(number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut failures = 0;
        for (number, result) in results {
            let failed = match result {
                Ok(Some(run)) => {
                    let failed = run.failed.is_some();
                    failures += u32::from(failed);
                    collected.take(number, run);
                    watch.ran(failures);
                    failed && limit.until_fail
                }
                Ok(None) => continue,
                Err(error) => {
                    // One is told; it is the same for all.
                    collected.error = collected.error.take().or(Some(error));
                    true
                }
            };
            if failed {
                enough.store(true, Ordering::Relaxed);
            }
        }
    });
    let ended = match () {
        () if collected.over => Ended::Failure,
        () if stop.load(Ordering::Relaxed) => Ended::Interrupted,
        () if collected.seen < last => Ended::Time,
        () => Ended::Runs,
    };
    Ok((collected.finish()?, ended))
}

/// Runs in the order of their numbers.
struct Collected<L> {
    tally: Tally<L>,
    waiting: BTreeMap<u32, Run<L>>,
    /// The number of the next run that will be counted.
    next: u32,
    seen: u32,
    until_fail: bool,
    /// Whether the last run that counts has been counted.
    over: bool,
    error: Option<RunnerError>,
}

impl<L> Default for Collected<L> {
    fn default() -> Collected<L> {
        Collected {
            tally: Tally::default(),
            waiting: BTreeMap::new(),
            next: 0,
            seen: 0,
            until_fail: false,
            over: false,
            error: None,
        }
    }
}

impl<L> Collected<L> {
    fn take(&mut self, number: u32, run: Run<L>) {
        self.seen += 1;
        self.waiting.insert(number, run);
        while let Some(run) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.count(run);
        }
    }

    fn count(&mut self, run: Run<L>) {
        if self.over {
            return;
        }
        self.over = self.until_fail && run.failed.is_some();
        self.tally.add(run);
    }

    /// After an interruption some numbers are missing; what came after them counts too.
    fn finish(mut self) -> Result<Tally<L>, RunnerError> {
        for (_, run) in std::mem::take(&mut self.waiting) {
            self.count(run);
        }
        self.error.map_or(Ok(self.tally), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Meeting;
    use crate::tally::tests::failing;
    use crate::watch::Unwatched;
    use crate::{Diagnosis, Ending};
    use hobgoblin_core::Level;
    use std::time::Duration;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn passing(number: u32) -> Run<()> {
        let meeting = Meeting::default();
        Run { behaviour: u64::from(number % 5), refused: 0, meeting, failed: None }
    }

    fn fails_at(which: &[u32]) -> impl Fn(u32) -> Result<Option<Run<()>>, RunnerError> + Sync {
        move |number| {
            // Later runs are faster than earlier ones.
            std::thread::sleep(Duration::from_micros(u64::from(20 - number % 20) * 100));
            Ok(Some(match which.contains(&number) {
                true => failing(number + 1, 3, Diagnosis::Serializable, Ending::Exit(1)),
                false => passing(number),
            }))
        }
    }

    #[test]
    fn the_first_failure_is_the_same_however_many_run_at_once() {
        for jobs in [1, 2, 8] {
            let limit = Limit { runs: Some(60), deadline: None, until_fail: true };
            let (tally, ended) = series(limit, jobs, &NEVER, &Unwatched, fails_at(&[33, 31, 35]))
                .expect("every run is made");
            let report = tally.report(Level::RC, ended);
            assert_eq!((report.runs, report.failures, report.ended), (32, 1, Ended::Failure));
            assert_eq!(report.first_failing_seed, Some(132), "{jobs}");
        }
    }

    #[test]
    fn runs_and_time_end_a_series() {
        let limit = Limit { runs: Some(50), deadline: None, until_fail: false };
        let (tally, ended) = series(limit, 4, &NEVER, &Unwatched, fails_at(&[7, 9])).expect("made");
        let report = tally.report(Level::RC, ended);
        assert_eq!((report.runs, report.failures, report.ended), (50, 2, Ended::Runs));
        let deadline = Some(Instant::now() + Duration::from_millis(500));
        let limit = Limit { runs: None, deadline, until_fail: true };
        let (tally, ended) = series(limit, 2, &NEVER, &Unwatched, fails_at(&[])).expect("made");
        let report = tally.report(Level::RC, ended);
        assert_eq!(report.ended, Ended::Time);
        assert!(report.runs > 5, "{}", report.runs);
    }

    #[test]
    fn an_interruption_loses_only_what_was_under_way() {
        let stop = AtomicBool::new(false);
        let run = |number| {
            if number == 10 {
                stop.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            Ok(Some(passing(number)))
        };
        let limit = Limit { runs: Some(1000), deadline: None, until_fail: false };
        let (tally, ended) = series(limit, 1, &stop, &Unwatched, run).expect("made");
        let report = tally.report(Level::RC, ended);
        assert_eq!((report.runs, report.ended), (10, Ended::Interrupted));
    }

    #[test]
    fn an_error_ends_it() {
        let run = |number| match number {
            5.. => Err(RunnerError::Store("full".into())),
            _ => Ok(Some(passing(number))),
        };
        let limit = Limit { runs: Some(1_000_000), deadline: None, until_fail: false };
        let error = series(limit, 3, &NEVER, &Unwatched, run).expect_err("it is told");
        assert_eq!(error.to_string(), "full");
    }
}
