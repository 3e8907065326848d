//! Explores a program and says which of its assertions hold.

use crate::assertion::{Assertion, Quantifier};
use crate::checkpoint::Checkpoint;
use crate::count::Count;
use crate::end::End;
use crate::error::ExploreError;
use crate::explorer::resume;
use crate::found::{AssertionVerdict, Claimed, Found, Progress, Stopped};
use crate::options::{Mode, Options};
use crate::program::Program;
use crate::tally::Tally;
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

/// Explores a program and evaluates its assertions at every end.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_explore::{AssertionVerdict, End, Options, Program, describe, explore};
///
/// let increment = |t: &mut hobgoblin_explore::Transaction<'_>| {
///     let n: i64 = t.read("x")?;
///     t.write("x", n + 1)
/// };
/// let program = Program::new()
///     .init("x", 0)
///     .session("one", |s| s.txn("add", increment))
///     .session("two", |s| s.txn("add", increment))
///     .observe("x")
///     .assert_always("nothing is lost", |end| end.last(&"x".into()) == 2.into());
/// let found = explore(&program, &Options::new(Level::CC), &|_: &End<'_>| {})?;
/// let lost = found.broken().next().expect("causal consistency loses updates");
/// assert_eq!(lost.verdict, AssertionVerdict::Broken);
/// let smallest = lost.count.example.as_ref().expect("some end breaks it");
/// let report = describe(&program, &smallest.token)?;
/// assert_eq!(report.diagnosis.title, "lost update");
/// # Ok::<(), hobgoblin_explore::ExploreError>(())
/// ```
pub fn explore(
    program: &Program,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Found, ExploreError> {
    let assertions = program.assertions();
    let assessed = assess(program, assertions, options, None, watch)?;
    let verdicts = assessed.verdicts(assertions);
    let claims = assertions.iter().zip(verdicts).zip(assessed.counts);
    let claims = claims.map(|((assertion, verdict), count)| Claimed {
        name: assertion.name.clone(),
        verdict,
        count,
    });
    Ok(Found { assertions: claims.collect(), ..assessed.found })
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
