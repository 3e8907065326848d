//! How far the runs are, on standard error, if that is a terminal.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_runner::{Phase, Watch};

use super::junit::Times;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::style::draws_on_stderr;

/// A bar for the runs of a level. There is nothing to see before the first phase begins.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    shown: bool,
    /// When each phase began.
    begun: Mutex<Vec<(Phase, Instant)>>,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Progress { bar, shown: draws_on_stderr(), begun: Mutex::default() }
    }

    /// Removes the bar, and tells how long the phases took: each until the next began.
    pub(super) fn finish(self) -> Times {
        self.bar.finish_and_clear();
        let begun = self.begun.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ends = begun.iter().skip(1).map(|(_, at)| *at).chain([Instant::now()]);
        Times(begun.iter().zip(ends).map(|((phase, from), to)| (*phase, to - *from)).collect())
    }
}

impl Watch for Progress {
    fn begin(&self, phase: Phase, runs: Option<u32>) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.push((phase, Instant::now()));
        self.bar.set_style(
            ProgressStyle::with_template(template(phase, runs)).expect("they are right"),
        );
        self.bar.set_prefix(match phase {
            Phase::Setup => "setup".to_owned(),
            Phase::Baseline => "baseline".to_owned(),
            Phase::Level(level) => level.name().to_owned(),
        });
        match runs {
            Some(runs) => self.bar.set_length(runs.into()),
            None => self.bar.unset_length(),
        }
        self.bar.set_position(0);
        self.bar.set_message(failed(0));
        if self.shown && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    fn ran(&self, failures: u32) {
        self.bar.set_message(failed(failures));
        self.bar.inc(1);
    }
}

/// What there is to see of a phase.
fn template(phase: Phase, runs: Option<u32>) -> &'static str {
    match (phase, runs) {
        (Phase::Setup, _) => "{spinner} {prefix} {elapsed}",
        (Phase::Baseline | Phase::Level(_), Some(_)) => {
            "{spinner} {prefix} {bar:20} {pos}/{len} {wide_msg} {elapsed}"
        }
        (Phase::Baseline | Phase::Level(_), None) => {
            "{spinner} {prefix} {pos} runs {wide_msg} {elapsed}"
        }
    }
}

fn failed(failures: u32) -> String {
    match failures {
        0 => "none failed".to_owned(),
        some => format!("{some} failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_core::Level;

    #[test]
    fn it_begins_with_the_first_phase_and_counts_failures() {
        let progress = Progress::new();
        assert!(progress.bar.is_hidden());
        progress.begin(Phase::Level(Level::RC), Some(100));
        assert_eq!((progress.bar.position(), progress.bar.length()), (0, Some(100)));
        assert_eq!(progress.bar.message(), "none failed");
        progress.ran(0);
        progress.ran(1);
        assert_eq!((progress.bar.position(), progress.bar.message()), (2, "1 failed".to_owned()));
        for runs in [None, Some(3)] {
            for phase in [Phase::Setup, Phase::Baseline, Phase::Level(Level::SER)] {
                assert!(ProgressStyle::with_template(template(phase, runs)).is_ok());
            }
        }
    }
}
