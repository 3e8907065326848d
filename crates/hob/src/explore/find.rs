//! `--find-level`: the weakest level at which all assertions hold.
//!
//! A stronger level has fewer histories, so what no history of a level breaks none of a stronger one does:
//! those above a level that holds are not explored. An assertion that something `exists` is the other way
//! round, and makes every level be looked at.

use hobgoblin_core::Level;
use hobgoblin_explore::Quantifier;
use serde::Serialize;

use super::doubt::Doubt;
use super::report::{About, AssertionReport, Counts, assertions};
use super::session::Session;
use super::tally::Verdict;
use crate::diagnostic::Failure;
use crate::exit::Exit;

/// The levels that can be explored, weakest first.
fn levels() -> Vec<Level> {
    Level::ALL.into_iter().filter(|level| level.is_usual()).collect()
}

/// What every level came to.
#[derive(Debug, Serialize)]
pub(super) struct FoundLevel {
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) levels: Vec<LevelReport>,
    /// The weakest levels at which all assertions hold: none of them implies another.
    pub(super) weakest: Vec<&'static str>,
    /// Whether every level that matters was explored to the end.
    pub(super) complete: bool,
}

/// What a level came to.
#[derive(Debug, Serialize)]
pub(super) struct LevelReport {
    #[serde(skip)]
    pub(super) known: Level,
    pub(super) level: &'static str,
    pub(super) verdict: Verdict,
    /// The weaker level whose answer this one follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) implied_by: Option<&'static str>,
    /// How much was explored until an assertion was broken, or all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explored: Option<Counts>,
    /// Why what is not broken is not proved either.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<Doubt>,
    /// The assertions that are broken, or, where none is, unknown.
    pub(super) broken: Vec<AssertionReport>,
}

impl FoundLevel {
    pub(super) fn exit(&self) -> Exit {
        match (self.complete, self.weakest.is_empty()) {
            (false, _) => Exit::Unknown,
            (true, true) => Exit::Violation,
            (true, false) => Exit::Holds,
        }
    }
}

/// Explores levels from the weakest up.
pub(super) fn find(session: &Session<'_>) -> Result<FoundLevel, Failure> {
    let asserted = &session.loaded.assertions;
    let monotone = asserted.iter().all(|one| one.quantifier != Quantifier::Exists);
    let mut levels: Vec<LevelReport> = Vec::new();
    for level in self::levels() {
        if session.interrupted() {
            break;
        }
        let below = levels.iter().find(|report| {
            monotone && report.verdict == Verdict::Holds && level.implies(report.known)
        });
        let report = match below {
            Some(below) => LevelReport {
                known: level,
                level: level.name(),
                verdict: Verdict::Holds,
                implied_by: Some(below.implied_by.unwrap_or(below.level)),
                explored: None,
                doubts: Vec::new(),
                broken: Vec::new(),
            },
            None => explore(session, level)?,
        };
        levels.push(report);
    }
    let held: Vec<Level> = levels
        .iter()
        .filter(|report| report.verdict == Verdict::Holds)
        .map(|report| report.known)
        .collect();
    let weakest = |level: &&Level| !held.iter().any(|h| h != *level && level.implies(*h));
    // A level in doubt between those that are broken and those that hold may be the weakest.
    let decided = levels.iter().all(|report| report.verdict != Verdict::Unknown);
    Ok(FoundLevel {
        about: About::of(session.loaded),
        weakest: held.iter().filter(weakest).map(|level| level.name()).collect(),
        complete: decided && levels.len() == self::levels().len(),
        levels,
    })
}

fn explore(session: &Session<'_>, level: Level) -> Result<LevelReport, Failure> {
    let explored = session.until_broken(level)?;
    let all = assertions(session.loaded, &explored);
    let worst = [Verdict::Broken, Verdict::Unknown]
        .into_iter()
        .find(|verdict| all.iter().any(|report| report.verdict == *verdict));
    // Without assertions, an exploration that stopped still says nothing.
    let verdict = match worst {
        None if !explored.found.complete => Verdict::Unknown,
        worst => worst.unwrap_or(Verdict::Holds),
    };
    Ok(LevelReport {
        known: level,
        level: level.name(),
        verdict,
        implied_by: None,
        explored: Some(Counts::of(&explored.found)),
        doubts: Doubt::all(&explored.found.meetings),
        broken: all.into_iter().filter(|report| Some(report.verdict) == worst).collect(),
    })
}
