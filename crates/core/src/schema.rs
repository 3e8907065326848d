//! What the names of an SQL database mean: the columns of its tables and indexes.
//!
//! The key of a row is the name of its table and its primary key, `course[7]`, and its value lists the columns by
//! position, `[7,30]`. A [`Schema`] tells how to say that: `course(id = 7)` has 30 `seats`. It changes no answer.

use crate::sorted::SortedMap;

/// The tables and indexes whose rows and entries are keys of a history, by the name that those keys begin with.
///
/// ```
/// use hobgoblin_core::{Schema, Table};
///
/// let mut schema = Schema::default();
/// let course = Table { columns: vec!["id".into(), "seats".into()], key: vec!["id".into()] };
/// schema.tables.insert("course".into(), course);
/// assert_eq!(&*schema.tables.get("course").expect("it is there").columns[1], "seats");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// The tables.
    pub tables: SortedMap<Box<str>, Table>,
    /// The indexes that have entries of their own.
    pub indexes: SortedMap<Box<str>, Index>,
}

/// A table: what the value and the key of a row consist of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of its columns, in the order of a row's values; a column that was dropped has an empty name.
    pub columns: Vec<Box<str>>,
    /// The columns in the key of a row, in order; none where rows are numbered.
    pub key: Vec<Box<str>>,
}

/// An index: what the key of an entry consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The table whose rows it finds.
    pub table: Box<str>,
    /// The columns or expressions in the key of an entry, in order; the key of the row may follow them.
    pub columns: Vec<Box<str>>,
    /// Whether it keeps two rows from having the same.
    pub unique: bool,
}

impl Schema {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.indexes.is_empty()
    }

    /// How many tables and indexes it knows.
    pub fn len(&self) -> usize {
        self.tables.len() + self.indexes.len()
    }

    /// Adds what another one knows, which is newer: of a name that both have, it is right.
    pub fn update(&mut self, newer: Schema) {
        for (name, table) in newer.tables.into_entries() {
            self.tables.insert(name, table);
        }
        for (name, index) in newer.indexes.into_entries() {
            self.indexes.insert(name, index);
        }
    }
}
