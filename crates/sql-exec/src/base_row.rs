//! A row of a table as a statement has found it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use hobgoblin_core::{Text, Value};
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::Datum;

/// A row of a table.
#[derive(Debug)]
pub struct BaseRow {
    /// Its table.
    pub table: Arc<Table>,
    /// Its key, `course[7]`.
    pub key: Text,
    /// Its cells, as far as they are known; none at all before the first of a row that is kept whole is wanted.
    pub(super) cells: RefCell<Vec<Option<Datum>>>,
    /// What the key held.
    pub stored: Value,
    pub(super) readers: Cell<Readers>,
}

/// Which parts of a statement have used the one read that a row was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// One part, perhaps the search for the rows to change or lock.
    One,
    /// More than one, such as a subquery beside the search.
    Several,
    /// The search alone: the row was locked since, and its history says so.
    Search,
}

impl BaseRow {
    /// The part of the key that says which row: `[7]`.
    pub fn id(&self) -> &str {
        &self.key[self.table.prefix.len()..]
    }

    /// The row with new values in some cells.
    pub fn changed(&self, key: Text, values: &[Datum], set: &[usize]) -> BaseRow {
        let mut cells = self.cells.borrow().clone();
        for &at in set {
            cells[at] = Some(values[at].clone());
        }
        let (table, stored) = (Arc::clone(&self.table), self.stored.clone());
        let readers = Cell::new(Readers::One);
        BaseRow { table, key, cells: RefCell::new(cells), stored, readers }
    }

    /// Becomes another row of its table, which is kept whole.
    pub(super) fn become_another(&mut self, key: Text, stored: Value) {
        (self.key, self.stored) = (key, stored);
        self.cells.get_mut().clear();
        self.readers.set(Readers::One);
    }

    /// A row whose cells are all known.
    pub fn known(table: &Arc<Table>, key: Text, cells: Vec<Datum>) -> BaseRow {
        let cells = cells.into_iter().map(Some).collect();
        let (table, stored) = (Arc::clone(table), Value::Null);
        let readers = Cell::new(Readers::One);
        BaseRow { table, key, cells: RefCell::new(cells), stored, readers }
    }
}
