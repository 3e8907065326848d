//! Prepares and executes statements: by number for the protocol, by name for PREPARE and EXECUTE.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::temporal::Moment;
use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, error, number};
use hobgoblin_sql_schema::roomy::roomy;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

use super::activity::Stage;
use super::core::Core;
use super::outcome::{PreparedDescription, TakeResults};
use super::parameter::Parameter;
use super::prepared_statements::Prepared;
use super::run::Given;
use super::sent;
use super::told::unreadable;
use crate::parse::{Statement, parse_at};
use crate::syntax::Special;

impl Core {
    /// Reads a statement that is to be prepared.
    fn prepared(&self, text: &str) -> Result<Prepared> {
        let (statement, next) = parse_at(text, 0, self.reading()).map_err(|e| unreadable(&e))?;
        if let Some(at) = next {
            return Err(self.several(text[at..].trim_start()));
        }
        let refused = match statement.special.as_deref() {
            Some(
                Special::Prepare(..)
                | Special::Execute(..)
                | Special::ExecuteImmediate(..)
                | Special::Deallocate(_)
                | Special::LockTables(_)
                | Special::UnlockTables,
            ) => true,
            Some(_) | None => false,
        };
        match refused {
            true => {
                let text = "This command is not supported in the prepared statement protocol yet";
                Err(error::error(1295, text))
            }
            false => Ok(Prepared { statement: Arc::new(statement), plans: Vec::new() }),
        }
    }

    /// COM_STMT_PREPARE.
    pub(super) fn prepare(&mut self, text: &str) -> Result<PreparedDescription> {
        self.begin_statement(text, Stage::Other);
        self.settings.warnings.clear();
        let described = roomy(text, || self.describe_prepared(text));
        self.end_statement();
        described
    }

    fn describe_prepared(&mut self, text: &str) -> Result<PreparedDescription> {
        let prepared = self.prepared(text)?;
        let statement = Arc::clone(&prepared.statement);
        let columns = match &statement.ast {
            Some(ast) => {
                let types = vec![MyType::NULL.id(); statement.parameters];
                self.try_plan(&statement, ast, &types, &mut Vec::new())?.columns
            }
            None => None,
        };
        let collation = self.variables.effects().told();
        let columns = columns.unwrap_or_default();
        let columns = columns.iter().map(|column| sent::told(column, collation)).collect();
        // Numbers are not given again, however many statements are closed.
        self.prepared.last = self.prepared.last.wrapping_add(1).max(1);
        let id = self.prepared.last;
        self.prepared.by_number.insert(id, prepared);
        Ok(PreparedDescription {
            id,
            parameters: statement.parameters,
            columns,
            warnings: self.warning_count(),
        })
    }

    /// COM_STMT_EXECUTE.
    pub(super) fn execute(
        &mut self,
        id: u32,
        values: Vec<Parameter>,
        to: &mut dyn TakeResults,
    ) -> Result<()> {
        let Some(prepared) = self.prepared.by_number.get(&id) else {
            let text =
                format!("Unknown prepared statement handler ({id}) given to mysqld_stmt_execute");
            return Err(error::error(1243, text));
        };
        let statement = Arc::clone(&prepared.statement);
        if values.len() != statement.parameters {
            return Err(error::error(
                error::WRONG_ARGUMENTS,
                "Incorrect arguments to mysqld_stmt_execute",
            ));
        }
        let given = values.into_iter().map(|value| self.parameter(value)).collect::<Vec<_>>();
        let (values, types): (Vec<Datum>, Vec<TypeId>) = given.into_iter().unzip();
        let known = self.prepared.by_number.get(&id).and_then(|p| p.plan_for(&types));
        let given = Given { values: &values, types: &types, known: known.as_ref() };
        let result = roomy(&statement.text, || self.statement(&statement, given, false, to));
        if let Some(planned) = self.planned.take()
            && let Some(prepared) = self.prepared.by_number.get_mut(&id)
        {
            prepared.keep(&types, planned);
        }
        result
    }

    /// COM_STMT_CLOSE.
    pub(super) fn close(&mut self, id: u32) {
        self.prepared.by_number.remove(&id);
    }

    /// Forgets all prepared statements.
    pub(super) fn close_all(&mut self) {
        self.prepared.by_number.clear();
        self.prepared.by_name.clear();
    }

    /// A value of a parameter as a constant, with its type.
    fn parameter(&self, value: Parameter) -> (Datum, TypeId) {
        let moment = |kind, micros: i64| match micros % 1_000_000 {
            0 => MyType::new(kind),
            _ => MyType::moment(kind, 6),
        };
        match value {
            Parameter::Null => (Datum::Null, MyType::NULL.id()),
            Parameter::Int(value) => (Datum::Int(value), MyType::BIGINT.id()),
            Parameter::UInt(value) => (number::integer(i128::from(value)), MyType::UNSIGNED.id()),
            Parameter::Float(value) => (Datum::Float(value), MyType::DOUBLE.id()),
            Parameter::Text(bytes) => match String::from_utf8(bytes) {
                Ok(text) => {
                    // As few types as there are lengths of lengths, so that plans are found again.
                    let length = text.chars().count().next_power_of_two().clamp(16, 0xffff);
                    let ty = MyType::text(length as u32, self.settings.collation);
                    (Datum::text(&*text), ty.id())
                }
                Err(error) => binary(error.as_bytes()),
            },
            Parameter::Bytes(bytes) => binary(&bytes),
            Parameter::Date(day) => (Datum::Date(day.packed()), MyType::DATE.id()),
            Parameter::DateTime(given @ Moment { micros, .. }) => {
                (Datum::Timestamp(given.packed()), moment(Kind::DateTime, micros).id())
            }
            Parameter::Time(micros) => (Datum::Time(micros), moment(Kind::Time, micros).id()),
        }
    }

    /// PREPARE: the text is a constant or in a variable.
    pub(super) fn prepare_named(&mut self, name: &str, text: &sqlparser::ast::Expr) -> Result<()> {
        // Whatever comes of it, what had the name is gone.
        self.prepared.by_name.remove(&name.to_lowercase());
        let prepared = self.prepared_from(text)?;
        if let Some(ast) = &prepared.statement.ast {
            let types = vec![MyType::NULL.id(); prepared.statement.parameters];
            self.try_plan(&prepared.statement, ast, &types, &mut Vec::new())?;
        }
        self.prepared.by_name.insert(name.to_lowercase(), prepared);
        Ok(())
    }

    fn prepared_from(&mut self, text: &sqlparser::ast::Expr) -> Result<Prepared> {
        let (value, ty) = self.evaluate(text)?;
        let text = match value.is_null() {
            true => "NULL".to_owned(),
            false => {
                let text =
                    hobgoblin_sql_mysql_types::text::text(&value, MyType::of(ty), &self.env());
                text.into_owned()
            }
        };
        self.prepared(&text)
    }

    /// The statement of EXECUTE or EXECUTE IMMEDIATE with the values of its parameters.
    pub(super) fn executed(
        &mut self,
        name: Option<&str>,
        text: Option<&sqlparser::ast::Expr>,
        using: &[sqlparser::ast::Expr],
    ) -> Result<(Arc<Statement>, Vec<Datum>, Vec<TypeId>)> {
        let statement = match (name, text) {
            (Some(name), _) => {
                let found = self.prepared.by_name.get(&name.to_lowercase());
                let found = found.ok_or_else(|| unknown_statement(name, "EXECUTE"))?;
                Arc::clone(&found.statement)
            }
            (None, Some(text)) => self.prepared_from(text)?.statement,
            (None, None) => return Err(SqlError::internal("EXECUTE of nothing")),
        };
        if statement.parameters != using.len() {
            let text = "Incorrect arguments to EXECUTE";
            return Err(error::error(error::WRONG_ARGUMENTS, text));
        }
        let given = using.iter().map(|expr| self.evaluate(expr)).collect::<Result<Vec<_>>>()?;
        let (values, types) = given.into_iter().unzip();
        Ok((statement, values, types))
    }

    /// DEALLOCATE PREPARE.
    pub(super) fn deallocate(&mut self, name: &str) -> Result<()> {
        match self.prepared.by_name.remove(&name.to_lowercase()) {
            Some(_) => Ok(()),
            None => Err(unknown_statement(name, "DEALLOCATE PREPARE")),
        }
    }
}

fn binary(bytes: &[u8]) -> (Datum, TypeId) {
    let length = bytes.len().next_power_of_two().clamp(16, 0xffff);
    let ty = MyType { collation: Collation::BINARY, ..MyType::bytes(length as u32) };
    (Datum::Bytes(bytes.into()), ty.id())
}

/// 1243.
fn unknown_statement(name: &str, word: &str) -> SqlError {
    error::error(1243, format!("Unknown prepared statement handler ({name}) given to {word}"))
}
