//! Tables of the system: a dialect's own, whose rows it makes when they are asked for.

use hobgoblin_sql_value::{Oid, TypeId};

/// A table or view of the system.
#[derive(Debug)]
pub struct SystemTable {
    /// Its schema.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its oid.
    pub oid: Oid,
    /// Its columns.
    pub columns: Vec<(&'static str, TypeId)>,
    /// Whether each column may not be NULL.
    pub not_null: Vec<bool>,
    /// Whether it is a view.
    pub view: bool,
    /// The oid of its row type.
    pub row_type: Oid,
    /// The oid of the array type of its row type.
    pub row_array: Oid,
}
