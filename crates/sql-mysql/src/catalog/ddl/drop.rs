//! DROP TABLE, DROP VIEW, TRUNCATE TABLE and RENAME TABLE.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_schema::catalog::{ConstraintKind, Found, Index, Relation, Table};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Oid;
use sqlparser::ast::ObjectName;

use super::change::{Ddl, Named, denied, no_table, table_exists};
use super::context::DataStep;
use super::definition::foreign_plan;
use super::foreign::clause;
use crate::catalog::names::{self, quoted};
use crate::syntax::DropTables;

impl Ddl<'_, '_> {
    pub(super) fn drop_tables(&mut self, drop: &DropTables) -> Result<()> {
        let mut found: Vec<Oid> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        let mut views: Vec<String> = Vec::new();
        for name in &drop.names {
            let (database, table) = self.split(name)?;
            let temporary = names::temporary_schema(self.cx.session, &database);
            let own = self.catalog.relation_in(&temporary, &table).map(|found| found.oid());
            let known = match (own, drop.temporary) {
                (Some(oid), _) => Some(Ok(oid)),
                (None, true) => None,
                (None, false) => match self.named(&database, &table) {
                    Some(Named::Table(table)) => Some(Ok(table.oid)),
                    Some(Named::View(_)) => Some(Err(())),
                    Some(Named::System) => return Err(denied(self.cx.user, &database)),
                    None => None,
                },
            };
            match known {
                Some(Ok(oid)) if found.contains(&oid) => {
                    return Err(error(1066, format!("Not unique table/alias: '{table}'")));
                }
                Some(Ok(oid)) => found.push(oid),
                Some(Err(())) => views.push(format!("{database}.{table}")),
                None => missing.push(format!("{database}.{table}")),
            }
        }
        for oid in &found {
            let table = self.table(*oid)?;
            if !table.temporary {
                self.orphan(&table, &found)?;
            }
        }
        for oid in found {
            self.remove(oid);
        }
        if drop.if_exists {
            if !missing.is_empty() {
                let message = format!("Unknown table '{}'", missing.join(","));
                self.note(error::UNKNOWN_TABLE, message);
            }
            return match views.first() {
                Some(view) => {
                    self.note(1965, format!("'{view}' is a view"));
                    Ok(())
                }
                None => Ok(()),
            };
        }
        if let (Some(view), true) = (views.first(), missing.is_empty()) {
            return Err(error(1965, format!("'{view}' is a view")));
        }
        match missing.is_empty() && views.is_empty() {
            true => Ok(()),
            false => {
                let names: Vec<String> = missing.into_iter().chain(views).collect();
                // Those that are there are gone all the same.
                self.out.late = Some(error(
                    error::UNKNOWN_TABLE,
                    format!("Unknown table '{}'", names.join(",")),
                ));
                Ok(())
            }
        }
    }

    pub(super) fn drop_views(&mut self, drop: &DropTables) -> Result<()> {
        let mut missing: Vec<String> = Vec::new();
        for name in &drop.names {
            let (database, view) = self.split(name)?;
            match self.catalog.relation_in(&database, &view) {
                Some(Found::View(found)) => {
                    let oid = found.oid;
                    self.remove(oid);
                }
                Some(Found::Table(_)) if !drop.if_exists => {
                    missing.push(format!("{database}.{view}"));
                }
                _ => missing.push(format!("{database}.{view}")),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!("Unknown VIEW: '{}'", missing.join(","));
        match drop.if_exists {
            true => {
                self.note(4092, message);
                Ok(())
            }
            false => {
                self.out.late = Some(error(4092, message));
                Ok(())
            }
        }
    }

    pub(super) fn truncate(&mut self, name: &ObjectName) -> Result<()> {
        let table = self.table_named(name).map_err(|refused| match refused.more.number {
            // A view is no table to be emptied.
            Some(1347) => match self.split(name) {
                Ok((database, name)) => no_table(&database, &name),
                Err(error) => error,
            },
            _ => refused,
        })?;
        self.refuse_referred(&table)?;
        let prefix = self.prefix(&table.schema, &table.name);
        let mut indexes = Vec::new();
        for index in &table.indexes {
            let prefix = self.prefix(&table.schema, &format!("{}.{}", table.name, index.name));
            indexes.push(Arc::new(Index { prefix, ..(**index).clone() }));
        }
        let emptied = self.catalog.table_mut(table.oid)?;
        emptied.prefix = prefix;
        emptied.indexes = indexes;
        let counter = |relation: &Relation| match relation {
            Relation::Sequence(sequence) => {
                sequence.owner.is_some_and(|(of, ..)| of == table.oid).then_some(sequence.oid)
            }
            _ => None,
        };
        if let Some(sequence) = self.catalog.relations.values().find_map(counter) {
            self.step(DataStep::SetCounter(sequence, 1));
        }
        Ok(())
    }

    /// 1701: rows may go only one by one where others refer to them.
    fn refuse_referred(&self, table: &Arc<Table>) -> Result<()> {
        if !self.cx.foreign_key_checks {
            return Ok(());
        }
        let referring = self.catalog.referring(table.oid);
        for (child, constraint) in referring.filter(|(child, _)| child.oid != table.oid) {
            let ConstraintKind::Foreign(key) = &constraint.kind else { continue };
            let Some(mut plan) = foreign_plan(child, key, self.catalog) else { continue };
            plan.name.clone_from(&constraint.name);
            let message = format!(
                "Cannot truncate a table referenced in a foreign key constraint ({}.{}, {})",
                quoted(&child.schema),
                quoted(&child.name),
                clause(&plan, "")
            );
            return Err(error(1701, message));
        }
        Ok(())
    }

    pub(super) fn rename_tables(&mut self, pairs: &[(ObjectName, ObjectName)]) -> Result<()> {
        for (old, new) in pairs {
            let (database, name) = self.split(old)?;
            let oid = match self.named(&database, &name) {
                Some(Named::Table(table)) => table.oid,
                Some(Named::View(view)) => view.oid,
                Some(Named::System) => return Err(denied(self.cx.user, &database)),
                None => return Err(no_table(&database, &name)),
            };
            if self.split(new)? == (database, name.clone()) {
                return Err(table_exists(&name));
            }
            self.rename(oid, new)?;
        }
        Ok(())
    }

    /// Gives a table or view another name, perhaps in another database.
    pub(super) fn rename(&mut self, oid: Oid, new: &ObjectName) -> Result<()> {
        let (old_schema, old_name) = match self.catalog.relation(oid) {
            Some(found) => (found.schema().to_owned(), found.name().to_owned()),
            None => return Ok(()),
        };
        let (database, name) = names::split(new, Some(names::database_of(&old_schema)))?;
        let database = match new.0.len() {
            1 => self.cx.database.map_or_else(|| database.clone().into_owned(), str::to_owned),
            _ => database.into_owned(),
        };
        let name = name.into_owned();
        if !self.catalog.schemas.contains_key(&database) {
            let path = |database: &str, name: &str| {
                format!("./{}/{}", names::filed(database), names::filed(name))
            };
            let message = format!(
                "Error on rename of '{}' to '{}' (errno: 168 \"Unknown (generic) error from engine\")",
                path(names::database_of(&old_schema), &old_name),
                path(&database, &name)
            );
            return Err(error(1025, message));
        }
        self.writable(&database, &name)?;
        let schema = match names::is_temporary(&old_schema) {
            true => self.temporary_schema(&database),
            false => database,
        };
        if schema == old_schema && name == old_name {
            return Ok(());
        }
        if self.catalog.relation_in(&schema, &name).is_some() {
            return Err(table_exists(&name));
        }
        self.schema_mut(&old_schema)?.relations.remove(&old_name);
        self.schema_mut(&schema)?.relations.insert(name.clone(), oid);
        match self.catalog.relations.get_mut(&oid) {
            Some(Relation::Table(table)) => {
                let table = Arc::make_mut(table);
                table.schema.clone_from(&schema);
                rename_keys(table, &old_name, &name);
                table.name = name;
            }
            Some(Relation::View(view)) => {
                let view = Arc::make_mut(view);
                view.schema.clone_from(&schema);
                view.name = name;
            }
            _ => return Err(SqlError::internal("a name of neither a table nor a view")),
        }
        if self.catalog.table(oid).is_some() {
            self.adopt(oid)?;
        }
        Ok(())
    }
}

/// Names that foreign keys were given go with the name of their table.
fn rename_keys(table: &mut Table, old: &str, new: &str) {
    let start = format!("{old}_ibfk_");
    for constraint in &mut table.constraints {
        let foreign = matches!(constraint.kind, ConstraintKind::Foreign(_));
        if let Some(number) = constraint.name.strip_prefix(&start).filter(|_| foreign) {
            let name = format!("{new}_ibfk_{number}");
            Arc::make_mut(constraint).name = name;
        }
    }
}
