//! A row of a table as a statement has found it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hobgoblin_core::{Text, Value};
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::Datum;

/// A row that a statement has found, as one of its tables has it.
#[derive(Debug)]
pub struct BaseRow {
    /// The table that the row is in.
    pub table: Arc<Table>,
    /// The key of the row in the store, such as `course[7]`.
    pub key: Text,
    /// The cells that have been read. Where the store keeps a row whole they are all read at the
    /// first use, and there are none before.
    pub(super) cells: RefCell<Vec<Option<Datum>>>,
    /// The value of the key in the store, by which a newer version is told.
    pub stored: Value,
    pub(super) readers: Cell<Readers>,
}

/// Which parts of a statement have used the single read that found a row. The store counts a search
/// for rows to lock in another way than a read, so it must be known whether it was only that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// One part has, which may be the search for rows to change or to lock.
    One,
    /// Several have, such as a subquery beside the search.
    Several,
    /// Only the search has, and the row was locked since; in the history the read belongs to the
    /// lock.
    Search,
}

impl BaseRow {
    /// The part of the key that says which row: `[7]`.
    pub fn id(&self) -> &str {
        &self.key[self.table.prefix.len()..]
    }

    /// The row after an UPDATE, under its key: `values` in the cells of `set`, and its own in all
    /// others.
    pub fn changed(&self, key: Text, values: &[Datum], set: &[usize]) -> BaseRow {
        let mut cells = self.cells.borrow().clone();
        for &at in set {
            cells[at] = Some(values[at].clone());
        }
        let (table, stored) = (Arc::clone(&self.table), self.stored.clone());
        let readers = Cell::new(Readers::One);
        BaseRow { table, key, cells: RefCell::new(cells), stored, readers }
    }

    /// Turns it into another row of its table. Only where rows are kept whole.
    pub(super) fn become_another(&mut self, key: Text, stored: Value) {
        (self.key, self.stored) = (key, stored);
        self.cells.get_mut().clear();
        self.readers.set(Readers::One);
    }

    /// A row with all its cells, as it was just written.
    pub fn known(table: &Arc<Table>, key: Text, cells: Vec<Datum>) -> BaseRow {
        let cells = cells.into_iter().map(Some).collect();
        let (table, stored) = (Arc::clone(table), Value::Null);
        let readers = Cell::new(Readers::One);
        BaseRow { table, key, cells: RefCell::new(cells), stored, readers }
    }
}
