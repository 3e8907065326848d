//! What ends do to assertions, counted while they are found.
//!
//! Ends arrive from several threads in any order, and the counterexample that is kept must not depend on
//! it: it is the one with the fewest committed transactions, of those the one with the shortest token, which
//! has the fewest external reads, and of those the one whose token comes first. An end that is doubtful
//! ([`End::is_doubtful`]) comes after all others, and breaks nothing for sure.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::assertion::{Assertion, Quantifier};
use crate::count::{Count, Example};
use crate::end::End;
use crate::error::ExploreError;
use crate::program::Program;
use crate::record::Outcome;

/// A [`Count`] that several threads add to.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    histories: AtomicU64,
    doubtful: AtomicU64,
    example: Mutex<Option<Example>>,
}

impl Counter {
    pub(crate) fn new(count: Count) -> Counter {
        Counter {
            histories: count.histories.into(),
            doubtful: count.doubtful.into(),
            example: count.example.into(),
        }
    }

    /// Counts an end.
    pub(crate) fn add(&self, program: &Program, end: &End<'_>) {
        self.histories.fetch_add(1, Ordering::Relaxed);
        let doubtful = end.is_doubtful();
        self.doubtful.fetch_add(u64::from(doubtful), Ordering::Relaxed);
        let (committed, token) = (committed(program, end), end.token());
        let example = Example { doubtful, committed, length: token.len(), token };
        let mut best = self.example.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if best.as_ref().is_none_or(|best| example < *best) {
            *best = Some(example);
        }
    }

    pub(crate) fn into_count(self) -> Count {
        let example = self.example.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (histories, doubtful) = (self.histories.into_inner(), self.doubtful.into_inner());
        Count { histories, doubtful, example }
    }
}

/// The assertions, and what the ends did to them so far.
pub(crate) struct Tally<'a> {
    program: &'a Program,
    assertions: &'a [Assertion],
    /// For each assertion, the ends that break it; those that show it, for `exists`.
    counters: Vec<Counter>,
    error: Mutex<Option<ExploreError>>,
    failed: AtomicBool,
}

impl<'a> Tally<'a> {
    /// Goes on with counts, or begins.
    pub(crate) fn new(
        program: &'a Program,
        assertions: &'a [Assertion],
        counts: Vec<Count>,
    ) -> Tally<'a> {
        let mut counters: Vec<Counter> = counts.into_iter().map(Counter::new).collect();
        counters.resize_with(assertions.len(), Counter::default);
        let (error, failed) = (Mutex::new(None), AtomicBool::new(false));
        Tally { program, assertions, counters, error, failed }
    }

    /// Evaluates the assertions at an end.
    pub(crate) fn end(&self, end: &End<'_>) {
        for (assertion, counter) in self.assertions.iter().zip(&self.counters) {
            match (assertion.holds)(end) {
                Ok(holds) if holds == (assertion.quantifier != Quantifier::Always) => {
                    counter.add(self.program, end);
                }
                Ok(_) => {}
                Err(what) => {
                    self.fail(ExploreError::Assertion { name: assertion.name.clone(), what })
                }
            }
        }
    }

    fn fail(&self, error: ExploreError) {
        let mut first = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether there is no use in going on.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The counts, in the order of the assertions.
    pub(crate) fn into_counts(self) -> Result<Vec<Count>, ExploreError> {
        match self.error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Some(error) => Err(error),
            None => Ok(self.counters.into_iter().map(Counter::into_count).collect()),
        }
    }
}

/// How many transactions of an end committed.
fn committed(program: &Program, end: &End<'_>) -> usize {
    let sessions = program.sessions().iter().enumerate();
    sessions
        .flat_map(|(s, session)| (0..session.txns.len()).map(move |t| (s, t)))
        .filter(|&(s, t)| matches!(end.outcome(s, t), Outcome::Committed(_)))
        .count()
}
