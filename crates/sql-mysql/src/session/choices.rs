//! What a session has chosen of transactions and waits.

use std::time::Duration;

use hobgoblin_core::Level;

use crate::syntax::{Access, Isolation};

/// What a session has chosen.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// `autocommit`.
    pub(crate) autocommit: bool,
    /// `transaction_isolation`.
    pub(crate) isolation: Isolation,
    /// `transaction_read_only`.
    pub(crate) read_only: bool,
    /// The level of the next transaction alone.
    pub(crate) next_isolation: Option<Isolation>,
    /// What the next transaction alone may do.
    pub(crate) next_access: Option<Access>,
    /// `innodb_snapshot_isolation`; nothing where the store says it.
    pub(crate) snapshot_isolation: Option<bool>,
    /// `innodb_lock_wait_timeout`.
    pub(crate) row_wait: Duration,
    /// `lock_wait_timeout`.
    pub(crate) table_wait: Duration,
    /// `max_statement_time`, `max_execution_time`.
    pub(crate) statement_limit: Option<Duration>,
    /// `foreign_key_checks`.
    pub(crate) checks_references: bool,
    /// `wait_timeout`.
    pub(crate) idle: Duration,
}

impl Choices {
    /// Those of a session that has said nothing.
    pub(crate) fn new(level: Level) -> Choices {
        Choices {
            autocommit: true,
            isolation: isolation_of(level),
            read_only: false,
            next_isolation: None,
            next_access: None,
            snapshot_isolation: None,
            row_wait: Duration::from_secs(50),
            table_wait: Duration::from_secs(86_400),
            statement_limit: None,
            checks_references: true,
            idle: Duration::from_secs(28_800),
        }
    }
}

/// The level of the store that a level of InnoDB's is.
pub(crate) fn level_of(isolation: Isolation) -> Level {
    match isolation {
        Isolation::ReadUncommitted => Level::RU,
        Isolation::ReadCommitted => Level::RC,
        Isolation::RepeatableRead => Level::SI,
        Isolation::Serializable => Level::SER,
    }
}

/// The level of InnoDB's that comes next to a level of the store.
pub(crate) fn isolation_of(level: Level) -> Isolation {
    match level {
        Level::RU => Isolation::ReadUncommitted,
        Level::RC | Level::RA | Level::CC => Isolation::ReadCommitted,
        Level::PC | Level::PSI | Level::SI => Isolation::RepeatableRead,
        Level::SER | Level::SSER => Isolation::Serializable,
    }
}
