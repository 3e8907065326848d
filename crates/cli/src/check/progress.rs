//! What is going on, on standard error, if that is a terminal and it takes long.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::harmless::one_line;
use crate::style::draws_on_stderr;

/// A line that shows the file and the level being looked at, and how many files are done.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Tells the thread that waits to show the line that there is no need to.
    done: Option<Sender<()>>,
}

/// Shorter checks show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

impl Progress {
    pub(crate) fn new(files: usize) -> Progress {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(files as u64), target);
        if !draws_on_stderr() {
            return Progress { bar, done: None };
        }
        let template = match files {
            0 | 1 => "{spinner} {wide_msg} {elapsed}",
            _ => "{spinner} {bar:20} {pos}/{len} {wide_msg} {elapsed}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the templates are right"));
        let (done, wait) = mpsc::channel();
        let shown = bar.clone();
        std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Progress { bar, done: Some(done) }
    }

    /// Shows what is being done.
    pub(crate) fn doing(&self, what: impl FnOnce() -> String) {
        if self.done.is_some() {
            self.bar.set_message(one_line(&what()).into_owned());
        }
    }

    /// Counts a file.
    pub(crate) fn file_done(&self) {
        self.bar.inc(1);
    }

    /// Prints something without the line in between.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub(crate) fn finish(mut self) {
        self.done = None;
        self.bar.finish_and_clear();
    }
}
