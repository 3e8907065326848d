//! Tables of the system: a dialect's own, whose rows it makes when they are asked for.

use hobgoblin_sql_value::{Oid, TypeId};

/// A table or view of the system, such as `pg_class`.
#[derive(Debug)]
pub struct SystemTable {
    /// The schema that it is in.
    pub schema: &'static str,
    /// The name of the table, folded as the dialect folds identifiers.
    pub name: &'static str,
    /// The fixed number of the table, below all that a catalogue gives out.
    pub oid: Oid,
    /// The names and types of its columns, in order.
    pub columns: Vec<(&'static str, TypeId)>,
    /// For each column in order, whether it is NOT NULL.
    pub not_null: Vec<bool>,
    /// Whether it is called a view.
    pub view: bool,
    /// The oid of its row type.
    pub row_type: Oid,
    /// The oid of the array type of its row type.
    pub row_array: Oid,
}
