//! How far an exploration is, on standard error, if that is a terminal and it takes long.

use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_explore::Progress;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::style::draws_on_stderr;

/// Shorter explorations show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line with the number of ends so far, about how many there are, and how long that will take.
#[derive(Debug)]
pub(super) struct Bar {
    bar: ProgressBar,
    start: Instant,
    max: Option<u64>,
    /// Histories and ends that an earlier run had found.
    before: (u64, u64),
    terminal: bool,
}

impl Bar {
    pub(super) fn new(level: Level, max: Option<u64>, before: (u64, u64)) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{spinner} {prefix} {bar:20} {wide_msg} {elapsed}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is right"));
        bar.set_prefix(level.name());
        let terminal = draws_on_stderr();
        Bar { bar, start: Instant::now(), max, before, terminal }
    }

    /// Shows how far it is.
    pub(super) fn show(&self, progress: &Progress) {
        let elapsed = self.start.elapsed();
        if !self.terminal || elapsed < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        // The estimate is of what this run has before it.
        let histories = progress.found.histories.saturating_sub(self.before.0);
        let ends = progress.found.end_states.saturating_sub(self.before.1);
        let mut message = format!("{} histories", HumanCount(progress.found.histories));
        if let Some(total) = total(histories, ends, progress.estimate, self.max) {
            self.bar.set_length(total as u64);
            self.bar.set_position(ends.min(total as u64));
            message.push_str(&format!(", about {:.1} %", 100.0 * ends as f64 / total));
            if let Some(left) = left(ends, total, elapsed) {
                message.push_str(&format!(", {} left", shown(left)));
            }
        }
        self.bar.set_message(message);
    }

    /// Removes the line.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// About how many ends will have been found when it stops. An estimate that is exceeded says nothing.
fn total(histories: u64, ends: u64, estimate: Option<f64>, max: Option<u64>) -> Option<f64> {
    // Of the ends, so many are histories; that many more are needed for the most allowed.
    let share = histories.max(1) as f64 / ends.max(1) as f64;
    let most = max.map(|max| max as f64 / share);
    let estimate = estimate.filter(|&estimate| estimate > ends as f64);
    match (estimate, most) {
        (Some(estimate), Some(most)) => Some(estimate.min(most)),
        (estimate, most) => estimate.or(most),
    }
}

/// How long the rest takes if it goes on like this.
fn left(done: u64, total: f64, elapsed: Duration) -> Option<Duration> {
    let rest = total / done.max(1) as f64 - 1.0;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * rest).ok()
}

/// `40 s`, `12 min`, `3 h`.
fn shown(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6_000 => format!("{} min", seconds / 60),
        seconds @ 6_000..360_000 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_estimated_or_given() {
        for (estimate, max, expected) in [
            (None, None, None),
            (Some(100.0), None, Some(100.0)),
            (Some(100.0), Some(30), Some(60.0)),
            (None, Some(30), Some(60.0)),
            (Some(5.0), None, None),
            (Some(5.0), Some(30), Some(60.0)),
        ] {
            assert_eq!(total(10, 20, estimate, max), expected, "{estimate:?} {max:?}");
        }
    }

    #[test]
    fn the_rest_takes_as_long_as_the_beginning() {
        let ten = Duration::from_secs(10);
        assert_eq!(left(25, 100.0, ten), Some(Duration::from_secs(30)));
        assert_eq!(left(0, f64::INFINITY, ten), None);
        for (seconds, text) in [(5, "5 s"), (200, "3 min"), (7_300, "2 h"), (999_999, "11 days")] {
            assert_eq!(shown(Duration::from_secs(seconds)), text);
        }
    }
}
