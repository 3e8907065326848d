//! Which lines of a timeline decide, and the few words beside them.

use hobgoblin_core::{Anomaly, EventId, Reason};

use super::case::Case;
use super::lost_update::LostUpdate;
use super::row::Rows;

/// The events that decide, each with what is said beside it.
pub(super) fn marks(case: &Case<'_>, rows: &Rows<'_>) -> Vec<(EventId, String)> {
    let overwritten = |words: &str| {
        let mut marks = Vec::new();
        for (read, _) in case.overwritten() {
            marks.push((read, words.to_owned()));
        }
        marks
    };
    match case.anomaly {
        Anomaly::ThinAirRead => said(case.read, "nobody wrote this"),
        Anomaly::AbortedRead => said(case.read, "rolled back"),
        Anomaly::IntermediateRead => said(case.read, "not the value that was committed"),
        Anomaly::FutureRead => said(case.read, "not written yet"),
        Anomaly::InternalRead => said(case.read, "not what it had written"),
        Anomaly::LostUpdate => lost_update(case, rows),
        Anomaly::NonRepeatableRead => {
            let mut newer = Vec::new();
            for edge in &case.circle {
                if let Reason::Read(read) = edge.why {
                    newer.push((read, "changed".to_owned()));
                }
            }
            newer
        }
        Anomaly::NonMonotonicRead
        | Anomaly::FracturedRead
        | Anomaly::ReadYourWrites
        | Anomaly::NonMonotonicSession
        | Anomaly::CausalityViolation
        | Anomaly::ReadSkew
        | Anomaly::RealTimeViolation => overwritten(match case.torn() {
            Some(_) => "the other's change",
            None => "still the old value",
        }),
        Anomaly::LongFork => overwritten("not yet the new value"),
        Anomaly::WriteSkew | Anomaly::ReadOnlyAnomaly => {
            let mut writes = Vec::new();
            for (read, by) in case.overwritten() {
                let write = case.write(by, case.history.event(read).key());
                writes.extend(write.map(|write| (write, String::new())));
            }
            writes
        }
        _ => overwritten(""),
    }
}

fn said(event: Option<EventId>, words: &str) -> Vec<(EventId, String)> {
    event.map(|event| (event, words.to_owned())).into_iter().collect()
}

/// The second read of the same value, and the second write.
fn lost_update(case: &Case<'_>, rows: &Rows<'_>) -> Vec<(EventId, String)> {
    let Some(lost) = LostUpdate::of(case) else { return Vec::new() };
    let mut marks = Vec::new();
    if let (Some(first), Some(second)) = (lost.reads[0], lost.reads[1]) {
        let same = case.history.value(first) == case.history.value(second);
        let later = match case.history.at(first) > case.history.at(second) {
            true => first,
            false => second,
        };
        marks.extend(same.then(|| (later, "same value".to_owned())));
    }
    let (Some(write), Some(read)) = (lost.writes[1], lost.reads[1]) else { return marks };
    let words = match lost.ran_on {
        Some(on) => {
            let said = |event| rows.value(lost.key, &case.history.value(event));
            format!("decided on {}, applied to {}", said(read), said(on))
        }
        None if lost.known => "over the other's change".to_owned(),
        None => {
            marks.extend(lost.writes[0].map(|first| (first, String::new())));
            String::new()
        }
    };
    marks.push((write, words));
    marks
}
