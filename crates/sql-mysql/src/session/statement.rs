//! Statements by their kinds.

use hobgoblin_sql_mysql_types::{Severity, Speaker, error, worded};
use hobgoblin_sql_schema::catalog::Found;
use hobgoblin_sql_schema::syntax::Written;
use hobgoblin_sql_schema::{Problem, Result, SqlError};

use super::activity::Stage;
use super::core::Core;
use super::outcome::{Done, TakeResults};
use super::run::Given;
use super::sent::Sent;
use super::warnings::uses_tables;
use crate::catalog::{ddl, definition_text, names};
use crate::parse::Statement;
use crate::settings::counter_of;
use crate::syntax::{ShowWhat, Special};

/// What MySQL tells of VALUES(column) in an INSERT.
const CALL_OF_VALUES: &str = "'VALUES function' is deprecated and will be removed in a future release. Please use an alias \
     (INSERT INTO ... VALUES (...) AS alias) and replace VALUES(col) in the ON DUPLICATE KEY UPDATE clause with alias.col \
     instead";

impl Core {
    /// Runs a statement and gives its result; `more` says whether another one follows.
    pub(super) fn statement(
        &mut self,
        statement: &Statement,
        given: Given<'_>,
        more: bool,
        to: &mut dyn TakeResults,
    ) -> Result<()> {
        self.counters.count("Questions");
        self.counters.count("Queries");
        self.counters.count(counter_of(statement));
        self.limit_time(statement);
        self.begin_statement(&statement.text, Stage::of(statement));
        self.settings.warnings.begin(uses_tables(statement));
        self.settings.forgive(false);
        for _ in 0..statement.aside.calls_of_values {
            self.settings.warn(error::DEPRECATED, CALL_OF_VALUES);
        }
        let to = &mut Sent::new(to, self.variables.effects().told(), more);
        let result = match statement.aside.settings.is_empty() {
            true => self.dispatch(statement, given, to),
            false => self.with_settings(statement, given, to),
        };
        let result = result.map_err(|error| self.said(error));
        if let Err(error) = &result {
            let number = error.more.number.unwrap_or(error::UNKNOWN_ERROR);
            self.settings.warnings.push(Severity::Error, number, error.message());
            self.counts.row_count = -1;
        }
        self.end_statement();
        let mut done = result?;
        self.counts.row_count = match done.rows {
            true => -1,
            false => i64::try_from(done.affected).unwrap_or(i64::MAX),
        };
        if let Some(id) = self.counts.given {
            self.counts.last_insert_id = id;
            done.insert_id = id;
        }
        done.warnings = self.warning_count();
        done.more = more;
        done.status = self.status();
        to.end(&done)
    }

    /// How many warnings the last statement has.
    pub(super) fn warning_count(&self) -> u16 {
        u16::try_from(self.settings.warnings.new_count()).unwrap_or(u16::MAX)
    }

    /// An error in the server's words.
    pub(super) fn said(&self, error: SqlError) -> SqlError {
        if self.database.is_none()
            && let Some(Problem::NoRelation { schema: None, .. }) = error.problem()
        {
            return error::error(error::NO_DATABASE_SELECTED, "No database selected");
        }
        let database = self.database.as_deref().unwrap_or_default();
        let error = self.completed(error);
        worded(error, Speaker { version: self.shared.version, database })
    }

    /// What only the schema knows of an error: the whole of a foreign key, and whose a check is.
    fn completed(&self, mut error: SqlError) -> SqlError {
        let (schema, table) = (error.more.schema.as_deref(), error.more.table.as_deref());
        let Some((schema, table)) = schema.zip(table) else { return error };
        let Some(Found::Table(found)) = self.catalog_ref().relation_in(schema, table) else {
            return error;
        };
        if self.shared.version.is_mysql() {
            return error;
        }
        let schema = names::database_of(schema);
        let failing = |constraint: &str| {
            let clause = definition_text::foreign_key(found, constraint, self.catalog_ref())?;
            Some(format!("({}.{}, {clause})", names::quoted(schema), names::quoted(table)))
        };
        let said = match error.problem() {
            Some(Problem::NoParent { constraint, .. }) => failing(constraint).map(|failing| {
                let text = "Cannot add or update a child row: a foreign key constraint fails";
                (error::NO_REFERENCED_ROW, format!("{text} {failing}"))
            }),
            Some(Problem::StillReferred { constraint, .. }) => failing(constraint).map(|failing| {
                let text = "Cannot delete or update a parent row: a foreign key constraint fails";
                (error::ROW_IS_REFERENCED, format!("{text} {failing}"))
            }),
            Some(Problem::CheckFails { check, .. } | Problem::CheckFailsAlready { check, .. }) => {
                let own = definition_text::is_of_column(found, check);
                let check = if own { format!("{table}.{check}") } else { check.clone() };
                let place = format!("{}.{}", names::quoted(schema), names::quoted(table));
                let text = format!("CONSTRAINT `{check}` failed for {place}");
                Some((error::CHECK_FAILED_MARIADB, text))
            }
            _ => None,
        };
        if let Some((number, message)) = said {
            let fields = std::mem::take(&mut error.more);
            error = error::error(number, message);
            error.more = fields;
            error.more.number = Some(number);
        }
        error
    }

    pub(super) fn dispatch(
        &mut self,
        statement: &Statement,
        given: Given<'_>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        if let Some(ast) = &statement.ast {
            return self.data(statement, ast, given, to);
        }
        let Some(special) = statement.special.as_deref() else { return Ok(Done::default()) };
        match special {
            Special::Transaction(control) => self.control(control)?,
            Special::Set(settings) => self.set(statement, settings, given)?,
            Special::Show(show) => match show.what {
                ShowWhat::Variables | ShowWhat::Status => {
                    return self.show_settings(statement, show, to);
                }
                ShowWhat::Warnings
                | ShowWhat::Errors
                | ShowWhat::CountWarnings
                | ShowWhat::CountErrors => return self.show_warnings(show, to),
                _ => return self.show(statement, show, to),
            },
            Special::Use(name) => self.use_database(&name.value)?,
            Special::Prepare(name, text) => self.prepare_named(&name.value, text)?,
            Special::Execute(name, using) => {
                let (statement, values, types) = self.executed(Some(&name.value), None, using)?;
                let given = Given { values: &values, types: &types, known: None };
                return self.dispatch(&statement, given, to);
            }
            Special::ExecuteImmediate(text, using) => {
                let (statement, values, types) = self.executed(None, Some(text), using)?;
                let given = Given { values: &values, types: &types, known: None };
                return self.dispatch(&statement, given, to);
            }
            Special::Deallocate(name) => self.deallocate(&name.value)?,
            Special::Do(exprs) => {
                for expr in exprs {
                    self.evaluate(expr)?;
                }
            }
            Special::Kill(killed, whose) => self.kill_statement(*killed, whose)?,
            Special::LockTables(tables) => self.lock_named(tables)?,
            Special::UnlockTables => self.unlock_tables()?,
            Special::Flush => self.commit()?,
            Special::Explain(explained) => return self.explain(statement, explained, to),
            Special::Describe { table, column } => {
                return self.describe(statement, table, column.as_deref(), to);
            }
            Special::Maintain(what, tables) => return self.maintain(statement, *what, tables, to),
            special if ddl::is_ddl(special) => {
                let affected = self.change_schema(special)?;
                return Ok(Done { affected, ..Done::default() });
            }
            Special::Unsupported(feature) => return Err(SqlError::unsupported(*feature)),
            _ => return Err(SqlError::unsupported(first_words(statement.written()))),
        }
        Ok(Done::default())
    }
}

/// The first words of a statement, in capitals, to name it.
fn first_words(written: Written<'_>) -> String {
    let words = written.text.split_whitespace().take(2).map(str::to_uppercase);
    words.collect::<Vec<_>>().join(" ")
}
