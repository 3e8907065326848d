//! CREATE DATABASE, ALTER DATABASE, DROP DATABASE.

use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Notes, Schema};
use hobgoblin_sql_value::Oid;
use sqlparser::ast::Ident;

use super::change::{Ddl, denied};
use crate::catalog::names;
use crate::catalog::notes::DatabaseNotes;
use crate::syntax::{CreateDatabase, DatabaseOption};

impl Ddl<'_, '_> {
    pub(super) fn create_database(&mut self, create: &CreateDatabase) -> Result<()> {
        let name = names::spelled(&create.name.value).into_owned();
        check_database_name(&name)?;
        if self.catalog.schemas.contains_key(&name) {
            let message = format!("Can't create database '{name}'; database exists");
            if create.if_not_exists {
                self.note(1007, message);
                return Ok(());
            }
            if !create.or_replace {
                return Err(error(1007, message));
            }
            self.drop_database(&create.name, true)?;
        }
        let mut notes =
            DatabaseNotes { collation: self.cx.server_collation, ..DatabaseNotes::default() };
        apply(&mut notes, &create.options, self.cx.settings().version)?;
        let oid = self.catalog.new_oid();
        let mut schema = Schema::new(oid, &name);
        schema.notes = Notes::new(notes);
        self.catalog.schemas.insert(name, schema);
        self.out.affected = 1;
        Ok(())
    }

    pub(super) fn alter_database(
        &mut self,
        name: Option<&Ident>,
        options: &[DatabaseOption],
    ) -> Result<()> {
        let in_use = self.cx.database;
        let name =
            name.map(|name| name.value.as_str()).or(in_use).ok_or_else(names::no_database)?;
        let name = names::spelled(name).into_owned();
        if name == names::SYSTEM[0] {
            return Err(denied(self.cx.user, &name));
        }
        let version = self.cx.settings().version;
        let schema = self.schema_mut(&name)?;
        let mut notes = DatabaseNotes::of(schema);
        apply(&mut notes, options, version)?;
        schema.notes = Notes::new(notes);
        self.out.affected = 1;
        Ok(())
    }

    pub(super) fn drop_database(&mut self, name: &Ident, if_exists: bool) -> Result<()> {
        let name = names::spelled(&name.value).into_owned();
        if name == names::SYSTEM[0] {
            return Err(denied(self.cx.user, &name));
        }
        let Some(schema) = self.catalog.schemas.get(&name) else {
            let message = format!("Can't drop database '{name}'; database doesn't exist");
            return match if_exists {
                true => {
                    self.note(1008, message);
                    Ok(())
                }
                false => Err(error(1008, message)),
            };
        };
        let relations: Vec<Oid> = schema.relations.values().copied().collect();
        for &oid in &relations {
            if let Some(table) = self.catalog.table(oid).cloned() {
                self.orphan(&table, &relations)?;
            }
        }
        self.out.affected = relations.len() as u64;
        for oid in relations {
            self.remove(oid);
        }
        self.catalog.schemas.remove(&name);
        Ok(())
    }
}

fn check_database_name(name: &str) -> Result<()> {
    names::check_length(name)?;
    match name.is_empty() || name.ends_with(' ') || name.starts_with('#') {
        true => Err(error(1102, format!("Incorrect database name '{name}'"))),
        false => Ok(()),
    }
}

fn apply(notes: &mut DatabaseNotes, options: &[DatabaseOption], version: Version) -> Result<()> {
    let (mut charset, mut collate) = (None, None);
    for option in options {
        match option {
            DatabaseOption::Charset(name) => charset.clone_from(name),
            DatabaseOption::Collate(name) => collate.clone_from(name),
            DatabaseOption::Comment(comment) => notes.comment.clone_from(comment),
            DatabaseOption::Other => {}
        }
    }
    if let Some(found) = names::chosen(charset.as_deref(), collate.as_deref(), version)? {
        notes.collation = found;
    }
    Ok(())
}
