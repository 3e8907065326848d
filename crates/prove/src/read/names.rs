//! What a name in SQL means: a column of a row that the query speaks of, or a variable.
//!
//! The innermost query that knows a name has it. PL/pgSQL asks both sides, and a name that is a column and a variable is
//! an error, as it is to PostgreSQL. A column of a query *around* is an error of ours: what is asked of a subquery then
//! depends on the row outside, which the analysis does not know.

use std::rc::Rc;

use sqlparser::ast;

use super::error::{Fault, Named, Problem, Result};
use super::tokens::{Sql, fold, place};
use super::variables::Variables;
use crate::program::{ColumnId, Expr, ExprKind, Place, RowId, Table, TableId, Type};

/// A row that a query speaks of.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its alias, or the name of its table.
    pub(super) name: String,
    pub(super) table: TableId,
    pub(super) id: RowId,
}

/// The rows that a query speaks of.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Columns that `USING` made one.
    pub(super) merged: Vec<String>,
}

/// Turns the parser's trees into ours.
pub(super) struct Binder<'a> {
    pub(super) tables: &'a [Table],
    pub(super) variables: Variables,
    /// The rows of the queries around, from the outside; the last are those of the query that is read.
    pub(super) queries: Vec<Rows>,
    /// What is read.
    pub(super) sql: Rc<Sql>,
    /// Whether an aggregate may stand here.
    pub(super) aggregates: bool,
    pub(super) depth: usize,
    /// How much of expressions was copied.
    pub(super) copied: usize,
}

impl<'a> Binder<'a> {
    pub(super) fn new(tables: &'a [Table], variables: Variables) -> Binder<'a> {
        Binder {
            tables,
            variables,
            queries: Vec::new(),
            sql: Rc::new(Sql { tokens: Vec::new(), place: Place { start: 0, end: 0 } }),
            aggregates: false,
            depth: 0,
            copied: 0,
        }
    }

    pub(super) fn table(&self, id: TableId) -> &'a Table {
        &self.tables[id.0 as usize]
    }

    /// The table of a name.
    pub(super) fn find_table(&self, name: &ast::ObjectName) -> Result<TableId> {
        let (folded, at) = object_name(name, self.sql.place)?;
        let found = self.tables.iter().position(|table| table.name == folded);
        let found = found.ok_or_else(|| Fault::unknown(at, Named::Table, &folded))?;
        Ok(TableId(found as u32))
    }

    /// The column of a table.
    pub(super) fn find_column(&self, table: TableId, name: &ast::Ident) -> Result<ColumnId> {
        let folded = fold(name);
        column_of(self.table(table), &folded)
            .ok_or_else(|| Fault::unknown(place(name.span), Named::Column, &folded))
    }

    pub(super) fn column(&self, table: TableId, row: RowId, column: ColumnId, at: Place) -> Expr {
        let ty: Type = self.table(table).columns[column.0 as usize].ty;
        Expr { kind: ExprKind::Column(row, column), ty, place: at }
    }

    /// What `name` means.
    pub(super) fn name(&mut self, name: &ast::Ident) -> Result<Expr> {
        let (folded, at) = (fold(name), place(name.span));
        let mut found = Vec::new();
        let mut inner = true;
        for (up, query) in self.queries.iter().rev().enumerate() {
            for row in &query.rows {
                if let Some(column) = column_of(self.table(row.table), &folded) {
                    found.push(self.column(row.table, row.id, column, at));
                }
            }
            if query.merged.contains(&folded) {
                found.truncate(1);
            }
            if !found.is_empty() {
                inner = up == 0;
                break;
            }
        }
        let is_variable = self.variables.is_name(&folded);
        match (found.pop(), is_variable) {
            (Some(_), true) => Err(Fault::new(at, Problem::Ambiguous { name: folded })),
            (Some(_), false) if !inner => Err(Fault::new(at, Problem::Correlated { name: folded })),
            (Some(_), false) if !found.is_empty() => {
                Err(Fault::new(at, Problem::SeveralColumns { name: folded }))
            }
            (Some(column), false) => Ok(column),
            (None, _) => self.variable(vec![folded], at),
        }
    }

    /// What `qualifier.name` means.
    pub(super) fn qualified(&mut self, qualifier: &ast::Ident, name: &ast::Ident) -> Result<Expr> {
        let (record, field) = (fold(qualifier), fold(name));
        let at = Place { start: place(qualifier.span).start, end: place(name.span).end };
        let row = self.queries.iter().rev().enumerate().find_map(|(up, query)| {
            let row = query.rows.iter().find(|row| row.name == record)?;
            Some((up == 0, row.clone()))
        });
        let is_variable = self.variables.is_field(&record, &field);
        let Some((inner, row)) = row else {
            return match is_variable || self.variables.is_qualifier(&record) {
                true => self.variable(vec![record, field], at),
                false => Err(Fault::unknown(place(qualifier.span), Named::Table, &record)),
            };
        };
        match (column_of(self.table(row.table), &field), is_variable) {
            (Some(_), true) => {
                Err(Fault::new(at, Problem::Ambiguous { name: format!("{record}.{field}") }))
            }
            (Some(_), false) if !inner => {
                Err(Fault::new(at, Problem::Correlated { name: format!("{record}.{field}") }))
            }
            (Some(column), false) => Ok(self.column(row.table, row.id, column, at)),
            (None, true) => self.variable(vec![record, field], at),
            (None, false) => Err(Fault::unknown(place(name.span), Named::Column, &field)),
        }
    }

    fn variable(&mut self, names: Vec<String>, at: Place) -> Result<Expr> {
        let rows = self.queries.iter().any(|query| !query.rows.is_empty());
        let in_body = self.variables.in_body;
        self.variables.read(&names, at).map_err(|fault| match fault.problem {
            Problem::Unknown { name, .. } if rows && names.len() == 1 => {
                let what = if in_body { Named::ColumnOrVariable } else { Named::Column };
                Fault::unknown(at, what, &name)
            }
            _ => fault,
        })
    }
}

/// The column of a table that has a name.
pub(super) fn column_of(table: &Table, name: &str) -> Option<ColumnId> {
    let found = table.columns.iter().position(|column| column.name == name)?;
    Some(ColumnId(found as u32))
}

/// A name of a table or function, which may say that it is in the schema `public`.
pub(super) fn object_name(name: &ast::ObjectName, whole: Place) -> Result<(String, Place)> {
    let at = super::tokens::place_of(name, whole);
    let parts: Vec<&ast::Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
    match parts.as_slice() {
        [name] => Ok((fold(name), at)),
        [schema, name] if fold(schema) == "public" => Ok((fold(name), at)),
        _ => Err(Fault::unsupported(
            at,
            format!("the name {name}"),
            "all tables and functions are in the schema public",
        )),
    }
}
