//! Applying a statement: which part of the schema it is about.

use hobgoblin_sql_schema::catalog::Catalog;
use sqlparser::ast::{self, Query, Statement};

use super::change::Ddl;
use super::context::DdlContext;
use super::depend::Object;
use super::outcome::DdlOutcome;
use crate::error::Result;
use crate::types::Oid;

/// Applies a statement that changes the schema.
pub fn apply(
    catalog: &mut Catalog,
    statement: &Statement,
    cx: &DdlContext<'_>,
) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    ddl.statement(statement)?;
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

/// Whether [`apply`] is who to ask about a statement.
pub fn is_ddl(statement: &Statement) -> bool {
    match statement {
        Statement::CreateTable(_)
        | Statement::CreateView(_)
        | Statement::CreateIndex(_)
        | Statement::CreateSequence { .. }
        | Statement::CreateType { .. }
        | Statement::CreateSchema { .. }
        | Statement::CreateExtension(_)
        | Statement::CreateRole(_)
        | Statement::CreateUser(_)
        | Statement::CreateFunction(_)
        | Statement::CreateTrigger(_)
        | Statement::CreateDatabase { .. }
        | Statement::AlterTable(_)
        | Statement::AlterIndex { .. }
        | Statement::AlterType(_)
        | Statement::AlterSchema(_)
        | Statement::AlterRole { .. }
        | Statement::Drop { .. }
        | Statement::DropExtension(_)
        | Statement::DropFunction(_)
        | Statement::DropTrigger(_)
        | Statement::Comment { .. }
        | Statement::Grant(_)
        | Statement::Revoke(_) => true,
        Statement::Query(query) => select_into(query).is_some(),
        _ => false,
    }
}

/// The INTO of a SELECT, which makes it a CREATE TABLE AS.
pub(crate) fn select_into(query: &Query) -> Option<&ast::SelectInto> {
    match &*query.body {
        ast::SetExpr::Select(select) => select.into.as_ref(),
        _ => None,
    }
}

/// Drops what is in a session's temporary schema, at its end.
pub fn drop_temporary(catalog: &mut Catalog, cx: &DdlContext<'_>) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    ddl.drop_temporary_schema()?;
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

/// Drops tables that are ON COMMIT DROP, as their transaction ends.
pub fn drop_on_commit(
    catalog: &mut Catalog,
    tables: &[Oid],
    cx: &DdlContext<'_>,
) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    let objects = tables.iter().map(|t| Object::Relation(*t)).collect();
    ddl.drop_objects(objects, true)?;
    ddl.out.notices.clear();
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

impl Ddl<'_, '_> {
    fn statement(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::CreateTable(create) => self.create_table(create),
            Statement::Query(query) => self.select_into(query),
            Statement::CreateView(create) => self.create_view(create),
            Statement::CreateIndex(create) => self.create_index(create),
            Statement::CreateSequence { .. } => self.create_sequence(statement),
            Statement::CreateType { name, representation } => {
                self.create_type(name, representation.as_ref())
            }
            Statement::CreateSchema { schema_name, if_not_exists, .. } => {
                self.create_schema(schema_name, *if_not_exists)
            }
            Statement::AlterTable(alter) => self.alter_table(alter),
            Statement::AlterIndex { name, operation } => self.alter_index(name, operation),
            Statement::AlterType(alter) => self.alter_type(alter),
            Statement::AlterSchema(alter) => self.alter_schema(alter),
            Statement::Drop { .. } => self.drop_statement(statement),
            Statement::Comment { object_type, object_name, comment, if_exists } => {
                self.comment(object_type, object_name, comment.as_deref(), *if_exists)
            }
            other => self.other(other),
        }
    }
}
