//! What is found out about a history, without the history: names instead of ids.

use hobgoblin_core::StopReason;
use hobgoblin_crdt::{CrdtHistory, CrdtViolation, CrdtWitness, DataType, OpId};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::returned::returned;
use super::rows::{Row, replica, rows};
use crate::diagnostic::{Diagnostic, shown};
use crate::exit::Exit;

/// The answer for a history, or why there is none. Serialized, it is a line of `--json`, which docs/crdt.schema.json
/// describes.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    /// The line of the file, if every line is a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", serialize_with = "name")]
    pub(super) data_type: Option<DataType>,
    #[serde(flatten)]
    pub(super) size: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<Outcome>,
    /// Why the verdict is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) witness: Option<WitnessReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) violation: Option<ViolationReport>,
    /// With `--verify`: whether the witness was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stats: Option<Stats>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "error")]
    pub(super) error: Option<Diagnostic>,
}

/// How much there is in a history.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Size {
    pub(super) replicas: usize,
    pub(super) operations: usize,
    /// Whether anything was recorded of who observed what.
    #[serde(skip)]
    pub(super) has_deliveries: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Ok,
    Violation,
    Unknown,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Stats {
    /// How long reading and deciding took, in milliseconds.
    pub(super) ms: f64,
}

/// An execution that explains every result.
#[derive(Debug, Serialize)]
pub(super) struct WitnessReport {
    /// By operation, how many operations of other replicas it had observed, where it had any.
    #[serde(serialize_with = "by_name")]
    sees: Vec<(String, Counts)>,
    /// The order that decides among concurrent updates, or of the elements of a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lin: Vec<String>,
    /// Which of the updates that may have taken place did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    took_place: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Counts(#[serde(serialize_with = "by_name")] Vec<(String, u32)>);

/// Operations that no execution explains together.
#[derive(Debug, Serialize)]
pub(super) struct ViolationReport {
    pub(super) reads: Vec<String>,
    pub(super) relevant_updates: Vec<String>,
    pub(super) minimal: bool,
    /// What a single read must have returned, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected: Option<String>,
    /// What it returned, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) got: Option<String>,
    pub(super) why: Vec<String>,
    /// The operations for people, replica by replica.
    #[serde(skip)]
    pub(super) rows: Vec<Row>,
}

impl Report {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every name is text and every number finite")
    }

    /// What this history alone would end the program with.
    pub(super) fn exit(&self) -> Exit {
        match self.verdict {
            _ if self.error.is_some() => Exit::Error,
            Some(Outcome::Violation) => Exit::Violation,
            Some(Outcome::Unknown) => Exit::Unknown,
            Some(Outcome::Ok) | None => Exit::Holds,
        }
    }

    /// The same, and the answer is not known.
    pub(super) fn unknown(self, reason: &StopReason, when: &str) -> Report {
        let reason = Some(format!("{reason}{when}"));
        Report { verdict: Some(Outcome::Unknown), reason, ..self }
    }

    /// What people call it: the file, with the line if there are several histories.
    pub(super) fn name(&self) -> String {
        let file = shown(&self.file);
        match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.into_owned(),
        }
    }
}

impl Size {
    pub(super) fn of(history: &CrdtHistory) -> Size {
        let real = || history.replicas().filter(|&replica| !history.is_initial(replica));
        Size {
            replicas: real().count(),
            operations: real().map(|replica| history.len_of(replica) as usize).sum(),
            has_deliveries: history.bounds().iter().any(|bound| !history.is_initial(bound.of)),
        }
    }
}

impl WitnessReport {
    pub(super) fn of(history: &CrdtHistory, witness: &CrdtWitness) -> WitnessReport {
        let k = history.num_replicas();
        let names: Vec<String> = history.replicas().map(|of| replica(history, of)).collect();
        let mut sees = Vec::new();
        for own in history.replicas().filter(|&own| !history.is_initial(own)) {
            for op in history.ops_of(own) {
                let counts = history.replicas().zip(&witness.observed[op.index() * k..][..k]);
                let others =
                    counts.filter(|&(of, &n)| of != own && n > 0 && !history.is_initial(of));
                let counts: Vec<(String, u32)> =
                    others.map(|(of, &count)| (names[of.index()].clone(), count)).collect();
                if !counts.is_empty() {
                    sees.push((history.name(op).to_string(), Counts(counts)));
                }
            }
        }
        let named = |ops: &[OpId]| ops.iter().map(|&op| history.name(op).to_string()).collect();
        WitnessReport { sees, lin: named(&witness.order), took_place: named(&witness.happened) }
    }
}

impl ViolationReport {
    pub(super) fn of(history: &CrdtHistory, violation: &CrdtViolation) -> ViolationReport {
        let CrdtViolation { reads, updates, minimal, why, expected } = violation;
        let named = |ops: &[OpId]| ops.iter().map(|&op| history.name(op).to_string()).collect();
        ViolationReport {
            reads: named(reads),
            relevant_updates: named(updates),
            minimal: *minimal,
            got: match (&reads[..], expected) {
                ([read], Some(_)) => returned(history, *read),
                _ => None,
            },
            expected: expected.clone(),
            why: why.clone(),
            rows: rows(history, violation),
        }
    }
}

fn name<S: Serializer>(data_type: &Option<DataType>, serializer: S) -> Result<S::Ok, S::Error> {
    data_type.map(DataType::name).serialize(serializer)
}

fn by_name<V: Serialize, S: Serializer>(
    members: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (name, member) in members {
        map.serialize_entry(name, member)?;
    }
    map.end()
}

/// The file is said before.
fn error<S: Serializer>(error: &Option<Diagnostic>, serializer: S) -> Result<S::Ok, S::Error> {
    let error = error.as_ref().map(|error| Diagnostic { file: None, ..error.clone() });
    error.serialize(serializer)
}
