//! Changes of the schema, and what they mean for the rows that are there.
//!
//! A change is applied to a copy of the catalogue (`catalog/ddl/`), which tells what it read, what it changed and what is
//! to be done to rows. Then the locks are taken, on what it read and on what it changes; if another transaction changed
//! the catalogue while this one waited, it begins again with the new one. At last the copy becomes the transaction's own
//! catalogue, and the steps are done: rows move to other keys, indexes are built, constraints are checked.
//!
//! Others see the catalogue when the transaction commits; a rollback drops it.

use std::cell::RefCell;
use std::sync::Arc;

use hobgoblin_core::{Key, Text};
use hobgoblin_front::{Mode, Request, Wait};
use sqlparser::ast;

use super::core::Core;
use super::interrupted;
use super::schema_change::context;
use super::sequences::uncalled_key;
use super::{Done, Granularity, Outcome};
use crate::bind::visit::read;
use crate::bind::{Binder, Kind};
use crate::catalog::ddl::{self, DataStep, DdlBinder, DdlContext, Usage};
use crate::catalog::{Catalog, OnCommit, Table};
use crate::error::{Binding, Code, Problem, Result, SqlError, SqlState};
use crate::execute::{Exec, described};
use crate::parse::Statement;
use crate::syntax::{Clauses, Written};
use crate::types::{Datum, Oid, PgType, TypeEnv, TypeId};
use hobgoblin_sql_schema::function::Volatility;
use hobgoblin_sql_session::SchemaChange;

/// Binds the expressions and queries that become part of a schema.
struct Describe<'a> {
    core: RefCell<&'a mut Core>,
    path: Arc<[String]>,
    /// The relations that they name, with the table locks that reading these takes.
    relations: RefCell<Vec<(Oid, Mode)>>,
}

impl Describe<'_> {
    fn with<T>(
        &self,
        catalog: &Catalog,
        work: impl FnOnce(&mut Binder<'_>) -> Result<T>,
    ) -> Result<T> {
        let core = self.core.borrow();
        let env = TypeEnv::new(core.settings.format(), catalog);
        let mut binder = Binder::new(catalog, env, &self.path, Vec::new(), false);
        let go_on = || interrupted::check(&core.backend.interrupts);
        binder.go_on = &go_on;
        let done = work(&mut binder);
        self.relations.borrow_mut().append(&mut binder.relations);
        done
    }
}

impl DdlBinder for Describe<'_> {
    fn go_on(&self) -> Result<()> {
        interrupted::check(&self.core.borrow().backend.interrupts)
    }

    fn describe_query(
        &self,
        catalog: &Catalog,
        query: &ast::Query,
        clauses: &Clauses,
    ) -> Result<Vec<(String, TypeId, i32)>> {
        let query = self.with(catalog, |binder| {
            binder.clauses = clauses.clone();
            binder.query(query)
        })?;
        Ok(query
            .columns
            .into_iter()
            .map(|column| (column.name, column.ty, column.typmod))
            .collect())
    }

    fn describe_expr(
        &self,
        catalog: &Catalog,
        table: Option<&Arc<Table>>,
        expr: &ast::Expr,
        usage: Usage,
    ) -> Result<TypeId> {
        let (bound, ty) = self.with(catalog, |binder| {
            let bound = match table {
                Some(table) => binder.row_expression(table, expr)?,
                None => binder.free_expression(expr).map_err(|error| match usage {
                    Usage::Default(_)
                        if error.binding().is_some_and(Binding::is_unknown_column) =>
                    {
                        SqlError::new(
                            SqlState::FEATURE_NOT_SUPPORTED,
                            "cannot use column reference in DEFAULT expression",
                        )
                    }
                    _ => error,
                })?,
            };
            let ty = bound.ty;
            Ok(match usage {
                Usage::Default(ty) | Usage::Generated(ty) | Usage::Using(ty) => {
                    (binder.assigned(bound, ty, -1, "default")?, ty)
                }
                Usage::Check | Usage::IndexPredicate => {
                    (binder.condition(bound, "CHECK")?, TypeId::BOOL)
                }
                Usage::IndexKey => (bound, ty),
            })
        })?;
        if has_system_column(&bound) {
            return Err(match usage {
                Usage::IndexKey | Usage::IndexPredicate => {
                    SqlError::unsupported("an index on system columns")
                }
                _ => {
                    let text = "a reference to a system column is invalid here";
                    SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, text)
                }
            });
        }
        let immutable = match usage {
            Usage::Generated(_) => Some("generation expression is not immutable"),
            Usage::IndexKey => Some("functions in index expression must be marked IMMUTABLE"),
            Usage::IndexPredicate => Some("functions in index predicate must be marked IMMUTABLE"),
            _ => None,
        };
        if let Some(text) = immutable
            && volatility(&bound) != Volatility::Immutable
        {
            return Err(SqlError::new(Code("42P17"), text));
        }
        Ok(ty)
    }

    fn constant(
        &self,
        catalog: &Catalog,
        expr: &ast::Expr,
        ty: TypeId,
        typmod: i32,
    ) -> Result<Option<Datum>> {
        let bound = self.with(catalog, |binder| {
            let bound = binder.free_expression(expr)?;
            binder.assigned(bound, ty, typmod, "default")
        })?;
        if volatility(&bound) == Volatility::Volatile {
            return Ok(None);
        }
        let mut core = self.core.borrow_mut();
        Exec::new(&mut **core, &[]).eval(&bound, &Vec::new()).map(Some)
    }
}

/// Whether an expression names a system column.
fn has_system_column(expr: &crate::bind::Expr) -> bool {
    let mut found = false;
    read::visit(expr, 0, &mut |expr, _| {
        if let Kind::Column(column) = expr.kind {
            found |= crate::bind::system::held_in(column.column).is_some();
        }
        true
    });
    found
}

/// The volatility of an expression: that of its most volatile function.
fn volatility(expr: &crate::bind::Expr) -> Volatility {
    let mut found = Volatility::Immutable;
    read::visit(expr, 0, &mut |expr, _| {
        if let Kind::Call { function, .. } = &expr.kind {
            found = match (found, function.volatility) {
                (Volatility::Volatile, _) | (_, Volatility::Volatile) => Volatility::Volatile,
                (Volatility::Stable, _) | (_, Volatility::Stable) => Volatility::Stable,
                _ => Volatility::Immutable,
            };
        }
        true
    });
    found
}

/// The mode in which a change of the schema locks the tables that it changes.
fn mode_of(ast: &ast::Statement) -> Mode {
    use ast::AlterTableOperation as Op;
    let strength = |operation: &Op| match operation {
        Op::ValidateConstraint { .. } => Mode::ShareUpdateExclusive,
        Op::AddConstraint { constraint: ast::TableConstraint::ForeignKey(_), .. } => {
            Mode::ShareRowExclusive
        }
        _ => Mode::AccessExclusive,
    };
    match ast {
        // CONCURRENTLY too: PostgreSQL waits for open transactions then, and lets others write meanwhile.
        ast::Statement::CreateIndex(_) => Mode::Share,
        ast::Statement::Comment { .. } => Mode::ShareUpdateExclusive,
        ast::Statement::AlterTable(alter) => {
            let modes = alter.operations.iter().map(strength);
            modes.max().unwrap_or(Mode::AccessExclusive)
        }
        _ => Mode::AccessExclusive,
    }
}

impl Core {
    /// Empties or drops the temporary tables for which a commit means that.
    pub(super) fn end_temporary_tables(&mut self) -> Result<()> {
        if !self.catalog_ref().schemas.contains_key(&self.temporary) {
            return Ok(());
        }
        let catalog = self.catalog();
        let own = || catalog.tables().filter(|table| table.schema == self.temporary);
        let those = |wanted| own().filter(move |table| table.on_commit == wanted).cloned();
        let emptied: Vec<Arc<Table>> = those(OnCommit::DeleteRows).collect();
        let dropped: Vec<Oid> = those(OnCommit::Drop).map(|table| table.oid).collect();
        // A transaction that has not reached the store has put no rows there.
        if self.transaction.open && !emptied.is_empty() {
            let mut exec = Exec::new(self, &[]);
            emptied.iter().try_for_each(|table| exec.clear_table(table))?;
        }
        if dropped.is_empty() {
            return Ok(());
        }
        // Who makes the schema again needs the tables until the same point.
        let schema = &mut self.transaction.schema;
        if let (Some(first), Some(last)) = (schema.first().cloned(), schema.last().cloned()) {
            schema.insert(0, SchemaChange { statement: "BEGIN".into(), ..first });
            schema.push(SchemaChange { statement: "COMMIT".into(), ..last });
        }
        let drop =
            |catalog: &mut Catalog, cx: &DdlContext<'_>| ddl::drop_on_commit(catalog, &dropped, cx);
        self.change(Mode::AccessExclusive, Written::default(), drop).map(|_| ())
    }
}

impl Core {
    /// Applies a change to the transaction's catalogue, once what it changes is locked in this
    /// mode. Returns the catalogue as it was, and what is to be done to rows.
    fn change(
        &mut self,
        mode: Mode,
        written: Written<'_>,
        apply: impl Fn(&mut Catalog, &DdlContext<'_>) -> Result<ddl::DdlOutcome>,
    ) -> Result<(Arc<Catalog>, ddl::DdlOutcome)> {
        if self.transaction.catalog.is_none() {
            self.lock_schema()?;
            self.transaction.catalog = Some(self.shared.schema.begin_change());
        }
        loop {
            self.refresh();
            let before = self.catalog();
            let mut catalog = (*before).clone();
            let path = Arc::clone(&self.scope_ref().path);
            let (temporary, user) = (self.temporary.clone(), self.user.clone());
            let (core, relations) = (RefCell::new(&mut *self), RefCell::default());
            let binder = Describe { core, path: Arc::clone(&path), relations };
            let cx = DdlContext {
                path: &path,
                temporary: &temporary,
                user: &user,
                binder: &binder,
                written,
            };
            let outcome = apply(&mut catalog, &cx)?;
            let mut read = binder.relations.into_inner();
            read.retain(|(oid, _)| before.relations.contains_key(oid));
            for (oid, mode) in read {
                self.lock_relation(oid, mode, Wait::Forever)?;
            }
            // Others may have changed something while this one waited for its locks: first for what it reads, then for
            // what it changes and the names it makes.
            self.refresh();
            if !Arc::ptr_eq(&before, &self.catalog()) {
                continue;
            }
            self.lock_changed(&before, &catalog, mode)?;
            self.refresh();
            if !Arc::ptr_eq(&before, &self.catalog()) {
                continue;
            }
            catalog.version = self.shared.schema.next_version();
            if let Some(own) = &mut self.transaction.catalog {
                own.catalog = Arc::new(catalog);
            }
            self.refresh();
            self.describe_but(&before);
            return Ok((before, outcome));
        }
    }

    /// Tells the store what the tables consist of that another catalogue lacks or has otherwise.
    pub(super) fn describe_but(&self, other: &Catalog) {
        self.store.describe(described(&self.catalog(), other));
    }

    pub(super) fn run_ddl(
        &mut self,
        ast: &ast::Statement,
        statement: &Statement,
    ) -> Result<Outcome> {
        self.check_concurrently(ast, &statement.clauses)?;
        self.writing()?;
        let mode = mode_of(ast);
        // Also where there turns out to be nothing to change, or a name that is taken.
        let table = match ast {
            ast::Statement::AlterTable(alter) => Some(&alter.name),
            ast::Statement::CreateIndex(create) => Some(&create.table_name),
            _ => None,
        };
        if let Some(name) = table
            && self.table_named(name).is_ok()
        {
            match self.table_locked(name, mode) {
                // It went while this one waited; what that means is said below.
                Err(error) if matches!(error.problem(), Some(Problem::NoRelation { .. })) => {}
                locked => drop(locked?),
            }
        }
        let written = statement.written();
        let changed = self.change(mode, written, |catalog, cx| ddl::apply(catalog, ast, cx))?;
        self.finish_ddl(changed, &statement.text)
    }

    /// Fails if a statement with CONCURRENTLY is in a block, or does what it must not.
    fn check_concurrently(&self, ast: &ast::Statement, clauses: &Clauses) -> Result<()> {
        let what = match ast {
            ast::Statement::CreateIndex(create) if create.concurrently => {
                "CREATE INDEX CONCURRENTLY"
            }
            ast::Statement::Drop { object_type: ast::ObjectType::Index, names, .. }
                if clauses.concurrently(names) =>
            {
                "DROP INDEX CONCURRENTLY"
            }
            _ => return Ok(()),
        };
        if self.transaction.block {
            let text = format!("{what} cannot run inside a transaction block");
            return Err(SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, text));
        }
        let refused = match ast {
            ast::Statement::Drop { names, .. } if names.len() > 1 => "dropping multiple objects",
            ast::Statement::Drop { cascade: true, .. } => "CASCADE",
            _ => return Ok(()),
        };
        let text = format!("{what} does not support {refused}");
        Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text))
    }

    /// Lets sequences begin again at their start. A rollback undoes it.
    pub(super) fn restart_sequences(&mut self, sequences: &[Oid], text: &Text) -> Result<()> {
        if sequences.is_empty() {
            return Ok(());
        }
        let apply = |catalog: &mut Catalog, cx: &DdlContext<'_>| {
            ddl::restart_sequences(catalog, sequences, cx)
        };
        let changed = self.change(Mode::AccessExclusive, Written::default(), apply)?;
        self.finish_ddl(changed, text).map(|_| ())
    }

    /// Runs a change of the schema for which the parser has no syntax tree.
    pub(super) fn run_extra(
        &mut self,
        extra: &ddl::Extra,
        statement: &Statement,
    ) -> Result<Outcome> {
        self.writing()?;
        let apply =
            |catalog: &mut Catalog, cx: &DdlContext<'_>| ddl::apply_extra(catalog, extra, cx);
        let changed = self.change(extra.mode(), statement.written(), apply)?;
        self.finish_ddl(changed, &statement.text)
    }

    fn finish_ddl(
        &mut self,
        changed: (Arc<Catalog>, ddl::DdlOutcome),
        text: &Text,
    ) -> Result<Outcome> {
        let (before, outcome) = changed;
        let (context, statement) = (context(&self.settings), Text::clone(text));
        self.transaction.schema.push(SchemaChange { context, statement });
        outcome.notices.into_iter().for_each(|notice| self.notice(notice));
        self.migrate(&before)?;
        let mut done = Done::verb(outcome.verb);
        for step in outcome.steps {
            if let Some(count) = self.data_step(&before, step)? {
                done = Done::rows("SELECT", count);
            }
        }
        Ok(Outcome::Done(done))
    }

    /// Drops the session's temporary tables, when it disconnects.
    pub(super) fn drop_temporary(&mut self) {
        if !self.catalog_ref().schemas.contains_key(&self.temporary) {
            return;
        }
        let alone = !self.transaction.begun;
        self.ensure_transaction();
        let dropped = self.change(Mode::AccessExclusive, Written::default(), ddl::drop_temporary);
        if alone {
            match dropped {
                Ok(_) => {
                    let _ = self.commit();
                }
                Err(_) => self.rollback(),
            }
        }
    }

    fn table(&self, oid: u32) -> Result<Arc<Table>> {
        self.catalog_ref().table(oid).cloned().ok_or_else(|| {
            let text = format!("could not open relation with OID {oid}");
            SqlError::new(SqlState::UNDEFINED_TABLE, text)
        })
    }

    /// Moves the rows of changed tables to the keys that they have under the new schema.
    fn migrate(&mut self, before: &Arc<Catalog>) -> Result<()> {
        let after = self.catalog();
        let changed: Vec<(Arc<Table>, Arc<Table>)> = after
            .tables()
            .filter_map(|new| {
                let old = before.table(new.oid)?;
                (!Arc::ptr_eq(old, new)).then(|| (Arc::clone(old), Arc::clone(new)))
            })
            .collect();
        for (old, new) in changed {
            let mut exec = Exec::new(self, &[]);
            if exec.primary_changed(&old, &new) {
                exec.rekey(&old, &new)?;
            } else if exec.session.granularity() == Granularity::Cell {
                exec.rename_cells(&old, &new)?;
            }
        }
        Ok(())
    }

    /// Does one step to the rows. Returns how many rows it put into a table, if it fills one.
    fn data_step(&mut self, before: &Arc<Catalog>, step: DataStep) -> Result<Option<u64>> {
        match step {
            DataStep::StartSequence(oid) => {
                if let Some(sequence) = self.catalog().sequence(oid) {
                    let (key, value) = (Key::from(&*sequence.prefix), sequence.start);
                    let uncalled = uncalled_key(sequence);
                    self.request(Request::set_counter(key, value))?;
                    self.request(Request::set_counter(uncalled, value))?;
                }
            }
            DataStep::RestartSequence(oid, value) => {
                if let Some(sequence) = self.catalog().sequence(oid) {
                    let (key, uncalled) = (Key::from(&*sequence.prefix), uncalled_key(sequence));
                    self.request(Request::set_counter(key, value))?;
                    self.request(Request::set_counter(uncalled, value))?;
                }
            }
            DataStep::BuildIndex { table, index } => {
                let table = self.table(table)?;
                // A new table has no rows; a new primary key has moved them already.
                let found = table
                    .indexes
                    .iter()
                    .find(|found| found.oid == index && !table.keys_rows(found));
                if let Some(index) = found.cloned()
                    && before.table(table.oid).is_some()
                {
                    Exec::new(self, &[]).build_index(&table, &index)?;
                }
            }
            DataStep::CheckNotNull { table, column } => {
                let table = self.table(table)?;
                let mut exec = Exec::new(self, &[]);
                for row in exec.fetch_all(&table)?.iter() {
                    if exec.cell(row, column)?.is_null() {
                        let name = &table.columns[column].name;
                        let text = format!(
                            "column \"{name}\" of relation \"{}\" contains null values",
                            table.name
                        );
                        return Err(SqlError::new(SqlState::NOT_NULL_VIOLATION, text)
                            .table(&table.schema, &table.name)
                            .column(name));
                    }
                }
            }
            DataStep::ValidateCheck { table, constraint }
            | DataStep::ValidateForeign { table, constraint } => {
                let table = self.table(table)?;
                let found = table.constraints.iter().find(|found| found.oid == constraint).cloned();
                if let Some(constraint) = found {
                    Exec::new(self, &[]).validate(&table, &constraint)?;
                }
            }
            DataStep::CheckDomain { table, column } => {
                let table = self.table(table)?;
                let mut exec = Exec::new(self, &[]);
                for row in exec.fetch_all(&table)?.iter() {
                    let values = exec.cells(row)?;
                    exec.check_domains(&table, &values, std::iter::once(column))?;
                }
            }
            DataStep::ValidateDomain { domain, nulls } => {
                if let Some(domain) = self.catalog().domains.get(&domain).cloned() {
                    Exec::new(self, &[]).validate_domain(&domain, nulls)?;
                }
            }
            DataStep::FillColumn { table, column } => {
                let table = self.table(table)?;
                Exec::new(self, &[]).fill_column(&table, column)?;
            }
            DataStep::RewriteColumn { before, column, using } => {
                let after = self.table(before.oid)?;
                let using = match using {
                    Some(using) => {
                        let scope = self.scope();
                        let env = self.env();
                        let mut binder =
                            Binder::new(&scope.catalog, env, &scope.path, Vec::new(), false);
                        Some(binder.row_expression(&before, &using.ast)?)
                    }
                    None => None,
                };
                Exec::new(self, &[]).rewrite_column(&before, &after, column, using.as_ref())?;
            }
            // Its prefix is never used again, so nobody can find them.
            DataStep::DropKeys(_) => {}
            DataStep::Fill { table, query, clauses } => {
                return self.fill(table, &query, clauses).map(Some);
            }
            DataStep::Refresh { table, query } => {
                let found = self.table(table)?;
                let mut exec = Exec::new(self, &[]);
                for row in exec.fetch_all(&found)?.iter() {
                    exec.remove_row(row)?;
                }
                exec.finish()?;
                if let Some((query, clauses)) = query {
                    self.fill(table, &query, clauses)?;
                }
            }
        }
        Ok(None)
    }
}

impl Core {
    /// Puts the rows of a query into a table, and returns their number.
    fn fill(&mut self, table: u32, query: &ast::Query, clauses: Clauses) -> Result<u64> {
        let bound = loop {
            let scope = self.scope();
            let (bound, relations) = {
                let env = self.env();
                let mut binder = Binder::new(&scope.catalog, env, &scope.path, Vec::new(), false);
                binder.clauses = clauses.clone();
                (binder.query(query)?, binder.relations)
            };
            // Who waited may find another schema.
            if self.lock_relations(&relations, scope.catalog.version)? {
                break bound;
            }
        };
        let table = self.table(table)?;
        let mut exec = Exec::new(self, &[]);
        let rows = exec.query(&bound, None)?;
        let count = rows.len() as u64;
        for row in rows {
            exec.insert_row(&table, row)?;
        }
        exec.finish()?;
        Ok(count)
    }
}
