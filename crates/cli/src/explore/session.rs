//! Explorations of one program, watched and stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hobgoblin_core::Level;
use hobgoblin_explore::{
    Assessed, Checkpoint, Count, End, ExploreError, Options, Progress, Watch, assess,
    assess_until_broken,
};

use super::program::Loaded;
use super::progress::Bar;
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
    pub(super) assessed: Assessed,
    pub(super) seconds: f64,
}

/// What an earlier exploration found and left.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) histories: u64,
    pub(super) end_states: u64,
    pub(super) counts: Vec<Count>,
    pub(super) seconds: f64,
    pub(super) left: Checkpoint,
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
    pub(super) fn until_broken(&self, level: Level) -> Result<Explored, Failure> {
        let options = Options { level, ..self.options.clone() };
        let Loaded { program, assertions, .. } = self.loaded;
        self.watched(&options, (0, 0), None, |watcher| {
            assess_until_broken(program, assertions, &options, watcher)
        })
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
        let Loaded { program, assertions, .. } = self.loaded;
        let before = from.as_ref().map_or((0, 0), |from| (from.histories, from.end_states));
        let earlier = from.as_ref().map_or(0.0, |from| from.seconds);
        let explored = self.watched(options, before, each, |watcher| {
            let from = from.as_ref().map(|from| (&from.left, from.counts.clone()));
            assess(program, assertions, options, from, watcher)
        })?;
        Ok(Explored { seconds: earlier + explored.seconds, ..explored })
    }

    /// Explores with a line that shows how far it is, in which an earlier run had found so many histories and ends.
    fn watched(
        &self,
        options: &Options,
        before: (u64, u64),
        each: Option<Each<'_>>,
        explore: impl FnOnce(&dyn Watch) -> Result<Assessed, ExploreError>,
    ) -> Result<Explored, Failure> {
        let start = Instant::now();
        let bar = Bar::new(options.level, options.max, before);
        let result = explore(&Watcher { asked: &self.asked, bar: &bar, each });
        bar.finish();
        let assessed = result.map_err(|error| self.loaded.explain(error))?;
        Ok(Explored { assessed, seconds: start.elapsed().as_secs_f64() })
    }
}

struct Watcher<'a> {
    asked: &'a AtomicBool,
    bar: &'a Bar,
    each: Option<Each<'a>>,
}

impl Watch for Watcher<'_> {
    fn end(&self, end: &End<'_>) {
        if let Some(each) = self.each {
            each(end);
        }
    }

    fn progress(&self, progress: &Progress) {
        self.bar.show(progress);
    }

    fn stop(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
