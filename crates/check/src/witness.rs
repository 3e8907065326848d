//! Witnesses: why a history violates a level, as small as possible.

use hobgoblin_core::{
    Conclusion, EventId, Fault, History, Level, Proof, Source, Target, TxnId, Witness, sort,
};

use crate::anomaly;
use crate::decide::decide;
use crate::limits::Limits;
use crate::minimize::minimize;
use crate::polynomial::Decision;
use crate::problem::{Node, Problem};
use crate::prove::prove;

/// The witness of some nodes that violate their levels between them.
pub(crate) fn of_core(problem: &Problem<'_>, core: Vec<Node>, limits: &Limits) -> Witness {
    let (core, minimal) = minimize(problem, core, limits);
    let part = problem.restrict(&core);
    let proof = proof(&part);
    let anomaly = anomaly::name(problem.history, weakest(&part, limits), &proof);
    let txns: Vec<TxnId> = core.iter().map(|&n| problem.txns[n as usize]).collect();
    Witness { target: problem.target, anomaly, txns, minimal, proof }
}

/// The weakest of RC, RA, CC and SI that a problem violates as far as the limits allow to tell, or SER
/// if it violates none of them.
pub(crate) fn weakest(problem: &Problem<'_>, limits: &Limits) -> Level {
    let violated =
        |level: &Level| matches!(decide(&problem.at(*level), limits), Ok(Decision::Core(_)));
    let levels = [Level::RC, Level::RA, Level::CC, Level::SI];
    levels.into_iter().find(violated).unwrap_or(Level::SER)
}

/// Why a problem has no solution, in steps where that is feasible.
pub(crate) fn proof(problem: &Problem<'_>) -> Proof {
    const MOST: usize = 1000;
    let search = Proof { steps: Vec::new(), conclusion: Conclusion::Search };
    if problem.len() > MOST { search } else { prove(problem).unwrap_or(search) }
}

/// The witness of the first read that returned what its level forbids whatever the commit order; first
/// of those that no other transaction has a part in, so that the witness is minimal.
pub(crate) fn of_fault(history: &History, target: Target) -> Option<Witness> {
    let forbidden = |event: &&EventId| {
        let txn = history.txn_of(**event);
        history.counts(txn) && forbids(level(history, target, txn), history, **event)
    };
    let mut faults = history.faults().iter().filter(forbidden);
    let event = *faults.clone().find(|&&e| !has_writer(history, e)).or_else(|| faults.next())?;
    let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Read(event) };
    let anomaly = anomaly::name(history, Level::RC, &proof);
    let txns = involved(history, event);
    Some(Witness { target, anomaly, txns, minimal: true, proof })
}

/// The level a transaction is held to.
pub(crate) fn level(history: &History, target: Target, txn: TxnId) -> Level {
    match target {
        Target::Level(level) => level,
        Target::Mixed(other) => history.level(txn).unwrap_or(other),
    }
}

/// Whether a level forbids the fault of a read.
pub(crate) fn forbids(level: Level, history: &History, event: EventId) -> bool {
    match history.source(event) {
        Source::Fault(Fault::ThinAir | Fault::InternalMismatch) => true,
        Source::Fault(_) => level.has_axiom(),
        _ => false,
    }
}

/// The reader, and one who wrote the value it should not have seen.
fn involved(history: &History, event: EventId) -> Vec<TxnId> {
    let reader = history.txn_of(event);
    let mut txns = vec![reader];
    if has_writer(history, event) {
        let writers = history.writes_of_same_value(event).into_iter().map(|w| history.txn_of(w));
        txns.extend(writers.filter(|&t| t != reader).take(1));
    }
    sort(&mut txns);
    txns
}

/// Whether a faulty read returned what another transaction wrote, but not for others to see.
fn has_writer(history: &History, event: EventId) -> bool {
    matches!(history.source(event), Source::Fault(Fault::Aborted | Fault::Intermediate))
}
