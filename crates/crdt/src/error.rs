//! What is wrong with a history that is none.

use hobgoblin_core::{Key, Value};

use crate::data_type::DataType;
use crate::history::OpRef;

/// Why something is not a history of a replicated data type. Whatever a run of it may have returned is a verdict;
/// this is about records that mean nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrdtError {
    /// Two replicas have one name.
    #[error("two replicas are called {0}")]
    TwoReplicas(Key),
    /// The operation is not one of this type.
    #[error("{data_type} has no such operation")]
    WrongType {
        /// Which operation.
        op: OpRef,
        /// The type of the history.
        data_type: DataType,
    },
    /// An element of a list was added twice.
    #[error("{element} is added to this list a second time")]
    AddedTwice {
        /// The later one.
        op: OpRef,
        /// The element.
        element: Value,
    },
    /// An element that nobody adds is removed or added after.
    #[error("{element} is added to this list nowhere in the history")]
    NeverAdded {
        /// Who names it.
        op: OpRef,
        /// The element.
        element: Value,
    },
    /// An element was added after itself.
    #[error("{element} is added after itself")]
    AfterItself {
        /// Who does.
        op: OpRef,
        /// The element.
        element: Value,
    },
    /// More operations are said to be observed than the replica has.
    #[error("{count} operations of {of} are observed, which has {len}")]
    OutOfRange {
        /// Who observed.
        op: OpRef,
        /// Whose operations.
        of: Key,
        /// How many are said to be.
        count: u64,
        /// How many there are.
        len: u64,
    },
    /// What is said of its own replica is not what comes before it.
    #[error("it observed the {own} operations of its own replica before it, not {count}")]
    OwnReplica {
        /// Who observed.
        op: OpRef,
        /// How many are said to be.
        count: u64,
        /// How many come before it.
        own: u64,
    },
    /// Two bounds leave nothing.
    #[error("at least {least} and at most {most} operations of {of} are observed")]
    Contradiction {
        /// Who observed.
        op: OpRef,
        /// Whose operations.
        of: Key,
        /// The lower bound.
        least: u64,
        /// The upper bound.
        most: u64,
    },
    /// Writes are to be ordered by their timestamps, and this one has none.
    #[error("it has no timestamp, by which writes are to be ordered")]
    NoTimestamp {
        /// Which write.
        op: OpRef,
    },
    /// An initial value that the type cannot have.
    #[error("{object} cannot begin as {value}")]
    Initial {
        /// Of which object.
        object: Value,
        /// The value.
        value: Value,
    },
    /// An option that the type does not have.
    #[error("only `lww` can be ordered by timestamps")]
    TimestampsOf(DataType),
    /// More operations, objects or values than can be numbered.
    #[error("it has more than four billion operations, objects or values")]
    TooLarge,
}

impl CrdtError {
    /// The operation that is wrong, if one is.
    pub fn op(&self) -> Option<OpRef> {
        match self {
            CrdtError::WrongType { op, .. }
            | CrdtError::AddedTwice { op, .. }
            | CrdtError::NeverAdded { op, .. }
            | CrdtError::AfterItself { op, .. }
            | CrdtError::OutOfRange { op, .. }
            | CrdtError::OwnReplica { op, .. }
            | CrdtError::Contradiction { op, .. }
            | CrdtError::NoTimestamp { op } => Some(*op),
            CrdtError::TwoReplicas(_)
            | CrdtError::Initial { .. }
            | CrdtError::TimestampsOf(_)
            | CrdtError::TooLarge => None,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            CrdtError::TwoReplicas(_) => "give every replica its own id",
            CrdtError::WrongType { .. } => {
                "see `hob crdt check --help` for the operations of each type"
            }
            CrdtError::AddedTwice { .. } => {
                "elements of a list are told apart by their names: make them unique, for example by replica and number"
            }
            CrdtError::NeverAdded { .. } => {
                "record the operation that added it, or give it as an initial value (`init`)"
            }
            CrdtError::AfterItself { .. } => "name the element that stands before it, or null",
            CrdtError::OutOfRange { .. } => {
                "`sees` counts operations of the other replica from its first on, as they stand in the file"
            }
            CrdtError::OwnReplica { .. } => "leave the own replica out",
            CrdtError::Contradiction { .. } => "keep the bounds that were recorded",
            CrdtError::NoTimestamp { .. } => {
                "record `ts` with every write and delete, or choose another `lin`"
            }
            CrdtError::Initial { .. } => {
                "a counter begins as an integer, an element or flag as true or false, a list or multi-value register \
                 as an array"
            }
            CrdtError::TimestampsOf(_) => "choose `\"lin\": \"global\"` or `\"per-key\"`",
            CrdtError::TooLarge => "divide it",
        }
    }
}
