//! Runs queries and changes of rows.

use std::sync::Arc;

use hobgoblin_front::Mode;
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_bind::bound::Query;
use hobgoblin_sql_bind::bound::dml::{DmlKind, InsertSource};
use hobgoblin_sql_exec::Exec;
use hobgoblin_sql_mysql_types::{MyType, UserValue, error};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast;

use super::core::{Core, read_only};
use super::outcome::{Done, TakeResults};
use super::planned::{Plan, Planned};
use super::warnings::uses_tables;
use crate::parse::Statement;
use crate::syntax::Destination;

/// The values of a statement's parameters, with their types.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given<'a> {
    pub(super) values: &'a [Datum],
    pub(super) types: &'a [TypeId],
    /// How the statement was bound for these types before.
    pub(super) known: Option<&'a Arc<Planned>>,
}

impl Core {
    /// Runs a query or a change of rows, as a statement that undoes itself if it fails.
    pub(super) fn data(
        &mut self,
        statement: &Statement,
        ast: &ast::Statement,
        given: Given<'_>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        // What uses no tables is no transaction.
        if uses_tables(statement) {
            self.enter();
        }
        let mut marked = None;
        let limited = self.limited(ast);
        let given = if limited.is_some() { Given { known: None, ..given } } else { given };
        let ast = limited.as_ref().unwrap_or(ast);
        let result = self.marked(statement, ast, given, to, &mut marked);
        self.leave(result, marked)
    }

    fn marked(
        &mut self,
        statement: &Statement,
        ast: &ast::Statement,
        given: Given<'_>,
        to: &mut dyn TakeResults,
        marked: &mut Option<usize>,
    ) -> Result<Done> {
        if self.transaction.block {
            *marked = Some(self.transaction.relations.len());
            self.mark()?;
        }
        let current = |planned: &&Arc<Planned>| {
            planned.version == self.catalog_ref().version
                && planned.generation == self.generation()
                && planned.path == *self.path()
        };
        let mut planned = match given.known.filter(current) {
            Some(known) => Arc::clone(known),
            None => Arc::new(self.plan(statement, ast, given.types)?),
        };
        if !self.transaction.block {
            self.transaction.lone_read = planned.is_plain_read();
        }
        if self.transaction.read_only && self.writes_tables(&planned) {
            return Err(read_only());
        }
        self.check_table_locks(&planned.tables)?;
        while !self.lock_tables(&planned.tables, planned.version)? {
            planned = Arc::new(self.plan(statement, ast, given.types)?);
        }
        let result = self.run(&planned, given.values, to);
        self.planned = Some(planned);
        result
    }

    /// Whether a statement changes rows of a table that others see, too.
    fn writes_tables(&self, planned: &Planned) -> bool {
        let temporary = |oid| self.catalog_ref().table(oid).is_some_and(|table| table.temporary);
        let mut written = planned.tables.iter().filter(|(_, mode)| *mode == Mode::RowExclusive);
        matches!(planned.plan, Plan::Dml(_)) && written.any(|(oid, _)| !temporary(*oid))
    }

    /// Runs a bound statement whose tables are locked.
    pub(super) fn run(
        &mut self,
        planned: &Planned,
        params: &[Datum],
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        match &planned.plan {
            Plan::Query(query) if let Some(into) = &planned.into => {
                self.query_into(query, into, params)
            }
            Plan::Query(query) => {
                let columns = planned.columns.as_deref().unwrap_or_default();
                let status = self.status();
                to.columns(columns, &status)?;
                let mut exec = Exec::new(self, params);
                exec.alone = Arc::clone(&planned.alone);
                exec.counts_all = planned.counts_all;
                let mut count = 0;
                exec.query_to(query, &mut |exec, row| {
                    count += 1;
                    to.row(columns, &row, &exec.session.types())
                })?;
                exec.finish()?;
                let counted = exec.counted;
                self.counts.found_rows = if planned.counts_all { counted } else { count };
                Ok(Done { affected: count, rows: true, ..Done::default() })
            }
            Plan::Dml(dml) => {
                self.settings.warnings.heed(stores_values(&dml.kind));
                let mut exec = Exec::new(self, params);
                let result = exec.run_dml(dml);
                let (numbers, matched, records) = (exec.numbers, exec.matched, exec.records);
                let ignores = exec.storing.ignore;
                self.settings.forgive(ignores);
                let heeded = self.settings.heeded();
                self.settings.warnings.heed(false);
                let (count, rows) = result?;
                heeded?;
                self.counts.given = numbers.made;
                let found = self.startup.found_rows;
                // A number that a DELETE names is not told.
                let named = self.counts.named.filter(|_| stores_values(&dml.kind));
                let id = numbers.made.or(named).or(numbers.given).unwrap_or(0);
                let mut done = Done { affected: count, insert_id: id, ..Done::default() };
                let warnings = self.warning_count();
                match &dml.kind {
                    DmlKind::Update(_) | DmlKind::Several(_) if is_update(&dml.kind) => {
                        done.affected = if found { matched } else { count };
                        done.words = format!(
                            "Rows matched: {matched}  Changed: {count}  Warnings: {warnings}"
                        );
                    }
                    DmlKind::Insert(insert) if !is_one_row(&insert.source) => {
                        let twins = count.abs_diff(records);
                        done.words = format!(
                            "Records: {records}  Duplicates: {twins}  Warnings: {warnings}"
                        );
                    }
                    _ => {}
                }
                let Some(columns) = &planned.columns else { return Ok(done) };
                let status = self.status();
                to.columns(columns, &status)?;
                let env = self.env();
                rows.iter().try_for_each(|row| to.row(columns, row, &env))?;
                Ok(Done { affected: rows.len() as u64, rows: true, ..Done::default() })
            }
        }
    }

    /// The value of an expression that names no columns, with its type.
    pub(super) fn evaluate(&mut self, expr: &ast::Expr) -> Result<(Datum, TypeId)> {
        let scope = self.scope();
        let bound = {
            let mut binder =
                Binder::new(&scope.catalog, self.env(), &scope.path, Vec::new(), false);
            binder.free_expression(expr)?
        };
        let value = Exec::new(self, &[]).eval(&bound, &Vec::new())?;
        Ok((value, bound.ty))
    }
}

impl Core {
    /// A query whose one row goes to variables.
    fn query_into(&mut self, query: &Query, into: &Destination, params: &[Datum]) -> Result<Done> {
        let Destination::Variables(names) = into else {
            return Err(SqlError::unsupported("SELECT … INTO OUTFILE"));
        };
        if names.len() != query.columns.len() {
            let text = "The used SELECT statements have a different number of columns";
            return Err(error::error(1222, text));
        }
        let mut exec = Exec::new(self, params);
        let rows = exec.query(query, Some(2))?;
        exec.finish()?;
        self.counts.found_rows = rows.len().min(1) as u64;
        let (row, several) = match rows.as_slice() {
            [] => {
                let text = "No data - zero rows fetched, selected, or processed";
                self.settings.warn(1329, text);
                return Ok(Done::default());
            }
            [row, others @ ..] => (row, !others.is_empty()),
        };
        let env = self.env();
        for ((name, value), column) in names.iter().zip(row).zip(&query.columns) {
            let held = UserValue::of(value, MyType::of(column.ty), &env);
            self.settings.users.set(name, held);
        }
        if several {
            return Err(error::error(1172, "Result consisted of more than one row"));
        }
        Ok(Done { affected: 1, ..Done::default() })
    }
}

/// Whether a change is an UPDATE.
fn is_update(kind: &DmlKind) -> bool {
    match kind {
        DmlKind::Update(_) => true,
        DmlKind::Several(several) => !several.deletes,
        DmlKind::Insert(_) | DmlKind::Delete(_) | DmlKind::Merge(_) => false,
    }
}

/// Whether a change computes values to store. What is told of their expressions is an error in strict mode.
fn stores_values(kind: &DmlKind) -> bool {
    matches!(kind, DmlKind::Insert(_)) || is_update(kind)
}

/// Whether an INSERT has one row of VALUES, of which nothing is said.
fn is_one_row(source: &InsertSource) -> bool {
    match source {
        InsertSource::Rows(rows) => rows.len() == 1,
        InsertSource::Defaults => true,
        InsertSource::Query(..) => false,
    }
}
