//! `--report`: a file's answers as a page.

use hobgoblin_core::{History, Level};
use hobgoblin_format::Format;
use hobgoblin_report::{LevelRow, Page, Standing};

use super::examine;
use super::progress::Progress;
use super::question::{Explain, Held, Levels, Question, Semantics};
use super::report::{LevelReport, Outcome, Report};
use super::stop::Stop;
use crate::initial::InitialTransaction;
use crate::pages;

/// The page of a history that was read from somewhere; its transactions are with a server, under a number.
pub(crate) fn served(
    read: (&str, &History, Format),
    levels: &[Level],
    number: u64,
    stop: &Stop,
) -> Page {
    let question = Question {
        levels: match levels {
            [] => Levels::All,
            levels => Levels::Chosen(levels.to_vec()),
        },
        semantics: Semantics::Axiomatic,
        execution: None,
        format: None,
        initial_transaction: InitialTransaction::Auto,
        verify: false,
        explain: Explain::Nothing,
        proof: false,
        json: false,
        dot: false,
        page: Some(Held::Served(number)),
        timing: false,
    };
    of(&mut examine::look(read, &question, stop, &Progress::new(1)))
}

/// The page of a file.
pub(super) fn of(report: &mut Report) -> Page {
    let mut page = Page::new(&report.file);
    page.command = "check".to_owned();
    page.again = Some(pages::again(None));
    page.notes = report.notes.clone();
    page.notes.extend(report.error.as_ref().map(|error| error.message.clone()));
    page.history = report.table.take();
    let mut at: Vec<(&'static str, usize)> = Vec::new();
    for answer in &mut report.levels {
        let own = answer.shown.take().map(|shown| {
            page.anomalies.push(*shown);
            page.anomalies.len() - 1
        });
        let same = |name| at.iter().find(|(level, _)| *level == name).map(|(_, at)| *at);
        let anomaly = own.or_else(|| answer.implied_by.and_then(same));
        at.extend(anomaly.map(|anomaly| (answer.name(), anomaly)));
        page.levels.push(row(answer, anomaly));
    }
    page
}

fn row(answer: &LevelReport, anomaly: Option<usize>) -> LevelRow {
    let title = answer.witness.as_ref().map(|witness| witness.title.to_owned());
    LevelRow {
        name: answer.name().to_owned(),
        title: answer.title().to_owned(),
        standing: match answer.verdict {
            Outcome::Holds => Standing::Holds,
            Outcome::Violated => Standing::Violated,
            Outcome::Unknown => Standing::Unknown,
        },
        why: title.or_else(|| answer.reason.clone()).unwrap_or_default(),
        anomaly,
    }
}

/// A file in a few words.
pub(super) fn summary(report: &Report) -> String {
    let violated: Vec<&str> = report.violations().map(LevelReport::name).collect();
    match (&report.error, violated.as_slice()) {
        (Some(error), _) => error.message.clone(),
        (None, []) => format!("holds {}", report.strongest.join(" ")),
        (None, violated) => format!("violates {}", violated.join(" ")),
    }
}
