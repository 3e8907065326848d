//! Answers as plain data, with names in place of ids: what is left to tell when the history is gone.
//!
//! Everything here can be serialized; as JSON, a [`WitnessReport`] is the `witness` of a level in
//! `docs/check.schema.json`, and an [`ExecutionTable`] its `execution`:
//!
//! ```text
//! {"anomaly": "lost-update", "title": "lost update", "transactions": ["t1", "t2"], "minimal": true,
//!  "explanation": ["t1 comes before t2, because …", …],
//!  "cycle": [{"from": "t1", "to": "t2", "relation": "rw", "key": "x", "value": 0, "line": 2}, …]}
//! ```

use hobgoblin_core::{
    Conclusion, Edge, EventId, History, Key, Kind, Reason, TxnId, Value, Witness,
};
use serde::Serialize;

use crate::exact;
use crate::explain::{self, Telling};
use crate::state::{ExecutionReport, StateCause, StateViolation, States, TxnReport};

/// Why a level is violated.
#[derive(Clone, Debug, Serialize)]
pub struct WitnessReport {
    /// The anomaly's name for machines.
    pub anomaly: &'static str,
    /// The anomaly's name for people.
    pub title: &'static str,
    /// The transactions that violate the level between them.
    pub transactions: Vec<String>,
    /// Whether taking any one of them away loses the violation.
    pub minimal: bool,
    /// What went wrong and where, in plain words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// What would have prevented it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prevented: Vec<String>,
    /// The proof, sentence by sentence.
    pub explanation: Vec<String>,
    /// The cycle that the proof ends in, if it ends in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Vec<EdgeReport>>,
}

/// One edge of a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeReport {
    /// The transaction that comes first.
    pub from: String,
    /// The transaction that comes later.
    pub to: String,
    /// Why: `so`, `wr`, `ww`, `rw` or `rt`.
    pub relation: &'static str,
    /// The key that they wrote or read, if that is why.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::some_key")]
    pub key: Option<Key>,
    /// What the read returned, if a read is why.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::some_value")]
    pub value: Option<Value>,
    /// The line of that read, where the file has lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl WitnessReport {
    /// The report of a witness of this history.
    pub fn of(history: &History, witness: &Witness) -> WitnessReport {
        WitnessReport {
            explanation: explain::sentences(history, witness),
            ..WitnessReport::brief(history, witness).told(&explain::tell(history, witness))
        }
    }

    /// The same without the explanation, which may be long.
    pub fn brief(history: &History, witness: &Witness) -> WitnessReport {
        WitnessReport {
            anomaly: witness.anomaly.code(),
            title: witness.anomaly.title(),
            transactions: names(history, &witness.txns),
            minimal: witness.minimal,
            headline: None,
            wrong: None,
            prevented: Vec::new(),
            explanation: Vec::new(),
            cycle: cycle(history, witness),
        }
    }

    /// The same with what a person is told.
    fn told(self, telling: &Telling) -> WitnessReport {
        WitnessReport {
            headline: Some(telling.headline.clone()),
            wrong: Some(telling.wrong.clone()),
            prevented: telling.prevented.clone(),
            ..self
        }
    }

    /// The report of a violation of a state-based level.
    pub fn of_state(history: &History, violation: &StateViolation) -> WitnessReport {
        let axioms = match &violation.cause {
            StateCause::Axioms { history, witness } => Some((&**history, &**witness)),
            StateCause::Unserved(_) | StateCause::Search => None,
        };
        let (anomaly, title) = match &violation.cause {
            StateCause::Axioms { witness, .. } => (witness.anomaly.code(), witness.anomaly.title()),
            StateCause::Unserved(_) => ("unserved-read", "unserved read"),
            StateCause::Search => ("no-execution", "no execution passes"),
        };
        let mut explanation = vec![format!("{}.", violation.explain(history))];
        if let Some((reduced, witness)) = axioms {
            explanation.extend(explain::sentences(reduced, witness));
        }
        let report = WitnessReport {
            anomaly,
            title,
            transactions: names(history, &violation.txns),
            minimal: violation.minimal,
            headline: None,
            wrong: None,
            prevented: Vec::new(),
            explanation,
            cycle: axioms.and_then(|(reduced, witness)| cycle(reduced, witness)),
        };
        report.told(&explain::tell_state(history, violation))
    }
}

/// What one execution looks like to the state-based levels.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutionTable {
    /// Its transactions, in order.
    pub transactions: Vec<ExecutedTxn>,
    /// Committed transactions that it leaves out.
    pub left_out: Vec<String>,
}

/// One transaction of an execution. States are numbered, and given as ranges: the first and the last.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedTxn {
    /// Its name.
    pub transaction: String,
    /// The state that it runs in.
    pub parent: usize,
    /// Its reads and writes.
    pub operations: Vec<Operation>,
    /// The states that serve all its reads.
    pub complete: Vec<(usize, usize)>,
    /// The states since which no key that it writes has another value.
    pub no_conflict: Vec<(usize, usize)>,
    /// The levels whose test it does not pass.
    pub fails: Vec<&'static str>,
}

/// One operation and the states that serve it.
#[derive(Clone, Debug, Serialize)]
pub struct Operation {
    /// `r` or `w`.
    pub operation: &'static str,
    /// The key that it reads or writes.
    #[serde(serialize_with = "exact::key")]
    pub key: Key,
    /// The value that it reads or writes.
    #[serde(serialize_with = "exact::value")]
    pub value: Value,
    /// The states in which the key has that value.
    pub read_states: Vec<(usize, usize)>,
}

impl ExecutionTable {
    /// The table of one execution, from its reports at some levels.
    pub fn of(history: &History, reports: &[ExecutionReport]) -> ExecutionTable {
        let first = reports.first();
        let count = first.map_or(0, |report| report.txns.len());
        let executed = |at: usize| {
            let failed = reports.iter().filter(|report| !report.txns[at].passes);
            let fails = failed.map(|report| report.level.name()).collect();
            executed(history, &reports[0].txns[at], fails)
        };
        let left_out = first.map_or(&[][..], |report| &report.left_out);
        ExecutionTable {
            transactions: (0..count).map(executed).collect(),
            left_out: names(history, left_out),
        }
    }
}

fn executed(history: &History, report: &TxnReport, fails: Vec<&'static str>) -> ExecutedTxn {
    let operation = |(event, states): &(EventId, States)| {
        let of = history.event(*event);
        Operation {
            operation: if of.kind() == Kind::Read { "r" } else { "w" },
            key: history.key(of.key()).clone(),
            value: history.value(*event),
            read_states: ranges(states),
        }
    };
    ExecutedTxn {
        transaction: history.name(report.txn).into_owned(),
        parent: report.parent,
        operations: report.reads.iter().map(operation).collect(),
        complete: ranges(&report.complete),
        no_conflict: ranges(&report.no_conflict),
        fails,
    }
}

fn ranges(states: &States) -> Vec<(usize, usize)> {
    states.ranges().iter().map(|range| (range.start, range.end - 1)).collect()
}

fn names(history: &History, txns: &[TxnId]) -> Vec<String> {
    txns.iter().map(|&txn| history.name(txn).into_owned()).collect()
}

/// The edges of the cycle that a witness ends in, if it ends in one.
fn cycle(history: &History, witness: &Witness) -> Option<Vec<EdgeReport>> {
    match &witness.proof.conclusion {
        Conclusion::Cycle(edges) => Some(edges.iter().map(|e| edge_report(history, e)).collect()),
        _ => None,
    }
}

fn edge_report(history: &History, edge: &Edge) -> EdgeReport {
    let name = |txn| history.name(txn).into_owned();
    let (relation, event, key) = match edge.why {
        Reason::Session => ("so", None, None),
        Reason::RealTime => ("rt", None, None),
        Reason::Write(key) => ("ww", None, Some(key)),
        Reason::Read(event) => ("wr", Some(event), Some(history.event(event).key())),
        Reason::Overwrite(event) => ("rw", Some(event), Some(history.event(event).key())),
    };
    EdgeReport {
        from: name(edge.from),
        to: name(edge.to),
        relation,
        key: key.map(|key| history.key(key).clone()),
        value: event.map(|event| history.value(event)),
        line: event.map(|event| history.event_line(event)).filter(|&line| line > 0),
    }
}
