//! Binds statements to the schema.

use std::sync::Arc;

use hobgoblin_front::Mode;
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_bind::bound::OutputColumn;
use hobgoblin_sql_mysql_types::{Kind, MyType};
use hobgoblin_sql_schema::catalog::{Catalog, ConstraintKind, Table};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Oid, TypeId};
use sqlparser::ast;

use super::core::Core;
use super::outcome::{ColumnDescription, ColumnFacts};
use super::planned::{Plan, Planned};
use crate::parse::Statement;

impl Core {
    /// Binds a statement, with parameters of these types. Where that fails, perhaps because somebody is changing its
    /// tables, it waits for them.
    pub(super) fn plan(
        &mut self,
        statement: &Statement,
        ast: &ast::Statement,
        types: &[TypeId],
    ) -> Result<Planned> {
        loop {
            let mut tables = Vec::new();
            let version = self.catalog_ref().version;
            match self.try_plan(statement, ast, types, &mut tables) {
                Err(error) if self.lock_tables(&tables, version)? => return Err(error),
                Err(_) => {}
                planned => return planned,
            }
        }
    }

    /// Binds a statement; `tables` are those it names, also when it cannot be bound.
    pub(super) fn try_plan(
        &self,
        statement: &Statement,
        ast: &ast::Statement,
        types: &[TypeId],
        tables: &mut Vec<(Oid, Mode)>,
    ) -> Result<Planned> {
        let scope = self.scope();
        let mut binder =
            Binder::new(&scope.catalog, self.env(), &scope.path, types.to_vec(), false);
        let go_on = || self.check_interrupts();
        binder.go_on = &go_on;
        binder.clauses = statement.clauses.clone();
        binder.ignore = statement.aside.ignore;
        let plan = bind(&mut binder, ast);
        for used in binder.relations.drain(..) {
            if !tables.contains(&used) {
                tables.push(used);
            }
        }
        let plan = plan?;
        let mut reads = std::mem::take(&mut binder.reads);
        reads.sort_unstable();
        let once = reads.chunk_by(|a, b| a == b).filter(|group| group.len() == 1);
        let alone = once.map(|group| group[0]).collect();
        let columns = match &plan {
            Plan::Query(query) => Some(described(&query.columns, &scope.catalog)),
            Plan::Dml(dml) => dml.columns().map(|columns| described(columns, &scope.catalog)),
        };
        Ok(Planned {
            plan,
            columns,
            tables: tables.clone(),
            alone,
            into: statement.aside.into.clone(),
            counts_all: counts_all(ast),
            version: scope.catalog.version,
            generation: self.generation(),
            path: Arc::clone(&scope.path),
        })
    }
}

/// Whether a query counts the rows that its limit cuts off.
fn counts_all(ast: &ast::Statement) -> bool {
    let ast::Statement::Query(query) = ast else { return false };
    let mut body = &query.body;
    loop {
        match &**body {
            ast::SetExpr::Select(select) => {
                let modifiers = select.select_modifiers.as_ref();
                return modifiers.is_some_and(|modifiers| modifiers.sql_calc_found_rows);
            }
            ast::SetExpr::SetOperation { left, .. } => body = left,
            ast::SetExpr::Query(inner) => body = &inner.body,
            _ => return false,
        }
    }
}

/// Binds a query or a change of rows.
fn bind(binder: &mut Binder<'_>, ast: &ast::Statement) -> Result<Plan> {
    Ok(match ast {
        ast::Statement::Query(query) => match binder.dml_with(query)? {
            Some(dml) => Plan::Dml(Box::new(dml)),
            None => Plan::Query(Box::new(binder.query(query)?)),
        },
        ast::Statement::Insert(_) | ast::Statement::Update(_) | ast::Statement::Delete(_) => {
            Plan::Dml(Box::new(binder.dml(ast)?))
        }
        _ => return Err(SqlError::unsupported("this statement")),
    })
}

/// Output columns as a client is told of them.
pub(super) fn described(columns: &[OutputColumn], catalog: &Catalog) -> Vec<ColumnDescription> {
    let describe = |column: &OutputColumn| {
        let (table, number) = column.origin;
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let found = catalog.table(table).zip(place);
        let found = found.filter(|(table, place)| *place < table.columns.len());
        let table = |table: &Arc<Table>| table.name.clone();
        ColumnDescription {
            schema: found.map(|(table, _)| table.schema.clone()).unwrap_or_default(),
            table: found.map(|(found, _)| table(found)).unwrap_or_default(),
            original_table: found.map(|(found, _)| table(found)).unwrap_or_default(),
            name: column.name.clone(),
            original_name: found
                .map(|(table, place)| table.columns[place].name.clone())
                .unwrap_or_default(),
            ty: column.ty,
            flags: match found {
                Some((table, place)) => facts(table, place),
                None => system_facts(catalog, column),
            },
        }
    };
    columns.iter().map(describe).collect()
}

/// What is known of a column that is perhaps one of the system's.
fn system_facts(catalog: &Catalog, column: &OutputColumn) -> ColumnFacts {
    let (table, number) = column.origin;
    let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let table = catalog.dialect.system_table_of(table);
    let not_null = table.zip(place).and_then(|(table, place)| table.not_null.get(place));
    ColumnFacts { not_null: not_null.is_some_and(|not_null| *not_null), ..ColumnFacts::default() }
}

/// What is known of a column of a table.
pub(super) fn facts(table: &Table, place: usize) -> ColumnFacts {
    let column = &table.columns[place];
    let mut facts = ColumnFacts {
        not_null: column.not_null,
        auto_increment: column.identity.is_some(),
        no_default: column.not_null && column.default.is_none() && column.identity.is_none(),
        timestamp: MyType::of(column.ty).kind == Kind::Timestamp,
        ..ColumnFacts::default()
    };
    for index in &table.indexes {
        let columns = index.key_columns().unwrap_or_default();
        if !columns.contains(&place) {
            continue;
        }
        facts.part_key = true;
        let alone = columns.len() == 1;
        let first = columns.first() == Some(&place);
        facts.primary_key |= index.primary;
        facts.unique_key |= index.unique && !index.primary && alone;
        facts.multiple_key |= first && !index.primary && !(index.unique && alone);
    }
    let primary = table.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Primary(_)));
    facts.not_null |= facts.primary_key && primary;
    facts
}
