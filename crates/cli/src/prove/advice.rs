//! What to do about anomalies, in words.

use hobgoblin_prove::advice::{Advice, Change, Repair};
use hobgoblin_prove::program::Program;
use serde::Serialize;

use super::source::Spot;
use super::status::Status;

/// What to do about the anomalies of a file.
#[derive(Debug, Serialize)]
pub(super) struct AdviceReport {
    /// The weakest levels without an anomaly, in the order of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weakest: Option<WeakestReport>,
    /// The levels that were offered, from weak to strong.
    pub(super) offered: Vec<&'static str>,
    /// How many assignments of levels were looked at.
    pub(super) assignments: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct WeakestReport {
    /// Whether it is proved; else there is no anomaly up to `k`.
    pub(super) status: Status,
    #[serde(serialize_with = "super::status::by_name")]
    pub(super) levels: Vec<(String, &'static str)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
}

/// Changes that together undo an anomaly.
#[derive(Debug, Serialize)]
pub(super) struct RepairReport {
    pub(super) changes: Vec<ChangeReport>,
}

#[derive(Debug, Serialize)]
pub(super) struct ChangeReport {
    pub(super) kind: &'static str,
    pub(super) transactions: Vec<String>,
    /// The line of the SELECT that locks its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<&'static str>,
    /// The change in words.
    pub(super) text: String,
}

impl AdviceReport {
    pub(super) fn of(program: &Program, offered: Vec<&'static str>, advice: &Advice) -> Self {
        let weakest = advice.weakest.as_ref().map(|weakest| WeakestReport {
            status: Status::of(&weakest.analysis),
            levels: program
                .transactions
                .iter()
                .zip(&weakest.levels)
                .map(|(transaction, level)| (transaction.name.clone(), level.name()))
                .collect(),
            method: weakest.analysis.proof.as_ref().map(|proof| proof.method.clone()),
        });
        AdviceReport { weakest, offered, assignments: advice.assignments }
    }
}

/// The repairs of an anomaly.
pub(super) fn repairs(program: &Program, repairs: &[Repair]) -> Vec<RepairReport> {
    let change = |change: &Change| {
        let name = |at: usize| program.transactions[at].name.clone();
        match *change {
            Change::Promote { transaction, place } => {
                let spot = Spot::of(program, place);
                ChangeReport {
                    kind: "promote",
                    transactions: vec![name(transaction)],
                    line: Some(spot.line),
                    level: None,
                    text: format!(
                        "lock what line {} reads: {} FOR UPDATE",
                        spot.line,
                        spot.text.trim_end_matches(';')
                    ),
                }
            }
            Change::Raise { transaction, level } => ChangeReport {
                kind: "raise",
                transactions: vec![name(transaction)],
                line: None,
                level: Some(level.name()),
                text: format!("run {} at {level}", name(transaction)),
            },
            Change::Materialise { transactions: (one, other) } => {
                let names = if one == other {
                    name(one)
                } else {
                    format!("{} and {}", name(one), name(other))
                };
                ChangeReport {
                    kind: "materialise",
                    transactions: vec![name(one), name(other)],
                    line: None,
                    level: None,
                    text: format!(
                        "materialise the conflict: let {names} first update one row that exists for it"
                    ),
                }
            }
        }
    };
    repairs
        .iter()
        .map(|repair| RepairReport { changes: repair.iter().map(change).collect() })
        .collect()
}
