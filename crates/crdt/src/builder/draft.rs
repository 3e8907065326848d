//! A history before its end: operations by the numbers of the names they were given.
//!
//! Numbers are those of [`Names`], in the order in which names came; at the end they are put in the order in which the
//! finished history uses them.

use hobgoblin_core::Key;

use super::bounds::Recorded;
use super::names::Names;
use crate::data_type::{DataType, TypeOptions};
use crate::history::{Item, ObjectId, OpRef, Timestamp, ValueId};

/// What an operation did or returned.
#[derive(Debug)]
pub(crate) enum Step {
    Nothing,
    Add(ObjectId),
    Remove(ObjectId),
    Contains(ObjectId, bool),
    Elements(Box<[ObjectId]>),
    Increase(ObjectId, i64),
    Sum(ObjectId, i64),
    Write(ObjectId, ValueId),
    Delete(ObjectId),
    Value(ObjectId, Option<ValueId>),
    Values(ObjectId, Box<[ValueId]>),
    Insert {
        list: ObjectId,
        after: Option<ValueId>,
        element: ValueId,
    },
    Erase {
        list: ObjectId,
        element: ValueId,
    },
    /// As long as it is not known who adds an element, it is one that nobody added.
    Items(ObjectId, Box<[Item]>),
}

impl Step {
    /// Whether operations of this type do or return such a thing.
    pub(super) fn fits(&self, data_type: DataType) -> bool {
        match self {
            Step::Nothing => true,
            Step::Add(_) | Step::Remove(_) | Step::Contains(..) => data_type.is_membership(),
            Step::Elements(_) => matches!(data_type, DataType::AwSet | DataType::RwSet),
            Step::Increase(..) | Step::Sum(..) => data_type == DataType::Counter,
            Step::Write(..) | Step::Delete(_) => {
                matches!(data_type, DataType::Mvr | DataType::Lww)
            }
            Step::Value(..) => data_type == DataType::Lww,
            Step::Values(..) => data_type == DataType::Mvr,
            Step::Insert { .. } | Step::Erase { .. } | Step::Items(..) => data_type.is_list(),
        }
    }

    /// Whether it gives a register another value, or none.
    pub(super) fn is_write(&self) -> bool {
        matches!(self, Step::Write(..) | Step::Delete(_))
    }

    /// Whether others can observe an effect of it.
    pub(super) fn is_update(&self) -> bool {
        match self {
            Step::Add(_)
            | Step::Remove(_)
            | Step::Increase(..)
            | Step::Write(..)
            | Step::Delete(_)
            | Step::Insert { .. }
            | Step::Erase { .. } => true,
            Step::Nothing
            | Step::Contains(..)
            | Step::Elements(_)
            | Step::Sum(..)
            | Step::Value(..)
            | Step::Values(..)
            | Step::Items(..) => false,
        }
    }
}

/// An operation.
#[derive(Debug)]
pub(super) struct OpDraft {
    pub(super) step: Step,
    pub(super) doubtful: bool,
    pub(super) is_final: bool,
}

/// All that is known of a history.
#[derive(Debug)]
pub(super) struct HistoryDraft {
    pub(super) data_type: DataType,
    pub(super) options: TypeOptions,
    pub(super) replicas: Vec<Key>,
    /// The operations of each replica.
    pub(super) ops: Vec<Vec<OpDraft>>,
    pub(super) objects: Names,
    pub(super) values: Names,
    pub(super) recorded: Recorded,
    /// Only where writes are ordered by them; of two for one operation the last counts.
    pub(super) timestamps: Vec<(OpRef, Timestamp)>,
    /// How many replicas, the last ones, are not there but hold initial values.
    pub(super) initial: u32,
}
