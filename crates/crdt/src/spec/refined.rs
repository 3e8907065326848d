//! What a specification makes of a model.

use crate::history::OpId;

/// What a model came to.
#[derive(Debug)]
pub(crate) enum Refined {
    /// Something is not met; clauses that say so were added.
    Broken,
    /// It is an execution, with this order of the updates.
    Holds(Vec<OpId>),
}
