//! What InnoDB knows of its open transactions.

use hobgoblin_core::Level;

use crate::engine::{Each, Engine, Snapshots};
use crate::ids::KeyNo;
use crate::views::Views;

/// The isolation levels of InnoDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Isolation {
    Uncommitted,
    Committed,
    Repeatable,
    Serializable,
}

impl Isolation {
    /// The level of InnoDB for a level of the store, if there is one.
    pub(super) fn of(level: Level) -> Option<Isolation> {
        match level {
            Level::RU => Some(Isolation::Uncommitted),
            Level::RC => Some(Isolation::Committed),
            Level::SI => Some(Isolation::Repeatable),
            Level::SER => Some(Isolation::Serializable),
            Level::RA | Level::CC | Level::PC | Level::PSI | Level::SSER => None,
        }
    }

    pub(super) fn locks_gaps(self) -> bool {
        self >= Isolation::Repeatable
    }

    /// How often a transaction of the level takes a snapshot.
    pub(super) fn each(self, refuses_changed: bool) -> Each {
        match self {
            Isolation::Uncommitted => Each::Read,
            Isolation::Committed => Each::Statement,
            Isolation::Repeatable => Each::Transaction,
            // What changed since is told by a snapshot that nothing reads.
            Isolation::Serializable if refuses_changed => Each::Transaction,
            Isolation::Serializable => Each::Read,
        }
    }
}

/// What is known of an open transaction.
#[derive(Debug)]
pub(super) struct View {
    /// The level that its reads satisfy, which the history says.
    pub(super) satisfies: Level,
    pub(super) isolation: Isolation,
    pub(super) snapshots: Snapshots,
    /// Whether it refuses to lock what changed since its snapshot.
    pub(super) refuses_changed: bool,
    /// How much it had locked before the step of a scan that it made last, or after it where it had to wait.
    pub(super) step: usize,
    /// The key for which an insert has waited, because another session had it.
    pub(super) waited_for: Option<KeyNo>,
}

/// The state of a `mysql` store, without its keys and sessions.
#[derive(Debug)]
pub(super) struct Mysql {
    pub(super) engine: Engine,
    pub(super) views: Views<View>,
    /// What [`View::refuses_changed`] is unless the session says otherwise.
    pub(super) refuses_changed: bool,
}
