//! Answers, each with what is needed to verify it.

use hobgoblin_core::StopReason;

use crate::history::OpId;

/// Whether a history is one that its data type admits.
#[derive(Clone, Debug)]
pub enum CrdtVerdict {
    /// It is; this shows it, and [`crate::verify()`] replays it.
    Admitted(CrdtWitness),
    /// It is not.
    Violation(Box<CrdtViolation>),
    /// The check stopped first, and this is why.
    Unknown(StopReason),
}

/// Who observed what, and in which order concurrent updates count: with these, every operation returned what its
/// replica had to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdtWitness {
    /// Of every operation and replica, how many operations of the replica it had observed; of its own replica, those
    /// before it. Operation by operation.
    pub observed: Vec<u32>,
    /// The doubtful updates that took place.
    pub happened: Vec<OpId>,
    /// Registers and growable arrays: the updates in the order that decides among concurrent ones. For every object
    /// one after the other if each has an order of its own. Lists: where elements were added, in the order of each
    /// list. Otherwise empty.
    pub order: Vec<OpId>,
}

/// Operations that no execution explains together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdtViolation {
    /// The reads. Without any one of them the rest can be explained, unless `minimal` is false.
    pub reads: Vec<OpId>,
    /// The updates that matter: without the effect of any one of them the reads could be explained. Where none matters
    /// alone, some whose values or elements were returned.
    pub updates: Vec<OpId>,
    /// Whether there was time to make `reads` and `updates` as few as possible.
    pub minimal: bool,
    /// Why, step by step, in words.
    pub why: Vec<String>,
    /// What a single read must have returned, where who had observed what is known.
    pub expected: Option<String>,
}
