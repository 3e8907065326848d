//! The state of a session's transaction.

use hobgoblin_core::Level;
use hobgoblin_front::Mode;
use hobgoblin_sql_session::{Moves, Own, SchemaChange};
use hobgoblin_sql_value::Oid;

/// The state of a session's transaction.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// Whether it goes on after the statement: BEGIN opened it, or autocommit is off.
    pub(crate) block: bool,
    /// Whether BEGIN opened it.
    pub(crate) begun: bool,
    /// Whether the store has it open.
    pub(crate) open: bool,
    /// Whether others are shown it: it has come to a table.
    pub(crate) shown: bool,
    /// The level asked for.
    pub(crate) level: Option<Level>,
    /// Whether it may only read.
    pub(crate) read_only: bool,
    /// Whether it is a single plain read outside of a block.
    pub(crate) lone_read: bool,
    /// Its own catalogue, while a statement changes it.
    pub(crate) catalog: Option<Own>,
    /// The statements that changed it.
    pub(crate) changes: Vec<SchemaChange>,
    /// Rows that have another key now, with that key, and keys of new rows.
    pub(crate) moves: Moves,
    /// The locks it has on tables, in the order it took them.
    pub(crate) relations: Vec<(Oid, Mode)>,
    /// Its savepoints, in the order they were set.
    pub(crate) savepoints: Vec<String>,
}
