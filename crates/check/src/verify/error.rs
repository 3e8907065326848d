//! What can be wrong with a certificate.

use hobgoblin_core::{Edge, EventId, KeyId, StopReason, Target, TxnId};

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The check ended without an answer.
    #[error("there is no certificate, because {0}")]
    Undecided(StopReason),
    /// It names a transaction, event or key that the history does not have.
    #[error("the certificate names {what} {id}, which the history does not have")]
    NoSuchId {
        /// What kind of thing.
        what: &'static str,
        /// The number that is out of range.
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
        /// The read that returned what was overwritten.
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
        /// The key that they were said to write.
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
