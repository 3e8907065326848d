//! What writing a table needs beyond its columns: defaults, checks, indexes, all bound.
//!
//! Expressions of a schema are kept as syntax, since names change. To bind them for every row would
//! be slow, so a session binds them once for each version of a table.

use std::sync::Arc;

use hobgoblin_sql_bind::Expr;
use hobgoblin_sql_schema::catalog::{Constraint, Index, Table};
use hobgoblin_sql_schema::function::Function;
use hobgoblin_sql_value::TypeId;

/// What writing a table needs beyond its columns.
#[derive(Debug)]
pub struct TablePlan {
    /// The types of all its columns, as rows store them.
    pub types: Vec<TypeId>,
    /// The columns of the primary key by number less one, if rows have their keys by it.
    pub primary: Option<Vec<usize>>,
    /// For each column its default, or the expression that it is generated from.
    pub defaults: Vec<Option<Expr>>,
    /// The columns that an UPDATE sets without being told (`ON UPDATE`), with their values.
    pub on_update: Vec<(usize, Expr)>,
    /// The columns whose type is a domain, with the value checked by that.
    pub domains: Vec<(usize, Expr)>,
    /// The generated columns, by number less one.
    pub generated: Vec<usize>,
    /// The CHECK constraints by name, over the row as source 0.
    pub checks: Vec<(String, Expr)>,
    /// The indexes that have entries of their own, which the primary key mostly has not.
    pub indexes: Vec<IndexPlan>,
}

/// An index whose entries are kept in the store.
#[derive(Debug)]
pub struct IndexPlan {
    /// The index itself, as the catalogue has it.
    pub index: Arc<Index>,
    /// Its constraint, if that is deferrable, so that uniqueness is checked later.
    pub deferrable: Option<Arc<Constraint>>,
    /// The expressions of its key, over the row as source 0.
    pub keys: Vec<Expr>,
    /// The operator of each column, if it belongs to an EXCLUDE constraint.
    pub operators: Vec<&'static Function>,
    /// The condition that rows with an entry satisfy, if the index is partial.
    pub predicate: Option<Expr>,
}

impl TablePlan {
    /// The columns of a table's primary key, if rows have their keys by it.
    pub fn primary_of(table: &Table) -> Option<Vec<usize>> {
        let index = table.indexes.iter().find(|index| table.keys_rows(index))?;
        index.key_columns()
    }
}
