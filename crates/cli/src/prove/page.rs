//! `--report`: what is known about a file, as a page.

use hobgoblin_report::{
    Act, Anomaly, Block, Body, LevelRow, Page, Scene, SceneArrow, SceneBox, Standing,
};

use super::report::{AnomalyReport, Answer, EdgeReport, Report};
use super::shape::among;
use super::status::Status;
use super::text::{conclusion, confirmation, open_questions, sees, undecided};
use super::value::Row;
use crate::pages;

/// The page of a file.
pub(super) fn of(report: &Report) -> Page {
    let mut page = Page::new(&report.file);
    page.command = "prove".to_owned();
    page.again = Some(pages::again(None));
    page.notes.extend(report.error.as_ref().map(|error| error.message.clone()));
    let Some(answer) = &report.answer else { return page };
    page.verdict = format!("{}.", summary(report));
    page.anomalies = shown(answer).map(of_anomaly).collect();
    page.levels = levels(answer);
    let hidden = answer.anomalies.iter().filter(|anomaly| !anomaly.visible).count();
    if hidden > 0 {
        page.notes.push(format!(
            "{hidden} more cycles nobody can tell from a serial order, whatever the values; they are no anomalies."
        ));
    }
    let words = |heading: &str, lines: Vec<String>| Block {
        heading: heading.to_owned(),
        body: Body::Words(lines),
    };
    if let (Some(method), Some(claim)) = (&answer.method, &answer.claim) {
        let said = vec![format!("By {method}."), format!("{claim}.")];
        page.blocks.push(words("The proof", said));
    }
    if !answer.undecided.is_empty() {
        page.blocks.push(words("Not decided by the search", undecided(answer)));
    }
    for failed in &answer.failed_proofs {
        let heading = format!("What a proof by {} lacks", failed.method);
        page.blocks.push(words(&heading, open_questions(failed)));
    }
    if let Some(weakest) = answer.advice.as_ref().and_then(|advice| advice.weakest.as_ref()) {
        let head = vec!["transaction".to_owned(), "level".to_owned()];
        let row = |(name, level): &(String, &str)| vec![name.clone(), (*level).to_owned()];
        let rows = weakest.levels.iter().map(row).collect();
        let heading = "The weakest levels that suffice".to_owned();
        page.blocks.push(Block { heading, body: Body::Table { head, rows } });
    }
    page
}

/// A file in a few words.
pub(super) fn summary(report: &Report) -> String {
    match (&report.error, &report.answer) {
        (Some(error), _) => error.message.clone(),
        (None, Some(answer)) => {
            let (word, text) = conclusion(answer);
            format!("{word}: {text}")
        }
        (None, None) => String::new(),
    }
}

/// The anomalies that somebody can tell.
fn shown(answer: &Answer) -> impl Iterator<Item = &AnomalyReport> {
    answer.anomalies.iter().filter(|anomaly| anomaly.visible)
}

/// The levels that transactions have, and what became of each.
fn levels(answer: &Answer) -> Vec<LevelRow> {
    let mut rows: Vec<LevelRow> = Vec::new();
    for (name, level) in &answer.levels {
        if let Some(row) = rows.iter_mut().find(|row| row.name == *level) {
            row.title = format!("{}, {name}", row.title);
            continue;
        }
        let touches = |anomaly: &AnomalyReport| {
            anomaly.instances.iter().any(|instance| instance.level == *level)
        };
        let anomaly = shown(answer).position(touches);
        let why = shown(answer).nth(anomaly.unwrap_or(usize::MAX)).map(|one| one.name.clone());
        rows.push(LevelRow {
            name: (*level).to_owned(),
            title: name.clone(),
            standing: match (answer.status, anomaly) {
                (Status::Proved, _) => Standing::Holds,
                (Status::Anomaly, Some(_)) => Standing::Violated,
                (Status::Anomaly, None) | (Status::Unknown, _) => Standing::Unknown,
            },
            why: why.unwrap_or_default(),
            anomaly,
        });
    }
    rows
}

fn of_anomaly(anomaly: &AnomalyReport) -> Anomaly {
    let names: Vec<&str> = anomaly.transactions.iter().map(String::as_str).collect();
    let mut cells: Vec<String> = anomaly.edges.iter().map(EdgeReport::cell).collect();
    cells.dedup();
    cells.truncate(2);
    let headline = format!("{}: {}", anomaly.shape.headline(), cells.join(" and "));
    let mut wrong = anomaly.edges.iter().map(EdgeReport::reason).collect::<Vec<_>>().join("; ");
    wrong = format!("{wrong}. {}.", confirmation(anomaly));
    let called = format!("{} {}", anomaly.name, among(&names));
    let mut levels: Vec<&str> = anomaly.instances.iter().map(|instance| instance.level).collect();
    levels.dedup();
    let repairs = anomaly.repairs.iter().flatten().map(|repair| {
        let texts: Vec<&str> = repair.changes.iter().map(|change| change.text.as_str()).collect();
        texts.join("; and ")
    });
    let mut told = Anomaly::staged(&headline, &wrong, &scene(anomaly))
        .violating(&format!("serializability, at {}", levels.join(" and ")))
        .called(&called)
        .prevented(repairs)
        .beside(rows("Before", &anomaly.initial_rows));
    if let Some(left) = &anomaly.final_rows {
        told = told.beside(rows("After", left));
    }
    for outcome in &anomaly.serial_outcomes {
        let heading = format!("But {} leaves", outcome.order.join(", then "));
        told = told.beside(rows(&heading, &outcome.rows));
    }
    told
}

/// What the instances did, in order. Where it was not run, each is told in a line.
fn scene(anomaly: &AnomalyReport) -> Scene {
    let instances = &anomaly.instances;
    let call = |at: usize| {
        let instance = &instances[at];
        format!("{}({}){}", instance.transaction, instance.parameters.text(), sees(instances, at))
    };
    let mut scene = Scene {
        lanes: instances.iter().map(|one| format!("{} at {}", one.id, one.level)).collect(),
        boxes: (0..instances.len())
            .map(|at| SceneBox { name: instances[at].id.clone(), title: call(at), lane: at })
            .collect(),
        order: match instances.iter().any(|instance| instance.by_statement) {
            true => "Each statement sees what is committed when it begins.".to_owned(),
            false => "One after the other; each sees what is said beside it.".to_owned(),
        },
        ..Scene::default()
    };
    for event in &anomaly.schedule {
        let of = instances.iter().position(|one| one.id == event.instance).unwrap_or_default();
        scene.acts.push(Act {
            of,
            text: event.action.clone(),
            came: event.observed.clone().unwrap_or_default(),
            mark: None,
            line: event.line.and_then(|line| line.try_into().ok()).unwrap_or_default(),
        });
    }
    if scene.acts.is_empty() {
        let act = |(of, instance): (usize, _)| {
            let instance: &super::report::InstanceReport = instance;
            Act { of, text: format!("runs {}", instance.transaction), ..Act::default() }
        };
        scene.acts = instances.iter().enumerate().map(act).collect();
    }
    for edge in &anomaly.edges {
        let ends = (act(anomaly, &scene, edge, 0), act(anomaly, &scene, edge, 1));
        for end in [ends.0, ends.1] {
            scene.acts[end].mark.get_or_insert_default();
        }
        let label = format!("{}({})", edge.kind.to_lowercase(), edge.cell());
        let says = format!("{} must come before {}: {}.", edge.from, edge.to, edge.reason());
        scene.arrows.push(SceneArrow { ends, label, says });
    }
    scene
}

/// The act at an end of an edge.
fn act(anomaly: &AnomalyReport, scene: &Scene, edge: &EdgeReport, end: usize) -> usize {
    let id = [&edge.from, &edge.to][end];
    let spot = &edge.spots[end];
    let is = |same: &dyn Fn(usize) -> bool| {
        scene.acts.iter().enumerate().position(|(at, act)| {
            anomaly.instances.get(act.of).is_some_and(|one| one.id == *id) && same(at)
        })
    };
    let there =
        |at: usize| anomaly.schedule.get(at).is_some_and(|event| event.spot.as_ref() == Some(spot));
    let near = |at: usize| anomaly.schedule.get(at).is_some_and(|e| e.line == Some(spot.line));
    is(&there).or_else(|| is(&near)).or_else(|| is(&|_| true)).unwrap_or_default()
}

fn rows(heading: &str, rows: &[Row]) -> Block {
    let mut lines: Vec<String> = rows.iter().map(Row::text).collect();
    if lines.is_empty() {
        lines.push("no rows".to_owned());
    }
    Block { heading: heading.to_owned(), body: Body::Text(lines.join("\n")) }
}
