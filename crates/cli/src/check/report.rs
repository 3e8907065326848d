//! What is found out about a file, without the history: names instead of ids.

use hobgoblin_check::report::{ExecutionTable, WitnessReport};
use hobgoblin_core::Level;
use hobgoblin_report::{Anomaly, Table};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::question::Levels;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// The answers for a file, or why there are none. Serialized, it is a line of `--json`, which
/// docs/check.schema.json describes.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<&'static str>,
    #[serde(flatten)]
    pub(crate) size: Option<Size>,
    /// The transactions that are init, written out in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) initial_transactions: Vec<String>,
    /// The semantics of the levels, where it is not the axiomatic one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) semantics: Option<&'static str>,
    #[serde(serialize_with = "by_name")]
    pub(crate) levels: Vec<LevelReport>,
    /// The strongest of the levels asked for that hold.
    pub(crate) strongest: Vec<&'static str>,
    /// What else is worth knowing, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    /// With `--execution`: its states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution: Option<ExecutionTable>,
    /// With `--verify`: whether all certificates were accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verified: Option<bool>,
    /// With `--timing`: how long reading took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "error")]
    pub(crate) error: Option<Diagnostic>,
    /// The transactions, for a page.
    #[serde(skip)]
    pub(crate) table: Option<Table>,
}

/// How much there is in a history.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Size {
    pub(crate) sessions: usize,
    pub(crate) transactions: usize,
    pub(crate) events: usize,
}

/// The answer for a level.
#[derive(Debug, Serialize)]
pub(crate) struct LevelReport {
    /// None for each transaction's own.
    #[serde(skip)]
    pub(crate) level: Option<Level>,
    pub(crate) verdict: Outcome,
    /// The level whose answer this one follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) implied_by: Option<&'static str>,
    /// Why the answer is unknown, or why a given execution fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) witness: Option<WitnessReport>,
    /// The explanation for people, where wanted.
    #[serde(skip)]
    pub(crate) text: Option<String>,
    /// The graph for Graphviz, where wanted.
    #[serde(skip)]
    pub(crate) dot: Option<String>,
    /// What a page shows of it, where wanted.
    #[serde(skip)]
    pub(crate) shown: Option<Box<Anomaly>>,
    /// With `--timing`: how long it took, if it was looked at by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Holds,
    Violated,
    Unknown,
}

impl Report {
    /// A file that could not be checked.
    pub(crate) fn failed(file: &str, error: Diagnostic) -> Report {
        Report { file: file.to_owned(), error: Some(error), ..Report::default() }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every name is text and every number finite")
    }

    /// What this file alone would end the program with.
    pub(crate) fn exit(&self, levels: &Levels) -> Exit {
        let of = |answer: &LevelReport| match answer.verdict {
            Outcome::Holds => Exit::Holds,
            Outcome::Violated => Exit::Violation,
            Outcome::Unknown => Exit::Unknown,
        };
        let deciding = self.levels.iter().filter(|answer| levels.decides(answer.level));
        let error = if self.error.is_some() { Exit::Error } else { Exit::Holds };
        deciding.map(of).max().unwrap_or(Exit::Holds).max(error)
    }

    /// The answers that say "violated", weakest level first.
    pub(crate) fn violations(&self) -> impl Iterator<Item = &LevelReport> {
        self.levels.iter().filter(|answer| answer.verdict == Outcome::Violated)
    }

    /// Fills in the strongest of the levels that hold: those that no other one implies.
    pub(crate) fn find_strongest(&mut self) {
        let holds = |answer: &&LevelReport| answer.verdict == Outcome::Holds;
        let held: Vec<Level> =
            self.levels.iter().filter(holds).filter_map(|answer| answer.level).collect();
        let strongest = |level: &&Level| !held.iter().any(|h| h != *level && h.implies(**level));
        self.strongest = held.iter().filter(strongest).map(|level| level.name()).collect();
    }

    /// The graph of the first violation.
    pub(crate) fn dot(&self) -> Option<String> {
        self.violations().find_map(|answer| answer.dot.clone())
    }
}

impl LevelReport {
    /// A level that holds, until something else is said.
    pub(crate) fn new(level: Level) -> LevelReport {
        LevelReport {
            level: Some(level),
            verdict: Outcome::Holds,
            implied_by: None,
            reason: None,
            witness: None,
            text: None,
            dot: None,
            shown: None,
            seconds: None,
        }
    }

    /// This answer alone, as a line of `--json`.
    pub(crate) fn to_json(&self, file: &str) -> String {
        let levels = std::collections::BTreeMap::from([(self.name(), self)]);
        serde_json::json!({ "file": file, "levels": levels, "strongest": [] }).to_string()
    }

    /// The short name of the level.
    pub(crate) fn name(&self) -> &'static str {
        self.level.map_or("mixed", Level::name)
    }

    /// The name in words.
    pub(crate) fn title(&self) -> &'static str {
        self.level.map_or("each transaction's own level", |level| level.info().title)
    }
}

fn by_name<S: Serializer>(levels: &[LevelReport], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(levels.len()))?;
    for answer in levels {
        map.serialize_entry(answer.name(), answer)?;
    }
    map.end()
}

/// The file is said before.
fn error<S: Serializer>(error: &Option<Diagnostic>, serializer: S) -> Result<S::Ok, S::Error> {
    let error = error.as_ref().map(|error| Diagnostic { file: None, ..error.clone() });
    error.serialize(serializer)
}
