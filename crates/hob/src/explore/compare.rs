//! `--compare`: what a level allows that a stronger one does not.
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
use hobgoblin_explore::{End, Program};
use serde::Serialize;

use super::counterexample::checked;
use super::doubt::Doubt;
use super::report::{About, Counts};
use super::session::Session;
use super::tally::{Count, Counter};
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;

/// How long the check of one history may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What each of two levels adds to the other: the weaker to the stronger, or, if neither implies the other,
/// both.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) compared: Vec<Added>,
}

/// What a level adds to another.
#[derive(Debug, Serialize)]
pub(super) struct Added {
    pub(super) level: &'static str,
    pub(super) against: &'static str,
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// The histories that the other level forbids.
    pub(super) added: u64,
    /// The histories for which that could not be decided in time.
    pub(super) undecided: u64,
    /// How many different results there are: what all transactions came to.
    pub(super) results: usize,
    /// Those of them that only histories show which the other level forbids.
    pub(super) added_results: usize,
    pub(super) anomalies: Vec<Group>,
    /// Why there may be more histories than were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<Doubt>,
}

/// The histories that show one anomaly.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) anomaly: &'static str,
    pub(super) title: &'static str,
    pub(super) histories: u64,
    /// The smallest of them.
    pub(super) token: String,
}

impl Comparison {
    pub(super) fn exit(&self) -> Exit {
        let all = |added: &Added| added.counts.complete && added.doubts.is_empty();
        let of = |added: &Added| match (added.added, all(added), added.undecided) {
            (1.., _, _) => Exit::Violation,
            (0, true, 0) => Exit::Holds,
            _ => Exit::Unknown,
        };
        self.compared.iter().map(of).max().unwrap_or(Exit::Holds)
    }
}

/// Compares two levels.
pub(super) fn compare(
    session: &Session<'_>,
    one: Level,
    two: Level,
) -> Result<Comparison, Failure> {
    if one == two {
        let help = "name two levels; see `hob levels`";
        return Err(Diagnostic::new(format!("{one} is compared with itself"), help).into());
    }
    let pairs: &[(Level, Level)] = match (one.implies(two), two.implies(one)) {
        (true, _) => &[(two, one)],
        (_, true) => &[(one, two)],
        _ => &[(one, two), (two, one)],
    };
    let compared = pairs.iter().map(|&(weaker, stronger)| added(session, weaker, stronger));
    let compared = compared.collect::<Result<Vec<Added>, Failure>>()?;
    Ok(Comparison { about: About::of(session.loaded), compared })
}

/// What is found out about the histories while they are explored.
#[derive(Default)]
struct Sorted {
    groups: Mutex<BTreeMap<Anomaly, Counter>>,
    undecided: AtomicU64,
    /// Results of histories that the stronger level allows, and of those that it forbids.
    results: Mutex<[HashSet<u128>; 2]>,
}

fn added(session: &Session<'_>, level: Level, against: Level) -> Result<Added, Failure> {
    let program = &session.loaded.program;
    let sorted = Sorted::default();
    let explored = session.at(level, Some(&|end| sorted.add(program, end, against)))?;
    let [allowed, forbidden] = unpoisoned(sorted.results.into_inner());
    let groups = unpoisoned(sorted.groups.into_inner()).into_iter();
    let group = |(anomaly, counter): (Anomaly, Counter)| {
        let Count { histories, example, .. } = counter.into_count();
        let token = example.map(|example| example.token).unwrap_or_default();
        Group { anomaly: anomaly.code(), title: anomaly.title(), histories, token }
    };
    let anomalies: Vec<Group> = groups.map(group).collect();
    Ok(Added {
        level: level.name(),
        against: against.name(),
        counts: Counts::of(&explored.found),
        added: anomalies.iter().map(|group| group.histories).sum(),
        undecided: sorted.undecided.into_inner(),
        results: allowed.union(&forbidden).count(),
        added_results: forbidden.difference(&allowed).count(),
        anomalies,
        doubts: Doubt::all(&explored.found.meetings),
    })
}

impl Sorted {
    fn add(&self, program: &Program, end: &End<'_>, against: Level) {
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
