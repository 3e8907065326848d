//! A change of the schema at work, and what all of them need: names that are free, tables that are there.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::Severity;
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_schema::catalog::{Catalog, Found, Relation, Schema, Table, View};
use hobgoblin_sql_schema::{Problem, Result, SqlError};
use hobgoblin_sql_value::Oid;
use sqlparser::ast::ObjectName;

use super::context::{DataStep, DdlContext, DdlOutcome};
use crate::catalog::names;

/// A statement at work.
pub(super) struct Ddl<'a, 'c> {
    pub(super) catalog: &'a mut Catalog,
    pub(super) cx: &'a DdlContext<'c>,
    pub(super) out: DdlOutcome,
}

/// What a name means.
pub(super) enum Named {
    Table(Arc<Table>),
    View(Arc<View>),
    System,
}

impl Ddl<'_, '_> {
    pub(super) fn note(&self, number: u16, message: String) {
        self.cx.settings().warnings.push(Severity::Note, number, message);
    }

    pub(super) fn warn(&self, number: u16, message: String) {
        self.cx.settings().warn(number, message);
    }

    pub(super) fn step(&mut self, step: DataStep) {
        self.out.steps.push(step);
    }

    /// The database and the name that a statement writes.
    pub(super) fn split(&self, name: &ObjectName) -> Result<(String, String)> {
        let (database, name) = names::split(name, self.cx.database)?;
        Ok((database.into_owned(), name.into_owned()))
    }

    /// Refuses a database that is not there, or that nobody may change.
    pub(super) fn writable(&self, database: &str, name: &str) -> Result<()> {
        if !self.catalog.schemas.contains_key(database) {
            return Err(names::unknown_database(database));
        }
        if database == names::SYSTEM[0] {
            return Err(denied(self.cx.user, database));
        }
        names::check_table_name(name)
    }

    /// What a name means: a temporary table before any other.
    pub(super) fn named(&self, database: &str, name: &str) -> Option<Named> {
        let temporary = names::temporary_schema(self.cx.session, database);
        let found = self.catalog.relation_in(&temporary, name);
        match found.or_else(|| self.catalog.relation_in(database, name))? {
            Found::Table(table) => Some(Named::Table(Arc::clone(table))),
            Found::View(view) => Some(Named::View(Arc::clone(view))),
            Found::System(_) => Some(Named::System),
            Found::Sequence(_) | Found::Index(..) => None,
        }
    }

    /// A table by name, or why there is none (1146, 1347).
    pub(super) fn table_named(&self, name: &ObjectName) -> Result<Arc<Table>> {
        let (database, name) = self.split(name)?;
        if !self.catalog.schemas.contains_key(&database) {
            return Err(no_table(&database, &name));
        }
        match self.named(&database, &name) {
            Some(Named::Table(table)) => Ok(table),
            Some(Named::View(_)) => Err(wrong_object(&database, &name, "BASE TABLE")),
            Some(Named::System) => Err(denied(self.cx.user, &database)),
            None => Err(no_table(&database, &name)),
        }
    }

    pub(super) fn schema_mut(&mut self, name: &str) -> Result<&mut Schema> {
        self.catalog.schemas.get_mut(name).ok_or_else(|| names::unknown_database(name))
    }

    /// The schema for temporary tables of a database, made if it is not there.
    pub(super) fn temporary_schema(&mut self, database: &str) -> String {
        let name = names::temporary_schema(self.cx.session, database);
        if !self.catalog.schemas.contains_key(&name) {
            let oid = self.catalog.new_oid();
            self.catalog.schemas.insert(name.clone(), Schema::new(oid, &name));
        }
        name
    }

    pub(super) fn table(&self, oid: Oid) -> Result<Arc<Table>> {
        self.catalog.table(oid).cloned().ok_or_else(|| Problem::RelationGone(oid).into())
    }

    /// Takes a table or view with all that belongs to it out of the catalogue.
    pub(super) fn remove(&mut self, oid: Oid) {
        let (schema, name) = match self.catalog.relation(oid) {
            Some(found) => (found.schema().to_owned(), found.name().to_owned()),
            None => return,
        };
        if let Some(table) = self.catalog.table(oid).cloned() {
            for index in &table.indexes {
                self.catalog.relations.remove(&index.oid);
            }
            self.catalog.derived.remove(&table.row_type);
            self.catalog.derived.remove(&table.row_array);
        }
        let owned = |relation: &Relation| match relation {
            Relation::Sequence(sequence) => sequence.owner.is_some_and(|(table, ..)| table == oid),
            _ => false,
        };
        self.catalog.relations.retain(|_, relation| !owned(relation));
        self.catalog.relations.remove(&oid);
        if let Some(schema) = self.catalog.schemas.get_mut(&schema) {
            schema.relations.remove(&name);
        }
    }
}

/// 1146.
pub(super) fn no_table(database: &str, name: &str) -> SqlError {
    error(error::NO_SUCH_TABLE, format!("Table '{database}.{name}' doesn't exist"))
}

/// 1050.
pub(super) fn table_exists(name: &str) -> SqlError {
    error(error::TABLE_EXISTS, format!("Table '{name}' already exists"))
}

/// 1347.
pub(super) fn wrong_object(database: &str, name: &str, wanted: &str) -> SqlError {
    error(1347, format!("'{database}.{name}' is not of type '{wanted}'"))
}

/// 1044.
pub(super) fn denied(user: &str, database: &str) -> SqlError {
    let (name, host) = user.split_once('@').unwrap_or((user, "localhost"));
    error(1044, format!("Access denied for user '{name}'@'{host}' to database '{database}'"))
}
