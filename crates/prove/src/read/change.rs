//! INSERT, UPDATE and DELETE.
//!
//! An INSERT gives a value for every column of its table: those it does not name get their default. `INSERT … SELECT` is a
//! loop over the query with an INSERT in it, as PostgreSQL runs it: the query sees nothing of what it inserts.

use sqlparser::ast::{
    self, AssignmentTarget, ConflictTarget, FromTable, OnConflictAction, OnInsert, SelectItem,
    SetExpr, TableObject,
};

use super::error::{Fault, Problem, Result};
use super::names::{Binder, Rows, object_name};
use super::tokens::{fold, place, place_of};
use super::types;
use super::variables::Target;
use crate::program::{
    ColumnId, Conflict, Expr, ExprKind, Place, Statement, StatementKind, TableId, VariableId,
};

/// What comes back from a change, and where it goes.
type Returning = Vec<(Expr, Option<VariableId>)>;

impl Binder<'_> {
    /// Reads an INSERT.
    pub(super) fn insert(
        &mut self,
        insert: &ast::Insert,
        into: &[Target],
    ) -> Result<StatementKind> {
        let whole = self.sql.place;
        let TableObject::TableName(name) = &insert.table else {
            return Err(refuse(whole, "an INSERT into no table"));
        };
        let table = self.find_table(name)?;
        let columns = self.insert_columns(insert, table)?;
        let alias = insert.table_alias.as_ref().map(|alias| fold(&alias.alias));
        let row = alias.map_or_else(|| object_name(name, whole).map(|(name, _)| name), Ok)?;
        let conflict = self.conflict(insert, table, &row)?;
        let source = match insert.source.as_deref() {
            None => return self.default_values(insert, table, &row, conflict, into),
            Some(source) => source,
        };
        let SetExpr::Values(values) = source.body.as_ref() else {
            return self.insert_query(insert, source, table, &columns, conflict, into);
        };
        if source.order_by.is_some() || source.limit_clause.is_some() || source.with.is_some() {
            return Err(refuse(whole, "VALUES with ORDER BY, LIMIT or WITH"));
        }
        let mut rows = Vec::new();
        let first = values.rows.first().map_or(0, |row| row.content.len());
        for values in &values.rows {
            let count = values.content.len();
            let same = rows.is_empty() || count == first;
            if !same
                || count != columns.len() && !(insert.columns.is_empty() && count < columns.len())
            {
                let wanted = if same { columns.len() } else { first };
                let problem = Problem::Values { values: count, columns: wanted };
                let at = values.content.first().map_or(whole, |first| place_of(first, whole));
                return Err(Fault::new(at, problem));
            }
            let mut row = self.defaults(table);
            for (value, column) in values.content.iter().zip(&columns) {
                if let Some(value) = self.value(value, table, *column)? {
                    row[column.0 as usize] = value;
                }
            }
            rows.push(row);
        }
        let returning = self.returning(insert.returning.as_deref(), table, &row, into)?;
        Ok(StatementKind::Insert { table, rows, conflict, returning })
    }

    /// `INSERT … DEFAULT VALUES`.
    fn default_values(
        &mut self,
        insert: &ast::Insert,
        table: TableId,
        row: &str,
        conflict: Conflict,
        into: &[Target],
    ) -> Result<StatementKind> {
        let returning = self.returning(insert.returning.as_deref(), table, row, into)?;
        let rows = vec![self.defaults(table)];
        Ok(StatementKind::Insert { table, rows, conflict, returning })
    }

    /// `INSERT … SELECT`.
    fn insert_query(
        &mut self,
        insert: &ast::Insert,
        source: &ast::Query,
        table: TableId,
        columns: &[ColumnId],
        conflict: Conflict,
        into: &[Target],
    ) -> Result<StatementKind> {
        let whole = self.sql.place;
        if insert.returning.is_some() || !into.is_empty() {
            return Err(refuse(whole, "INSERT … SELECT with RETURNING"));
        }
        let mut query = self.query(source)?.query;
        if query.output.len() != columns.len() {
            let problem = Problem::Values { values: query.output.len(), columns: columns.len() };
            return Err(Fault::new(query.place, problem));
        }
        let name = self.table(table).name.clone();
        let mut row = self.defaults(table);
        let mut variables = Vec::new();
        for (output, column) in query.output.iter_mut().zip(columns) {
            let wanted = &self.table(table).columns[column.0 as usize];
            let output_now = types::expect(output.clone(), wanted.ty)?;
            *output = output_now;
            let (ty, place) = (output.ty, output.place);
            let id = self.variables.hidden(format!("{name}.{}", wanted.name), ty, place);
            variables.push(id);
            row[column.0 as usize] = Expr { kind: ExprKind::Variable(id), ty, place };
        }
        let kind =
            StatementKind::Insert { table, rows: vec![row], conflict, returning: Vec::new() };
        let body = vec![Statement { kind, place: whole, sql: Vec::new() }];
        Ok(StatementKind::ForQuery { into: variables, query, body })
    }

    fn insert_columns(&self, insert: &ast::Insert, table: TableId) -> Result<Vec<ColumnId>> {
        if insert.columns.is_empty() {
            return Ok((0..self.table(table).columns.len() as u32).map(ColumnId).collect());
        }
        let mut columns: Vec<ColumnId> = Vec::new();
        for name in &insert.columns {
            let [part] = name.0.as_slice() else {
                return Err(refuse(place_of(name, self.sql.place), "a part of a column"));
            };
            let Some(name) = part.as_ident() else {
                return Err(refuse(place_of(name, self.sql.place), "this column"));
            };
            let column = self.find_column(table, name)?;
            if columns.contains(&column) {
                let problem = Problem::Duplicate { what: "columns", name: fold(name) };
                return Err(Fault::new(place(name.span), problem));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    /// What an INSERT puts where it says nothing.
    fn defaults(&self, table: TableId) -> Vec<Expr> {
        let whole = self.sql.place;
        let columns = self.table(table).columns.iter();
        let default = |column: &crate::program::Column| {
            let null = Expr { kind: ExprKind::Null, ty: column.ty, place: whole };
            column.default.clone().unwrap_or(null)
        };
        columns.map(default).collect()
    }

    /// A value for a column, or nothing if it is DEFAULT.
    fn value(
        &mut self,
        value: &ast::Expr,
        table: TableId,
        column: ColumnId,
    ) -> Result<Option<Expr>> {
        if let ast::Expr::Identifier(name) = value
            && name.quote_style.is_none()
            && name.value.eq_ignore_ascii_case("default")
        {
            return Ok(None);
        }
        let wanted = self.table(table).columns[column.0 as usize].ty;
        types::expect(self.expression(value)?, wanted).map(Some)
    }

    fn conflict(&mut self, insert: &ast::Insert, table: TableId, row: &str) -> Result<Conflict> {
        let whole = self.sql.place;
        let conflict = match &insert.on {
            None => return Ok(Conflict::Error),
            Some(OnInsert::OnConflict(conflict)) => conflict,
            Some(_) => return Err(refuse(whole, "ON DUPLICATE KEY")),
        };
        let definition = self.table(table);
        if definition.key.is_empty() {
            return Err(refuse(whole, "ON CONFLICT of a table without a primary key"));
        }
        match &conflict.conflict_target {
            Some(ConflictTarget::Columns(names)) => {
                let mut columns = Vec::new();
                for name in names {
                    if self.variables.is_name(&fold(name)) {
                        let problem = Problem::Ambiguous { name: fold(name) };
                        return Err(Fault::new(place(name.span), problem));
                    }
                    columns.push(self.find_column(table, name)?);
                }
                let mut key = definition.key.clone();
                columns.sort_unstable();
                key.sort_unstable();
                if columns != key {
                    let at = names.first().map_or(whole, |name| place(name.span));
                    return Err(refuse(at, "ON CONFLICT but for the primary key"));
                }
            }
            Some(ConflictTarget::OnConstraint(_)) => {
                return Err(refuse(whole, "ON CONFLICT ON CONSTRAINT"));
            }
            None if !definition.unique.is_empty() => {
                return Err(Fault::unsupported(
                    whole,
                    "ON CONFLICT of any of several keys",
                    "name the columns of the primary key",
                ));
            }
            None => {}
        }
        let update = match &conflict.action {
            OnConflictAction::DoNothing => return Ok(Conflict::Nothing),
            OnConflictAction::DoUpdate(update) => update,
        };
        if update.selection.is_some() {
            return Err(refuse(whole, "DO UPDATE … WHERE"));
        }
        self.queries.push(Rows::default());
        let rows = self.add_row(row.to_owned(), table, whole);
        let rows = rows.and_then(|_| self.add_row("excluded".to_owned(), table, whole));
        let set = rows.and_then(|_| self.assignments(&update.assignments, table));
        self.queries.pop();
        set.map(Conflict::Update)
    }

    /// Reads an UPDATE.
    pub(super) fn update(
        &mut self,
        update: &ast::Update,
        into: &[Target],
    ) -> Result<StatementKind> {
        let whole = self.sql.place;
        if update.from.is_some() || !update.table.joins.is_empty() {
            return Err(refuse(whole, "UPDATE … FROM"));
        }
        self.queries.push(Rows::default());
        let read = self.add_table(&update.table.relation).and_then(|table| {
            let set = self.assignments(&update.assignments, table)?;
            let filter = update.selection.as_ref().map(|filter| self.condition(filter));
            let filter = filter.transpose()?;
            let returning = self.returning_here(update.returning.as_deref(), into)?;
            Ok(StatementKind::Update { table, set, filter, returning })
        });
        self.queries.pop();
        read
    }

    /// Reads a DELETE.
    pub(super) fn delete(
        &mut self,
        delete: &ast::Delete,
        into: &[Target],
    ) -> Result<StatementKind> {
        let whole = self.sql.place;
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        let [from] = from.as_slice() else {
            return Err(refuse(whole, "DELETE from several tables"));
        };
        if delete.using.is_some() || !from.joins.is_empty() {
            return Err(refuse(whole, "DELETE … USING"));
        }
        self.queries.push(Rows::default());
        let read = self.add_table(&from.relation).and_then(|table| {
            let filter = delete.selection.as_ref().map(|filter| self.condition(filter));
            let filter = filter.transpose()?;
            let returning = self.returning_here(delete.returning.as_deref(), into)?;
            Ok(StatementKind::Delete { table, filter, returning })
        });
        self.queries.pop();
        read
    }

    fn assignments(
        &mut self,
        assignments: &[ast::Assignment],
        table: TableId,
    ) -> Result<Vec<(ColumnId, Expr)>> {
        let mut set: Vec<(ColumnId, Expr)> = Vec::new();
        for assignment in assignments {
            let pairs: Vec<(&ast::ObjectName, &ast::Expr)> = match &assignment.target {
                AssignmentTarget::ColumnName(name) => vec![(name, &assignment.value)],
                AssignmentTarget::Tuple(names) => match &assignment.value {
                    ast::Expr::Tuple(values) if values.len() == names.len() => {
                        names.iter().zip(values).collect()
                    }
                    value => {
                        let at = place_of(value, self.sql.place);
                        return Err(refuse(at, "SET (…) but for as many values"));
                    }
                },
            };
            for (name, value) in pairs {
                let at = place_of(name, self.sql.place);
                let [part] = name.0.as_slice() else {
                    return Err(refuse(at, "SET with a table or a part of a column"));
                };
                let Some(name) = part.as_ident() else { return Err(refuse(at, "this SET")) };
                let column = self.find_column(table, name)?;
                if self.table(table).key.contains(&column) {
                    return Err(Fault::unsupported(
                        at,
                        "an UPDATE of the primary key",
                        "delete the row and insert another",
                    ));
                }
                if set.iter().any(|(other, _)| *other == column) {
                    let problem = Problem::Duplicate { what: "columns", name: fold(name) };
                    return Err(Fault::new(at, problem));
                }
                let value = self.value(value, table, column)?;
                let value =
                    value.unwrap_or_else(|| self.defaults(table)[column.0 as usize].clone());
                set.push((column, value));
            }
        }
        Ok(set)
    }

    fn returning(
        &mut self,
        items: Option<&[SelectItem]>,
        table: TableId,
        row: &str,
        into: &[Target],
    ) -> Result<Returning> {
        self.queries.push(Rows::default());
        let read = self.add_row(row.to_owned(), table, self.sql.place);
        let read = read.and_then(|_| self.returning_here(items, into));
        self.queries.pop();
        read
    }

    /// Reads RETURNING, where the row is known already.
    fn returning_here(
        &mut self,
        items: Option<&[SelectItem]>,
        into: &[Target],
    ) -> Result<Returning> {
        let whole = self.sql.place;
        let (mut output, names) = self.outputs(items.unwrap_or_default())?;
        if let Some(found) = output.iter().find(|output| output.has_aggregate()) {
            return Err(Fault::new(found.place, Problem::Aggregate));
        }
        if into.is_empty() {
            return Ok(output.into_iter().map(|output| (output, None)).collect());
        }
        let at = into.first().map_or(whole, |first| first.place);
        let into = self.variables.put(into, &mut output, &names, at)?;
        Ok(output.into_iter().zip(into.into_iter().map(Some)).collect())
    }
}

fn refuse(at: Place, what: &str) -> Fault {
    Fault::unsupported(at, what, "divide it into simpler statements, each of one table")
}
