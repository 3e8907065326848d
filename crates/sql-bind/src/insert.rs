//! INSERT, with ON CONFLICT.

use std::sync::Arc;

use sqlparser::ast::{self, ConflictTarget, OnConflictAction, OnInsert, SetExpr, TableObject};
use sqlparser::tokenizer::Location;

use super::Binder;
use super::assign::{Place, Sets, empty, insertable, is_default, overridden};
use super::bound::dml::{Conflict, ConflictUpdate, Insert, InsertSource};
use super::bound::{ColumnRef, Expr, Kind, OutputColumn};
use super::dml::update_lock;
use super::scope::{Clause, Scope};
use super::target::{Target, Verb};
use hobgoblin_sql_schema::catalog::{ConstraintKind, Table};
use hobgoblin_sql_schema::syntax::Overriding;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::TypeId;

/// The list of an INSERT.
pub(super) struct Columns {
    /// What is given, in order.
    pub(super) places: Vec<Place>,
    /// Whether the statement has no list.
    implicit: bool,
    overriding: Option<Overriding>,
}

impl Binder<'_> {
    pub(super) fn insert(&mut self, ast: &ast::Insert) -> Result<Insert> {
        if ast.or.is_some()
            || ast.ignore
            || ast.replace_into
            || ast.overwrite
            || !ast.assignments.is_empty()
        {
            return Err(Binding::OtherDialect { form: "this form of INSERT" }.into());
        }
        if !ast.into {
            let text = format!("syntax error at or near \"{}\"", ast.table);
            return Err(SqlError::syntax(text));
        }
        let TableObject::TableName(name) = &ast.table else {
            return Err(SqlError::unsupported("INSERT into this"));
        };
        let target = self.target(name, Verb::Insert)?;
        let (source, columns) = match &ast.source {
            None => (InsertSource::Defaults, Vec::new()),
            Some(query) => {
                let place = ast.insert_token.0.span.start;
                let columns = self.insert_columns(&ast.columns, place, &target)?;
                self.insert_source(query, &target, columns)?
            }
        };
        let alias = ast.table_alias.as_ref().map(|alias| self.fold(&alias.alias));
        let conflict = match &ast.on {
            None => None,
            Some(OnInsert::OnConflict(on)) => {
                let place = ast.insert_token.0.span.start;
                Some(self.conflict(on, place, &target, alias.clone())?)
            }
            Some(_) => return Err(Binding::OtherDialect { form: "ON DUPLICATE KEY" }.into()),
        };
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        self.scope().add(target.source(alias));
        let returning = self.returning(ast.returning.as_deref(), &target);
        self.scopes.pop();
        let (returning, checks) = (returning?, target.checks());
        Ok(Insert { table: target.table, source, columns, conflict, checks, returning })
    }

    /// The list of columns of the INSERT at a place; all of them where there is none.
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

    /// Where the rows come from, and the columns they give.
    fn insert_source(
        &mut self,
        query: &ast::Query,
        target: &Target,
        mut columns: Columns,
    ) -> Result<(InsertSource, Vec<usize>)> {
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
    /// Leaves as many columns as there are values.
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

/// Whether an index that ON CONFLICT looks at belongs to a constraint that can be deferred.
fn deferrable(table: &Table, indexes: &[Arc<hobgoblin_sql_schema::catalog::Index>]) -> bool {
    table.constraints.iter().any(|constraint| match constraint.kind {
        ConstraintKind::Primary(oid) | ConstraintKind::Unique(oid) => {
            let counts = indexes.is_empty() || indexes.iter().any(|index| index.oid == oid);
            constraint.deferrable && counts
        }
        _ => false,
    })
}
