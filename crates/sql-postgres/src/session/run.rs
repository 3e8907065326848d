//! Preparing and executing statements.
//!
//! A statement is planned once and executed perhaps many times. Between the two the schema may
//! change, so a plan remembers the version of the catalogue it was bound with, and is bound anew
//! where that is another. To be sure that it does not change during the execution either, the
//! tables are locked first; whoever had to wait for such a lock looks at the version again. So the
//! order is: bind, lock, compare versions, and then run or begin again.

use std::collections::VecDeque;
use std::sync::Arc;

use hobgoblin_front::Mode;
use sqlparser::ast;

use super::core::{Core, in_failed};
use super::interrupted;
use super::plan::{Plan, Portal, Prepared, described};
use super::reading;
use super::{ColumnDescription, Done, Outcome, TakeRows};
use crate::bind::Binder;
use crate::bind::bound::dml::DmlKind;
use crate::error::{Result, SqlError, SqlState};
use crate::execute::Exec;
use crate::parse::escapes::Backslashes;
use crate::parse::{Special, Statement, TwoPhase};
use crate::types::{Datum, Oid, TypeId};

/// A result of no more rows than this is given at once, and not row by row.
const AT_ONCE: u64 = 64;

impl Core {
    /// Fails if the transaction has failed and the statement does not end it.
    fn admit(&self, statement: &Statement) -> Result<()> {
        if !self.transaction.failed {
            return Ok(());
        }
        match statement.special.as_deref() {
            None | Some(Special::TwoPhase(TwoPhase::Prepare, _)) => {}
            Some(_) => return Err(in_failed()),
        }
        match statement.ast.as_deref() {
            None | Some(ast::Statement::Commit { .. } | ast::Statement::Rollback { .. }) => Ok(()),
            Some(_) => Err(in_failed()),
        }
    }

    /// Binds a statement. If that fails, another transaction may be changing its tables: it waits
    /// for that and tries again.
    pub(super) fn plan(
        &mut self,
        statement: &Statement,
        types: &[TypeId],
        open: bool,
    ) -> Result<Prepared> {
        loop {
            let mut relations = Vec::new();
            let version = self.catalog_ref().version;
            match self.try_plan(statement, types, open, &mut relations) {
                Err(error) if self.lock_relations(&relations, version)? => return Err(error),
                Err(_) => {}
                prepared => return prepared,
            }
        }
    }

    /// Tries to bind a statement. `relations` gets the relations that it names, even if it fails.
    fn try_plan(
        &mut self,
        statement: &Statement,
        types: &[TypeId],
        open: bool,
        relations: &mut Vec<(Oid, Mode)>,
    ) -> Result<Prepared> {
        let mut columns = None;
        let mut params = types.to_vec();
        let mut alone = Vec::new();
        let plan = match statement.ast.as_deref() {
            None if statement.special.is_some() => Plan::Utility,
            None => Plan::Empty,
            Some(ast) => {
                let scope = self.scope();
                let env = self.env();
                let mut binder = Binder::new(&scope.catalog, env, &scope.path, params, open);
                let go_on = || interrupted::check(&self.backend.interrupts);
                binder.go_on = &go_on;
                binder.clauses = statement.clauses.clone();
                binder.seen.clone_from(&self.transaction.seen);
                let plan = bind(&mut binder, ast);
                // In the order in which PostgreSQL comes to them.
                for used in binder.relations.drain(..) {
                    if !relations.contains(&used) {
                        relations.push(used);
                    }
                }
                let plan = plan?;
                alone = named_once(std::mem::take(&mut binder.reads));
                params = binder.finish_params()?;
                let names = self.scope_ref();
                match &plan {
                    Plan::Query(query) => columns = Some(described(&query.columns, names)),
                    Plan::Dml(dml) => {
                        columns = dml.columns().map(|columns| described(columns, names))
                    }
                    Plan::Utility => columns = self.utility_columns(ast)?,
                    Plan::Empty => {}
                }
                plan
            }
        };
        Ok(Prepared {
            params,
            columns,
            statement: statement.clone(),
            plan,
            relations: relations.clone(),
            alone: alone.into(),
            version: self.catalog_ref().version,
            path: Arc::clone(&self.scope_ref().path),
        })
    }

    /// Splits a text into statements. Constants in it are read as the settings say.
    pub(crate) fn parse(&mut self, sql: &str) -> Result<Vec<Statement>> {
        let how = sql.contains('\\').then(|| Backslashes {
            standard: self.settings.enabled("standard_conforming_strings"),
            warn: self.settings.enabled("escape_string_warning"),
            quote: self.settings.raw("backslash_quote").is_none_or(|allowed| allowed != "off"),
        });
        let read = reading::read(&mut self.reading, &self.backend.interrupts, sql, how);
        self.check_interrupts()?;
        let (statements, warnings) = read?;
        warnings.into_iter().for_each(|warning| self.notice(warning));
        Ok(statements)
    }

    pub(crate) fn prepare(
        &mut self,
        name: &str,
        sql: &str,
        types: &[TypeId],
    ) -> Result<Arc<Prepared>> {
        let mut statements = self.parse(sql)?;
        if statements.len() > 1 {
            return Err(SqlError::syntax(
                "cannot insert multiple commands into a prepared statement",
            ));
        }
        let statement = statements.pop().unwrap_or_else(|| Statement::empty(sql.trim()));
        self.prepare_statement(name, &statement, types)
    }

    pub(crate) fn prepare_statement(
        &mut self,
        name: &str,
        statement: &Statement,
        types: &[TypeId],
    ) -> Result<Arc<Prepared>> {
        self.admit(statement)?;
        if !name.is_empty() && self.prepared.contains_key(name) {
            let text = format!("prepared statement \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_PREPARED_STATEMENT, text));
        }
        self.begin_implicit(statement);
        let types: Vec<TypeId> =
            types.iter().map(|&ty| if ty.0 == 0 { TypeId::UNKNOWN } else { ty }).collect();
        let prepared = Arc::new(self.plan(statement, &types, true)?);
        self.prepared.insert(name.to_owned(), Arc::clone(&prepared));
        Ok(prepared)
    }

    /// Begins an implicit transaction for a statement outside of a block, unless the statement
    /// begins or ends one itself.
    fn begin_implicit(&mut self, statement: &Statement) {
        let ends = matches!(
            statement.ast.as_deref(),
            None | Some(
                ast::Statement::Commit { .. }
                    | ast::Statement::Rollback { .. }
                    | ast::Statement::StartTransaction { .. }
            )
        );
        if !ends || statement.special.is_some() {
            self.ensure_transaction();
        }
        self.refresh();
    }

    pub(crate) fn find_prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        self.prepared.get(name).cloned().ok_or_else(|| {
            let text = match name.is_empty() {
                true => "unnamed prepared statement does not exist".to_owned(),
                false => format!("prepared statement \"{name}\" does not exist"),
            };
            SqlError::new(SqlState::INVALID_SQL_STATEMENT_NAME, text)
        })
    }

    pub(crate) fn find_portal(&self, name: &str) -> Result<&Portal> {
        self.portals.get(name).ok_or_else(|| {
            let text = format!("portal \"{name}\" does not exist");
            SqlError::new(SqlState::INVALID_CURSOR_NAME, text)
        })
    }

    pub(crate) fn bind(
        &mut self,
        portal: &str,
        statement: &str,
        params: Vec<Datum>,
        formats: Arc<[i16]>,
    ) -> Result<()> {
        let prepared = self.find_prepared(statement)?;
        self.admit(&prepared.statement)?;
        if params.len() != prepared.params.len() {
            let text = format!(
                "bind message supplies {} parameters, but prepared statement \"{statement}\" requires {}",
                params.len(),
                prepared.params.len()
            );
            return Err(SqlError::new(SqlState::PROTOCOL_VIOLATION, text));
        }
        if !portal.is_empty() && self.portals.contains_key(portal) {
            let text = format!("cursor \"{portal}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_CURSOR, text));
        }
        self.begin_implicit(&prepared.statement);
        let prepared = self.current(prepared, statement)?;
        self.portals.insert(portal.to_owned(), Portal { formats, ..Portal::new(prepared, params) });
        Ok(())
    }

    /// The statement, bound anew if the schema has changed since it was bound.
    pub(super) fn current(&mut self, prepared: Arc<Prepared>, name: &str) -> Result<Arc<Prepared>> {
        let fresh = prepared.version == self.catalog_ref().version
            && *prepared.path == *self.scope_ref().path;
        if fresh || matches!(prepared.plan, Plan::Utility | Plan::Empty) {
            return Ok(prepared);
        }
        let again = self.plan(&prepared.statement, &prepared.params, false)?;
        let shape = |prepared: &Prepared| -> Option<Vec<(String, TypeId, i32)>> {
            let columns = prepared.columns.as_ref()?.iter();
            Some(columns.map(|c| (c.name.clone(), c.ty, c.typmod)).collect())
        };
        if shape(&again) != shape(&prepared) {
            let text = "cached plan must not change result type";
            return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text));
        }
        let again = Arc::new(again);
        if self.prepared.contains_key(name) {
            self.prepared.insert(name.to_owned(), Arc::clone(&again));
        }
        Ok(again)
    }

    /// Runs a portal, or gives the next of its rows if it was run before.
    pub(crate) fn execute(
        &mut self,
        name: &str,
        max_rows: usize,
        to: Option<&mut dyn TakeRows>,
    ) -> Result<Outcome> {
        let portal = self.find_portal(name)?;
        if portal.cursor.is_some() {
            let count = if max_rows == 0 { None } else { Some(max_rows) };
            return self.fetch_forward(name, count);
        }
        let prepared = Arc::clone(&portal.prepared);
        self.admit(&prepared.statement)?;
        if portal.rows.is_none() {
            let params = portal.params.clone();
            let to = to.filter(|_| max_rows == 0);
            let taken = to.is_some();
            match self.run(&prepared, &params, to)? {
                Outcome::Rows { rows, complete } => {
                    let done = complete.unwrap_or(Done::rows("SELECT", 0));
                    if taken {
                        if let Some(portal) = self.portals.get_mut(name) {
                            portal.rows = Some((VecDeque::new(), done));
                        }
                        return Ok(Outcome::Rows { rows, complete: Some(done) });
                    }
                    // It may have ended the transaction, and itself with it.
                    if let Some(portal) = self.portals.get_mut(name) {
                        portal.rows = Some((rows.into(), done));
                    } else {
                        return Ok(Outcome::Rows { rows, complete: Some(done) });
                    }
                }
                other => return Ok(other),
            }
        }
        let Some((left, done)) = self.portals.get_mut(name).and_then(|portal| portal.rows.as_mut())
        else {
            return Ok(Outcome::Empty);
        };
        let count = if max_rows == 0 { left.len() } else { max_rows.min(left.len()) };
        let rows: Vec<_> = left.drain(..count).collect();
        // A limit that was reached suspends the portal even when nothing is left.
        let complete = (max_rows == 0 || count < max_rows).then(|| match done.verb {
            "SELECT" => Done::rows("SELECT", count as u64),
            _ => *done,
        });
        Ok(Outcome::Rows { rows, complete })
    }

    /// Runs a statement of a simple query.
    pub(crate) fn simple(
        &mut self,
        statement: &Statement,
        to: Option<&mut dyn TakeRows>,
    ) -> Result<(Option<Vec<ColumnDescription>>, Outcome)> {
        self.admit(statement)?;
        self.begin_implicit(statement);
        let mut prepared = self.plan(statement, &[], false)?;
        self.begin_statement(&prepared.statement, &[]);
        self.note_lone_read(&prepared.plan);
        while !self.lock_relations(&prepared.relations, prepared.version)? {
            prepared = self.plan(statement, &[], false)?;
        }
        let outcome = self.run_locked(&prepared, &[], to)?;
        Ok((prepared.columns.take(), outcome))
    }

    /// Runs a bound statement. If the schema changes while it waits for its tables, it is bound
    /// anew.
    pub(crate) fn run(
        &mut self,
        prepared: &Arc<Prepared>,
        params: &[Datum],
        to: Option<&mut dyn TakeRows>,
    ) -> Result<Outcome> {
        self.begin_statement(&prepared.statement, params);
        self.note_lone_read(&prepared.plan);
        let mut prepared = Arc::clone(prepared);
        while !self.lock_relations(&prepared.relations, prepared.version)? {
            let before = Arc::clone(&prepared);
            prepared = self.current(prepared, "")?;
            if Arc::ptr_eq(&before, &prepared) {
                break;
            }
        }
        self.run_locked(&prepared, params, to)
    }

    /// Notes whether the statement is a plain read outside of a transaction, for which some engines
    /// do not lock.
    fn note_lone_read(&mut self, plan: &Plan) {
        if self.shared.rules.locks_scans && !self.transaction.open {
            let plain = matches!(plan, Plan::Query(query) if query.locks.is_empty());
            self.transaction.lone_read = plain && !self.transaction.block;
        }
    }

    fn run_locked(
        &mut self,
        prepared: &Prepared,
        params: &[Datum],
        mut to: Option<&mut dyn TakeRows>,
    ) -> Result<Outcome> {
        if matches!(prepared.plan, Plan::Query(_) | Plan::Dml(_)) {
            self.take_snapshot()?;
        }
        match &prepared.plan {
            Plan::Empty => Ok(Outcome::Empty),
            Plan::Query(query) => {
                let mut exec = Exec::new(self, params);
                exec.alone = Arc::clone(&prepared.alone);
                let columns = prepared.columns.as_deref().unwrap_or_default();
                let (mut rows, mut count) = (Vec::new(), 0u64);
                exec.query_to(query, &mut |exec, row| {
                    count += 1;
                    rows.push(row);
                    match &mut to {
                        // What is short is given as a whole.
                        Some(to) if count >= AT_ONCE => {
                            let env = exec.session.env();
                            rows.drain(..).try_for_each(|row| to.take(columns, &row, &env))
                        }
                        _ => Ok(()),
                    }
                })?;
                exec.finish()?;
                Ok(Outcome::Rows { rows, complete: Some(Done::rows("SELECT", count)) })
            }
            Plan::Dml(dml) => {
                let (count, rows) = Exec::new(self, params).run_dml(dml)?;
                let verb = match &dml.kind {
                    DmlKind::Insert(_) => "INSERT",
                    DmlKind::Update(_) | DmlKind::Several(_) => "UPDATE",
                    DmlKind::Delete(_) => "DELETE",
                    DmlKind::Merge(_) => "MERGE",
                };
                let done = Done::rows(verb, count);
                Ok(match prepared.columns {
                    Some(_) => Outcome::Rows { rows, complete: Some(done) },
                    None => Outcome::Done(done),
                })
            }
            Plan::Utility => match prepared.statement.ast.as_deref() {
                None if prepared.statement.special.is_some() => self.special(&prepared.statement),
                Some(ast) => self.utility(ast, &prepared.statement, params),
                None => Ok(Outcome::Empty),
            },
        }
    }
}

/// Binds a query or a change of rows. Other statements are bound when they run.
fn bind(binder: &mut Binder<'_>, ast: &ast::Statement) -> Result<Plan> {
    Ok(match ast {
        ast::Statement::Query(query) => match binder.dml_with(query)? {
            Some(dml) => Plan::Dml(Box::new(dml)),
            None if selects_into(query) => Plan::Utility,
            None => Plan::Query(Box::new(binder.query(query)?)),
        },
        ast::Statement::Insert(_)
        | ast::Statement::Update(_)
        | ast::Statement::Delete(_)
        | ast::Statement::Merge(_) => Plan::Dml(Box::new(binder.dml(ast)?)),
        _ => Plan::Utility,
    })
}

/// The oids that a list has exactly once.
fn named_once(mut oids: Vec<Oid>) -> Vec<Oid> {
    oids.sort_unstable();
    let groups = oids.chunk_by(|a, b| a == b);
    groups.filter(|group| group.len() == 1).map(|group| group[0]).collect()
}

fn selects_into(query: &ast::Query) -> bool {
    matches!(&*query.body, ast::SetExpr::Select(select) if select.into.is_some())
}
