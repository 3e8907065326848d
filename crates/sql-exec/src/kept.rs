//! What the execution of a statement keeps, so as not to find it twice.

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use hobgoblin_sql_bind::bound::Item;
use hobgoblin_sql_schema::catalog::Index;
use hobgoblin_sql_value::{Datum, Grouped};

use super::tuple::Source;

/// One row of a result.
pub type Row = Vec<Datum>;

/// A hash table over the rows of a source, from the values of its keys to the places of rows.
pub(crate) struct Built {
    pub(super) rows: Rc<Vec<Source>>,
    pub(super) places: HashMap<Grouped, Vec<u32>>,
}

/// The rows of a query in a form to look values up: a set of those without NULL, and a list of the
/// others.
#[derive(Default)]
pub(crate) struct Members {
    pub(super) known: HashSet<Grouped>,
    pub(super) unknown: Vec<Row>,
}

/// How the rows of a source come if they are read a few at a time.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The number of the source in the statement.
    pub(super) item: usize,
    /// The index they are read along; `None` for what the conditions have chosen.
    pub(super) index: Option<Arc<Index>>,
    pub(super) backwards: bool,
    /// Whether rows are left out that have NULL in the index column after those that the conditions
    /// fix.
    pub(super) without_null: bool,
    /// How many rows are asked for first; later more.
    pub(super) batch: u32,
}

impl Stream {
    /// Whether it is about this source.
    pub(super) fn is_of(&self, item: &Item) -> bool {
        self.item == item.id
    }
}
