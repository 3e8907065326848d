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

/// A hash table over the rows of a source.
pub(crate) struct Built {
    pub(super) rows: Rc<Vec<Source>>,
    pub(super) places: HashMap<Grouped, Vec<u32>>,
}

/// The rows of a query, those without NULL by their values.
#[derive(Default)]
pub(crate) struct Members {
    pub(super) known: HashSet<Grouped>,
    pub(super) unknown: Vec<Row>,
}

/// How the rows of a source come, where not all at once.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The source.
    pub(super) item: usize,
    /// What they are found by; else as WHERE says.
    pub(super) index: Option<Arc<Index>>,
    pub(super) backwards: bool,
    /// Whether those are left out that have NULL in the column after the fixed ones.
    pub(super) without_null: bool,
    /// How many are asked for first.
    pub(super) batch: u32,
}

impl Stream {
    /// Whether it is about this source.
    pub(super) fn is_of(&self, item: &Item) -> bool {
        self.item == item.id
    }
}
