//! What can be wrong with a certificate.

use std::fmt;

use hobgoblin_core::{Edge, EventId, KeyId, StopReason, Target, TxnId};

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The check ended without an answer.
    Undecided(StopReason),
    /// It names a transaction, event or key that the history does not have.
    NoSuchId {
        /// What kind of thing.
        what: &'static str,
        /// The number that is out of range.
        id: u32,
    },
    /// The order holds a transaction that did not commit, or init.
    NotCommitted(TxnId),
    /// The order holds a transaction twice.
    Repeated(TxnId),
    /// The order lacks a transaction that counts.
    Missing(TxnId),
    /// An ambiguous read has no source, two, or one that did not write what it returned.
    BadSource(EventId),
    /// A read returned what its level forbids in any order.
    FaultyRead(EventId),
    /// The order contradicts so, wr, real time, or a known order of versions.
    Backwards(Edge),
    /// A read returned an older version than its level allows in this order.
    StaleRead {
        /// The read that returned what was overwritten.
        read: EventId,
        /// Who wrote a newer version that the level lets the reader see.
        newer: TxnId,
    },
    /// The witness is of another target.
    OtherTarget(Target),
    /// The list of a witness's transactions is not ascending, or its proof uses one not listed.
    BadListing(TxnId),
    /// A proof speaks of a transaction that need not have committed.
    NotCounted(TxnId),
    /// A proof blames a read that its level allows.
    InnocentRead(EventId),
    /// A step orders transactions that do not both write the key, or one with itself.
    NotWriters {
        /// The key that they were said to write.
        key: KeyId,
        /// The step's first transaction.
        first: TxnId,
        /// The step's second transaction.
        second: TxnId,
    },
    /// The edges of a cycle do not follow each other.
    BrokenCycle(usize),
    /// An edge of a cycle is not there.
    FalseEdge(Edge),
    /// The level allows the cycle.
    AllowedCycle(TxnId),
    /// The cases of a read are not its candidates.
    BadCases(EventId),
    /// A search was to find nothing, and found an order.
    Satisfied,
    /// Proofs within proofs, too many levels down.
    TooDeep(usize),
    /// A search takes too long.
    TooLarge,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Undecided(inner) => write!(f, "there is no certificate, because {inner}"),
            VerifyError::NoSuchId { what, id } => {
                write!(f, "the certificate names {what} {id}, which the history does not have")
            }
            VerifyError::NotCommitted(inner) => {
                write!(f, "transaction {inner} has no place in a commit order")
            }
            VerifyError::Repeated(inner) => {
                write!(f, "transaction {inner} is in the commit order twice")
            }
            VerifyError::Missing(inner) => {
                write!(f, "transaction {inner} counts, but is not in the commit order")
            }
            VerifyError::BadSource(inner) => write!(
                f,
                "event {inner} is not given exactly one of the transactions it may have read from"
            ),
            VerifyError::FaultyRead(inner) => {
                write!(f, "event {inner} read a value that its level forbids, whatever the order")
            }
            VerifyError::Backwards(inner) => write!(
                f,
                "the commit order has transaction {} before {}, contrary to {:?}",
                inner.to, inner.from, inner.why
            ),
            VerifyError::StaleRead { read, newer } => write!(
                f,
                "event {read} should have read transaction {newer}'s version, or a later one"
            ),
            VerifyError::OtherTarget(inner) => {
                write!(f, "the witness shows a violation of {inner:?}, which was not asked for")
            }
            VerifyError::BadListing(inner) => write!(
                f,
                "transaction {inner} is out of place in the witness's list, or missing from it"
            ),
            VerifyError::NotCounted(inner) => {
                write!(f, "the proof uses transaction {inner}, which may not have committed")
            }
            VerifyError::InnocentRead(inner) => {
                write!(f, "event {inner} is no read of a value that its level forbids")
            }
            VerifyError::NotWriters { key, first, second } => write!(
                f,
                "a step orders the versions of key {key} by transactions {first} and {second}, which are not two of its writers"
            ),
            VerifyError::BrokenCycle(inner) => {
                write!(f, "edge {inner} of a cycle does not lead to the next")
            }
            VerifyError::FalseEdge(inner) => write!(
                f,
                "transaction {} need not come before {} by {:?}",
                inner.from, inner.to, inner.why
            ),
            VerifyError::AllowedCycle(inner) => {
                write!(f, "the cycle through transaction {inner} is not one that the level forbids")
            }
            VerifyError::BadCases(inner) => write!(
                f,
                "the cases of event {inner} are not the transactions it may have read from"
            ),
            VerifyError::Satisfied => f.write_str(
                "the transactions of the witness do have an order that the level allows",
            ),
            VerifyError::TooDeep(inner) => write!(f, "the proof is nested more than {inner} deep"),
            VerifyError::TooLarge => {
                f.write_str("the search that the proof appeals to is too large to repeat")
            }
        }
    }
}

impl std::error::Error for VerifyError {}
