//! What the runs came to, as data: `--json` prints it as docs/test.schema.json describes it.
//!
//! There is no clock in it: the same runs give the same bytes.

use std::path::PathBuf;

use hobgoblin_core::Level;
use hobgoblin_store::{Policy, Schedule};
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
    /// Where the data came from, if a file keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<SetupReport>,
    /// In which order stores serve held requests, with the number of steps that the baseline showed.
    #[serde(serialize_with = "shown")]
    pub schedule: Schedule,
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

/// Where the data of the runs came from, where a file keeps it.
#[derive(Clone, Debug, Serialize)]
pub struct SetupReport {
    /// The file that keeps what the setup left.
    pub file: PathBuf,
    /// Whether the data came from there; else the setup was run, and the file written.
    pub cached: bool,
    /// Why the file that was there did not do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The runs that come first: transactions one at a time, and every read of the newest version.
#[derive(Clone, Debug, Serialize)]
pub struct Baseline {
    /// The level, which plays no part while transactions do not overlap.
    #[serde(serialize_with = "name")]
    pub level: Level,
    /// How many there were.
    pub runs: u32,
    /// How many of the runs failed.
    pub failures: u32,
    /// How many of those failed although no transaction was refused and their histories are serializable:
    /// the test fails without weak isolation.
    pub own_failures: u32,
    /// How many transactions the stores refused.
    pub refused: u64,
    /// How many runs did not let their transactions come one at a time.
    pub overlapped: u32,
    /// Why the first of those did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<String>,
    /// A run without weak isolation that failed all the same, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<FailureReport>>,
}

/// What the runs at a level came to.
#[derive(Clone, Debug, Serialize)]
pub struct LevelReport {
    /// The level of the store in these runs.
    #[serde(serialize_with = "name")]
    pub level: Level,
    /// The level that their histories are checked as, if that is another one: REPEATABLE READ of InnoDB lets updates be lost.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_name")]
    pub checked_as: Option<Level>,
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
    /// How many runs used their store.
    pub used: u32,
    /// In how many runs two transactions overlapped, or a read had more than one version to choose from:
    /// in the others nothing can go wrong.
    pub overlapped: u32,
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
    /// All runs that were asked for have been made.
    Runs,
    /// A run failed, and the plan ends with the first failure.
    Failure,
    /// The time was over.
    Time,
    /// The user asked to stop.
    Interrupted,
}

/// How differently runs behaved.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BehaviourReport {
    /// How many behaviours were seen.
    pub distinct: u32,
    /// The chance that one more run shows a new one, estimated.
    pub chance_of_new: f64,
    /// What that chance is not above, with 95 % confidence.
    pub chance_of_new_high: f64,
    /// A lower estimate of how many were not seen; none if every run behaved differently.
    pub unseen: Option<f64>,
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
    /// The seed of the store in that run.
    pub seed: u64,
    /// How its reads chose, if they had a choice.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_shown")]
    pub policy: Option<Policy>,
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
    /// The file of the run's log, for a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// The file of the run's history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<PathBuf>,
}

/// What a replay came to.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// The log that was followed.
    pub file: PathBuf,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The level of the store in these runs.
    #[serde(serialize_with = "name")]
    pub level: Level,
    /// The seed that the log was made with.
    pub seed: u64,
    /// How reads chose, if they had a choice; what the log has chosen stays.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_shown")]
    pub policy: Option<Policy>,
    /// The schedule of the run that the log is of.
    #[serde(serialize_with = "shown")]
    pub schedule: Schedule,
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

impl Baseline {
    /// A baseline without a run.
    pub fn none(level: Level) -> Baseline {
        Baseline {
            level,
            runs: 0,
            failures: 0,
            own_failures: 0,
            refused: 0,
            overlapped: 0,
            overlap: None,
            failure: None,
        }
    }

    /// Whether the test fails without weak isolation, so that nothing else is run.
    pub fn stops(&self) -> bool {
        self.own_failures > 0
    }
}

impl LevelReport {
    /// Whether there were runs and none used its store: nothing was tested.
    pub fn is_unused(&self) -> bool {
        self.runs > 0 && self.used == 0
    }
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
    /// How many runs there were at all levels.
    pub fn runs(&self) -> u32 {
        self.levels.iter().map(|level| level.runs).sum()
    }

    /// How many of them used their store.
    pub fn used(&self) -> u32 {
        self.levels.iter().map(|level| level.used).sum()
    }

    /// Whether in any of them something could go wrong. A level may forbid it, so one level alone does not
    /// tell.
    pub fn could_fail(&self) -> bool {
        self.levels.iter().any(|level| level.overlapped > 0)
    }

    /// Whether a run at some level failed.
    pub fn failed(&self) -> bool {
        self.levels.iter().any(|level| level.failures > 0)
    }

    /// Fills in the weakest levels at which nothing failed. What a stronger level allows the weaker ones
    /// do, so a level with a failure above it does not count, however lucky its own runs were. Where nothing
    /// could go wrong, no level does.
    pub fn find_weakest(&mut self) {
        if !self.failed() && !self.could_fail() {
            self.weakest_passing = Some(Vec::new());
            return;
        }
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

fn optional_name<S: Serializer>(level: &Option<Level>, to: S) -> Result<S::Ok, S::Error> {
    level.map(Level::name).serialize(to)
}

fn optional_names<S: Serializer>(levels: &Option<Vec<Level>>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(levels.iter().flatten().map(|level| level.name()))
}

fn shown<S: Serializer>(value: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn optional_shown<S: Serializer>(
    value: &Option<impl std::fmt::Display>,
    to: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.collect_str(value),
        None => to.serialize_none(),
    }
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
            let Finding {
                level, transactions, keys, headline, wrong, prevented, sentences, ..
            } = &**finding;
            map.serialize_entry("violates", level.name())?;
            map.serialize_entry("transactions", transactions)?;
            map.serialize_entry("keys", keys)?;
            map.serialize_entry("headline", headline)?;
            map.serialize_entry("wrong", wrong)?;
            map.serialize_entry("prevented", prevented)?;
            map.serialize_entry("explanation", sentences)?;
        }
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;

    fn weakest(failing: &[Level], met: u32) -> Vec<Level> {
        let level = |level: Level| {
            let mut report = Tally::<()>::default().report(level, Ended::Runs);
            (report.runs, report.used, report.overlapped) = (10, 10, met);
            report.failures = u32::from(failing.contains(&level));
            report
        };
        let levels = (Level::ALL[1..8]).iter().map(|&of| level(of)).collect();
        let mut report = Report {
            command: Vec::new(),
            seed: 0,
            setup: None,
            schedule: Schedule::Random,
            baseline: Baseline::none(Level::RC),
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
            assert_eq!(weakest(&failing, 3), expected, "{failing:?}");
        }
    }

    #[test]
    fn no_level_passes_where_nothing_could_go_wrong() {
        assert_eq!(weakest(&[], 0), []);
        assert_eq!(weakest(&[Level::RC], 0), [Level::RA], "a failure shows that something could");
    }
}
