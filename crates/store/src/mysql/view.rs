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
    /// The one that a transaction of a level has, if there is such a level.
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

    /// How often a transaction takes a snapshot.
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
    /// The level it satisfies.
    pub(super) satisfies: Level,
    pub(super) isolation: Isolation,
    pub(super) snapshots: Snapshots,
    /// Whether it refuses to lock what changed since its snapshot.
    pub(super) refuses_changed: bool,
    /// How much it had locked before the step of a scan that it made last, or after it where it had to wait.
    pub(super) step: usize,
    /// The key that an insert waited for, because it was there.
    pub(super) waited_for: Option<KeyNo>,
}

/// The state of a `mysql` store, its keys and sessions apart.
#[derive(Debug)]
pub(super) struct Mysql {
    pub(super) engine: Engine,
    pub(super) views: Views<View>,
    /// What [`View::refuses_changed`] is where the session does not say.
    pub(super) refuses_changed: bool,
}
