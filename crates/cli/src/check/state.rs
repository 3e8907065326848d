//! `--semantics state`: the client-centric levels, and what one given execution looks like to them.

use std::collections::HashMap;

use hobgoblin_check::report::{ExecutionTable, WitnessReport};
use hobgoblin_check::state::{
    ExecutionReport, STATE_LEVELS, StateCause, StateError, StateVerdict, StateViolation,
    check_state, passes,
};
use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, explain};
use hobgoblin_core::{History, Level, Target, TxnId, Verdict};
use hobgoblin_report::Anomaly;

use super::question::{Levels, Question, Wanted};
use super::report::{LevelReport, Outcome};
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
            report = violated(report, history, violation, Wanted::of(question, first, false));
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

/// The level, violated.
fn violated(
    report: LevelReport,
    history: &History,
    violation: &StateViolation,
    wanted: Wanted,
) -> LevelReport {
    let (mut text, mut dot) = (explain::state_text(history, violation), None);
    let shown = wanted.page.then(|| Anomaly::of_state(history, violation));
    if let StateCause::Axioms { history, witness } = &violation.cause {
        text = wanted.with_proof(text, history, witness);
        dot = wanted.dot.then(|| explain::dot(history, witness));
    }
    LevelReport {
        verdict: Outcome::Violated,
        witness: Some(WitnessReport::of_state(history, violation)),
        text: wanted.text.then_some(text),
        dot,
        shown: shown.map(Box::new),
        ..report
    }
}

/// Looks at the execution that the question names.
pub(crate) fn execution(
    history: &History,
    names: &[String],
    levels: &[Level],
) -> Result<(Vec<LevelReport>, ExecutionTable), Box<Diagnostic>> {
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
    Ok((answers, ExecutionTable::of(history, &reports)))
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
