//! Rows that a statement speaks of.

use crate::program::{Expr, TableId};
use crate::term::Term;
use crate::value::Nullable;

/// A row that expressions speak of.
#[derive(Clone, Debug)]
pub(super) enum Row {
    /// One of the database.
    Stored(TableId, Vec<Term>),
    /// One that is made of values.
    Values(Vec<Nullable>),
}

/// One row of each table of a query.
#[derive(Clone, Debug)]
pub(super) struct Combination {
    pub(super) rows: Vec<Row>,
    /// Whether the filter may hold, by the keys alone.
    pub(super) relevant: Term,
    /// Whether all rows are there.
    pub(super) alive: Term,
    /// Whether they are there and the filter holds.
    pub(super) matched: Term,
}

/// The rows a query may speak of.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    pub(super) list: Vec<Combination>,
    /// Whether there may be others: an open world was scanned, and the one in the list is any.
    pub(super) open: bool,
    /// Which tables were scanned in an open world.
    pub(super) scanned: Vec<bool>,
    /// The filter, with subqueries evaluated.
    pub(super) filter: Option<Expr>,
    pub(super) from: Vec<TableId>,
}

/// What aggregates are over.
#[derive(Clone, Debug)]
pub(super) enum Combined {
    /// All rows, each with whether it counts.
    All(Vec<(Vec<Row>, Term)>),
    /// Some row of an open world.
    Any(Box<Combinations>),
}
