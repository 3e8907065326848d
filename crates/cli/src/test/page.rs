//! `--report`: the runs of a test and what its failures show, as a page.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hobgoblin_report::{Anomaly, Block, Body, LevelRow, Page, RunRow, Runs, Standing, Table};
use hobgoblin_runner::{Diagnosis, FailureReport, LevelReport, ReplayReport, Report, told};

use super::words::quoted;
use crate::pages;
use crate::quoted::one_line;
use crate::units::counted;

/// The page of runs.
pub(super) fn of(report: &Report, all: bool, stop: &Arc<AtomicBool>) -> Page {
    let mut page = Page::new(&one_line(&report.command));
    page.command = "test".to_owned();
    page.again = Some(pages::again(Some(report.seed)));
    page.verdict = verdict(report);
    page.runs = Some(runs(report));
    for level in &report.levels {
        let before = page.anomalies.len();
        if let Some(failure) = &level.failure {
            failed(&mut page, level.level.name(), failure, all, stop);
        }
        page.levels.push(LevelRow {
            name: level.level.name().to_owned(),
            title: level.level.info().title.to_owned(),
            standing: match level.failures {
                0 if level.runs == 0 || level.overlapped == 0 => Standing::Unknown,
                0 => Standing::Holds,
                _ => Standing::Violated,
            },
            why: why(level),
            anomaly: (page.anomalies.len() > before).then_some(before),
        });
    }
    if report.interrupted {
        page.notes.push("It was interrupted; these are the runs until then.".to_owned());
    }
    page
}

/// The page of a run that was made again.
pub(super) fn of_replay(report: &ReplayReport, all: bool, stop: &Arc<AtomicBool>) -> Page {
    let mut page = Page::new("a run that was made again");
    page.command = "test".to_owned();
    page.again = Some(pages::again(None));
    match &report.failure {
        Some(failure) => {
            page.verdict = format!("It failed again: {}.", failure.ending);
            failed(&mut page, "the run", failure, all, stop);
        }
        None => page.verdict = "It did not fail this time.".to_owned(),
    }
    page
}

/// What a failing run printed, and what its history shows.
fn failed(
    page: &mut Page,
    level: &str,
    failure: &FailureReport,
    all: bool,
    stop: &Arc<AtomicBool>,
) {
    let heading = format!("What seed {} printed at {level}", failure.seed);
    page.blocks.push(Block { heading, body: Body::Text(quoted(&failure.output)) });
    let shown = failure.history.as_deref().and_then(|file| shown(file, all, stop));
    match (shown, &failure.diagnosis) {
        (Some((anomaly, table)), _) => {
            page.anomalies.push(anomaly);
            page.history.get_or_insert(table);
        }
        (None, Diagnosis::Anomaly(finding)) => {
            let anomaly = Anomaly::in_words(finding.title, &finding.text, &finding.sentences);
            page.anomalies.push(anomaly);
        }
        (None, Diagnosis::Serializable) => page.notes.push(format!(
            "At {level} the history of the failing run is serializable: the failure needs no anomaly of isolation."
        )),
        (None, Diagnosis::Undecided(why)) => {
            page.notes.push(format!("At {level} whether there is an anomaly is unknown: {why}."));
        }
    }
}

/// The anomaly of a history that was saved, and its transactions.
fn shown(file: &Path, all: bool, stop: &Arc<AtomicBool>) -> Option<(Anomaly, Table)> {
    let history = hobgoblin_format::read_path(file, None).ok()?;
    let witness = told(&history, stop)?;
    Some((Anomaly::of(&history, &witness), Table::of(&history, &[&witness], all)))
}

fn runs(report: &Report) -> Runs {
    let mut runs = Runs::default();
    for level in &report.levels {
        runs.levels.push(RunRow {
            level: level.level.name().to_owned(),
            runs: level.runs.into(),
            failures: level.failures.into(),
            interval: (level.runs > 0).then_some((level.rate.low, level.rate.high)),
            behaviours: Some(level.behaviours.distinct.into()),
            first_seed: level.first_failing_seed.map(|seed| seed.to_string()),
        });
        for count in &level.anomalies {
            match runs.anomalies.iter_mut().find(|(title, _)| *title == count.title) {
                Some((_, runs)) => *runs += u64::from(count.runs),
                None => runs.anomalies.push((count.title.to_owned(), count.runs.into())),
            }
        }
    }
    runs
}

fn why(level: &LevelReport) -> String {
    match (level.failures, level.runs) {
        (_, 0) => "no runs".to_owned(),
        (0, _) if level.overlapped == 0 => {
            "nothing could go wrong: no two transactions overlapped".to_owned()
        }
        (0, runs) => format!("none of {} failed", counted(runs, "run")),
        (failures, runs) => format!("{failures} of {} failed", counted(runs, "run")),
    }
}

fn verdict(report: &Report) -> String {
    let failed: Vec<&str> = report
        .levels
        .iter()
        .filter(|level| level.failures > 0)
        .map(|level| level.level.info().title)
        .collect();
    match (report.baseline.stops(), failed.as_slice()) {
        (true, _) => {
            "The test fails without weak isolation, so nothing can be said about it.".to_owned()
        }
        (false, []) if report.used() == 0 => {
            "No run used its store: nothing was tested.".to_owned()
        }
        (false, []) => "No run failed.".to_owned(),
        (false, titles) => format!("The test fails at {}.", titles.join(", ")),
    }
}
