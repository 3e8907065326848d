//! Statements that are bound to the schema.

use std::sync::Arc;

use hobgoblin_front::Mode;
use hobgoblin_sql_bind::bound::Query;
use hobgoblin_sql_bind::bound::dml::Dml;
use hobgoblin_sql_value::Oid;

use super::outcome::ColumnDescription;
use crate::syntax::Destination;

/// A query or a change of rows that is bound.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// The columns of its rows, if it gives rows.
    pub(super) columns: Option<Vec<ColumnDescription>>,
    /// The tables it uses, with the locks that takes.
    pub(super) tables: Vec<(Oid, Mode)>,
    /// The tables it reads that it names once.
    pub(super) alone: Arc<[Oid]>,
    /// Where the one row goes, where that is not the client.
    pub(super) into: Option<Destination>,
    /// SQL_CALC_FOUND_ROWS: rows that a limit cuts off are counted.
    pub(super) counts_all: bool,
    /// The catalogue and the path it was bound with.
    pub(super) version: u64,
    /// What the types of variables were, and the settings that constants depend on.
    pub(super) generation: u64,
    pub(super) path: Arc<[String]>,
}

/// What a statement does.
#[derive(Debug)]
pub(super) enum Plan {
    Query(Box<Query>),
    Dml(Box<Dml>),
}

impl Planned {
    /// Whether it is a query that locks nothing.
    pub(super) fn is_plain_read(&self) -> bool {
        matches!(&self.plan, Plan::Query(query) if query.locks.is_empty())
    }
}
