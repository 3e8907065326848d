//! `--semantics state`: the client-centric levels, and what one given execution looks like to them.

use std::collections::HashMap;

use hobgoblin_check::state::{
    ExecutionReport, STATE_LEVELS, StateCause, StateError, StateVerdict, StateViolation, States,
    TxnReport, check_state, passes,
};
use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, explain};
use hobgoblin_core::{EventId, History, Kind, Level, Target, TxnId, Verdict};
use serde::Serialize;
use serde_json::Value;

use super::examine::Wanted;
use super::report::{LevelReport, Outcome, WitnessReport, cycle, key_json, value_json};
use super::{Levels, Question};
use crate::diagnostic::Diagnostic;

/// The levels to ask about: those chosen, or all that are defined for this history.
pub(crate) fn levels(history: &History, levels: &Levels) -> Vec<Level> {
    let asked = |level: &Level| match levels {
        Levels::Chosen(chosen) => chosen.contains(level),
        _ => !level.respects_real_time() || history.has_times(),
    };
    STATE_LEVELS.into_iter().filter(asked).collect()
}

/// Why these levels cannot be asked about.
pub(crate) fn undefined(levels: &Levels) -> Option<Diagnostic> {
    let Levels::Chosen(chosen) = levels else { return None };
    let level = *chosen.iter().find(|level| !STATE_LEVELS.contains(level))?;
    let help = "ask for one of those, or leave out `--semantics state`";
    Some(Diagnostic::new(StateError::Undefined { level }.to_string(), help))
}

/// Decides a level, and whether its certificate was accepted, where it has one.
pub(crate) fn level_report(
    history: &History,
    level: Level,
    limits: &Limits,
    question: &Question,
    first: bool,
) -> (LevelReport, bool) {
    let verdict = check_state(history, level, limits).expect("only defined levels are asked about");
    let mut report = LevelReport::new(level);
    let mut verified = false;
    match &verdict {
        StateVerdict::Consistent(execution) => {
            verified = question.verify
                && passes(history, execution, level)
                    .is_ok_and(|report| report.passes() && report.left_out.is_empty());
        }
        StateVerdict::Unknown(reason) => {
            report.verdict = Outcome::Unknown;
            report.reason = Some(reason.to_string());
        }
        StateVerdict::Violation(violation) => {
            report.verdict = Outcome::Violated;
            report.witness = Some(witness(history, violation, Wanted::of(question, first, false)));
            verified = question.verify && is_verified(violation);
        }
    }
    (report, verified)
}

/// Whether a violation has a certificate that is accepted.
fn is_verified(violation: &StateViolation) -> bool {
    match &violation.cause {
        StateCause::Axioms { history, witness } => {
            let verdict = Verdict::Violation(witness.clone());
            verify(history, Target::Level(violation.level), &verdict).is_ok()
        }
        _ => false,
    }
}

fn witness(history: &History, violation: &StateViolation, wanted: Wanted) -> WitnessReport {
    let told = violation.explain(history);
    let axioms = match &violation.cause {
        StateCause::Axioms { history, witness } => Some((&**history, &**witness)),
        _ => None,
    };
    let (anomaly, title) = match (&violation.cause, axioms) {
        (_, Some((_, witness))) => (witness.anomaly.code(), witness.anomaly.title()),
        (StateCause::Unserved(_), _) => ("unserved-read", "unserved read"),
        _ => ("no-execution", "no execution passes"),
    };
    let mut explanation = vec![format!("{told}.")];
    let mut text = explanation[0].clone();
    if let Some((reduced, witness)) = axioms {
        explanation.extend(explain::sentences(reduced, witness));
        text = format!("{text}\n\n{}", explain::text(reduced, witness));
    }
    WitnessReport {
        anomaly,
        title,
        transactions: violation.txns.iter().map(|&t| history.name(t).into_owned()).collect(),
        minimal: violation.minimal,
        explanation,
        cycle: axioms.and_then(|(reduced, witness)| cycle(reduced, witness)),
        text: wanted.text.then_some(text),
        dot: axioms.filter(|_| wanted.dot).map(|(reduced, w)| explain::dot(reduced, w)),
    }
}

/// What one execution looks like.
#[derive(Debug, Serialize)]
pub(crate) struct Execution {
    pub(crate) transactions: Vec<Executed>,
    /// Committed transactions that it leaves out.
    pub(crate) left_out: Vec<String>,
}

/// One transaction of an execution. States are numbered, and given as ranges: the first and the last.
#[derive(Debug, Serialize)]
pub(crate) struct Executed {
    pub(crate) transaction: String,
    pub(crate) parent: usize,
    pub(crate) operations: Vec<Operation>,
    pub(crate) complete: Vec<(usize, usize)>,
    pub(crate) no_conflict: Vec<(usize, usize)>,
    /// The levels whose test it does not pass.
    pub(crate) fails: Vec<&'static str>,
}

/// One operation and its read states.
#[derive(Debug, Serialize)]
pub(crate) struct Operation {
    pub(crate) operation: &'static str,
    pub(crate) key: Value,
    pub(crate) value: Value,
    pub(crate) read_states: Vec<(usize, usize)>,
}

/// Looks at the execution that the question names.
pub(crate) fn execution(
    history: &History,
    names: &[String],
    levels: &[Level],
) -> Result<(Vec<LevelReport>, Execution), Box<Diagnostic>> {
    let txns = find(history, names)?;
    let told = |error: StateError| {
        let name = |txn| history.name(txn);
        let message = match error {
            StateError::Twice { txn } => format!("the execution has {} twice", name(txn)),
            StateError::NotCommitted { txn } => {
                format!("the execution has {}, which did not commit", name(txn))
            }
            other => other.to_string(),
        };
        let help = "name each transaction once, in the order of their states";
        Box::new(Diagnostic::new(message, help))
    };
    let reports: Result<Vec<ExecutionReport>, StateError> =
        levels.iter().map(|&level| passes(history, &txns, level)).collect();
    let reports = reports.map_err(told)?;
    let answers = reports.iter().map(|report| answer(history, report)).collect();
    let left_out = reports.first().map_or(&[][..], |report| &report.left_out);
    let executed = |at: usize| {
        let fails = reports.iter().filter(|r| !r.txns[at].passes).map(|r| r.level.name()).collect();
        executed(history, &reports[0].txns[at], fails)
    };
    let execution = Execution {
        transactions: (0..txns.len()).map(executed).collect(),
        left_out: left_out.iter().map(|&txn| history.name(txn).into_owned()).collect(),
    };
    Ok((answers, execution))
}

fn find(history: &History, names: &[String]) -> Result<Vec<TxnId>, Box<Diagnostic>> {
    let by_name: HashMap<_, TxnId> = history.txns().map(|txn| (history.name(txn), txn)).collect();
    let find = |name: &String| {
        by_name.get(name.as_str()).copied().ok_or_else(|| {
            const MOST: usize = 10;
            let some: Vec<_> = history.txns().take(MOST).map(|txn| history.name(txn)).collect();
            let more = if history.txns().len() > MOST { ", …" } else { "" };
            let help = format!("its transactions are {}{more}", some.join(", "));
            let message = format!("the history has no transaction called {name:?}");
            Box::new(Diagnostic::new(message, help))
        })
    };
    names.iter().map(find).collect()
}

fn answer(history: &History, report: &ExecutionReport) -> LevelReport {
    let mut answer = LevelReport::new(report.level);
    if !report.passes() {
        answer.verdict = Outcome::Violated;
        let name = |txn| history.name(txn);
        answer.reason = Some(match report.out_of_time {
            Some((a, b)) => format!("{} ended before {} began, but comes later", name(b), name(a)),
            None => {
                let failing = report.txns.iter().filter(|txn| !txn.passes);
                let names: Vec<_> = failing.map(|txn| name(txn.txn)).collect();
                format!("{} {}", names.join(", "), if names.len() == 1 { "fails" } else { "fail" })
            }
        });
    }
    answer
}

fn executed(history: &History, report: &TxnReport, fails: Vec<&'static str>) -> Executed {
    let operation = |(event, states): &(EventId, States)| {
        let of = history.event(*event);
        Operation {
            operation: if of.kind() == Kind::Read { "r" } else { "w" },
            key: key_json(history.key(of.key())),
            value: value_json(&history.value(*event)),
            read_states: ranges(states),
        }
    };
    Executed {
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
