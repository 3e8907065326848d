//! What writing a table needs beyond its columns.

use std::sync::Arc;

use hobgoblin_sql_bind::Expr;
use hobgoblin_sql_schema::catalog::{Constraint, Index, Table};
use hobgoblin_sql_schema::function::Function;
use hobgoblin_sql_value::TypeId;

/// What writing a table needs beyond its columns, bound once.
#[derive(Debug)]
pub struct TablePlan {
    /// The types of all columns.
    pub types: Vec<TypeId>,
    /// The columns of the primary key.
    pub primary: Option<Vec<usize>>,
    /// Defaults and generated values by column.
    pub defaults: Vec<Option<Expr>>,
    /// Columns that every change of a row sets, with what to.
    pub on_update: Vec<(usize, Expr)>,
    /// Columns of domains, each with its value as one of its domain.
    pub domains: Vec<(usize, Expr)>,
    /// The columns that are generated.
    pub generated: Vec<usize>,
    /// Checks by name.
    pub checks: Vec<(String, Expr)>,
    /// The indexes that have entries, apart from the primary key.
    pub indexes: Vec<IndexPlan>,
}

/// An index whose entries are kept.
#[derive(Debug)]
pub struct IndexPlan {
    /// The index.
    pub index: Arc<Index>,
    /// The constraint that checks it later than it is written.
    pub deferrable: Option<Arc<Constraint>>,
    /// What its columns hold.
    pub keys: Vec<Expr>,
    /// Of an EXCLUDE constraint: the operator of each column.
    pub operators: Vec<&'static Function>,
    /// Which rows it has.
    pub predicate: Option<Expr>,
}

impl TablePlan {
    /// The columns of the primary key of a table.
    pub fn primary_of(table: &Table) -> Option<Vec<usize>> {
        let index = table.indexes.iter().find(|index| table.keys_rows(index))?;
        index.key_columns()
    }
}
