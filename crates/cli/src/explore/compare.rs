//! `--compare`: what a level allows that a stronger one does not, as `--json` prints it.

use hobgoblin_core::{Anomaly, Level};
use hobgoblin_explore::{Count, compare};
use serde::Serialize;

use super::doubt::Doubt;
use super::report::{About, Counts};
use super::session::Session;
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;

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
    let pairs = compare::pairs(one, two).into_iter();
    let compared = pairs.map(|(weaker, stronger)| added(session, weaker, stronger));
    let compared = compared.collect::<Result<Vec<Added>, Failure>>()?;
    Ok(Comparison { about: About::of(session.loaded), compared })
}

fn added(session: &Session<'_>, level: Level, against: Level) -> Result<Added, Failure> {
    let comparison = compare::Comparison::new(&session.loaded.program, against);
    let found = session.at(level, Some(&|end| comparison.end(end)))?.assessed.found;
    let added = comparison.finish();
    let group = |(anomaly, count): (Anomaly, Count)| {
        let token = count.example.map(|example| example.token).unwrap_or_default();
        let (anomaly, title) = (anomaly.code(), anomaly.title());
        Group { anomaly, title, histories: count.histories, token }
    };
    let anomalies: Vec<Group> = added.anomalies.into_iter().map(group).collect();
    Ok(Added {
        level: level.name(),
        against: against.name(),
        counts: Counts::of(&found),
        added: anomalies.iter().map(|group| group.histories).sum(),
        undecided: added.undecided,
        results: added.results,
        added_results: added.added_results,
        anomalies,
        doubts: Doubt::all(&found.meetings),
    })
}
