//! The other ways to find ends: states that are merged, schedules that are not reduced.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::end::End;
use crate::error::ExploreError;
use crate::found::{Found, Progress, Stopped};
use crate::schedules::{Sink, schedules};
use crate::states::{Distinct, mergeable, states};
use crate::watch::Watch;
use crate::workers;

/// Every schedule of whole transactions.
pub(crate) fn every_schedule(
    compiled: &Compiled<'_>,
    watch: &dyn Watch,
) -> Result<Found, ExploreError> {
    let mut counter = Counter::new(compiled, watch);
    let complete = schedules(compiled, &mut counter)?;
    Ok(counter.finish(complete))
}

/// Every end state.
pub(crate) fn every_state(
    compiled: &Compiled<'_>,
    watch: &dyn Watch,
) -> Result<Found, ExploreError> {
    if mergeable(compiled) {
        let mut counter = Counter::new(compiled, watch);
        let complete = states(compiled, &mut counter)?;
        return Ok(counter.finish(complete));
    }
    let distinct = OnlyNew { watch, distinct: Distinct::new(), count: AtomicU64::new(0) };
    let open = vec![Branch::default()];
    let (mut found, _) = workers::run(compiled, &distinct, open, Found::default())?;
    found.histories = distinct.count.into_inner();
    Ok(found)
}

/// Counts ends, and stops where the options say.
struct Counter<'a> {
    compiled: &'a Compiled<'a>,
    watch: &'a dyn Watch,
    found: Found,
    deadline: Option<Instant>,
    told: Instant,
}

impl<'a> Counter<'a> {
    fn new(compiled: &'a Compiled<'a>, watch: &'a dyn Watch) -> Counter<'a> {
        let now = Instant::now();
        let deadline = compiled.options.time.and_then(|time| now.checked_add(time));
        Counter { compiled, watch, found: Found::default(), deadline, told: now }
    }

    fn finish(mut self, complete: bool) -> Found {
        self.found.complete = complete;
        self.found
    }
}

impl Sink for Counter<'_> {
    fn end(&mut self, branch: Branch) -> Result<bool, ExploreError> {
        let compiled = self.compiled;
        if compiled.filters && !compiled.accepts(&branch) {
            self.found.end_states += 1;
            return Ok(true);
        }
        if compiled.options.max.is_some_and(|max| self.found.histories >= max) {
            self.found.stopped = Some(Stopped::Max);
            return Ok(false);
        }
        self.found.end_states += 1;
        self.found.histories += 1;
        self.watch.end(&End { compiled, branch: &branch });
        Ok(true)
    }

    fn step(&mut self) -> bool {
        self.found.calls += 1;
        if !self.found.calls.is_multiple_of(256) {
            return true;
        }
        let now = Instant::now();
        if now.duration_since(self.told) >= Duration::from_millis(50) {
            self.told = now;
            self.watch.progress(&Progress { found: self.found.clone(), estimate: None });
        }
        if self.watch.stop() {
            self.found.stopped = Some(Stopped::Asked);
        } else if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.found.stopped = Some(Stopped::Time);
        }
        self.found.stopped.is_none()
    }
}

/// Passes on only ends in states that none before ended in.
struct OnlyNew<'a> {
    watch: &'a dyn Watch,
    distinct: Distinct,
    count: AtomicU64,
}

impl Watch for OnlyNew<'_> {
    fn end(&self, end: &End<'_>) {
        if self.distinct.insert(end.compiled, end.branch) {
            self.count.fetch_add(1, Ordering::Relaxed);
            self.watch.end(end);
        }
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
    }

    fn stop(&self) -> bool {
        self.watch.stop()
    }
}
