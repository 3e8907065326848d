//! CREATE EXTENSION and DROP EXTENSION.
//!
//! What an extension adds is here from the start, and found once the extension is made. So to make one is to
//! say in which schema it is, and to put its types there.

use sqlparser::ast::{CreateExtension, DropExtension, Expr, ReferentialAction};

use super::depend::Object;
use super::{Ddl, Usage};
use crate::catalog::{Catalog, ConstraintKind, Extension, IndexKey, Table, fold, pg};
use crate::error::{Result, SqlError, SqlState};
use crate::types::builtin;

/// Extensions that are made though they add nothing: what they offer is built in, or none of it is what an
/// application calls.
const EMPTY: [&str; 4] = ["pgcrypto", "pg_stat_statements", "btree_gin", "btree_gist"];

impl Ddl<'_, '_> {
    pub(super) fn create_extension(&mut self, create: &CreateExtension) -> Result<()> {
        self.tag("CREATE EXTENSION");
        let name = fold(&create.name);
        check_name(&name)?;
        if name == "plpgsql" || self.catalog.extensions.contains_key(&name) {
            let message = format!("extension \"{name}\" already exists");
            if !create.if_not_exists {
                return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, message));
            }
            self.notice(SqlState::DUPLICATE_OBJECT, format!("{message}, skipping"));
            return Ok(());
        }
        check_version(&name, create.version.as_ref().map(fold).as_deref())?;
        let schema = match &create.schema {
            Some(schema) => self.schema(&fold(schema))?.name.clone(),
            None => self.catalog.creation_schema(self.cx.path)?.to_owned(),
        };
        for ty in builtin::of_extension(&name) {
            let types = &mut self.schema_mut(&schema)?.types;
            if types.contains_key(ty.name) {
                let text = format!("type \"{}\" already exists", ty.name);
                return Err(SqlError::new(SqlState::DUPLICATE_OBJECT, text));
            }
            types.insert(ty.name.to_owned(), ty.oid.0);
        }
        let oid = self.catalog.new_oid();
        if let Some(comment) = pg::extension_comment(&name) {
            self.catalog.comments.insert((pg::PG_EXTENSION, oid, 0), comment.to_owned());
        }
        self.catalog.extensions.insert(name, Extension { oid, schema });
        Ok(())
    }

    pub(super) fn drop_extensions(&mut self, drop: &DropExtension) -> Result<()> {
        self.tag("DROP EXTENSION");
        let mut targets = Vec::new();
        for name in &drop.names {
            let name = fold(name);
            if name == "plpgsql" {
                return Err(SqlError::unsupported("DROP EXTENSION plpgsql"));
            }
            if self.catalog.extensions.contains_key(&name) {
                targets.push(Object::Extension(name));
                continue;
            }
            let message = format!("extension \"{name}\" does not exist");
            if !drop.if_exists {
                return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, message));
            }
            self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
        }
        let cascade = matches!(drop.cascade_or_restrict, Some(ReferentialAction::Cascade));
        self.drop_objects(targets, cascade)
    }

    /// Takes an extension and its types out of the catalogue.
    pub(super) fn remove_extension(&mut self, name: &str) -> Result<()> {
        let Some(made) = self.catalog.extensions.remove(name) else { return Ok(()) };
        let types: Vec<_> = builtin::of_extension(name).map(|ty| ty.oid.0).collect();
        self.schema_mut(&made.schema)?.types.retain(|_, ty| !types.contains(ty));
        self.forget_comments(pg::PG_EXTENSION, made.oid, None);
        Ok(())
    }

    /// What uses functions, operators or operator classes of an extension: what binds with it, and does not
    /// without.
    pub(super) fn users_of_extension(&self, name: &str) -> Vec<Object> {
        let mut without = self.catalog.clone();
        without.extensions.remove(name);
        let lost = |binds: &dyn Fn(&Catalog) -> bool| binds(self.catalog) && !binds(&without);
        let binder = self.cx.binder;
        let mut users = Vec::new();
        for table in self.catalog.tables() {
            let loses = |expr: &Expr, usage: Usage| {
                lost(&|catalog| binder.describe_expr(catalog, Some(table), expr, usage).is_ok())
            };
            for (at, column) in table.live() {
                let Some(default) = &column.default else { continue };
                let unbound = |usage| {
                    lost(&|catalog| {
                        let table = column.generated.then_some(table);
                        binder.describe_expr(catalog, table, &default.ast, usage).is_ok()
                    })
                };
                if column.generated && unbound(Usage::Generated(column.ty)) {
                    users.push(Object::Column(table.oid, at));
                } else if !column.generated && unbound(Usage::Default(column.ty)) {
                    users.push(Object::Default(table.oid, at));
                }
            }
            for constraint in &table.constraints {
                if let ConstraintKind::Check(condition) = &constraint.kind
                    && loses(&condition.ast, Usage::Check)
                {
                    users.push(Object::Constraint(table.oid, constraint.oid));
                }
            }
            for index in &table.indexes {
                let predicate = index.predicate.as_ref();
                let lost = predicate.is_some_and(|p| loses(&p.ast, Usage::IndexPredicate))
                    || index.columns.iter().any(|column| {
                        let expression = match &column.key {
                            IndexKey::Expression(e) => loses(&e.ast, Usage::IndexKey),
                            IndexKey::Column(_) => false,
                        };
                        let class = column.opclass.as_ref().is_some_and(|class| {
                            lost(&|catalog| {
                                pg::opclass_named(catalog, &index.method, class).is_some()
                            })
                        });
                        expression || class
                    });
                if lost {
                    users.push(index_or_constraint(table, index.oid));
                }
            }
        }
        for view in self.catalog.queries() {
            if lost(&|catalog| binder.describe_query(catalog, &view.query, &view.clauses).is_ok()) {
                users.push(Object::Relation(view.oid));
            }
        }
        users
    }
}

/// An index, or the constraint that has it.
fn index_or_constraint(table: &Table, index: crate::types::Oid) -> Object {
    let has = |kind: &ConstraintKind| matches!(kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if *i == index);
    match table.constraints.iter().find(|constraint| has(&constraint.kind)) {
        Some(constraint) => Object::Constraint(table.oid, constraint.oid),
        None => Object::Relation(index),
    }
}

/// Refuses names that no file could have.
fn check_name(name: &str) -> Result<()> {
    let why = if name.contains("--") {
        "Extension names must not contain \"--\"."
    } else if name.starts_with('-') || name.ends_with('-') {
        "Extension names must not begin or end with \"-\"."
    } else if name.contains('/') {
        "Extension names must not contain directory separator characters."
    } else {
        return Ok(());
    };
    let text = format!("invalid extension name: \"{name}\"");
    Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text).detail(why))
}

/// Refuses extensions and versions that PostgreSQL does not come with, and those that are not here.
fn check_version(name: &str, version: Option<&str>) -> Result<()> {
    if pg::versions(name).next().is_none() {
        let text = format!("extension \"{name}\" is not available");
        return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text).hint(
            "The extension must first be installed on the system where PostgreSQL is running.",
        ));
    }
    if let Some(version) = version {
        match pg::versions(name).find(|available| available.version == version) {
            None => {
                let text = format!(
                    "extension \"{name}\" has no installation script nor update path for version \
                     \"{version}\""
                );
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
            }
            Some(available) if !available.default => {
                let what = format!("version \"{version}\" of the extension \"{name}\"");
                return Err(SqlError::unsupported(what));
            }
            Some(_) => {}
        }
    }
    if builtin::is_extension(name) || EMPTY.contains(&name) {
        return Ok(());
    }
    Err(SqlError::unsupported(format!("the extension \"{name}\"")))
}
