//! UPDATE and DELETE of the rows of several tables, which a join finds.
//!
//! MySQL writes `UPDATE t JOIN u ON … SET t.a = 1, u.b = 2` and `DELETE t, u FROM t JOIN u ON …`.
//! The join is bound as in a query. Each table whose columns are assigned, or which is listed,
//! becomes a [`TableChange`]; a row that the join finds several times is changed once.

use std::sync::Arc;

use hobgoblin_front::Mode;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use sqlparser::ast::{self, AssignmentTarget, FromTable, TableFactor, TableWithJoins};

use super::Binder;
use super::assign::{Sets, is_default, reads_earlier, stored, writable};
use super::bound::dml::{ChangeSeveral, TableChange};
use super::bound::{Expr, From, Kind};
use super::conjunct::split;
use super::from::Tree;
use super::scope::{Clause, Scope};

/// Whether an UPDATE names more than one table, or something that is no table.
pub(super) fn is_joined(table: &TableWithJoins) -> bool {
    !table.joins.is_empty() || !matches!(table.relation, TableFactor::Table { .. })
}

/// Whether a DELETE has a list of tables beside the join that finds their rows.
pub(super) fn of_list(delete: &ast::Delete) -> bool {
    !delete.tables.is_empty() || delete.using.is_some()
}

impl Binder<'_> {
    pub(super) fn update_several(&mut self, ast: &ast::Update) -> Result<ChangeSeveral> {
        if ast.limit.is_some() || !ast.order_by.is_empty() {
            let form = if ast.limit.is_some() { "LIMIT" } else { "ORDER BY" };
            return Err(Binding::WrongUsage { of: "UPDATE", with: form }.into());
        }
        self.in_scope(|binder| {
            let tree = binder.from(std::slice::from_ref(&ast.table))?;
            let mut tables: Vec<TableChange> = Vec::new();
            binder.set_clause(Clause::Plain);
            for assignment in &ast.assignments {
                let AssignmentTarget::ColumnName(name) = &assignment.target else {
                    return Err(SqlError::unsupported("assigning to several columns at once"));
                };
                let assigned = binder.assigned_column(name);
                let (source, table, at) = assigned.map_err(|error| error.within("SET"))?;
                let value = match is_default(&assignment.value) {
                    true => None,
                    false => {
                        writable(&table, at, false)?;
                        let value = binder.expression(&assignment.value);
                        let value = value.map_err(|error| error.within("SET"))?;
                        Some(stored(value, &table, at))
                    }
                };
                match tables.iter_mut().find(|change| change.source == source) {
                    Some(change) => change.sets.push((at, value)),
                    None => {
                        let sets: Sets = vec![(at, value)];
                        tables.push(TableChange { table, source, sets, in_order: false });
                    }
                }
            }
            for change in &mut tables {
                change.in_order =
                    binder.rules.sets_in_order && reads_earlier(&change.sets, change.source);
            }
            binder.several(tree, tables, ast.selection.as_ref(), false)
        })
    }

    pub(super) fn delete_several(&mut self, ast: &ast::Delete) -> Result<ChangeSeveral> {
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &ast.from;
        let names: Vec<ast::ObjectName> = match &ast.using {
            None => ast.tables.clone(),
            Some(_) => from.iter().filter_map(named).cloned().collect(),
        };
        let joined = ast.using.as_ref().unwrap_or(from);
        self.in_scope(|binder| {
            let tree = binder.from(joined)?;
            let mut tables = Vec::with_capacity(names.len());
            for name in &names {
                let (schema, alias) = binder.dialect().split_name(name)?;
                let found = binder.source_named(None, &alias);
                let source = found.filter(|(depth, _)| *depth == 0).map(|(_, source)| source);
                let table = source.and_then(|at| binder.scope().sources[at].table.clone());
                let (Some(source), Some(table)) = (source, table) else {
                    let (schema, name) = (schema.map(Into::into), alias.into_owned());
                    return Err(Binding::NoMultiTable { schema, name, verb: "MULTI DELETE" }.into());
                };
                tables.push(TableChange { table, source, sets: Sets::new(), in_order: false });
            }
            binder.several(tree, tables, ast.selection.as_ref(), true)
        })
    }

    fn in_scope<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(Scope { clause: Clause::From, ..Scope::default() });
        let done = work(self);
        self.scopes.pop();
        done
    }

    /// What a name in SET means: the source, its table, and the column by number less one.
    fn assigned_column(&mut self, name: &ast::ObjectName) -> Result<(usize, Arc<Table>, usize)> {
        let mut parts: Vec<ast::Ident> =
            name.0.iter().filter_map(|part| part.as_ident().cloned()).collect();
        let found = match (parts.len(), parts.pop()) {
            (1, Some(column)) => self.column(&column)?,
            (_, Some(column)) => {
                parts.push(column);
                self.qualified(&parts)?
            }
            _ => return Err(SqlError::syntax(format!("invalid name: {name}"))),
        };
        let Kind::Column(column) = found.expr.kind else {
            return Err(Binding::NotUpdatableSource(name.to_string()).into());
        };
        match &self.scope().sources[column.source].table {
            Some(table) => Ok((column.source, Arc::clone(table), column.column)),
            None => {
                let alias = self.scope().sources[column.source].alias.clone();
                Err(Binding::NotUpdatableSource(alias).into())
            }
        }
    }

    fn several(
        &mut self,
        tree: Tree,
        tables: Vec<TableChange>,
        selection: Option<&ast::Expr>,
        deletes: bool,
    ) -> Result<ChangeSeveral> {
        for change in &tables {
            self.targets.push(change.table.oid);
            self.relations.push((change.table.oid, Mode::RowExclusive));
        }
        let mut conditions: Vec<Expr> = Vec::new();
        if let Some(selection) = selection {
            self.set_clause(Clause::Where);
            let selection = self.expression(selection)?;
            let selection = self.boolean(selection, "WHERE")?;
            split(selection, &mut conditions);
        }
        let sources = self.scope().sources.len();
        let from: From = self.plan(tree, conditions, &mut Vec::new());
        let passes_over = self.ignore;
        Ok(ChangeSeveral { tables, sources, from, deletes, passes_over })
    }
}

/// The name of a table, if nothing is joined with it.
fn named(table: &TableWithJoins) -> Option<&ast::ObjectName> {
    match &table.relation {
        TableFactor::Table { name, .. } => Some(name),
        _ => None,
    }
}
