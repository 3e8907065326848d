//! Statements that are neither queries nor changes of rows: transactions, settings, cursors, and so on.
//!
//! They are not bound: each does its work at once and answers with its verb. BEGIN and its kin change the state of the
//! transaction (`transaction.rs`), SET the settings, PREPARE and EXECUTE what the protocol's Parse and Bind change as
//! well, FETCH and MOVE a cursor (`cursor.rs`). What the parser has no syntax tree for comes as a
//! [`Special`].

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_front::{Mode, Request, Wait};
use sqlparser::ast::{
    self, Reset, Set, TransactionAccessMode, TransactionIsolationLevel, TransactionMode,
};

use super::core::Core;
use super::explain::Wanted;
use super::plan::Prepared;
use super::transaction_state::Listen;
use super::{ColumnDescription, Done, Outcome};
use crate::bind::Binder;
use crate::catalog::names::{fold, split_name};
use crate::catalog::{Found, Table, ddl, is_predefined_role};
use crate::error::{Result, Severity, SqlError, SqlState};
use crate::execute::Exec;
use crate::parse::{Special, Statement};
use crate::settings::setting_value;
use crate::types::{Datum, Oid, TypeId};

fn done(verb: &'static str) -> Result<Outcome> {
    Ok(Outcome::Done(Done::verb(verb)))
}

fn text_column(name: &str) -> ColumnDescription {
    ColumnDescription { name: name.to_owned(), table: 0, column: 0, ty: TypeId::TEXT, typmod: -1 }
}

impl Core {
    /// The columns of a statement that gives rows and is no query, such as SHOW.
    pub(super) fn utility_columns(
        &mut self,
        ast: &ast::Statement,
    ) -> Result<Option<Vec<ColumnDescription>>> {
        Ok(match ast {
            ast::Statement::ShowVariable { variable } => {
                let name = show_name(variable);
                Some(match name.as_str() {
                    "all" => vec![
                        text_column("name"),
                        text_column("setting"),
                        text_column("description"),
                    ],
                    _ => {
                        let known = crate::settings::definitions()
                            .iter()
                            .find(|d| d.name.eq_ignore_ascii_case(&name));
                        let shown =
                            known.map_or(name.clone(), |definition| definition.name.to_owned());
                        vec![text_column(&shown)]
                    }
                })
            }
            ast::Statement::Explain { .. } => Wanted::of(ast)?.map(|wanted| vec![wanted.column()]),
            ast::Statement::Fetch { name, .. } => {
                let portal = self.portals.get(&fold(name));
                portal.and_then(|portal| portal.prepared.columns.clone())
            }
            ast::Statement::Execute { name: Some(name), .. } => {
                let (_, name) = split_name(name)?;
                self.find_prepared(&name)?.columns.clone()
            }
            _ => None,
        })
    }

    /// Binds a query without parameters, and locks its tables.
    pub(super) fn bound(&mut self, statement: &Statement) -> Result<Prepared> {
        if !matches!(statement.ast.as_deref(), Some(ast::Statement::Query(_))) {
            return Err(SqlError::syntax("a query was expected"));
        }
        loop {
            let prepared = self.plan(statement, &[], false)?;
            if self.lock_relations(&prepared.relations, prepared.version)? {
                return Ok(prepared);
            }
        }
    }

    pub(super) fn utility(
        &mut self,
        ast: &ast::Statement,
        statement: &Statement,
        params: &[Datum],
    ) -> Result<Outcome> {
        use ast::Statement as S;
        if ddl::is_ddl(ast) || matches!(ast, S::Query(_)) {
            return self.run_ddl(ast, statement);
        }
        match ast {
            S::StartTransaction { modes, begin, .. } => {
                self.begin_block();
                self.modes(modes)?;
                if let Some(deferrable) = statement.clauses.deferrable() {
                    self.set_deferrable(deferrable)?;
                }
                done(if *begin { "BEGIN" } else { "START TRANSACTION" })
            }
            S::Commit { chain, .. } => {
                self.chainable(*chain, "COMMIT")?;
                self.no_block_warning();
                let tag = self.commit()?;
                self.chain(*chain);
                done(tag)
            }
            S::Rollback { savepoint: Some(name), .. } => {
                self.rollback_to(&fold(name))?;
                done("ROLLBACK")
            }
            S::Rollback { chain, savepoint: None } => {
                self.chainable(*chain, "ROLLBACK")?;
                self.no_block_warning();
                self.rollback();
                self.chain(*chain);
                done("ROLLBACK")
            }
            S::Savepoint { name } => {
                self.savepoint(&fold(name))?;
                done("SAVEPOINT")
            }
            S::ReleaseSavepoint { name } => {
                self.release(&fold(name))?;
                done("RELEASE")
            }
            S::Set(set) => self.set(set, statement.clauses.deferrable()),
            S::Reset(reset) => {
                match &reset.reset {
                    Reset::ALL => self.settings.reset_all(),
                    Reset::ConfigurationParameter(name) => {
                        let name = dotted(name);
                        self.set_setting(&name, None, false)?;
                    }
                    Reset::SessionAuthorization => {}
                }
                self.refresh();
                done("RESET")
            }
            S::ShowVariable { variable } => self.show(&show_name(variable)),
            S::Discard { object_type } => self.discard(object_type),
            S::Prepare { name, data_types, statement: inner } => {
                let name = fold(name);
                let scope = self.scope();
                let mut types = Vec::new();
                for ty in data_types {
                    types.push(crate::catalog::data_type(&scope.catalog, &scope.path, ty)?.0);
                }
                let inner = statement.part((**inner).clone());
                self.prepare_statement(&name, &inner, &types)?;
                done("PREPARE")
            }
            S::Execute { name: Some(name), parameters, .. } => {
                let (_, name) = split_name(name)?;
                let prepared = self.find_prepared(&name)?;
                let prepared = self.current(prepared, &name)?;
                let given = self.execute_params(&prepared, parameters, &name)?;
                let _ = params;
                self.run(&prepared, &given, None)
            }
            S::Deallocate { name, .. } => {
                let name = fold(name);
                if name == "all" {
                    self.prepared.clear();
                    return done("DEALLOCATE ALL");
                }
                self.find_prepared(&name)?;
                self.prepared.remove(&name);
                done("DEALLOCATE")
            }
            S::Declare { stmts } => match stmts.as_slice() {
                [declare] => self.declare(declare, statement),
                _ => Err(SqlError::unsupported("this DECLARE")),
            },
            S::Fetch { name, direction, .. } => self.fetch(name, direction),
            S::Close { cursor } => self.close_cursor(cursor),
            S::Copy { .. } => self.copy(ast, statement),
            S::Truncate(truncate) => self.truncate(truncate, &statement.text),
            S::LISTEN { channel } => {
                self.transaction.listens.push(Listen::To(fold(channel)));
                done("LISTEN")
            }
            S::UNLISTEN { channel } => {
                let name = fold(channel);
                self.transaction.listens.push(Listen::NoMore((name != "*").then_some(name)));
                done("UNLISTEN")
            }
            S::NOTIFY { channel, payload } => {
                let payload = payload.clone().unwrap_or_default();
                if payload.len() >= 8000 {
                    let text = "payload string too long";
                    return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
                }
                self.transaction.notify(fold(channel), payload);
                done("NOTIFY")
            }
            S::Lock(lock) => self.lock_tables(lock),
            S::Explain { statement: inner, .. } => match Wanted::of(ast)? {
                Some(wanted) => self.explain(inner, &wanted, statement),
                None => Err(SqlError::unsupported("this EXPLAIN")),
            },
            other => {
                let text = other.to_string();
                let word =
                    text.split_whitespace().next().unwrap_or("this statement").to_uppercase();
                Err(SqlError::unsupported(format!("{word} in this form")))
            }
        }
    }

    /// Runs a statement for which the parser has no syntax tree.
    pub(super) fn special(&mut self, statement: &Statement) -> Result<Outcome> {
        match statement.special.as_deref() {
            None => Ok(Outcome::Empty),
            Some(Special::Nothing(tag)) => {
                if *tag == "UNLISTEN" {
                    self.transaction.listens.push(Listen::NoMore(None));
                }
                done(tag)
            }
            Some(Special::Database(change)) => self.database_statement(change),
            Some(Special::TwoPhase(which, name)) => done(self.two_phase(*which, name)?),
            Some(Special::Schema(extra)) => self.run_extra(extra, statement),
            Some(Special::Move(fetch)) => {
                let ast::Statement::Fetch { name, direction, .. } = &**fetch else {
                    return Err(SqlError::unsupported("this MOVE"));
                };
                match self.fetch(name, direction)? {
                    Outcome::Rows { rows, .. } => {
                        Ok(Outcome::Done(Done::rows("MOVE", rows.len() as u64)))
                    }
                    other => Ok(other),
                }
            }
            Some(Special::Constraints(which, deferred)) => {
                let oids = match which {
                    None => None,
                    Some(names) => {
                        let mut oids = Vec::new();
                        for (schema, name) in names {
                            oids.push(self.deferrable(schema.as_deref(), name)?);
                        }
                        Some(oids)
                    }
                };
                self.set_constraints(oids, *deferred)?;
                done("SET CONSTRAINTS")
            }
        }
    }

    /// The constraint that a name means: in its schema, or in the first one of the search path that
    /// has it.
    fn deferrable(&self, schema: Option<&str>, name: &str) -> Result<Oid> {
        let scope = self.scope_ref();
        if let Some(schema) = schema
            && !scope.catalog.schemas.contains_key(schema)
        {
            let text = format!("schema \"{schema}\" does not exist");
            return Err(SqlError::new(SqlState::INVALID_SCHEMA_NAME, text));
        }
        let of = |schema: &str| {
            let tables = scope.catalog.tables().filter(|table| table.schema == schema);
            tables.flat_map(|table| &table.constraints).find(|found| found.name == name)
        };
        let found = match schema {
            Some(schema) => of(schema),
            None => scope.path.iter().find_map(|schema| of(schema)),
        };
        match found {
            Some(found) if found.deferrable => Ok(found.oid),
            Some(_) => {
                let text = format!("constraint \"{name}\" is not deferrable");
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, text))
            }
            None => {
                let text = format!("constraint \"{name}\" does not exist");
                Err(SqlError::new(SqlState::UNDEFINED_OBJECT, text))
            }
        }
    }

    pub(super) fn no_block_warning(&mut self) {
        if !self.transaction.block {
            let text = "there is no transaction in progress";
            self.notice(
                SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text)
                    .severity(Severity::Warning),
            );
        }
    }

    /// Fails if AND CHAIN is not in a block, of which the next transaction would take its modes.
    fn chainable(&self, chain: bool, word: &str) -> Result<()> {
        if !chain || self.transaction.block {
            return Ok(());
        }
        let text = format!("{word} AND CHAIN can only be used in transaction blocks");
        Err(SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text))
    }

    fn chain(&mut self, chain: bool) {
        if chain {
            self.begin_block();
        }
    }

    /// Takes the modes of BEGIN or SET TRANSACTION.
    fn modes(&mut self, modes: &[TransactionMode]) -> Result<()> {
        for mode in modes {
            match mode {
                TransactionMode::IsolationLevel(level) => self.set_level(level_name(level)?)?,
                TransactionMode::AccessMode(access) => {
                    self.transaction.read_only = *access == TransactionAccessMode::ReadOnly;
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, set: &Set, deferrable: Option<bool>) -> Result<Outcome> {
        let local = |scope: &Option<ast::ContextModifier>| {
            matches!(scope, Some(ast::ContextModifier::Local))
        };
        match set {
            Set::SingleAssignment { scope, variable, values, .. } => {
                let name = dotted(variable);
                let value = setting_value(&name, values)?;
                self.set_setting(&name, value.as_deref(), local(scope))?;
            }
            Set::SetTimeZone { local, value } => {
                let value = setting_value("timezone", std::slice::from_ref(value))?;
                self.set_setting("TimeZone", value.as_deref(), *local)?;
            }
            Set::SetNames { charset_name, .. } => {
                self.set_setting("client_encoding", Some(&charset_name.value), false)?;
            }
            Set::SetNamesDefault {} => {
                self.set_setting("client_encoding", None, false)?;
            }
            Set::SetTransaction { modes, session: true, .. } => {
                for mode in modes {
                    match mode {
                        TransactionMode::IsolationLevel(level) => {
                            let name = level_name(level)?;
                            self.set_setting("default_transaction_isolation", Some(name), false)?;
                        }
                        TransactionMode::AccessMode(access) => {
                            let only = *access == TransactionAccessMode::ReadOnly;
                            let value = if only { "on" } else { "off" };
                            self.set_setting("default_transaction_read_only", Some(value), false)?;
                        }
                    }
                }
                if let Some(deferrable) = deferrable {
                    let value = if deferrable { "on" } else { "off" };
                    self.set_setting("default_transaction_deferrable", Some(value), false)?;
                }
            }
            Set::SetTransaction { modes, snapshot, session: false } => {
                if snapshot.is_some() {
                    return Err(SqlError::unsupported("SET TRANSACTION SNAPSHOT"));
                }
                if !self.transaction.block {
                    let text = "SET TRANSACTION can only be used in transaction blocks";
                    self.notice(
                        SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text)
                            .severity(Severity::Warning),
                    );
                }
                self.modes(modes)?;
                if let Some(deferrable) = deferrable {
                    self.set_deferrable(deferrable)?;
                }
            }
            Set::SetRole { role_name, .. } => {
                if let Some(role) = role_name {
                    self.known_role(&fold(role))?;
                }
            }
            Set::SetSessionAuthorization(authorization) => {
                use ast::SetSessionAuthorizationParamKind as Kind;
                if let Kind::User(role) = &authorization.kind {
                    self.known_role(&fold(role))?;
                }
            }
            _ => return Err(SqlError::unsupported("this form of SET")),
        }
        done("SET")
    }

    /// Fails if there is no role of this name. Any role may be taken on, and may do everything.
    fn known_role(&self, name: &str) -> Result<()> {
        let known = name == "none"
            || name == self.user
            || self.catalog_ref().roles.contains_key(name)
            || is_predefined_role(name);
        match known {
            true => Ok(()),
            false => {
                let text = format!("role \"{name}\" does not exist");
                Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text))
            }
        }
    }

    fn show(&mut self, name: &str) -> Result<Outcome> {
        let rows = match name {
            "all" => self
                .settings
                .show_all()
                .into_iter()
                .map(|(name, value, text)| {
                    vec![Datum::text(name), Datum::text(value), Datum::text(text)]
                })
                .collect(),
            _ => {
                let value = match self.setting(name) {
                    Some(value) => value,
                    None => self.settings.show(name)?,
                };
                vec![vec![Datum::text(value)]]
            }
        };
        Ok(Outcome::Rows { rows, complete: Some(Done::verb("SHOW")) })
    }

    fn discard(&mut self, what: &ast::DiscardObject) -> Result<Outcome> {
        match what {
            ast::DiscardObject::ALL => {
                if self.transaction.block {
                    let text = "DISCARD ALL cannot run inside a transaction block";
                    return Err(SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, text));
                }
                self.settings.reset_all();
                self.prepared.clear();
                self.portals.clear();
                self.request(Request::LET_GO_ALL)?;
                self.shared.unlisten(self.pid, None);
                self.discard_sequences();
                self.drop_temporary();
                self.refresh();
                done("DISCARD ALL")
            }
            ast::DiscardObject::PLANS => done("DISCARD PLANS"),
            ast::DiscardObject::SEQUENCES => {
                self.discard_sequences();
                done("DISCARD SEQUENCES")
            }
            ast::DiscardObject::TEMP => {
                self.drop_temporary();
                done("DISCARD TEMP")
            }
        }
    }

    fn execute_params(
        &mut self,
        prepared: &Prepared,
        parameters: &[ast::Expr],
        name: &str,
    ) -> Result<Vec<Datum>> {
        if parameters.len() != prepared.params.len() {
            let text = format!("wrong number of parameters for prepared statement \"{name}\"");
            let detail = format!(
                "Expected {} parameters but got {}.",
                prepared.params.len(),
                parameters.len()
            );
            return Err(SqlError::syntax(text).detail(detail));
        }
        let scope = self.scope();
        let mut bound = Vec::with_capacity(parameters.len());
        {
            let env = self.env();
            let mut binder = Binder::new(&scope.catalog, env, &scope.path, Vec::new(), false);
            for (expr, &ty) in parameters.iter().zip(&prepared.params) {
                let expr = binder.free_expression(expr)?;
                bound.push(binder.assigned(expr, ty, -1, "parameter")?);
            }
        }
        let mut exec = Exec::new(self, &[]);
        bound.iter().map(|expr| exec.eval(expr, &Vec::new())).collect()
    }

    /// The table of this name; an error if it is something else.
    pub(super) fn table_named(&self, name: &ast::ObjectName) -> Result<Arc<Table>> {
        let (schema, table) = split_name(name)?;
        match self.scope_ref().require(schema.as_deref(), &table)? {
            Found::Table(table) if table.materialized.is_none() => Ok(Arc::clone(table)),
            other => {
                let text = format!("\"{}\" is not a table", other.name());
                Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, text))
            }
        }
    }

    /// The same, once the table is locked.
    pub(super) fn table_locked(
        &mut self,
        name: &ast::ObjectName,
        mode: Mode,
    ) -> Result<Arc<Table>> {
        loop {
            let table = self.table_named(name)?;
            self.lock_relation(table.oid, mode, Wait::Forever)?;
            self.refresh();
            let now = self.table_named(name)?;
            if now.oid == table.oid {
                return Ok(now);
            }
        }
    }

    fn truncate(&mut self, truncate: &ast::Truncate, text: &Text) -> Result<Outcome> {
        self.writing()?;
        let mut tables = Vec::new();
        for target in &truncate.table_names {
            tables.push(self.table_locked(&target.name, Mode::AccessExclusive)?);
        }
        let cascade = matches!(truncate.cascade, Some(ast::CascadeOption::Cascade));
        let catalog = self.catalog();
        let mut at = 0;
        while at < tables.len() {
            let oid = tables[at].oid;
            for (child, _) in catalog.referring(oid) {
                if tables.iter().any(|table| table.oid == child.oid) {
                    continue;
                }
                if !cascade {
                    return Err(SqlError::new(
                        SqlState::FEATURE_NOT_SUPPORTED,
                        "cannot truncate a table referenced in a foreign key constraint",
                    )
                    .detail(format!("Table \"{}\" references \"{}\".", child.name, tables[at].name))
                    .hint(format!(
                        "Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.",
                        child.name
                    )));
                }
                self.lock_relation(child.oid, Mode::AccessExclusive, Wait::Forever)?;
                tables.push(Arc::clone(child));
            }
            at += 1;
        }
        let restart = matches!(truncate.identity, Some(ast::TruncateIdentityOption::Restart));
        for table in &tables {
            Exec::new(self, &[]).clear_table(table)?;
        }
        if restart {
            let columns = |table: &Arc<Table>| {
                let oid = table.oid;
                (0..table.columns.len()).map(move |column| (oid, column))
            };
            let owned = tables.iter().flat_map(columns);
            let owned = owned.filter_map(|(table, column)| catalog.owned_sequence(table, column));
            let owned: Vec<Oid> = owned.map(|sequence| sequence.oid).collect();
            self.restart_sequences(&owned, text)?;
        }
        done("TRUNCATE TABLE")
    }

    fn lock_tables(&mut self, lock: &ast::Lock) -> Result<Outcome> {
        use ast::LockTableMode as Asked;
        if !self.transaction.block {
            let text = "LOCK TABLE can only be used in transaction blocks";
            return Err(SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text));
        }
        let mode = match lock.lock_mode {
            Some(Asked::AccessShare) => Mode::AccessShare,
            Some(Asked::RowShare) => Mode::RowShare,
            Some(Asked::RowExclusive) => Mode::RowExclusive,
            Some(Asked::ShareUpdateExclusive) => Mode::ShareUpdateExclusive,
            Some(Asked::Share) => Mode::Share,
            Some(Asked::ShareRowExclusive) => Mode::ShareRowExclusive,
            Some(Asked::Exclusive) => Mode::Exclusive,
            Some(Asked::AccessExclusive) | None => Mode::AccessExclusive,
        };
        let wait = if lock.nowait { Wait::Not } else { Wait::Forever };
        // So that what follows sees what it waited for.
        self.take_no_snapshot();
        for target in &lock.tables {
            loop {
                let oid = self.lockable(&target.name)?;
                let (_, name) = split_name(&target.name)?;
                self.lock_named(oid, &name, mode, wait)?;
                self.refresh();
                if self.lockable(&target.name)? == oid {
                    break;
                }
            }
        }
        done("LOCK TABLE")
    }

    /// The table or view of this name, for LOCK TABLE.
    fn lockable(&self, name: &ast::ObjectName) -> Result<Oid> {
        let (schema, table) = split_name(name)?;
        match self.scope_ref().require(schema.as_deref(), &table)? {
            Found::View(view) => Ok(view.oid),
            _ => Ok(self.table_named(name)?.oid),
        }
    }
}

fn level_name(level: &TransactionIsolationLevel) -> Result<&'static str> {
    Ok(match level {
        TransactionIsolationLevel::ReadUncommitted => "read uncommitted",
        TransactionIsolationLevel::ReadCommitted => "read committed",
        TransactionIsolationLevel::RepeatableRead => "repeatable read",
        TransactionIsolationLevel::Serializable => "serializable",
        TransactionIsolationLevel::Snapshot => {
            return Err(SqlError::syntax("SNAPSHOT is not an isolation level of PostgreSQL"));
        }
    })
}

/// The name of a setting, with its dots.
fn dotted(name: &ast::ObjectName) -> String {
    let parts: Vec<String> =
        name.0.iter().filter_map(|part| part.as_ident()).map(|ident| ident.value.clone()).collect();
    parts.join(".")
}

/// The name of the setting that SHOW is asked for.
fn show_name(variable: &[ast::Ident]) -> String {
    let words: Vec<String> = variable.iter().map(|ident| ident.value.to_lowercase()).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["transaction", "isolation", "level"] => "transaction_isolation".to_owned(),
        ["time", "zone"] => "timezone".to_owned(),
        ["session", "authorization"] => "session_authorization".to_owned(),
        [one] => (*one).to_owned(),
        many => many.join("."),
    }
}
