//! COMMENT ON.

use sqlparser::ast::{CommentObject, ObjectName};

use super::table::number;
use super::{Ddl, no_column, no_schema};
use crate::catalog::{Found, fold, pg, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

impl Ddl<'_, '_> {
    pub(super) fn comment(
        &mut self,
        kind: &CommentObject,
        name: &ObjectName,
        comment: Option<&str>,
        _if_exists: bool,
    ) -> Result<()> {
        self.tag("COMMENT");
        let key = match kind {
            CommentObject::Table => self.commented(name, "table")?,
            CommentObject::View => self.commented(name, "view")?,
            CommentObject::MaterializedView => self.commented(name, "materialized view")?,
            CommentObject::Index => self.commented(name, "index")?,
            CommentObject::Sequence => self.commented(name, "sequence")?,
            CommentObject::Column => self.commented_column(name)?,
            CommentObject::Schema => {
                let (_, name) = split_name(name)?;
                let schema = self.catalog.schemas.get(&*name).ok_or_else(|| no_schema(&name))?;
                (pg::PG_NAMESPACE, schema.oid, 0)
            }
            CommentObject::Type => (pg::PG_TYPE, self.user_enum(name)?, 0),
            CommentObject::Database => (pg::PG_DATABASE, pg::DATABASE, 0),
            CommentObject::Extension => {
                let (_, name) = split_name(name)?;
                let oid =
                    self.catalog.extensions.get(&*name).map(|made| made.oid).ok_or_else(|| {
                        SqlError::new(
                            SqlState::UNDEFINED_OBJECT,
                            format!("extension \"{name}\" does not exist"),
                        )
                    })?;
                (pg::PG_EXTENSION, oid, 0)
            }
            other => return Err(SqlError::unsupported(format!("COMMENT ON {other}"))),
        };
        self.set_comment(key, comment);
        Ok(())
    }

    pub(super) fn set_comment(&mut self, key: (Oid, Oid, i32), comment: Option<&str>) {
        match comment.filter(|c| !c.is_empty()) {
            Some(text) => self.catalog.comments.insert(key, text.to_owned()),
            None => self.catalog.comments.remove(&key),
        };
    }

    fn commented(&self, name: &ObjectName, kind: &str) -> Result<(Oid, Oid, i32)> {
        let found = self.relation(name)?;
        if found.kind() != kind {
            let article = if kind == "index" { "an" } else { "a" };
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not {article} {kind}", found.name()),
            ));
        }
        Ok((pg::PG_CLASS, found.oid(), 0))
    }

    fn commented_column(&self, name: &ObjectName) -> Result<(Oid, Oid, i32)> {
        let mut parts = name.0.clone();
        let column = parts.pop().and_then(|p| p.as_ident().map(fold)).unwrap_or_default();
        if parts.is_empty() {
            return Err(SqlError::syntax("column name must be qualified"));
        }
        let found = self.relation(&ObjectName(parts))?;
        let at = match found {
            Found::Table(table) => table.column(&column),
            Found::View(view) => view.columns.iter().position(|c| c.0 == column),
            _ => None,
        };
        match at {
            Some(at) => Ok((pg::PG_CLASS, found.oid(), number(at))),
            None => Err(no_column(&column, found.name())),
        }
    }

    /// COMMENT ON DOMAIN, or ON CONSTRAINT c ON DOMAIN.
    pub(super) fn comment_domain(
        &mut self,
        domain: &ObjectName,
        constraint: Option<&sqlparser::ast::Ident>,
        comment: Option<&str>,
    ) -> Result<()> {
        self.tag("COMMENT");
        let key = match constraint {
            Some(name) => (pg::PG_CONSTRAINT, self.commented_check(&fold(name), domain)?, 0),
            None => (pg::PG_TYPE, self.user_domain(domain)?.oid, 0),
        };
        self.set_comment(key, comment);
        Ok(())
    }

    /// COMMENT ON CONSTRAINT c ON t.
    pub(super) fn comment_constraint(
        &mut self,
        name: &str,
        table: &ObjectName,
        comment: Option<&str>,
    ) -> Result<()> {
        self.tag("COMMENT");
        let table = self.user_table(table)?;
        let Some(constraint) = table.constraint(name) else {
            return Err(SqlError::new(
                SqlState::UNDEFINED_OBJECT,
                format!("constraint \"{name}\" for table \"{}\" does not exist", table.name),
            ));
        };
        self.set_comment((pg::PG_CONSTRAINT, constraint.oid, 0), comment);
        Ok(())
    }
}
