//! How far the runs are, on standard error, if that is a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use hobgoblin_runner::{Phase, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for the runs of a level.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Progress { bar }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn begin(&self, phase: Phase, runs: Option<u32>) {
        let template = match runs {
            Some(_) => "{spinner} {prefix} {bar:20} {pos}/{len} {wide_msg} {elapsed}",
            None => "{spinner} {prefix} {pos} runs {wide_msg} {elapsed}",
        };
        self.bar
            .set_style(ProgressStyle::with_template(template).expect("the templates are right"));
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
        self.bar.set_message("");
    }

    fn ran(&self, failures: u32) {
        self.bar.inc(1);
        if failures > 0 {
            self.bar.set_message(format!("{failures} failed"));
        }
    }
}
