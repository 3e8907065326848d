//! Checking certificates: a second, short and independent look at every answer.
//!
//! A checker may be clever; what it hands over must be simple. A [`CommitOrder`] is checked by walking
//! along it and testing every instance of the axioms (`order.rs`, and `past.rs` for CC and PSI), a
//! [`Witness`] by following its proof line by line (`witness.rs`), with an exhaustive search where the
//! proof appeals to one (`search.rs`). Nothing here is shared with the checkers.
//!
//! How the model is read, where it leaves room:
//!
//! - Where all transactions that did not abort are at RU, no order is asked for: only values that nobody
//!   wrote and internal mismatches are wrong. In a mix, `wr` of a reader at RU is in `co` like any other.
//! - A locking read returns the latest committed version, so it belongs to its transaction's commit, not
//!   to its snapshot. It is in `wr`, hence in `co` and in the past of later transactions, but it has no
//!   axiom of its own and has no part in what the other reads of its transaction must see.
//! - A known version order is a part of `co`.
//!
//! [`CommitOrder`]: hobgoblin_core::CommitOrder
//! [`Witness`]: hobgoblin_core::Witness

use hobgoblin_core::{
    Edge, EventId, Fault, History, KeyId, Level, Source, Status, Target, TxnId, Verdict,
};

mod order;
mod past;
mod search;
mod witness;

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It names a transaction, event or key that the history does not have.
    #[error("the certificate names {what} {id}, which the history does not have")]
    NoSuchId {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        id: u32,
    },
    /// The order holds a transaction that did not commit, or init.
    #[error("transaction {0} has no place in a commit order")]
    NotCommitted(TxnId),
    /// The order holds a transaction twice.
    #[error("transaction {0} is in the commit order twice")]
    Repeated(TxnId),
    /// The order lacks a transaction that counts.
    #[error("transaction {0} counts, but is not in the commit order")]
    Missing(TxnId),
    /// An ambiguous read has no source, two, or one that did not write what it returned.
    #[error("event {0} is not given exactly one of the transactions it may have read from")]
    BadSource(EventId),
    /// A read returned what its level forbids in any order.
    #[error("event {0} read a value that its level forbids, whatever the order")]
    FaultyRead(EventId),
    /// The order contradicts so, wr, real time, or a known order of versions.
    #[error("the commit order has transaction {} before {}, contrary to {:?}", .0.to, .0.from, .0.why)]
    Backwards(Edge),
    /// A read returned an older version than its level allows in this order.
    #[error("event {read} should have read transaction {newer}'s version, or a later one")]
    StaleRead {
        /// The read.
        read: EventId,
        /// Who wrote a newer version that the level lets the reader see.
        newer: TxnId,
    },
    /// The witness is of another target.
    #[error("the witness shows a violation of {0:?}, which was not asked for")]
    OtherTarget(Target),
    /// The list of a witness's transactions is not ascending, or its proof uses one not listed.
    #[error("transaction {0} is out of place in the witness's list, or missing from it")]
    BadListing(TxnId),
    /// A proof speaks of a transaction that need not have committed.
    #[error("the proof uses transaction {0}, which may not have committed")]
    NotCounted(TxnId),
    /// A proof blames a read that its level allows.
    #[error("event {0} is no read of a value that its level forbids")]
    InnocentRead(EventId),
    /// A step orders transactions that do not both write the key, or one with itself.
    #[error(
        "a step orders the versions of key {key} by transactions {first} and {second}, which are not two of its writers"
    )]
    NotWriters {
        /// The key.
        key: KeyId,
        /// The step's first transaction.
        first: TxnId,
        /// The step's second transaction.
        second: TxnId,
    },
    /// The edges of a cycle do not follow each other.
    #[error("edge {0} of a cycle does not lead to the next")]
    BrokenCycle(usize),
    /// An edge of a cycle is not there.
    #[error("transaction {} need not come before {} by {:?}", .0.from, .0.to, .0.why)]
    FalseEdge(Edge),
    /// The level allows the cycle.
    #[error("the cycle through transaction {0} is not one that the level forbids")]
    AllowedCycle(TxnId),
    /// The cases of a read are not its candidates.
    #[error("the cases of event {0} are not the transactions it may have read from")]
    BadCases(EventId),
    /// A search was to find nothing, and found an order.
    #[error("the transactions of the witness do have an order that the level allows")]
    Satisfied,
    /// Proofs within proofs, too many levels down.
    #[error("the proof is nested more than {0} deep")]
    TooDeep(usize),
    /// A search takes too long.
    #[error("the search that the proof appeals to is too large to repeat")]
    TooLarge,
}

/// Checks that a verdict's certificate shows what it says. [`Verdict::Unknown`] says nothing.
///
/// Costs about O(n·√n) for n events at RC and RA, from O(n) to O(n·k) for k sessions at CC and PSI,
/// O(n·log n) at the other levels; for a witness, about the size of its proof.
pub fn verify(history: &History, target: Target, verdict: &Verdict) -> Result<(), VerifyError> {
    match verdict {
        Verdict::Consistent(order) => order::verify(history, target, order),
        Verdict::Violation(witness) => witness::verify(history, target, witness),
        Verdict::Unknown(_) => Ok(()),
    }
}

/// The level the target asks of a transaction.
fn level_of(history: &History, target: Target, txn: TxnId) -> Level {
    match target {
        Target::Level(level) => level,
        Target::Mixed(default) => history.level(txn).unwrap_or(default),
    }
}

/// Whether all transactions are at RU, so that no order is asked for.
fn needs_no_order(history: &History, target: Target) -> bool {
    match target {
        Target::Level(level) => !level.has_axiom(),
        Target::Mixed(_) => history.txns().all(|t| {
            history.status(t) == Status::Aborted || !level_of(history, target, t).has_axiom()
        }),
    }
}

/// Whether an event is a read of a value that its transaction's level forbids in any order.
fn is_faulty(history: &History, target: Target, txn: TxnId, event: EventId) -> bool {
    match history.source(event) {
        Source::Fault(Fault::ThinAir | Fault::InternalMismatch) => true,
        Source::Fault(_) => level_of(history, target, txn).has_axiom(),
        _ => false,
    }
}

fn known_txn(history: &History, txn: TxnId) -> Result<(), VerifyError> {
    let known = txn.index() < history.num_txns();
    known.then_some(()).ok_or(VerifyError::NoSuchId { what: "transaction", id: txn.raw() })
}

fn known_event(history: &History, event: EventId) -> Result<(), VerifyError> {
    let known = event.index() < history.num_events();
    known.then_some(()).ok_or(VerifyError::NoSuchId { what: "event", id: event.raw() })
}
