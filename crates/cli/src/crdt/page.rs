//! `--report`: a history of a replicated data type as a page.

use hobgoblin_report::{Act, Anomaly, Block, Body, LevelRow, Page, Scene, SceneBox, Standing};

use super::report::{Outcome, Report, ViolationReport};
use super::rows::Role;
use super::text::{clash, culprits};
use crate::pages;
use crate::units::counted;

/// The page of a history.
pub(super) fn of(report: &Report) -> Page {
    let mut page = Page::new(&report.name());
    page.command = "crdt check".to_owned();
    page.again = Some(pages::again(None));
    page.notes.extend(report.error.as_ref().map(|error| error.message.clone()));
    page.notes.extend(report.reason.clone());
    let (Some(data_type), Some(verdict)) = (report.data_type, report.verdict) else { return page };
    page.verdict = match verdict {
        Outcome::Ok => {
            format!("Admitted by the {}: an execution explains every result.", data_type.title())
        }
        Outcome::Violation => {
            format!("No execution of the {} returns these results.", data_type.title())
        }
        Outcome::Unknown => "Not decided.".to_owned(),
    };
    if let Some(size) = report.size {
        let (replicas, operations) =
            (counted(size.replicas, "replica"), counted(size.operations, "operation"));
        page.verdict.push_str(&format!(" {replicas}, {operations}."));
        if size.replicas > 1 && !size.has_deliveries && verdict == Outcome::Ok {
            let note = "It was not recorded who had observed what (`sees`), so many wrong results would be admitted too.";
            page.notes.push(note.to_owned());
        }
    }
    page.levels.push(LevelRow {
        name: data_type.name().to_owned(),
        title: data_type.title().to_owned(),
        standing: match verdict {
            Outcome::Ok => Standing::Holds,
            Outcome::Violation => Standing::Violated,
            Outcome::Unknown => Standing::Unknown,
        },
        why: report.violation.as_ref().map(clash).unwrap_or_default(),
        anomaly: report.violation.as_ref().map(|_| 0),
    });
    page.anomalies.extend(report.violation.as_ref().map(|one| anomaly(one, data_type.title())));
    page
}

/// A history in a few words.
pub(super) fn summary(report: &Report) -> String {
    match (&report.error, &report.violation, &report.reason) {
        (Some(error), ..) => error.message.clone(),
        (None, Some(violation), _) => format!("violation: {}", clash(violation)),
        (None, None, Some(reason)) => format!("unknown: {reason}"),
        (None, None, None) => "admitted".to_owned(),
    }
}

fn anomaly(violation: &ViolationReport, title: &str) -> Anomaly {
    let (who, verb) = culprits(violation);
    let mut wrong = violation.why.join(" ");
    if let Some(expected) = &violation.expected {
        wrong.push_str(&format!(" It had to return {expected}."));
    }
    if !violation.minimal {
        wrong.push_str(" There was no time to find out which of these operations matter.");
    }
    let head = ["operation", "", "sees"].map(str::to_owned).to_vec();
    let rows = violation.rows.iter();
    let rows = rows.map(|row| vec![row.name.clone(), row.call.clone(), row.sees.clone()]).collect();
    let seen =
        Block { heading: "Who had observed what".to_owned(), body: Body::Table { head, rows } };
    Anomaly::staged(&format!("{who} {verb} the {title}"), wrong.trim(), &scene(violation))
        .violating(&format!("the {title}"))
        .beside(seen)
}

/// The operations, one lane a replica.
fn scene(violation: &ViolationReport) -> Scene {
    let mut scene = Scene {
        order: "Replica by replica; in which order they ran is not known.".to_owned(),
        ..Scene::default()
    };
    for row in &violation.rows {
        let of = scene.lanes.iter().position(|name| *name == row.replica).unwrap_or_else(|| {
            scene.lanes.push(row.replica.clone());
            scene.boxes.push(SceneBox {
                name: row.replica.clone(),
                title: String::new(),
                lane: scene.boxes.len(),
            });
            scene.lanes.len() - 1
        });
        let mark = match row.role {
            Role::Read => Some("cannot return this".to_owned()),
            Role::Relevant => Some(String::new()),
            Role::Context => None,
        };
        let came = if row.sees.is_empty() { String::new() } else { format!("sees {}", row.sees) };
        scene.acts.push(Act {
            of,
            text: format!("{} {}", row.name, row.call),
            came,
            mark,
            line: 0,
        });
    }
    scene
}
