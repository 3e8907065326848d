//! `--report`: a search as a page.

use hobgoblin_protocol::{Answer, Semantics};
use hobgoblin_report::{Anomaly, Block, Body, LevelRow, Page, Scene, Standing, Table};

use super::report::{Report, Violation};
use super::scene::scene;
use super::text::{conclusion, grouped, said};
use crate::pages;
use crate::units::counted;

/// The page of a search.
pub(super) fn of(report: &Report, semantics: Semantics) -> Page {
    let bug = if report.bug { ", with its bug" } else { "" };
    let mut page = Page::new(&format!("{}{bug}", report.title));
    page.command = "protocol".to_owned();
    page.again = Some(pages::again(None));
    let names = if report.symmetry { " up to names" } else { "" };
    page.verdict = format!(
        "{} {}, {}: {} states{names}, depth {}.",
        conclusion(report).1,
        counted(report.transactions, "transaction"),
        counted(report.resources, "resource"),
        grouped(report.states),
        report.depth
    );
    page.anomalies = report.violations.iter().map(of_violation).collect();
    page.levels = levels(report);
    if semantics == Semantics::State {
        page.notes
            .push("RU, RC, SI, SER and SSER are what clients can observe in states.".to_owned());
    }
    let observed = report.violations.iter().find_map(|violation| violation.history.as_ref());
    page.history = observed.map(|history| Table::of(history, &[], false));
    page
}

/// Levels, invariants and termination, with the run that breaks each.
fn levels(report: &Report) -> Vec<LevelRow> {
    let row = |name: &str, title: &str, answer: Answer| LevelRow {
        name: name.to_owned(),
        title: title.to_owned(),
        standing: match answer {
            Answer::Holds => Standing::Holds,
            Answer::Violated => Standing::Violated,
            Answer::Unknown => Standing::Unknown,
        },
        why: String::new(),
        anomaly: report.violations.iter().position(|one| one.violates.iter().any(|w| w == name)),
    };
    let levels = report.levels.iter();
    let levels = levels.map(|(level, answer)| row(level.name(), level.info().title, *answer));
    let invariants = report.invariants.iter().map(|(name, answer)| row(name, "", *answer));
    let ends = |one: &Violation| one.violates.iter().any(|w| w == "deadlock" || w == "endless");
    let termination = LevelRow {
        anomaly: report.violations.iter().position(ends),
        ..row("termination", "every transaction ends", report.termination)
    };
    levels.chain(invariants).chain([termination]).collect()
}

fn of_violation(violation: &Violation) -> Anomaly {
    let run = match violation.from {
        Some(from) => format!("The run goes round after step {from}."),
        None => String::new(),
    };
    let headline = said(violation);
    let levels = violation.violates.join(", ");
    let run_scene: Scene = scene(violation);
    let told = match &violation.told {
        Some(told) => told.clone(),
        None => {
            let why = violation.explanation.as_deref().unwrap_or_default();
            let wrong = [why, &run].join(" ");
            return Anomaly::staged(&headline, wrong.trim(), &run_scene).violating(&levels);
        }
    };
    let chart = Block { heading: "The run".to_owned(), body: Body::Text(violation.chart.clone()) };
    told.violating(&levels).beside(chart)
}
