//! Who takes part in the executions of a history.

use hobgoblin_core::{History, Status, TxnId};

/// Who takes part in executions.
pub(super) struct Part {
    /// The transactions every execution has.
    pub(super) required: Vec<TxnId>,
    /// Those of unknown status, which may have committed or not.
    pub(super) open: Vec<TxnId>,
}

impl Part {
    pub(super) fn of(history: &History) -> Part {
        let (required, others): (Vec<TxnId>, Vec<TxnId>) =
            history.txns().partition(|&t| history.counts(t));
        let unknown = |&t: &TxnId| history.status(t) == Status::Unknown;
        Part { required, open: others.into_iter().filter(unknown).collect() }
    }
}
