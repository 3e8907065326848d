//! CREATE SCHEMA and ALTER SCHEMA.

use std::sync::Arc;

use sqlparser::ast::{AlterSchema, AlterSchemaOperation, SchemaName};

use super::{Ddl, no_schema};
use crate::catalog::{Relation, Schema, fold, split_name};
use crate::error::{Result, SqlError, SqlState};

impl Ddl<'_, '_> {
    pub(super) fn create_schema(&mut self, name: &SchemaName, if_not_exists: bool) -> Result<()> {
        self.tag("CREATE SCHEMA");
        let name = match name {
            SchemaName::Simple(name) | SchemaName::NamedAuthorization(name, _) => {
                split_name(name)?.1.into_owned()
            }
            SchemaName::UnnamedAuthorization(user) => fold(user),
        };
        reserved(&name)?;
        if self.catalog.schemas.contains_key(&name) {
            if if_not_exists {
                self.notice(
                    SqlState::DUPLICATE_SCHEMA,
                    format!("schema \"{name}\" already exists, skipping"),
                );
                return Ok(());
            }
            return Err(exists(&name));
        }
        let oid = self.catalog.new_oid();
        self.catalog.schemas.insert(name.clone(), Schema::new(oid, &name));
        Ok(())
    }

    pub(super) fn alter_schema(&mut self, alter: &AlterSchema) -> Result<()> {
        self.tag("ALTER SCHEMA");
        let (_, old) = split_name(&alter.name)?;
        let old = old.into_owned();
        if !self.catalog.schemas.contains_key(&old) {
            return Err(no_schema(&old));
        }
        for operation in &alter.operations {
            match operation {
                AlterSchemaOperation::OwnerTo { .. } => {}
                AlterSchemaOperation::Rename { name } => {
                    let (_, new) = split_name(name)?;
                    self.rename_schema(&old, &new)?;
                }
                other => return Err(SqlError::unsupported(format!("ALTER SCHEMA {other}"))),
            }
        }
        Ok(())
    }

    fn rename_schema(&mut self, old: &str, new: &str) -> Result<()> {
        reserved(new)?;
        if self.catalog.schemas.contains_key(new) {
            return Err(exists(new));
        }
        let users = self.catalog.queries().any(|v| {
            v.uses.iter().any(|u| self.catalog.relation(*u).is_some_and(|f| f.schema() == old))
        });
        if users {
            return Err(SqlError::unsupported("renaming a schema whose relations a view uses"));
        }
        let Some(mut schema) = self.catalog.schemas.remove(old) else { return Err(no_schema(old)) };
        new.clone_into(&mut schema.name);
        let relations: Vec<_> = schema.relations.values().copied().collect();
        self.catalog.schemas.insert(new.to_owned(), schema);
        for oid in relations {
            match self.catalog.relations.get_mut(&oid) {
                Some(Relation::Table(t)) => {
                    let table = Arc::make_mut(t);
                    new.clone_into(&mut table.schema);
                    if let Some(view) = table.materialized.as_mut().map(Arc::make_mut) {
                        new.clone_into(&mut view.schema);
                    }
                }
                Some(Relation::View(v)) => new.clone_into(&mut Arc::make_mut(v).schema),
                Some(Relation::Sequence(s)) => {
                    let name = s.name.clone();
                    new.clone_into(&mut Arc::make_mut(s).schema);
                    self.redirect_defaults((old, &name), (new, &name));
                }
                _ => {}
            }
        }
        for found in self.catalog.domains.values_mut().filter(|d| d.schema == old) {
            new.clone_into(&mut Arc::make_mut(found).schema);
        }
        for found in self.catalog.enums.values_mut().filter(|e| e.schema == old) {
            new.clone_into(&mut Arc::make_mut(found).schema);
        }
        Ok(())
    }
}

fn exists(name: &str) -> SqlError {
    SqlError::new(SqlState::DUPLICATE_SCHEMA, format!("schema \"{name}\" already exists"))
}

fn reserved(name: &str) -> Result<()> {
    if name.starts_with("pg_") {
        return Err(SqlError::new(
            SqlState::RESERVED_NAME,
            format!("unacceptable schema name \"{name}\""),
        )
        .detail("The prefix \"pg_\" is reserved for system schemas."));
    }
    Ok(())
}
