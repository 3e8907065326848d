//! A change of the schema at work, and what all of them need: names that are free, relations that are there.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Catalog, Found, Schema, Table};
use sqlparser::ast::{Expr, ObjectName};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::context::DdlContext;
use super::outcome::{DataStep, DdlOutcome};
use crate::catalog::{is_temporary, split_name};
use crate::error::{Code, Result, Severity, SqlError, SqlState};
use crate::types::Oid;

/// A change of the schema while it is being applied to a catalogue.
pub(super) struct Ddl<'a, 'c> {
    pub(super) catalog: &'a mut Catalog,
    pub(super) cx: &'a DdlContext<'c>,
    pub(super) out: DdlOutcome,
}

impl Ddl<'_, '_> {
    pub(super) fn tag(&mut self, verb: &'static str) {
        self.out.verb = verb;
    }

    pub(super) fn notice(&mut self, state: Code, message: String) {
        self.out.notices.push(SqlError::new(state, message).severity(Severity::Notice));
    }

    pub(super) fn step(&mut self, step: DataStep) {
        self.out.steps.push(step);
    }

    /// The schema and the name of something that is to be made.
    pub(super) fn new_name(
        &mut self,
        name: &ObjectName,
        temporary: bool,
    ) -> Result<(String, String)> {
        let (schema, name) = split_name(name)?;
        let name = name.into_owned();
        let schema = match schema.as_deref() {
            None if !temporary => self.catalog.creation_schema(self.cx.path)?.to_owned(),
            None | Some("pg_temp") => self.temporary_schema(),
            Some(schema) if temporary && !is_temporary(schema) => {
                return Err(SqlError::new(
                    SqlState::INVALID_TABLE_DEFINITION,
                    "cannot create temporary relation in non-temporary schema",
                ));
            }
            Some(schema) => self.schema(schema)?.name.clone(),
        };
        self.writable(&schema, &name)?;
        Ok((schema, name))
    }

    /// The name of the session's temporary schema, which is made if it is not there.
    pub(super) fn temporary_schema(&mut self) -> String {
        let name = self.cx.temporary.to_owned();
        if !self.catalog.schemas.contains_key(&name) {
            let oid = self.catalog.new_oid();
            self.catalog.schemas.insert(name.clone(), Schema::new(oid, &name));
        }
        name
    }

    pub(super) fn schema(&self, name: &str) -> Result<&Schema> {
        let name = if name == "pg_temp" { self.cx.temporary } else { name };
        self.catalog.schemas.get(name).ok_or_else(|| no_schema(name))
    }

    pub(super) fn schema_mut(&mut self, name: &str) -> Result<&mut Schema> {
        self.catalog.schemas.get_mut(name).ok_or_else(|| no_schema(name))
    }

    pub(super) fn writable(&self, schema: &str, name: &str) -> Result<()> {
        if matches!(schema, "pg_catalog" | "information_schema") {
            return Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to create \"{schema}.{name}\""),
            )
            .detail("System catalog modifications are currently disallowed."));
        }
        Ok(())
    }

    /// Checks that no relation or type of the schema has a name. Returns whether to go on: under IF
    /// NOT EXISTS a taken name is only a notice.
    pub(super) fn free_name(
        &mut self,
        schema: &str,
        name: &str,
        if_not_exists: bool,
    ) -> Result<bool> {
        if self.catalog.relation_in(schema, name).is_some() {
            if if_not_exists {
                let message = format!("relation \"{name}\" already exists, skipping");
                self.notice(SqlState::DUPLICATE_TABLE, message);
                return Ok(false);
            }
            return Err(SqlError::new(
                SqlState::DUPLICATE_TABLE,
                format!("relation \"{name}\" already exists"),
            ));
        }
        Ok(true)
    }

    /// Checks that no type of the schema has a name.
    pub(super) fn free_type_name(&self, schema: &str, name: &str) -> Result<()> {
        if self.schema(schema)?.types.contains_key(name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("type \"{name}\" already exists"),
            )
            .hint(
                "A relation has an associated type of the same name, so you must use a name that \
                   doesn't conflict with any existing type.",
            ));
        }
        Ok(())
    }

    /// The relation of this name; an error if there is none.
    pub(super) fn relation(&self, name: &ObjectName) -> Result<Found<'_>> {
        let (schema, last) = split_name(name)?;
        if let Some(schema) = schema.as_deref() {
            self.schema(schema)?;
        }
        self.catalog.require(self.cx.path, schema.as_deref(), &last)
    }

    /// The table of this name, which is to be changed.
    pub(super) fn user_table(&self, name: &ObjectName) -> Result<Arc<Table>> {
        match self.relation(name)? {
            Found::Table(table) if table.materialized.is_none() => Ok(table.clone()),
            Found::System(table) => Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", table.name),
            )),
            other => Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a table", other.name()),
            )),
        }
    }

    /// The name of a relation for a message.
    pub(super) fn describe(&self, oid: Oid) -> String {
        self.catalog.describe(self.cx.path, oid)
    }
}

pub(super) fn no_schema(name: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"))
}

pub(super) fn no_column(column: &str, table: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{column}\" of relation \"{table}\" does not exist"),
    )
}

/// Parses an expression that this program has written.
pub(super) fn parse_expr(text: &str) -> Result<Expr> {
    Parser::new(&PostgreSqlDialect {})
        .try_with_sql(text)
        .and_then(|mut p| p.parse_expr())
        .map_err(|e| SqlError::syntax(e.to_string()))
}

/// The value of a number with its sign, as an option of a statement has it.
pub(super) fn number(expr: &Expr) -> Result<i64> {
    let text = expr.to_string().replace(' ', "");
    text.parse().map_err(|_| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type bigint: \"{text}\""),
        )
    })
}
