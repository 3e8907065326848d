//! What a level allows that a stronger one does not.
//!
//! The weaker level is explored, and every history is checked at the stronger one. Those that violate it
//! are what the weaker level adds, grouped by the anomaly that the checker finds in them. If nothing is
//! added, the program is *robust*: it behaves at the weaker level as it does at the stronger one.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hashbrown::HashSet;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Anomaly, Level, Verdict};

use crate::count::Count;
use crate::describe::checked;
use crate::end::End;
use crate::program::Program;
use crate::tally::Counter;

/// How long the check of one history may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which level to explore, and which to check its histories at: the weaker one and the stronger one or, if neither
/// implies the other, both ways.
pub fn pairs(one: Level, two: Level) -> Vec<(Level, Level)> {
    match (one.implies(two), two.implies(one)) {
        (true, _) => vec![(two, one)],
        (_, true) => vec![(one, two)],
        _ => vec![(one, two), (two, one)],
    }
}

/// What the ends of an exploration add to another level, counted while they are found.
pub struct Comparison<'p> {
    program: &'p Program,
    /// The other level.
    against: Level,
    groups: Mutex<BTreeMap<Anomaly, Counter>>,
    undecided: AtomicU64,
    /// Results of histories that the other level allows, and of those that it forbids.
    results: Mutex<[HashSet<u128>; 2]>,
}

/// What a level adds to another.
#[derive(Clone, Debug)]
pub struct Added {
    /// The histories that the other level forbids, by the anomaly that they show.
    pub anomalies: Vec<(Anomaly, Count)>,
    /// The histories for which that could not be decided in time.
    pub undecided: u64,
    /// How many different results there are: what all transactions came to.
    pub results: usize,
    /// Those of them that only histories show which the other level forbids.
    pub added_results: usize,
}

impl<'p> Comparison<'p> {
    /// Compares the ends of a program with what a level allows.
    pub fn new(program: &'p Program, against: Level) -> Comparison<'p> {
        let (groups, undecided, results) = Default::default();
        Comparison { program, against, groups, undecided, results }
    }

    /// What was added by all ends so far.
    pub fn finish(self) -> Added {
        let [allowed, forbidden] = unpoisoned(self.results.into_inner());
        let groups = unpoisoned(self.groups.into_inner()).into_iter();
        Added {
            anomalies: groups.map(|(anomaly, count)| (anomaly, count.into_count())).collect(),
            undecided: self.undecided.into_inner(),
            results: allowed.union(&forbidden).count(),
            added_results: forbidden.difference(&allowed).count(),
        }
    }

    /// Looks at an end.
    pub fn end(&self, end: &End<'_>) {
        let (program, against) = (self.program, self.against);
        let (history, target) = checked(program, end, against);
        let verdict = check(&history, target, &Limits::time(PATIENCE));
        // Where rows come and go, what counts is what a database does that keeps them apart.
        let by_rows = end.changes_tables().then(|| end.is_allowed_by_rows(against));
        if end.is_doubtful() || by_rows == Some(false) && matches!(verdict, Verdict::Consistent(_))
        {
            self.undecided.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let forbidden = match verdict {
            Verdict::Consistent(_) => false,
            Verdict::Violation(_) if by_rows == Some(true) => false,
            Verdict::Violation(witness) => {
                let mut groups = unpoisoned(self.groups.lock());
                let counter = groups.entry(witness.anomaly).or_default();
                counter.add(program, end);
                true
            }
            Verdict::Unknown(_) => {
                self.undecided.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        let result = result(program, end);
        unpoisoned(self.results.lock())[usize::from(forbidden)].insert(result);
    }
}

/// What all transactions came to, as a number that differs where that does.
fn result(program: &Program, end: &End<'_>) -> u128 {
    let hash = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        for (s, session) in program.sessions().iter().enumerate() {
            for t in 0..session.txns.len() {
                end.outcome(s, t).hash(&mut hasher);
            }
        }
        u128::from(hasher.finish())
    };
    hash(0) << 64 | hash(1)
}

/// The lock, also where another thread panicked while it had it.
fn unpoisoned<T>(lock: Result<T, std::sync::PoisonError<T>>) -> T {
    lock.unwrap_or_else(std::sync::PoisonError::into_inner)
}
