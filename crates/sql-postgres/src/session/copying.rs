//! A COPY FROM that is under way.

use std::sync::Arc;

use crate::bind::Expr;
use crate::catalog::Table;

/// A COPY FROM under way.
pub(crate) struct Copying {
    pub(super) table: Arc<Table>,
    /// The columns the data has, by number less one.
    pub(super) columns: Vec<usize>,
    /// Which rows it takes.
    pub(super) filter: Option<Expr>,
    pub(super) rows: u64,
}
