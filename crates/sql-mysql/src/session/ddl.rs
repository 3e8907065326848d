//! Changes of the schema. Each is a transaction of its own: what is open is committed before it.

use std::sync::Arc;

use hobgoblin_core::Key;
use hobgoblin_front::{Mode, Request};
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_exec::{Exec, described};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Catalog, Table};
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_schema::{Problem, SqlError};
use hobgoblin_sql_session::{Own, SchemaChange};
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::{Expr, Query};

use super::core::{Core, read_only};
use super::outcome::Changed;
use crate::catalog;
use crate::catalog::ddl::{self, DataStep, DdlBinder, DdlContext, DdlOutcome, QueryColumn};
use crate::catalog::{nullable, rebuild};
use crate::syntax::{OnDuplicate, Special};

impl Core {
    /// Runs a statement that changes the schema; gives how many rows a new table was filled with.
    pub(super) fn change_schema(&mut self, special: &Special) -> Result<u64> {
        if self.transaction.block && self.transaction.read_only {
            return Err(read_only());
        }
        if is_temporary(special) {
            return self.change_temporary(special);
        }
        self.commit()?;
        let result = self.change(special);
        match result {
            Ok((count, late)) => {
                self.commit()?;
                if let Special::DropDatabase { name, .. } = special
                    && self.database.as_deref() == Some(name.value.as_str())
                {
                    self.database = None;
                    self.changed.push(Changed::Database(String::new()));
                    self.refresh();
                }
                late.map_or(Ok(count), Err)
            }
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }

    /// The same for temporary tables, which are nobody else's: the transaction stays open, and they are there at once.
    fn change_temporary(&mut self, special: &Special) -> Result<u64> {
        self.enter();
        let mut marked = None;
        if self.transaction.block {
            marked = Some(self.transaction.relations.len());
            self.mark()?;
        }
        let result = self.change(special);
        if let Some(own) = self.transaction.catalog.take() {
            self.transaction.changes.clear();
            if result.is_ok() {
                self.shared.schema.install(&own, Vec::new());
            }
            self.shared.schema.end_change();
            self.refresh();
        }
        let (count, late) = self.leave(result, marked)?;
        late.map_or(Ok(count), Err)
    }

    fn change(&mut self, special: &Special) -> Result<(u64, Option<SqlError>)> {
        let text = self.statement.clone().unwrap_or_default();
        let now = self.clock(Clock::Statement)?;
        loop {
            let mut own = self.shared.schema.begin_change();
            let before = Arc::clone(own.base());
            let applied = self.applied(&mut own, special, now);
            let outcome = match applied {
                // What others have changed meanwhile decides anew.
                Ok(_) if !Arc::ptr_eq(&before, &self.shared.schema.catalog()) => {
                    self.shared.schema.end_change();
                    continue;
                }
                Ok(outcome) => outcome,
                Err(error) => {
                    self.shared.schema.end_change();
                    return Err(error);
                }
            };
            self.store.describe(described(&own.catalog, &before));
            self.transaction.catalog = Some(own);
            let context = self.schema_context();
            let change = SchemaChange { context, statement: text.into() };
            self.transaction.changes.push(change);
            self.refresh();
            let mut count = outcome.affected;
            for step in outcome.steps {
                count += self.data_step(&before, step)?;
            }
            return Ok((count, outcome.late));
        }
    }

    /// Applies a statement to a catalogue of its own, and locks what it changes and the names that it gives.
    fn applied(&mut self, own: &mut Own, special: &Special, now: i64) -> Result<DdlOutcome> {
        let before = Arc::clone(own.base());
        let mut after = (*own.catalog).clone();
        let outcome = self.apply(&mut after, special, now)?;
        after.version = self.shared.schema.next_version();
        let changed = before
            .tables()
            .filter(|table| after.table(table.oid).is_none_or(|now| !Arc::ptr_eq(now, table)));
        for table in changed {
            self.lock_table(table.oid, Mode::AccessExclusive)?;
        }
        for name in new_names(&before, &after) {
            self.lock_name(&name)?;
        }
        own.catalog = Arc::new(after);
        Ok(outcome)
    }

    fn apply(&self, catalog: &mut Catalog, special: &Special, now: i64) -> Result<DdlOutcome> {
        let binder = Describe { core: self };
        let cx = DdlContext {
            database: self.database.as_deref(),
            session: self.number,
            user: &self.user,
            foreign_key_checks: self.choices.checks_references,
            explicit_timestamps: self.variables.effects().explicit_timestamps,
            server_collation: self.variables.effects().server,
            now,
            env: self.env(),
            binder: &binder,
        };
        ddl::apply(catalog, special, &cx)
    }

    fn table_of(&self, oid: Oid) -> Result<Arc<Table>> {
        let found = self.catalog_ref().table(oid).cloned();
        found.ok_or_else(|| Problem::RelationGone(oid).into())
    }

    fn set_counter(&mut self, sequence: Oid, value: i64) -> Result<()> {
        if let Some(sequence) = self.catalog_ref().sequence(sequence) {
            let key = Key::from(&*sequence.prefix);
            self.request(Request::set_counter(key, value))?;
        }
        Ok(())
    }

    /// Does one thing to the rows; gives how many rows a table was filled with.
    fn data_step(&mut self, before: &Arc<Catalog>, step: DataStep) -> Result<u64> {
        match step {
            DataStep::SetCounter(sequence, value) => self.set_counter(sequence, value)?,
            DataStep::RaiseCounter { sequence, table, column, least } => {
                let table = self.table_of(table)?;
                let mut exec = Exec::new(self, &[]);
                let mut next = least;
                for row in exec.fetch_all(&table)?.iter() {
                    if let Datum::Int(value) = exec.cell(row, column)? {
                        next = next.max(value.saturating_add(1));
                    }
                }
                self.set_counter(sequence, next)?;
            }
            DataStep::BuildIndex { table, index } => {
                let table = self.table_of(table)?;
                let found = table.indexes.iter().find(|found| found.oid == index);
                if let Some(index) = found.filter(|index| !table.keys_rows(index)).cloned()
                    && before.table(table.oid).is_some()
                {
                    Exec::new(self, &[]).build_index(&table, &index)?;
                }
            }
            DataStep::Validate { table, constraint } => {
                let table = self.table_of(table)?;
                let found = table.constraints.iter().find(|found| found.oid == constraint).cloned();
                if let Some(constraint) = found {
                    Exec::new(self, &[]).validate(&table, &constraint)?;
                }
            }
            DataStep::Rebuild { before, table, from, ignore, order } => {
                self.rebuild(&before, table, &from, ignore, &order)?;
            }
            DataStep::Count(table) => {
                let table = self.table_of(table)?;
                return Ok(Exec::new(self, &[]).fetch_all(&table)?.len() as u64);
            }
            DataStep::Fill { table, columns, query, on_duplicate } => {
                return self.fill(table, &columns, &query, on_duplicate);
            }
        }
        Ok(0)
    }

    fn rebuild(
        &mut self,
        before: &Arc<Table>,
        table: Oid,
        from: &[Option<usize>],
        ignore: bool,
        order: &[(usize, bool)],
    ) -> Result<()> {
        let after = self.table_of(table)?;
        let counts = after.columns.iter().position(|column| column.identity.is_some());
        let skips = |error: &SqlError| ignore && rebuild::is_duplicate(error);
        let mut exec = Exec::new(self, &[]);
        exec.rebuild(
            before,
            &after,
            |exec, rows| {
                let env = exec.session.types();
                let mut rows = rebuild::converted(rows, before, &after, from, &env)?;
                for (at, descends) in order.iter().rev() {
                    rows.sort_by(|a, b| {
                        let (a, b) = (a[*at].as_ref(), b[*at].as_ref());
                        let found = a.zip(b).map(|(a, b)| a.compare(b));
                        let found = found.unwrap_or(std::cmp::Ordering::Equal);
                        if *descends { found.reverse() } else { found }
                    });
                }
                // Rows without a number get the next ones.
                if let Some(at) = counts {
                    let mut next = 1;
                    for row in &mut rows {
                        match &row[at] {
                            Some(Datum::Int(given)) => next = next.max(given.saturating_add(1)),
                            _ => {
                                row[at] = Some(Datum::Int(next));
                                next += 1;
                            }
                        }
                    }
                }
                Ok(rows)
            },
            &skips,
        )
    }

    /// Puts the rows of a query into a table; how many they were.
    fn fill(
        &mut self,
        table: Oid,
        columns: &[usize],
        query: &Query,
        on_duplicate: OnDuplicate,
    ) -> Result<u64> {
        let bound = loop {
            let scope = self.scope();
            let (bound, relations) = {
                let mut binder =
                    Binder::new(&scope.catalog, self.env(), &scope.path, Vec::new(), false);
                (binder.query(query)?, binder.relations)
            };
            // Who waited may find another schema.
            if self.lock_tables(&relations, scope.catalog.version)? {
                break bound;
            }
        };
        let table = self.table_of(table)?;
        let types: Vec<TypeId> = bound.columns.iter().map(|column| column.ty).collect();
        let mut exec = Exec::new(self, &[]);
        let rows = exec.query(&bound, None)?;
        let (mut count, mut skipped) = (0, Vec::new());
        for row in rows {
            let mut given = vec![None; table.columns.len()];
            for ((value, from), at) in row.into_iter().zip(&types).zip(columns) {
                let ty = table.columns[*at].ty;
                let env = exec.session.types();
                let dialect = exec.session.catalog().dialect;
                given[*at] = Some(match value {
                    Datum::Null => Datum::Null,
                    value => dialect.cast(value, *from, ty, -1, false, &env)?,
                });
            }
            if let Some(at) = table.columns.iter().position(|column| column.identity.is_some())
                && given[at].is_none()
            {
                let owned = exec.session.catalog().owned_sequence(table.oid, at).map(|s| s.oid);
                if let Some(sequence) = owned {
                    let next = hobgoblin_sql_schema::context::SequenceOp::Next(sequence);
                    given[at] = Some(Datum::Int(exec.session.sequence(next)?));
                }
            }
            let row = exec.complete(&table, given)?;
            match exec.insert_row(&table, row) {
                Err(error)
                    if on_duplicate == OnDuplicate::Ignore && rebuild::is_duplicate(&error) =>
                {
                    skipped.push(error);
                }
                inserted => {
                    inserted?;
                    count += 1;
                }
            }
        }
        exec.finish()?;
        for error in skipped {
            self.settings.tell(&self.said(error));
        }
        Ok(count)
    }
}

/// Whether a statement is about temporary tables alone.
fn is_temporary(special: &Special) -> bool {
    match special {
        Special::CreateTable(create) => create.temporary,
        Special::DropTables(drop) => drop.temporary,
        _ => false,
    }
}

/// The names of databases, and of relations in them, that only the second has; those of temporary tables are nobody's.
fn new_names(before: &Catalog, after: &Catalog) -> Vec<String> {
    let mut names = Vec::new();
    for (schema, inside) in &after.schemas {
        let known = before.schemas.get(schema);
        if known.is_none() {
            names.push(schema.clone());
        }
        if !catalog::is_temporary(schema) {
            let new = |name: &&String| {
                known.is_none_or(|known| !known.relations.contains_key(name.as_str()))
            };
            names
                .extend(inside.relations.keys().filter(new).map(|name| format!("{schema}.{name}")));
        }
    }
    names
}

/// Binds what statements of the schema say.
struct Describe<'a> {
    core: &'a Core,
}

impl DdlBinder for Describe<'_> {
    fn describe_query(&self, catalog: &Catalog, query: &Query) -> Result<Vec<QueryColumn>> {
        let catalog = Arc::new(catalog.clone());
        let path = self.core.path();
        let mut binder = Binder::new(&catalog, self.core.env(), path, Vec::new(), false);
        let bound = binder.query(query)?;
        let nullable = nullable::columns(&bound);
        let described = bound.columns.iter().zip(nullable).map(|(column, nullable)| {
            let (table, number) = column.origin;
            let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            let origin = place.map(|place| (table, place)).filter(|(table, place)| {
                catalog.table(*table).is_some_and(|table| *place < table.columns.len())
            });
            QueryColumn { name: column.name.clone(), ty: column.ty, nullable, origin }
        });
        let narrowed = |(at, column): (usize, QueryColumn)| QueryColumn {
            ty: nullable::type_of(&bound, at, column.ty),
            ..column
        };
        let described = described.enumerate().map(narrowed);
        Ok(described.collect())
    }

    fn describe_expr(&self, catalog: &Catalog, table: &Arc<Table>, expr: &Expr) -> Result<TypeId> {
        let catalog = Arc::new(catalog.clone());
        let path = self.core.path();
        let mut binder = Binder::new(&catalog, self.core.env(), path, Vec::new(), false);
        Ok(binder.row_expression(table, expr)?.ty)
    }
}
