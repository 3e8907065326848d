//! What an analysis comes to.

use hobgoblin_prove::analysis::{Analysis, Anomaly};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Proved,
    Anomaly,
    Unknown,
}

impl Status {
    /// What an analysis comes to. A cycle that is not confirmed leaves a doubt, whatever else there is.
    pub(super) fn of(analysis: &Analysis) -> Status {
        if analysis.anomalies.iter().any(Anomaly::is_confirmed) {
            Status::Anomaly
        } else if analysis.proof.is_some() && analysis.anomalies.is_empty() {
            Status::Proved
        } else {
            Status::Unknown
        }
    }
}

/// The levels of transactions, by their names.
pub(super) fn by_name<S: Serializer>(
    members: &[(String, &'static str)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (name, member) in members {
        map.serialize_entry(name, member)?;
    }
    map.end()
}
