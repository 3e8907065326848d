//! A history together with who observed what: enough to say what every operation must have returned.

use crate::history::{CrdtHistory, ObjectId, OpId, Replica};
use crate::index::Index;

/// See the [module docs](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) history: &'a CrdtHistory,
    pub(crate) index: &'a Index,
    /// Of every operation and replica, how many of its operations were observed.
    pub(crate) observed: &'a [u32],
    /// Of every operation, whether it took place; empty if all did.
    pub(crate) absent: &'a [bool],
}

impl<'a> View<'a> {
    /// How many operations of a replica an operation had observed.
    pub(crate) fn seen(&self, op: OpId, of: Replica) -> u32 {
        self.observed[op.index() * self.history.num_replicas() + of.index()]
    }

    /// Whether an operation took place.
    pub(crate) fn took_place(&self, op: OpId) -> bool {
        !self.absent.get(op.index()).copied().unwrap_or(false)
    }

    /// Whether an operation had observed another.
    pub(crate) fn sees(&self, by: OpId, op: OpId) -> bool {
        self.history.position(op) < self.seen(by, self.history.op(op).replica)
    }

    /// The updates of an object by a replica that an operation had observed, in order.
    pub(crate) fn visible(
        &self,
        by: OpId,
        object: ObjectId,
        of: Replica,
    ) -> impl DoubleEndedIterator<Item = OpId> + use<'a> {
        let View { history, index, .. } = *self;
        let prefix = self.seen(by, of);
        let updates = index.updates(object, of);
        let count = updates.partition_point(|&u| history.position(u) < prefix);
        let view = *self;
        updates[..count].iter().copied().filter(move |&u| view.took_place(u))
    }

    /// Of every replica, the last update of an object that an operation had observed and that is of this kind.
    pub(crate) fn last_visible(
        &self,
        by: OpId,
        object: ObjectId,
        kind: impl Fn(OpId) -> bool,
    ) -> impl Iterator<Item = OpId> {
        let last = move |of| self.visible(by, object, of).rev().find(|&u| kind(u));
        self.history.replicas().filter_map(last)
    }
}
