//! Explores a program and says which of its assertions hold.

use serde::Serialize;

use crate::assertion::{Assertion, Quantifier};
use crate::checkpoint::Checkpoint;
use crate::end::End;
use crate::error::ExploreError;
use crate::explorer::resume;
use crate::found::{Found, Progress, Stopped};
use crate::options::{Mode, Options};
use crate::program::Program;
use crate::tally::{Count, Tally};
use crate::watch::Watch;

/// What an exploration found, and what the ends did to assertions.
#[derive(Clone, Debug)]
pub struct Assessed {
    /// What was found.
    pub found: Found,
    /// For each assertion, the ends that break it; those that show it, for `exists`.
    pub counts: Vec<Count>,
    /// What is left, if it stopped early and can go on.
    pub left: Option<Checkpoint>,
}

/// What an assertion came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AssertionVerdict {
    /// No history breaks it.
    Holds,
    /// A history breaks it; for `exists`, none shows it.
    Broken,
    /// Not all histories were explored, or what was found is doubtful.
    Unknown,
}

impl AssertionVerdict {
    /// What so many ends that break an assertion (or show it, for `exists`) mean, if those found are
    /// all that a database has, or only some.
    fn of(assertion: &Assertion, count: &Count, all: bool) -> AssertionVerdict {
        match (assertion.quantifier, count.sure()) {
            (Quantifier::Exists, 1..) => AssertionVerdict::Holds,
            (Quantifier::Always | Quantifier::Never, 1..) => AssertionVerdict::Broken,
            (_, 0) if !all || count.doubtful > 0 => AssertionVerdict::Unknown,
            (Quantifier::Exists, 0) => AssertionVerdict::Broken,
            (Quantifier::Always | Quantifier::Never, 0) => AssertionVerdict::Holds,
        }
    }
}

impl Assessed {
    /// What each assertion came to; those that were assessed, in their order.
    pub fn verdicts(&self, assertions: &[Assertion]) -> Vec<AssertionVerdict> {
        let all = self.found.complete && self.found.meetings.is_empty();
        let pairs = assertions.iter().zip(&self.counts);
        pairs.map(|(assertion, count)| AssertionVerdict::of(assertion, count, all)).collect()
    }

    /// Whether some end broke an assertion.
    fn broken(&self, assertions: &[Assertion]) -> bool {
        let mut pairs = assertions.iter().zip(&self.counts);
        pairs.any(|(one, count)| one.quantifier != Quantifier::Exists && count.sure() > 0)
    }
}

/// Explores a program, or what a checkpoint has left of it, and evaluates assertions at every end. A checkpoint
/// comes with what was counted before it.
pub fn assess(
    program: &Program,
    assertions: &[Assertion],
    options: &Options,
    from: Option<(&Checkpoint, Vec<Count>)>,
    watch: &dyn Watch,
) -> Result<Assessed, ExploreError> {
    let (checkpoint, counts) = from.unzip();
    let tally = Tally::new(program, assertions, counts.unwrap_or_default());
    let (found, left) = resume(program, options, checkpoint, &Assessor { tally: &tally, watch })?;
    Ok(Assessed { found, counts: tally.into_counts()?, left })
}

/// The same, but not much further than to where assertions are broken.
///
/// Where that is must not depend on who is first, so the beginning is one thread's.
pub fn assess_until_broken(
    program: &Program,
    assertions: &[Assertion],
    options: &Options,
    watch: &dyn Watch,
) -> Result<Assessed, ExploreError> {
    const BEGINNING: u64 = 10_000;
    if options.mode != Mode::Histories {
        return assess(program, assertions, options, None, watch);
    }
    let most = options.max.unwrap_or(u64::MAX);
    let beginning = Options { max: Some(most.min(BEGINNING)), threads: 1, ..options.clone() };
    let first = assess(program, assertions, &beginning, None, watch)?;
    let at_end = first.found.stopped != Some(Stopped::Max) || most <= BEGINNING;
    if at_end || first.broken(assertions) {
        return Ok(first);
    }
    let rest = Options { max: options.max.map(|max| max - BEGINNING), ..options.clone() };
    let from = first.left.as_ref().map(|left| (left, first.counts));
    assess(program, assertions, &rest, from, watch)
}

/// Evaluates assertions while somebody else watches.
struct Assessor<'a> {
    tally: &'a Tally<'a>,
    watch: &'a dyn Watch,
}

impl Watch for Assessor<'_> {
    fn end(&self, end: &End<'_>) {
        self.tally.end(end);
        self.watch.end(end);
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
    }

    fn stop(&self) -> bool {
        self.watch.stop() || self.tally.failed()
    }
}
