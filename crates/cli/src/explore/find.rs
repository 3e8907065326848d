//! `--find-level`: the weakest level at which all assertions hold, as `--json` prints it.

use hobgoblin_core::Level;
use hobgoblin_explore::{AssertionVerdict, LevelAnswer, Why, find_level};
use serde::Serialize;

use super::doubt::Doubt;
use super::report::{About, AssertionReport, Counts, assertions};
use super::session::Session;
use crate::diagnostic::Failure;
use crate::exit::Exit;

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
    pub(super) verdict: AssertionVerdict,
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

/// Asks levels from the weakest up.
pub(super) fn find(session: &Session<'_>) -> Result<FoundLevel, Failure> {
    let loaded = session.loaded;
    let found = find_level(&loaded.assertions, |level| {
        if session.interrupted() {
            return Ok(None);
        }
        session.until_broken(level).map(|explored| Some(explored.assessed))
    })?;
    Ok(FoundLevel {
        about: About::of(loaded),
        levels: found.levels.iter().map(|answer| LevelReport::of(session, answer)).collect(),
        weakest: found.weakest.into_iter().map(Level::name).collect(),
        complete: found.complete,
    })
}

impl LevelReport {
    fn of(session: &Session<'_>, answer: &LevelAnswer) -> LevelReport {
        let report = LevelReport {
            known: answer.level,
            level: answer.level.name(),
            verdict: answer.verdict,
            implied_by: None,
            explored: None,
            doubts: Vec::new(),
            broken: Vec::new(),
        };
        match &answer.why {
            Why::Implied(by) => LevelReport { implied_by: Some(by.name()), ..report },
            Why::Explored(assessed) => {
                let all = assertions(session.loaded, assessed).into_iter();
                let worst = |one: &AssertionReport| {
                    one.verdict == answer.verdict && one.verdict != AssertionVerdict::Holds
                };
                LevelReport {
                    explored: Some(Counts::of(&assessed.found)),
                    doubts: Doubt::all(&assessed.found.meetings),
                    broken: all.filter(worst).collect(),
                    ..report
                }
            }
        }
    }
}
