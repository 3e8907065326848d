//! Statements by their kinds.

use std::time::Duration;

use hobgoblin_sql_mysql_types::{Severity, Speaker, error, worded};
use hobgoblin_sql_schema::syntax::Written;
use hobgoblin_sql_schema::{Code, Problem, Result, SqlError};
use sqlparser::ast::{Expr, Value};

use super::core::Core;
use super::outcome::{Done, TakeResults};
use super::run::Given;
use crate::catalog::ddl;
use crate::parse::{ParseError, Statement};
use crate::syntax::{Access, Isolation, Scope, SetTransaction, Setting, Special, Target};

impl Core {
    /// Runs a statement and gives its result; `more` says whether another one follows.
    pub(super) fn statement(
        &mut self,
        statement: &Statement,
        given: Given<'_>,
        more: bool,
        to: &mut dyn TakeResults,
    ) -> Result<()> {
        self.begin_statement(&statement.text);
        self.settings.warnings.clear();
        self.settings.forgive(false);
        let result = self.dispatch(statement, given, to);
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
        u16::try_from(self.settings.warnings.count()).unwrap_or(u16::MAX)
    }

    /// An error in the server's words.
    pub(super) fn said(&self, error: SqlError) -> SqlError {
        if self.database.is_none()
            && let Some(Problem::NoRelation { schema: None, .. }) = error.problem()
        {
            return error::error(error::NO_DATABASE_SELECTED, "No database selected");
        }
        let database = self.database.as_deref().unwrap_or_default();
        worded(error, Speaker { version: self.shared.version, database })
    }

    fn dispatch(
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
            Special::Set(settings) => settings.iter().try_for_each(|one| self.set(one))?,
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
            special if ddl::is_ddl(special) => {
                let affected = self.change_schema(special)?;
                return Ok(Done { affected, ..Done::default() });
            }
            Special::Unsupported(feature) => return Err(SqlError::unsupported(*feature)),
            _ => return Err(SqlError::unsupported(first_words(statement.written()))),
        }
        Ok(Done::default())
    }

    /// SET of what transactions depend on.
    fn set(&mut self, setting: &Setting) -> Result<()> {
        match setting {
            Setting::Transaction(SetTransaction { scope, isolation, access }) => match scope {
                None => {
                    if self.transaction.block {
                        let text = "Transaction characteristics can't be changed while a transaction is in progress";
                        return Err(error::error(1568, text));
                    }
                    self.choices.next_isolation = isolation.or(self.choices.next_isolation);
                    self.choices.next_access = access.or(self.choices.next_access);
                    Ok(())
                }
                Some(Scope::Session) => {
                    self.choices.isolation = isolation.unwrap_or(self.choices.isolation);
                    if let Some(access) = access {
                        self.choices.read_only = *access == Access::ReadOnly;
                    }
                    Ok(())
                }
                Some(_) => Err(SqlError::unsupported("SET GLOBAL")),
            },
            Setting::Names { .. } | Setting::Charset(_) => Ok(()),
            Setting::Assign { target: Target::System { name, .. }, value } => {
                let name: Vec<&str> = name.iter().map(|part| part.value.as_str()).collect();
                let value = value.as_deref().and_then(word).unwrap_or_default();
                self.set_variable(&name.join(".").to_lowercase(), &value)
            }
            Setting::Assign { target: Target::User(_), .. } => {
                Err(SqlError::unsupported("user variables"))
            }
        }
    }

    fn set_variable(&mut self, name: &str, value: &str) -> Result<()> {
        let on = ["1", "on", "true"].contains(&value.to_lowercase().as_str());
        match name {
            "autocommit" => {
                if on && !self.choices.autocommit && !self.transaction.begun {
                    self.commit()?;
                }
                self.choices.autocommit = on;
            }
            "transaction_isolation" | "tx_isolation" => {
                self.choices.isolation = match value.to_uppercase().as_str() {
                    "READ-UNCOMMITTED" => Isolation::ReadUncommitted,
                    "READ-COMMITTED" => Isolation::ReadCommitted,
                    "REPEATABLE-READ" => Isolation::RepeatableRead,
                    "SERIALIZABLE" => Isolation::Serializable,
                    _ => return Err(SqlError::unsupported(format!("the level {value}"))),
                };
            }
            "innodb_lock_wait_timeout" => {
                self.choices.row_wait = Duration::from_secs(value.parse().unwrap_or(50));
            }
            "lock_wait_timeout" => {
                self.choices.table_wait = Duration::from_secs(value.parse().unwrap_or(86_400));
            }
            "innodb_snapshot_isolation" => self.choices.snapshot_isolation = Some(on),
            "foreign_key_checks" => self.choices.checks_references = on,
            _ => return Err(SqlError::unsupported(format!("the variable {name}"))),
        }
        Ok(())
    }
}

/// A value that is written as a word, a text or a number.
fn word(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(digits.clone()),
            Value::Boolean(truth) => Some(truth.to_string()),
            other => other.clone().into_string(),
        },
        _ => None,
    }
}

/// The first words of a statement, in capitals, to name it.
fn first_words(written: Written<'_>) -> String {
    let words = written.text.split_whitespace().take(2).map(str::to_uppercase);
    words.collect::<Vec<_>>().join(" ")
}

/// A text that does not read.
pub(super) fn unreadable(error: &ParseError) -> SqlError {
    let mut said = SqlError::new(Code(error.state()), error.to_string());
    said.more.number = Some(error.number());
    said
}
