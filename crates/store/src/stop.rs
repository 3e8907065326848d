//! Why a request cannot be served now.

use hobgoblin_core::SessionId;

use crate::error::AbortReason;
use crate::request::Answer;

/// Why a request of a transaction cannot be served now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The session has to wait for this one.
    Blocked(SessionId),
    /// The lock is not free, this session has it, and the request was not to wait.
    Locked(SessionId),
    /// Waiting would close a circle.
    Deadlock,
    /// What is to be locked or written was overwritten since the snapshot.
    Conflict,
    /// What is to be locked was deleted since the snapshot.
    Deleted,
    /// The transaction has its place in a dangerous row of transactions.
    Dependencies,
    /// What is to be locked changed since the snapshot, and the session refuses that.
    Changed,
}

/// What becomes of a request inside a transaction.
#[derive(Debug)]
pub(crate) enum Served {
    Answer(Answer),
    Blocked(SessionId),
    Abort(AbortReason),
}

impl From<Stop> for Served {
    fn from(stop: Stop) -> Served {
        match stop {
            Stop::Blocked(holder) => Served::Blocked(holder),
            Stop::Locked(holder) => Served::Answer(Answer::Locked { holder }),
            Stop::Deadlock => Served::Abort(AbortReason::Deadlock),
            Stop::Conflict => Served::Abort(AbortReason::Serialization),
            Stop::Deleted => Served::Abort(AbortReason::Deleted),
            Stop::Changed => Served::Abort(AbortReason::Changed),
            Stop::Dependencies => Served::Abort(AbortReason::Dependencies),
        }
    }
}

impl From<Result<(), Stop>> for Served {
    fn from(done: Result<(), Stop>) -> Served {
        match done {
            Ok(()) => Served::Answer(Answer::Done),
            Err(stop) => stop.into(),
        }
    }
}
