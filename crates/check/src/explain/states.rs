//! Violations of the levels as clients observe them in states, told as those of axioms are.
//!
//! A cause is turned into a [`Witness`] where it has the form of one: a read that no state serves is wrong by itself, and
//! reads that only each other's transactions serve are a circle of them.

use std::borrow::Cow;

use hobgoblin_core::{Conclusion, Edge, EventId, History, Proof, Reason, Target, TxnId, Witness};

use super::case::Case;
use super::tell::of_case;
use super::telling::{Order, Telling};
use super::terminal;
use crate::anomaly;
use crate::state::{StateCause, StateViolation};

/// What is told of a violation of a state-based level; `history` is the one that was checked.
#[doc(hidden)]
pub fn tell_state(history: &History, violation: &StateViolation) -> Telling {
    let level = violation.level;
    let test = format!("no execution passes the test of {} ({level})", level.info().title);
    let Some((history, witness)) = state_witness(history, violation) else {
        let names: Vec<_> = violation.txns.iter().map(|&txn| history.name(txn)).collect();
        return Telling {
            headline: "No order of these transactions explains what they read".to_owned(),
            order: Order::Fits,
            columns: Vec::new(),
            lines: Vec::new(),
            wrong: format!("Every execution of {} was tried, and none passes.", names.join(", ")),
            prevented: Vec::new(),
            names: test,
        };
    };
    let mut case = Case::of(history, &witness);
    case.level = level;
    let told = of_case(&case);
    Telling { names: format!("{}; {test}", witness.anomaly.title()), ..told }
}

/// The same for a terminal.
#[doc(hidden)]
pub fn state_text(history: &History, violation: &StateViolation) -> String {
    terminal::render(&tell_state(history, violation))
}

/// The witness that the cause of a violation amounts to, and the history that it is of.
#[doc(hidden)]
pub fn state_witness<'a>(
    history: &'a History,
    violation: &'a StateViolation,
) -> Option<(&'a History, Cow<'a, Witness>)> {
    let conclusion = match &violation.cause {
        StateCause::Axioms { history, witness } => return Some((history, Cow::Borrowed(witness))),
        StateCause::Search => return None,
        StateCause::Unserved(reads) => match reads[..] {
            [read] => Conclusion::Read(read),
            _ => Conclusion::Cycle(circle(history, reads)?),
        },
    };
    let mut txns = violation.txns.clone();
    if let Conclusion::Read(read) = conclusion {
        // Who wrote it in vain belongs to the story.
        txns.extend(history.writes_of_same_value(read).into_iter().map(|e| history.txn_of(e)));
        txns.retain(|&txn| txn != TxnId::INIT);
        txns.sort_unstable();
        txns.dedup();
    }
    let proof = Proof { steps: Vec::new(), conclusion };
    let witness = Witness {
        target: Target::Level(violation.level),
        anomaly: anomaly::name(history, violation.level, &proof),
        txns,
        minimal: violation.minimal,
        proof,
    };
    Some((history, Cow::Owned(witness)))
}

/// A circle of reads, each of what the transaction of another wrote.
fn circle(history: &History, reads: &[EventId]) -> Option<Vec<Edge>> {
    let read_of = |txn: TxnId| reads.iter().copied().find(|&read| history.txn_of(read) == txn);
    let mut way: Vec<TxnId> = vec![history.txn_of(*reads.first()?)];
    loop {
        let reader = *way.last()?;
        let writers = history.writes_of_same_value(read_of(reader)?);
        let writer = writers.into_iter().map(|write| history.txn_of(write));
        let writer = writer.into_iter().find(|&writer| read_of(writer).is_some())?;
        if let Some(first) = way.iter().position(|&txn| txn == writer) {
            // From each reader back to whom it read from.
            let round = &way[first..];
            let next = |at: usize| round[(at + 1) % round.len()];
            let edge = |at: usize| {
                let why = Reason::Read(read_of(round[at])?);
                Some(Edge { from: next(at), to: round[at], why })
            };
            return (0..round.len()).rev().map(edge).collect();
        }
        way.push(writer);
    }
}
