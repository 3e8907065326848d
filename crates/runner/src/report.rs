//! What the runs came to, as data: `--json` prints it as docs/test.schema.json describes it.
//!
//! There is no clock in it: the same runs give the same bytes.

use std::path::PathBuf;

use hobgoblin_core::Level;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::diagnosis::{Diagnosis, Finding};
use crate::process::{Ending, Output};
use crate::statistics::Rate;

/// What a number of runs at some levels came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The seed of the first run of every level.
    pub seed: u64,
    /// The runs without weak isolation.
    pub baseline: Baseline,
    /// The levels, in the order they were run.
    pub levels: Vec<LevelReport>,
    /// The weakest levels at which nothing failed, nor at a stronger one, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_names")]
    pub weakest_passing: Option<Vec<Level>>,
    /// Whether somebody stopped it before its end.
    pub interrupted: bool,
}

/// The runs at SER that come first.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Baseline {
    /// How many there were.
    pub runs: u32,
    /// How many failed: the test fails without weak isolation.
    pub failures: u32,
    /// One that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<FailureReport>>,
}

/// What the runs at a level came to.
#[derive(Clone, Debug, Serialize)]
pub struct LevelReport {
    /// The level.
    #[serde(serialize_with = "name")]
    pub level: Level,
    /// How many runs there were.
    pub runs: u32,
    /// How many failed, hangs included.
    pub failures: u32,
    /// How many of those did not end in time.
    pub hangs: u32,
    /// The smallest seed that failed.
    pub first_failing_seed: Option<u64>,
    /// The share of failing runs.
    #[serde(serialize_with = "rate")]
    pub rate: Rate,
    /// How differently the runs behaved.
    pub behaviours: BehaviourReport,
    /// How many transactions the stores refused.
    pub refused: u64,
    /// Why the runs ended.
    pub ended: Ended,
    /// What the failing runs show, most frequent first.
    pub anomalies: Vec<AnomalyCount>,
    /// The failing run with the smallest history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<FailureReport>>,
}

/// Why the runs at a level ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// All were made.
    Runs,
    /// One failed.
    Failure,
    /// The time was over.
    Time,
    /// Somebody asked to stop.
    Interrupted,
}

/// How differently runs behaved.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BehaviourReport {
    /// How many behaviours were seen.
    pub distinct: u32,
    /// The chance that one more run shows a new one.
    pub chance_of_new: f64,
    /// A lower estimate of how many were not seen.
    pub unseen: f64,
}

/// How many failing runs show an anomaly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnomalyCount {
    /// Its name for machines; `none` and `undecided` are no anomalies.
    pub anomaly: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How many runs.
    pub runs: u32,
    /// The seed of one of them.
    pub seed: u64,
}

/// A failing run.
#[derive(Clone, Debug, Serialize)]
pub struct FailureReport {
    /// Its number among those of its level, from 1.
    pub run: u32,
    /// Its seed.
    pub seed: u64,
    /// How the command ended.
    #[serde(serialize_with = "shown")]
    pub ending: Ending,
    /// How many transactions its store refused.
    pub refused: u64,
    /// How many events its history has.
    pub events: usize,
    /// What its history shows.
    #[serde(serialize_with = "diagnosis")]
    pub diagnosis: Diagnosis,
    /// The end of what it printed.
    #[serde(serialize_with = "text")]
    pub output: Output,
    /// Where its log is, for a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// Where its history is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<PathBuf>,
}

/// What a replay came to.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// The log.
    pub file: PathBuf,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The level.
    #[serde(serialize_with = "name")]
    pub level: Level,
    /// The seed.
    pub seed: u64,
    /// How often the run was made: again while it left the log.
    pub tries: u32,
    /// How the command ended.
    #[serde(serialize_with = "shown")]
    pub ending: Ending,
    /// Where the program did something else than the log says.
    pub divergence: Option<String>,
    /// What differed from the log without leaving it.
    pub differences: DifferenceReport,
    /// The run, if it failed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<FailureReport>>,
}

/// How a replayed run differed from its log: in values of statements, and so perhaps in rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DifferenceReport {
    /// How many statements did.
    pub count: usize,
    /// The first few, in words.
    pub first: Vec<String>,
}

impl Report {
    /// Whether a run at some level failed.
    pub fn failed(&self) -> bool {
        self.levels.iter().any(|level| level.failures > 0)
    }

    /// Fills in the weakest levels at which nothing failed. What a stronger level allows the weaker ones
    /// do, so a level with a failure above it does not count, however lucky its own runs were.
    pub fn find_weakest(&mut self) {
        let failed = |level: Level| {
            self.levels.iter().any(|report| report.failures > 0 && report.level.implies(level))
        };
        let ran = self.levels.iter().filter(|report| report.runs > 0).map(|report| report.level);
        let passing: Vec<Level> = ran.filter(|&level| !failed(level)).collect();
        let weaker =
            |level: Level| passing.iter().any(|&other| other != level && level.implies(other));
        let weakest = passing.iter().copied().filter(|&level| !weaker(level)).collect();
        self.weakest_passing = Some(weakest);
    }
}

fn name<S: Serializer>(level: &Level, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(level.name())
}

fn optional_names<S: Serializer>(levels: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(levels.iter().flatten().map(|level| level.name()))
}

fn shown<S: Serializer>(value: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn text<S: Serializer>(output: &Output, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&output.text)
}

fn rate<S: Serializer>(rate: &Rate, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(3))?;
    for (name, value) in [("seen", rate.seen), ("low", rate.low), ("high", rate.high)] {
        map.serialize_entry(name, &value)?;
    }
    map.end()
}

fn diagnosis<S: Serializer>(diagnosis: &Diagnosis, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("anomaly", diagnosis.code())?;
    map.serialize_entry("title", diagnosis.title())?;
    match diagnosis {
        Diagnosis::Serializable => {}
        Diagnosis::Undecided(reason) => map.serialize_entry("reason", reason)?,
        Diagnosis::Anomaly(finding) => {
            let Finding { level, transactions, keys, sentences, .. } = &**finding;
            map.serialize_entry("violates", level.name())?;
            map.serialize_entry("transactions", transactions)?;
            map.serialize_entry("keys", keys)?;
            map.serialize_entry("explanation", sentences)?;
        }
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;

    fn weakest(failing: &[Level]) -> Vec<Level> {
        let level = |level: Level| {
            let mut report = Tally::<()>::default().report(level, Ended::Runs);
            report.runs = 10;
            report.failures = u32::from(failing.contains(&level));
            report
        };
        let levels = (Level::ALL[1..8]).iter().map(|&of| level(of)).collect();
        let mut report = Report {
            command: Vec::new(),
            seed: 0,
            baseline: Baseline::default(),
            levels,
            weakest_passing: None,
            interrupted: false,
        };
        report.find_weakest();
        report.weakest_passing.expect("it was asked for")
    }

    #[test]
    fn the_weakest_passing_level_has_no_failure_above_it() {
        use Level::*;
        for (failing, expected) in [
            (vec![], vec![RC]),
            (vec![RC], vec![RA]),
            (vec![RC, CC], vec![PC, PSI]),
            (vec![RC, RA, CC, PC], vec![PSI]),
            (vec![PSI], vec![PC]),
            (vec![SER], vec![]),
        ] {
            assert_eq!(weakest(&failing), expected, "{failing:?}");
        }
    }
}
