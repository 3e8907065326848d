//! INSERT, with ON CONFLICT and its relatives of MySQL.
//!
//! An INSERT has a list of columns, which may be left out, and a source of rows. Each row gets one
//! value for each listed column; the columns that are not listed are left to the executor, which
//! knows the defaults. What is done when a row has the key of another is bound over two sources:
//! the row that is there (0) and the row that is proposed (1).

use std::sync::Arc;

use sqlparser::ast::{self, ConflictTarget, OnConflictAction, OnInsert, SetExpr, TableObject};
use sqlparser::tokenizer::Location;

use super::Binder;
use super::assign::{Place, Sets, empty, insertable, is_default, overridden, reads_earlier};
use super::bound::dml::{Conflict, ConflictUpdate, Insert, InsertSource, Twins};
use super::bound::{ColumnRef, Expr, Kind, OutputColumn};
use super::dml::update_lock;
use super::scope::{Clause, Scope};
use super::target::{Target, Verb};
use super::visit::read;
use hobgoblin_sql_schema::catalog::{ConstraintKind, Table};
use hobgoblin_sql_schema::syntax::Overriding;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

/// The columns that an INSERT gives values.
pub(super) struct Columns {
    /// The columns in the order of the values; an element of an array column is one of its own.
    pub(super) places: Vec<Place>,
    /// Whether the statement has no list, so that a row may have fewer values than the table has
    /// columns.
    implicit: bool,
    overriding: Option<Overriding>,
}

impl Binder<'_> {
    pub(super) fn insert(&mut self, ast: &ast::Insert) -> Result<Insert> {
        let other = ast.ignore || ast.replace_into || !ast.assignments.is_empty();
        if ast.or.is_some() || other && !self.rules.stores || ast.overwrite {
            return Err(Binding::OtherDialect { form: "this form of INSERT" }.into());
        }
        if !ast.into && !self.rules.stores {
            let text = format!("syntax error at or near \"{}\"", ast.table);
            return Err(SqlError::syntax(text));
        }
        let TableObject::TableName(name) = &ast.table else {
            return Err(SqlError::unsupported("INSERT into this"));
        };
        let target = self.target(name, Verb::Insert)?;
        let mut reads_row = false;
        let (source, columns) = match &ast.source {
            None if !ast.assignments.is_empty() => {
                let (names, row) = assigned(&ast.assignments)?;
                let place = ast.insert_token.0.span.start;
                let columns = self.insert_columns(&names, place, &target)?;
                self.insert_values(&[&row], &target, columns, &mut reads_row)?
            }
            None => (InsertSource::Defaults, Vec::new()),
            Some(query) => {
                let place = ast.insert_token.0.span.start;
                let columns = self.insert_columns(&ast.columns, place, &target)?;
                self.insert_source(query, &target, columns, &mut reads_row)?
            }
        };
        let mut twins = match (ast.replace_into, ast.ignore) {
            (true, _) => Twins::Replaced,
            (false, true) => Twins::PassedOver,
            (false, false) => Twins::Refused,
        };
        let alias = ast.table_alias.as_ref().map(|alias| self.fold(&alias.alias));
        let conflict = match &ast.on {
            None => None,
            Some(OnInsert::OnConflict(on)) => {
                let place = ast.insert_token.0.span.start;
                Some(self.conflict(on, place, &target, alias.clone())?)
            }
            Some(OnInsert::DuplicateKeyUpdate(sets)) if self.rules.stores => {
                twins = self.twin_update(sets, ast.insert_alias.as_ref(), &target, ast.ignore)?;
                None
            }
            Some(_) => return Err(Binding::OtherDialect { form: "ON DUPLICATE KEY" }.into()),
        };
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        self.scope().add(target.source(alias));
        let returning = self.returning(ast.returning.as_deref(), &target);
        self.scopes.pop();
        let (returning, checks, table) = (returning?, target.checks(), target.table);
        Ok(Insert { table, source, columns, conflict, twins, reads_row, checks, returning })
    }

    /// Binds the list of columns of the INSERT at a place in the text; all columns of the table if
    /// there is none.
    pub(super) fn insert_columns(
        &mut self,
        names: &[ast::ObjectName],
        insert: Location,
        target: &Target,
    ) -> Result<Columns> {
        let overriding = self.clauses.overriding(insert);
        let mut places = Vec::new();
        for name in names {
            self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
            let place = self.place(target, name, Verb::Insert);
            self.scopes.pop();
            places.push(place?);
        }
        let implicit = places.is_empty();
        if implicit {
            for position in target.positions() {
                places.push(Place::whole(position));
            }
        }
        for (at, place) in places.iter().enumerate() {
            let twice = |other: &Place| {
                other.position == place.position && !(other.is_part() && place.is_part())
            };
            if places[..at].iter().any(twice) {
                let name = &target.table.columns[place.column].name;
                return Err(Binding::ColumnTwice(name.clone()).into());
            }
        }
        Ok(Columns { places, implicit, overriding })
    }

    /// Binds one row of values for a list of columns.
    pub(super) fn insert_row(
        &mut self,
        row: &[ast::Expr],
        target: &Target,
        columns: &Columns,
    ) -> Result<Sets> {
        let mut sets = Sets::new();
        for (ast, place) in row.iter().zip(&columns.places) {
            let column = target.column(place.position, Verb::Insert)?;
            let place = place.at(column);
            let value = match is_default(ast) {
                true => None,
                false => {
                    insertable(&target.table, column, columns.overriding)?;
                    let expr = self.expression(ast)?;
                    let expr = self.fit(&target.table, &place, expr)?;
                    (!overridden(&target.table, column, columns.overriding)).then_some(expr)
                }
            };
            self.give(&target.table, place, value, &mut sets, |place| empty(&target.table, place))?;
        }
        Ok(sets)
    }

    /// Binds what the rows come from: VALUES, a query, or DEFAULT VALUES.
    fn insert_source(
        &mut self,
        query: &ast::Query,
        target: &Target,
        mut columns: Columns,
        reads_row: &mut bool,
    ) -> Result<(InsertSource, Vec<usize>)> {
        if let SetExpr::Values(values) = &*query.body
            && self.rules.stores
            && query.with.is_none()
        {
            let rows: Vec<&[ast::Expr]> =
                values.rows.iter().map(|row| row.content.as_slice()).collect();
            return self.insert_values(&rows, target, columns, reads_row);
        }
        if let SetExpr::Values(values) = &*query.body
            && query.with.is_none()
            && query.order_by.is_none()
            && query.limit_clause.is_none()
        {
            let width = values.rows.first().map_or(0, |row| row.content.len());
            columns.cut(width)?;
            let mut rows = Vec::with_capacity(values.rows.len());
            let mut given = Vec::new();
            for row in &values.rows {
                if row.content.len() != width {
                    return Err(SqlError::syntax("VALUES lists must all be the same length"));
                }
                self.scopes.push(Scope { clause: Clause::Values, ..Scope::default() });
                let bound = self.insert_row(&row.content, target, &columns);
                self.scopes.pop();
                let (numbers, values): (Vec<usize>, Vec<Option<Expr>>) = bound?.into_iter().unzip();
                given = numbers;
                rows.push(values);
            }
            return Ok((InsertSource::Rows(rows), given));
        }
        let mut query = self.query_for_insert(query)?;
        if self.rules.stores && query.columns.len() != columns.places.len() {
            return Err(Binding::ColumnCount { row: 1 }.into());
        }
        columns.cut(query.columns.len())?;
        let mut sets = Sets::new();
        for (at, place) in columns.places.iter().enumerate() {
            let number = target.column(place.position, Verb::Insert)?;
            let place = place.at(number);
            if query.columns[at].ty == TypeId::UNKNOWN {
                let ty = self.place_type(&target.table, &place);
                self.convert_column(&mut query, at, ty)?;
            }
            let OutputColumn { ty, typmod, .. } = query.columns[at];
            let kind = Kind::Column(ColumnRef { depth: 0, source: 0, column: at });
            insertable(&target.table, number, columns.overriding)?;
            let field = self.fit(&target.table, &place, Expr { kind, ty, typmod })?;
            let field = (!overridden(&target.table, number, columns.overriding)).then_some(field);
            self.give(&target.table, place, field, &mut sets, |place| empty(&target.table, place))?;
        }
        let (numbers, fields) = sets.into_iter().unzip();
        Ok((InsertSource::Query(Box::new(query), fields), numbers))
    }

    /// Binds the rows of VALUES in a language where a value may use the columns of the row before
    /// it.
    fn insert_values(
        &mut self,
        rows: &[&[ast::Expr]],
        target: &Target,
        columns: Columns,
        reads_row: &mut bool,
    ) -> Result<(InsertSource, Vec<usize>)> {
        let mut bound = Vec::with_capacity(rows.len());
        let mut given: Option<Vec<usize>> = None;
        for (at, row) in rows.iter().enumerate() {
            // `()` is a row of defaults.
            let empty = row.is_empty() && columns.implicit;
            if !empty && row.len() != columns.places.len() {
                return Err(Binding::ColumnCount { row: at + 1 }.into());
            }
            self.scopes.push(Scope { clause: Clause::Values, ..Scope::default() });
            self.scope().add(target.source(None));
            let sets = self.insert_row(row, target, &columns);
            self.scopes.pop();
            let (numbers, values): (Vec<usize>, Vec<Option<Expr>>) = sets?.into_iter().unzip();
            *reads_row |= values.iter().flatten().any(reads_columns);
            match (&given, empty) {
                (_, true) => bound.push(Vec::new()),
                (Some(_), false) => bound.push(values),
                (None, false) => {
                    given = Some(numbers);
                    bound.push(values);
                }
            }
        }
        Ok((InsertSource::Rows(bound), given.unwrap_or_default()))
    }

    /// Binds ON DUPLICATE KEY UPDATE.
    fn twin_update(
        &mut self,
        sets: &[ast::Assignment],
        alias: Option<&ast::InsertAliases>,
        target: &Target,
        passes_over: bool,
    ) -> Result<Twins> {
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        self.scope().add(target.source(None));
        let name = alias.and_then(|alias| alias.row_alias.0.last()?.as_ident());
        let name = name.map_or_else(String::new, |name| self.fold(name));
        let mut proposed = target.source(Some(name));
        proposed.visible = alias.is_some();
        let renames = alias.and_then(|alias| alias.col_aliases.as_ref());
        if let Some(names) = renames {
            for (column, name) in proposed.columns.iter_mut().zip(names) {
                column.name = self.fold(name);
            }
        }
        let scope = self.scope();
        scope.sources.push(proposed);
        scope.proposed = Some(1);
        if renames.is_some() {
            let columns = scope.sources[1].named(1);
            scope.columns.extend(columns);
        }
        let late = std::mem::replace(&mut self.late, true);
        let sets = self.assignments(sets, target, &[0, 1]);
        self.late = late;
        self.scopes.pop();
        let sets = sets?;
        let in_order = self.rules.sets_in_order && reads_earlier(&sets, 0);
        Ok(Twins::Updated { sets, in_order, passes_over })
    }

    fn conflict(
        &mut self,
        on: &ast::OnConflict,
        insert: Location,
        target: &Target,
        alias: Option<String>,
    ) -> Result<Conflict> {
        let table = &target.table;
        let indexes = match &on.conflict_target {
            None => match self.clauses.clone().inference(insert) {
                None => Vec::new(),
                Some(inference) => {
                    self.arbiters(&inference.elements, inference.predicate.as_ref(), target)?
                }
            },
            Some(ConflictTarget::Columns(names)) => {
                let names = names.iter().cloned().map(ast::Expr::Identifier);
                self.arbiters(&names.collect::<Vec<_>>(), None, target)?
            }
            Some(ConflictTarget::OnConstraint(name)) => {
                let (_, name) = self.dialect().split_name(name)?;
                let constraint = table.constraints.iter().find(|c| c.name == *name);
                let index = constraint.and_then(|constraint| match constraint.kind {
                    ConstraintKind::Primary(oid)
                    | ConstraintKind::Unique(oid)
                    | ConstraintKind::Exclude(oid) => table.index(oid),
                    _ => None,
                });
                match index {
                    Some(index)
                        if !index.operators.is_empty()
                            && !matches!(on.action, OnConflictAction::DoNothing) =>
                    {
                        return Err(Binding::UpsertOnExclusion.into());
                    }
                    Some(index) => vec![Arc::clone(index)],
                    None => {
                        let (constraint, table) = (name.into_owned(), table.name.clone());
                        return Err(Binding::NoConstraint { constraint, table }.into());
                    }
                }
            }
        };
        let update = match &on.action {
            OnConflictAction::DoNothing => None,
            OnConflictAction::DoUpdate(update) => {
                if indexes.is_empty() {
                    return Err(SqlError::syntax(
                        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    )
                    .hint("For example, ON CONFLICT (column_name)."));
                }
                self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
                self.scope().add(target.source(alias));
                // The proposed row is named only with its qualifier.
                let excluded = target.source(Some("excluded".to_owned()));
                self.scope().sources.push(excluded);
                let late = std::mem::replace(&mut self.late, true);
                let bound = self.conflict_update(update, target);
                self.late = late;
                self.scopes.pop();
                Some(bound?)
            }
        };
        let deferrable = deferrable(table, &indexes);
        Ok(Conflict { indexes, update, deferrable })
    }

    fn conflict_update(
        &mut self,
        update: &ast::DoUpdate,
        target: &Target,
    ) -> Result<ConflictUpdate> {
        let sets = self.assignments(&update.assignments, target, &[0, 1])?;
        let filter = match &update.selection {
            Some(filter) => {
                self.set_clause(Clause::Where);
                let filter = self.expression(filter)?;
                self.set_clause(Clause::Plain);
                let mut filter = self.boolean(filter, "WHERE")?;
                target.lower(&mut filter, &[0, 1]);
                Some(filter)
            }
            None => None,
        };
        let lock = update_lock(&target.table, &sets);
        Ok(ConflictUpdate { sets, filter, lock })
    }
}

impl Columns {
    /// Drops the columns beyond the number of values, if the statement has no list.
    pub(super) fn cut(&mut self, values: usize) -> Result<()> {
        if values > self.places.len() {
            return Err(SqlError::syntax("INSERT has more expressions than target columns"));
        }
        if !self.implicit && values < self.places.len() {
            return Err(SqlError::syntax("INSERT has more target columns than expressions"));
        }
        self.places.truncate(values);
        Ok(())
    }
}

/// The columns and values of `INSERT … SET a = 1, b = 2`.
fn assigned(sets: &[ast::Assignment]) -> Result<(Vec<ast::ObjectName>, Vec<ast::Expr>)> {
    let pairs = sets.iter().map(|set| match &set.target {
        ast::AssignmentTarget::ColumnName(name) => Ok((name.clone(), set.value.clone())),
        ast::AssignmentTarget::Tuple(_) => {
            Err(SqlError::unsupported("assigning to several columns at once"))
        }
    });
    pairs.collect::<Result<Vec<_>>>().map(|pairs| pairs.into_iter().unzip())
}

/// Whether a value is computed from columns of the row that it is for.
fn reads_columns(expr: &Expr) -> bool {
    let mut found = false;
    read::visit(expr, 0, &mut |expr, depth| {
        found |= matches!(expr.kind, Kind::Column(column) if column.depth == depth);
        !found
    });
    found
}

/// Whether one of these indexes belongs to a DEFERRABLE constraint.
fn deferrable(table: &Table, indexes: &[Arc<hobgoblin_sql_schema::catalog::Index>]) -> bool {
    table.constraints.iter().any(|constraint| match constraint.kind {
        ConstraintKind::Primary(oid) | ConstraintKind::Unique(oid) => {
            let counts = indexes.is_empty() || indexes.iter().any(|index| index.oid == oid);
            constraint.deferrable && counts
        }
        _ => false,
    })
}
