//! What every certificate rests on: the levels of transactions, reads that are wrong in any order, ids that exist.

use hobgoblin_core::{EventId, Fault, History, Level, Source, Status, Target, TxnId};

use super::error::VerifyError;

/// The level the target asks of a transaction.
pub(super) fn level_of(history: &History, target: Target, txn: TxnId) -> Level {
    match target {
        Target::Level(level) => level,
        Target::Mixed(default) => history.level(txn).unwrap_or(default),
    }
}

/// Whether all transactions are at RU, so that no order is asked for.
pub(super) fn needs_no_order(history: &History, target: Target) -> bool {
    match target {
        Target::Level(level) => !level.has_axiom(),
        Target::Mixed(_) => history.txns().all(|t| {
            history.status(t) == Status::Aborted || !level_of(history, target, t).has_axiom()
        }),
    }
}

/// Whether an event is a read of a value that its transaction's level forbids in any order.
pub(super) fn is_faulty(history: &History, target: Target, txn: TxnId, event: EventId) -> bool {
    match history.source(event) {
        Source::Fault(Fault::ThinAir | Fault::InternalMismatch) => true,
        Source::Fault(_) => level_of(history, target, txn).has_axiom(),
        _ => false,
    }
}

pub(super) fn known_txn(history: &History, txn: TxnId) -> Result<(), VerifyError> {
    let known = txn.index() < history.num_txns();
    known.then_some(()).ok_or(VerifyError::NoSuchId { what: "transaction", id: txn.raw() })
}

pub(super) fn known_event(history: &History, event: EventId) -> Result<(), VerifyError> {
    let known = event.index() < history.num_events();
    known.then_some(()).ok_or(VerifyError::NoSuchId { what: "event", id: event.raw() })
}
