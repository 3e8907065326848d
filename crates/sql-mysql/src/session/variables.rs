//! Variables of a session: SET, and what the session follows of them.

use hobgoblin_front::{Policy, Request};
use hobgoblin_sql_bind::Binder;
use hobgoblin_sql_exec::Exec;
use hobgoblin_sql_mysql_types::Collation;
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::{self, Expr};

use super::choices::Choices;
use super::core::{Core, EPOCH};
use super::listing::one_select;
use super::outcome::{Changed, ColumnDescription, Done, SessionStatus, TakeResults};
use super::run::Given;
use crate::catalog::notes::DatabaseNotes;
use crate::parse::Statement;
use crate::settings::{self, Effects, Evaluate, Present, SetIn};
use crate::syntax::Setting;

impl Choices {
    /// Takes up what the variables of the session say.
    fn follow(&mut self, effects: &Effects) {
        self.autocommit = effects.autocommit;
        self.isolation = effects.isolation;
        self.read_only = effects.read_only;
        self.snapshot_isolation = Some(effects.snapshot_isolation);
        self.row_wait = effects.row_wait;
        self.table_wait = effects.table_wait;
        self.statement_limit = effects.statement_most;
        self.checks_references = effects.foreign_keys;
        self.idle = effects.idle;
    }
}

impl Core {
    /// Takes up the variables of the session, as it begins and whenever they change.
    pub(super) fn follow(&mut self) {
        self.settled += 1;
        self.choices.follow(self.variables.effects());
        self.variables.effects().write(&mut self.settings);
    }

    /// A number that changes whenever statements may have to be bound again for variables: user variables of other types,
    /// settings that types depend on.
    pub(super) fn generation(&self) -> u64 {
        self.settings.users.generation() + self.settled
    }

    /// The character sets and the collation of a client that says a number when it connects; one that nobody knows is that
    /// of the server.
    pub(super) fn speak(&mut self, number: u16) {
        if let Some(collation) = self.shared.version.collation_at_login(number) {
            self.variables.set_connection_collation(collation);
        }
        self.follow();
    }

    /// What variables tell that are no settings.
    pub(super) fn present(&self) -> Present {
        Present {
            connection: self.number,
            warnings: self.settings.warnings.count(),
            errors: self.settings.warnings.errors(),
            in_transaction: self.transaction.block,
            database: Some(self.database_collation()),
            last_insert_id: self.counts.last_insert_id,
            now: self.statement_time.unwrap_or_default() + EPOCH,
        }
    }

    /// SET.
    pub(super) fn set(
        &mut self,
        statement: &Statement,
        list: &[Setting],
        given: Given<'_>,
    ) -> Result<()> {
        let within =
            SetIn { in_transaction: self.transaction.block, database: self.database_collation() };
        let mut variables = self.variables.clone();
        let mut computes = Computes { core: self, statement, given };
        let changed = settings::set(list, &mut variables, &mut computes, within)?;
        let before = self.variables.clone();
        let before = before.effects();
        let reads = variables.effects().reads.clone();
        if before.reads != reads {
            let policy = match reads.as_str() {
                "weak" | "" => None,
                name => Some(
                    name.parse::<Policy>()
                        .map_err(|error| SqlError::internal(error.to_string()))?,
                ),
            };
            self.request(Request::set_policy(policy))?;
        }
        // A transaction that autocommit was off for ends when it is on again.
        let commits = !before.autocommit && variables.effects().autocommit;
        if commits && !self.transaction.begun {
            self.commit()?;
        }
        self.variables = variables;
        self.choices.next_isolation =
            self.variables.next.isolation.take().or(self.choices.next_isolation);
        self.choices.next_access = self.variables.next.access.take().or(self.choices.next_access);
        for (name, value) in changed {
            if matches!(name, "last_insert_id" | "identity") {
                self.counts.last_insert_id = value.parse().unwrap_or(0);
            }
            if self.variables.effects().tracks(name) {
                self.changed.push(Changed::Variable(name.to_owned(), value));
            }
        }
        self.follow();
        Ok(())
    }

    /// SET STATEMENT: runs a statement with variables that are set for it alone.
    pub(super) fn with_settings(
        &mut self,
        statement: &Statement,
        given: Given<'_>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        settings::check_for_statement(&statement.aside.settings)?;
        let before = self.variables.clone();
        self.set(statement, &statement.aside.settings, given)?;
        self.limit_time(statement);
        self.set_alarm();
        let result = self.dispatch(statement, given, to);
        self.variables = before;
        self.follow();
        result
    }

    /// How long a statement may run: MySQL's limit is for queries alone.
    pub(super) fn limit_time(&mut self, statement: &Statement) {
        let effects = self.variables.effects();
        let query = matches!(statement.ast.as_deref(), Some(ast::Statement::Query(_)));
        let of_query = effects.select_most.filter(|_| query);
        self.choices.statement_limit = effects.statement_most.or(of_query);
    }

    /// A query that says no limit of its own, with that of `sql_select_limit`.
    pub(super) fn limited(&self, ast: &ast::Statement) -> Option<ast::Statement> {
        let most = self.variables.effects().select_limit?;
        let ast::Statement::Query(query) = ast else { return None };
        if query.limit_clause.is_some() || query.fetch.is_some() {
            return None;
        }
        let most = ast::Value::Number(most.to_string(), false).with_empty_span();
        let limit = ast::LimitClause::LimitOffset {
            limit: Some(Expr::Value(most)),
            offset: None,
            limit_by: Vec::new(),
        };
        let query = ast::Query { limit_clause: Some(limit), ..(**query).clone() };
        Some(ast::Statement::Query(Box::new(query)))
    }

    /// The collation of the database in use, that of the server without one.
    fn database_collation(&self) -> Collation {
        let used = self.database.as_ref().and_then(|name| self.catalog_ref().schemas.get(name));
        match used {
            Some(schema) => DatabaseNotes::of(schema).collation,
            None => self.variables.effects().server,
        }
    }

    /// The value of an expression, with its type. One that uses tables is a query.
    fn computed(
        &mut self,
        expr: &Expr,
        statement: &Statement,
        given: Given<'_>,
    ) -> Result<(Datum, TypeId)> {
        let scope = self.scope();
        let bound = {
            let types = given.types.to_vec();
            let mut binder = Binder::new(&scope.catalog, self.env(), &scope.path, types, false);
            binder.clauses = statement.clauses.clone();
            let bound = binder.free_expression(expr);
            if binder.relations.is_empty() { Some(bound?) } else { None }
        };
        if let Some(bound) = bound {
            let value = Exec::new(self, given.values).eval(&bound, &Vec::new())?;
            return Ok((value, bound.ty));
        }
        let mut one = Rows::default();
        self.data(statement, &selected(expr), given, &mut one)?;
        let row = one.rows.into_iter().next().and_then(|row| row.into_iter().next());
        Ok((row.unwrap_or(Datum::Null), one.types.first().copied().unwrap_or(TypeId::UNKNOWN)))
    }
}

/// `SELECT expr`.
fn selected(expr: &Expr) -> ast::Statement {
    let mut query = one_select("SELECT 0");
    if let ast::SetExpr::Select(select) = &mut *query.body {
        select.projection = vec![ast::SelectItem::UnnamedExpr(expr.clone())];
    }
    ast::Statement::Query(query)
}

/// Keeps the rows of a query.
#[derive(Debug, Default)]
struct Rows {
    types: Vec<TypeId>,
    rows: Vec<Vec<Datum>>,
}

impl TakeResults for Rows {
    fn columns(&mut self, columns: &[ColumnDescription], _: &SessionStatus) -> Result<()> {
        self.types = columns.iter().map(|column| column.ty).collect();
        Ok(())
    }

    fn row(&mut self, _: &[ColumnDescription], row: &[Datum], _: &TypeEnv<'_>) -> Result<()> {
        self.rows.push(row.to_vec());
        Ok(())
    }

    fn end(&mut self, _: &Done) -> Result<()> {
        Ok(())
    }
}

/// The session as a SET asks it for values.
struct Computes<'c, 's> {
    core: &'c mut Core,
    statement: &'s Statement,
    given: Given<'s>,
}

impl Evaluate for Computes<'_, '_> {
    fn evaluate(&mut self, expr: &Expr) -> Result<(Datum, TypeId)> {
        // `@@timestamp` and NOW() tell the same time.
        self.core.clock(Clock::Statement)?;
        self.core.computed(expr, self.statement, self.given)
    }

    fn types(&self) -> TypeEnv<'_> {
        self.core.env()
    }
}
