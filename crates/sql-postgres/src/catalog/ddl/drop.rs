//! DROP of every kind.

use sqlparser::ast::{ObjectName, ObjectType, Statement};

use super::depend::Object;
use super::{Ddl, no_schema};
use crate::catalog::{ConstraintKind, Found, split_name};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::{Oid, TypeId, builtin};

impl Ddl<'_, '_> {
    pub(super) fn drop_statement(&mut self, statement: &Statement) -> Result<()> {
        let Statement::Drop { object_type, if_exists, names, cascade, .. } = statement else {
            return Ok(());
        };
        let (kind, tag) = match object_type {
            ObjectType::Table => ("table", "DROP TABLE"),
            ObjectType::View => ("view", "DROP VIEW"),
            ObjectType::MaterializedView => ("materialized view", "DROP MATERIALIZED VIEW"),
            ObjectType::Index => ("index", "DROP INDEX"),
            ObjectType::Sequence => ("sequence", "DROP SEQUENCE"),
            ObjectType::Type => ("type", "DROP TYPE"),
            ObjectType::Schema => ("schema", "DROP SCHEMA"),
            ObjectType::Role | ObjectType::User => {
                self.tag("DROP ROLE");
                return self.drop_roles(names, *if_exists);
            }
            other => return Err(SqlError::unsupported(format!("DROP {other}"))),
        };
        self.tag(tag);
        let mut objects = Vec::new();
        for name in names {
            let found = match object_type {
                ObjectType::Schema => self.schema_to_drop(name, *if_exists)?,
                ObjectType::Type => self.type_to_drop(name, *if_exists)?,
                _ => self.relation_to_drop(name, kind, *if_exists)?,
            };
            objects.extend(found.filter(|o| !objects.contains(o)));
        }
        self.drop_objects(objects, *cascade)
    }

    fn skip_or(&mut self, if_exists: bool, state: Code, message: String) -> Result<Option<Object>> {
        if !if_exists {
            return Err(SqlError::new(state, message));
        }
        self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
        Ok(None)
    }

    fn relation_to_drop(
        &mut self,
        name: &ObjectName,
        kind: &str,
        if_exists: bool,
    ) -> Result<Option<Object>> {
        let (schema, last) = split_name(name)?;
        if let Some(schema) = schema.as_deref()
            && self.schema(schema).is_err()
        {
            let message = format!("schema \"{schema}\" does not exist");
            return self.skip_or(if_exists, SqlState::INVALID_SCHEMA_NAME, message);
        }
        let Some(found) = self.catalog.find(self.cx.path, schema.as_deref(), &last) else {
            let state = if kind == "index" {
                SqlState::UNDEFINED_OBJECT
            } else {
                SqlState::UNDEFINED_TABLE
            };
            let shown = match schema {
                Some(schema) if kind != "index" => format!("{schema}.{last}"),
                _ => last.into_owned(),
            };
            return self.skip_or(if_exists, state, format!("{kind} \"{shown}\" does not exist"));
        };
        if let Found::System(table) = found {
            return Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", table.name),
            ));
        }
        if found.kind() != kind {
            let article = if kind == "index" { "an" } else { "a" };
            let its = found.kind();
            let its_article = if its == "index" { "an" } else { "a" };
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not {article} {kind}", found.name()),
            )
            .hint(format!(
                "Use DROP {} to remove {its_article} {its}.",
                its.to_ascii_uppercase()
            )));
        }
        let oid = found.oid();
        self.required_by_owner(oid)?;
        Ok(Some(Object::Relation(oid)))
    }

    /// Refuses to drop what something else is made of: the index of a constraint, an identity's sequence.
    fn required_by_owner(&self, oid: Oid) -> Result<()> {
        let by = match self.catalog.relation(oid) {
            Some(Found::Index(table, index)) => table
                .constraints
                .iter()
                .find(|c| {
                    matches!(c.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if i == index.oid)
                })
                .map(|c| Object::Constraint(table.oid, c.oid)),
            Some(Found::Sequence(sequence)) => match sequence.owner {
                Some((table, column, true)) => Some(Object::Column(table, column)),
                _ => None,
            },
            _ => None,
        };
        let Some(by) = by else { return Ok(()) };
        let (what, by) = (self.object_name(&Object::Relation(oid)), self.object_name(&by));
        Err(SqlError::new(
            SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop {what} because {by} requires it"),
        )
        .hint(format!("You can drop {by} instead.")))
    }

    fn schema_to_drop(&mut self, name: &ObjectName, if_exists: bool) -> Result<Option<Object>> {
        let (_, name) = split_name(name)?;
        if matches!(&*name, "pg_catalog" | "information_schema") {
            return Err(SqlError::new(
                SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                format!("cannot drop schema {name} because it is required by the database system"),
            ));
        }
        if !self.catalog.schemas.contains_key(&*name) {
            if !if_exists {
                return Err(no_schema(&name));
            }
            let message = format!("schema \"{name}\" does not exist");
            return self.skip_or(true, SqlState::INVALID_SCHEMA_NAME, message);
        }
        Ok(Some(Object::Schema(name.into_owned())))
    }

    fn type_to_drop(&mut self, name: &ObjectName, if_exists: bool) -> Result<Option<Object>> {
        let (schema, last) = split_name(name)?;
        match self.catalog.type_named(self.cx.path, schema.as_deref(), &last) {
            Some(TypeId(oid))
                if self.catalog.enums.contains_key(&oid)
                    || self.catalog.domains.contains_key(&oid) =>
            {
                Ok(Some(Object::Type(oid)))
            }
            Some(ty) => {
                let shown = builtin::format_type(ty, -1, &*self.catalog);
                let (by, instead) = match self.catalog.derived.get(&ty.0) {
                    Some(crate::catalog::Derived::Row(relation)) => {
                        let by = self.object_name(&Object::Relation(*relation));
                        (by.clone(), by)
                    }
                    _ => {
                        let by = format!("type {}", shown.trim_end_matches("[]"));
                        (by.clone(), by)
                    }
                };
                Err(SqlError::new(
                    SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                    format!("cannot drop type {shown} because {by} requires it"),
                )
                .hint(format!("You can drop {instead} instead.")))
            }
            None if schema.as_deref().is_none_or(|s| s == "pg_catalog")
                && builtin::by_name(&last).is_some() =>
            {
                Err(SqlError::new(
                    SqlState::DEPENDENT_OBJECTS_STILL_EXIST,
                    format!(
                        "cannot drop type {last} because it is required by the database system"
                    ),
                ))
            }
            None => {
                let shown = match schema {
                    Some(schema) => format!("{schema}.{last}"),
                    None => last.into_owned(),
                };
                self.skip_or(
                    if_exists,
                    SqlState::UNDEFINED_OBJECT,
                    format!("type \"{shown}\" does not exist"),
                )
            }
        }
    }

    /// Drops all that is in the session's temporary schema, without a word.
    pub(super) fn drop_temporary_schema(&mut self) -> Result<()> {
        let name = self.cx.temporary.to_owned();
        if self.catalog.schemas.contains_key(&name) {
            self.drop_objects(vec![Object::Schema(name)], true)?;
            self.out.notices.clear();
        }
        Ok(())
    }
}
