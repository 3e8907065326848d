//! Explorations of one program, watched and stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hobgoblin_core::Level;
use hobgoblin_explore::{
    Assertion, Checkpoint, End, Found, Mode, Options, Progress, Quantifier, Stopped, Watch, resume,
};

use super::checkpoint::Resumed;
use super::program::Loaded;
use super::progress::Bar;
use super::tally::{Count, Tally};
use crate::diagnostic::Failure;
use crate::test::stop_flag;

/// A program and how to explore it.
pub(super) struct Session<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) options: Options,
    /// Somebody pressed Ctrl-C.
    asked: Arc<AtomicBool>,
}

/// What an exploration came to, with what the one that it goes on with had found.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) found: Found,
    /// For each assertion, the ends that break it; those that show it, for `exists`.
    pub(super) counts: Vec<Count>,
    pub(super) left: Option<Checkpoint>,
    pub(super) seconds: f64,
}

/// Who wants to see every end.
pub(super) type Each<'a> = &'a (dyn Fn(&End<'_>) + Sync);

impl<'a> Session<'a> {
    /// Installs the handler of Ctrl-C too.
    pub(super) fn new(loaded: &'a Loaded, options: Options) -> Session<'a> {
        Session { loaded, options, asked: stop_flag() }
    }

    /// Explores, from the beginning or from where it stopped.
    pub(super) fn explore(
        &self,
        from: Option<Resumed>,
        each: Option<Each<'_>>,
    ) -> Result<Explored, Failure> {
        self.run(&self.options, from, each)
    }

    /// Explores another level.
    pub(super) fn at(&self, level: Level, each: Option<Each<'_>>) -> Result<Explored, Failure> {
        self.run(&Options { level, ..self.options.clone() }, None, each)
    }

    /// Explores another level, but not much further than to where assertions are broken.
    ///
    /// Where that is must not depend on who is first, so the beginning is one thread's.
    pub(super) fn until_broken(&self, level: Level) -> Result<Explored, Failure> {
        const BEGINNING: u64 = 10_000;
        let options = Options { level, ..self.options.clone() };
        if options.mode != Mode::Histories {
            return self.run(&options, None, None);
        }
        let most = options.max.unwrap_or(u64::MAX);
        let max = Some(most.min(BEGINNING));
        let first = self.run(&Options { max, threads: 1, ..options.clone() }, None, None)?;
        let at_end = first.found.stopped != Some(Stopped::Max) || most <= BEGINNING;
        if at_end || broken(&self.loaded.assertions, &first.counts) {
            return Ok(first);
        }
        let max = options.max.map(|max| max - BEGINNING);
        let from = first.left.map(|left| Resumed {
            histories: first.found.histories,
            end_states: first.found.end_states,
            counts: first.counts,
            seconds: first.seconds,
            left,
        });
        self.run(&Options { max, ..options }, from, None)
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn interrupted(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Stops what is going on, as Ctrl-C does.
    pub(super) fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    fn run(
        &self,
        options: &Options,
        from: Option<Resumed>,
        each: Option<Each<'_>>,
    ) -> Result<Explored, Failure> {
        let start = Instant::now();
        let Loaded { program, assertions, .. } = self.loaded;
        let (before, counts, seconds, checkpoint) = match from {
            Some(from) => {
                ((from.histories, from.end_states), from.counts, from.seconds, Some(from.left))
            }
            None => ((0, 0), Vec::new(), 0.0, None),
        };
        let tally = Tally::new(program, assertions, counts);
        let bar = Bar::new(options.level, options.max, before);
        let watcher = Watcher { asked: &self.asked, tally: &tally, bar: &bar, each };
        let result = resume(program, options, checkpoint.as_ref(), &watcher);
        bar.finish();
        let (found, left) = result.map_err(|error| self.loaded.explain(error))?;
        let counts = tally.into_counts().map_err(|error| self.loaded.explain(error))?;
        let seconds = seconds + start.elapsed().as_secs_f64();
        Ok(Explored { found, counts, left, seconds })
    }
}

/// Whether some end broke an assertion.
fn broken(assertions: &[Assertion], counts: &[Count]) -> bool {
    let mut pairs = assertions.iter().zip(counts);
    pairs.any(|(one, count)| one.quantifier != Quantifier::Exists && count.sure() > 0)
}

struct Watcher<'a> {
    asked: &'a AtomicBool,
    tally: &'a Tally<'a>,
    bar: &'a Bar,
    each: Option<Each<'a>>,
}

impl Watch for Watcher<'_> {
    fn end(&self, end: &End<'_>) {
        self.tally.end(end);
        if let Some(each) = self.each {
            each(end);
        }
    }

    fn progress(&self, progress: &Progress) {
        self.bar.show(progress);
    }

    fn stop(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.tally.failed()
    }
}
