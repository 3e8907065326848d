//! What ends do to assertions, counted while they are found.
//!
//! Ends arrive from several threads in any order, and the counterexample that is kept must not depend on
//! it: it is the one with the fewest committed transactions, of those the one with the shortest token, which
//! has the fewest external reads, and of those the one whose token comes first. An end that is doubtful
//! ([`End::is_doubtful`]) comes after all others, and breaks nothing for sure.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hobgoblin_explore::{Assertion, End, ExploreError, Outcome, Program, Quantifier};
use serde::{Deserialize, Serialize};

/// One history, by its token, and how large it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Example {
    #[serde(default)]
    pub(super) doubtful: bool,
    /// Committed transactions.
    committed: usize,
    /// Of the token.
    length: usize,
    pub(super) token: String,
}

/// How many histories there are of some kind, and the smallest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count {
    pub(super) histories: u64,
    /// How many of them are doubtful.
    #[serde(default)]
    pub(super) doubtful: u64,
    pub(super) example: Option<Example>,
}

/// A [`Count`] that several threads add to.
#[derive(Debug, Default)]
pub(super) struct Counter {
    histories: AtomicU64,
    doubtful: AtomicU64,
    example: Mutex<Option<Example>>,
}

impl Counter {
    pub(super) fn new(count: Count) -> Counter {
        Counter {
            histories: count.histories.into(),
            doubtful: count.doubtful.into(),
            example: count.example.into(),
        }
    }

    /// Counts an end.
    pub(super) fn add(&self, program: &Program, end: &End<'_>) {
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

    pub(super) fn into_count(self) -> Count {
        let example = self.example.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let (histories, doubtful) = (self.histories.into_inner(), self.doubtful.into_inner());
        Count { histories, doubtful, example }
    }
}

impl Count {
    /// The histories that are not doubtful.
    pub(super) fn sure(&self) -> u64 {
        self.histories - self.doubtful
    }
}

/// The assertions, and what the ends did to them so far.
pub(super) struct Tally<'a> {
    program: &'a Program,
    assertions: &'a [Assertion],
    /// For each assertion, the ends that break it; those that show it, for `exists`.
    counters: Vec<Counter>,
    error: Mutex<Option<ExploreError>>,
    failed: AtomicBool,
}

impl<'a> Tally<'a> {
    /// Goes on with counts, or begins.
    pub(super) fn new(
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
    pub(super) fn end(&self, end: &End<'_>) {
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
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The counts, in the order of the assertions.
    pub(super) fn into_counts(self) -> Result<Vec<Count>, ExploreError> {
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

/// What an assertion came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Holds,
    Broken,
    Unknown,
}

impl Verdict {
    /// What so many ends that break an assertion (or show it, for `exists`) mean, if those found are
    /// all that a database has, or only some.
    pub(super) fn of(assertion: &Assertion, count: &Count, all: bool) -> Verdict {
        match (assertion.quantifier, count.sure()) {
            (Quantifier::Exists, 1..) => Verdict::Holds,
            (Quantifier::Always | Quantifier::Never, 1..) => Verdict::Broken,
            (_, 0) if !all || count.doubtful > 0 => Verdict::Unknown,
            (Quantifier::Exists, 0) => Verdict::Broken,
            (Quantifier::Always | Quantifier::Never, 0) => Verdict::Holds,
        }
    }
}
