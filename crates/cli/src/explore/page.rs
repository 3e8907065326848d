//! `--report`: an exploration, or one end of it, as a page.

use std::path::Path;

use hobgoblin_explore::{AssertionVerdict, EndReport};
use hobgoblin_report::{Anomaly, Block, Body, Page, Table};

use super::report::Report;
use crate::pages;

/// The page of an exploration: its assertions, and the smallest history that breaks each.
pub(super) fn of(report: &Report, conclusion: String, all: bool) -> Page {
    let mut page = Page::new(&report.about.file);
    page.command = "explore".to_owned();
    page.again = Some(pages::again(None));
    page.verdict = conclusion;
    let head = ["assertion", "", "verdict", "histories"].map(str::to_owned).to_vec();
    let rows = report.assertions.iter().map(|assertion| {
        vec![
            assertion.name.clone(),
            assertion.quantifier.to_owned(),
            verdict(assertion.verdict).to_owned(),
            assertion.histories.to_string(),
        ]
    });
    let body = Body::Table { head, rows: rows.collect() };
    page.blocks.push(Block { heading: "Assertions".to_owned(), body });
    for violation in &report.violations {
        let Some(end) = &violation.end else { continue };
        add(&mut page, &violation.assertion, end, all);
    }
    page
}

/// The page of one end.
pub(super) fn of_end(file: &Path, end: &EndReport, all: bool) -> Page {
    let mut page = Page::new(&file.display().to_string());
    page.command = "explore".to_owned();
    page.again = Some(pages::again(None));
    page.verdict = match end.diagnosis.anomaly {
        "none" => "This history is serializable: it needs no anomaly of isolation.".to_owned(),
        _ => format!("This history shows: {}.", end.diagnosis.title),
    };
    add(&mut page, "the end", end, all);
    page
}

/// What an end shows: its anomaly, its transactions, and how to make it again.
fn add(page: &mut Page, what: &str, end: &EndReport, all: bool) {
    let head = ["transaction", "session", "did", "returned"].map(str::to_owned).to_vec();
    let rows = end.transactions.iter().map(|txn| {
        let returned = txn.returned.as_ref().map_or(String::new(), |value| value.to_string());
        let returned = if txn.aborted { "rolled back".to_owned() } else { returned };
        vec![txn.id.clone(), txn.session.clone(), txn.events.clone(), returned]
    });
    let body = Body::Table { head, rows: rows.collect() };
    page.blocks.push(Block { heading: format!("The history of {what}"), body });
    let token = format!("hob explore … --replay {}", end.token);
    page.blocks.push(Block { heading: format!("{what} again"), body: Body::Text(token) });
    if let Some(told) = &end.told {
        let (history, witness) = &**told;
        page.anomalies.push(Anomaly::of(history, witness));
        page.history.get_or_insert_with(|| Table::of(history, &[witness], all));
    }
}

fn verdict(verdict: AssertionVerdict) -> &'static str {
    match verdict {
        AssertionVerdict::Holds => "holds",
        AssertionVerdict::Broken => "broken",
        AssertionVerdict::Unknown => "unknown",
    }
}
