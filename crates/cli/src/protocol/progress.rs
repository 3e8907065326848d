//! How far a search is, on standard error, if that is a terminal and it takes long.

use std::time::{Duration, Instant};

use hobgoblin_protocol::Progress;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::style::draws_on_stderr;

/// Shorter searches show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line with the number of states so far, and how fast it goes.
#[derive(Debug)]
pub(super) struct Bar {
    bar: ProgressBar,
    start: Instant,
    terminal: bool,
}

impl Bar {
    pub(super) fn new(name: &'static str) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{spinner} {prefix} {wide_msg} {elapsed}";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is right"));
        bar.set_prefix(name);
        Bar { bar, start: Instant::now(), terminal: draws_on_stderr() }
    }

    /// Shows how far it is.
    pub(super) fn show(&self, progress: Progress) {
        let elapsed = self.start.elapsed();
        if !self.terminal || elapsed < PATIENCE {
            return;
        }
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        let rate = (progress.states as f64 / elapsed.as_secs_f64()) as u64;
        self.bar.set_message(format!(
            "{} states, {} to expand, depth {}, {} a second",
            HumanCount(progress.states as u64),
            HumanCount(progress.waiting as u64),
            progress.depth,
            HumanCount(rate),
        ));
    }

    /// Removes the line.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
