//! Statements that change the schema.
//!
//! [`apply`] changes a [`Catalog`] and says, as a list of [`DataStep`]s, what must be done to rows: an
//! index to build, a constraint to check, a column to fill. It knows no rows and no store. When it gives
//! an error the catalogue may be half changed, so the caller applies it to a copy.

mod alter;
mod alter_column;
mod column;
mod comment;
mod constraint;
mod depend;
mod domain;
mod drop;
mod exclude;
mod extension;
mod extra;
mod index;
mod materialized;
mod read_alter;
mod reader;
mod rename;
mod roles;
mod schema;
mod sequence;
mod table;
mod types;
mod view;

pub(crate) use constraint::key_columns;
pub(crate) use depend::draws_from;
pub(crate) use extra::parse_extra;
pub use extra::{Extra, apply_extra, is_extra};
pub(crate) use roles::{PREDEFINED, is_predefined_role};
pub use sequence::restart_sequences;

use std::sync::Arc;

use hobgoblin_core::Text;
use sqlparser::ast::{self, Expr, ObjectName, Query, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::is_temporary;
use super::{Catalog, Expression, Found, Schema, Table, split_name};
use crate::error::{Code, Result, Severity, SqlError, SqlState};
use crate::syntax::{Clauses, Written};
use crate::types::{Datum, Oid, TypeId};

/// What a statement of the schema may ask of its session.
pub struct DdlContext<'a> {
    /// The search path, the temporary schema first.
    pub path: &'a [String],
    /// The session's temporary schema, `pg_temp_N`; it is made when needed.
    pub temporary: &'a str,
    /// The user.
    pub user: &'a str,
    /// Who binds expressions and queries.
    pub binder: &'a dyn DdlBinder,
    /// The statement, as written.
    pub written: Written<'a>,
}

/// What binding tells about the expressions and queries of the schema.
pub trait DdlBinder {
    /// The columns of a query: name, type, modifier.
    fn describe_query(
        &self,
        catalog: &Catalog,
        query: &Query,
        clauses: &Clauses,
    ) -> Result<Vec<(String, TypeId, i32)>>;
    /// Checks an expression for its use, and gives its type. Columns are those of the table, if any.
    fn describe_expr(
        &self,
        catalog: &Catalog,
        table: Option<&Arc<Table>>,
        expr: &Expr,
        usage: Usage,
    ) -> Result<TypeId>;
    /// The value of a default for rows that exist already; `None` if each row needs its own.
    fn constant(
        &self,
        catalog: &Catalog,
        expr: &Expr,
        ty: TypeId,
        typmod: i32,
    ) -> Result<Option<Datum>>;
}

/// What an expression of the schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// The default of a column of this type: no columns may be named.
    Default(TypeId),
    /// What a column of this type is generated from: immutable, no generated columns.
    Generated(TypeId),
    /// A condition on a row.
    Check,
    /// A column of an index: immutable.
    IndexKey,
    /// Which rows an index has: immutable.
    IndexPredicate,
    /// What a column becomes as it changes to this type.
    Using(TypeId),
}

/// What was done, and what is left to do.
#[derive(Clone, Debug, Default)]
pub struct DdlOutcome {
    /// The command tag.
    pub tag: String,
    /// Notices in order.
    pub notices: Vec<SqlError>,
    /// What to do to rows, in order.
    pub steps: Vec<DataStep>,
}

/// What must be done to rows and counters, after the catalogue has changed.
#[derive(Clone, Debug)]
pub enum DataStep {
    /// The counter of a new sequence begins at its start.
    StartSequence(Oid),
    /// A sequence gives this value next.
    RestartSequence(Oid, i64),
    /// A new index gets its entries; a unique one finds duplicates (23505).
    BuildIndex {
        /// The table.
        table: Oid,
        /// The index.
        index: Oid,
    },
    /// No row may have NULL there (23502).
    CheckNotNull {
        /// The table.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Every row must pass a CHECK (23514).
    ValidateCheck {
        /// The table.
        table: Oid,
        /// The constraint.
        constraint: Oid,
    },
    /// Every row must refer to something (23503).
    ValidateForeign {
        /// The table.
        table: Oid,
        /// The constraint.
        constraint: Oid,
    },
    /// Every value of a domain must pass what it says (23514), or not be NULL (23502).
    ValidateDomain {
        /// The domain.
        domain: Oid,
        /// Whether only NULLs are in question.
        nulls: bool,
    },
    /// The values of a column must be ones of its domain.
    CheckDomain {
        /// The table.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Each row gets its own value of a new column's default, identity or generation expression.
    FillColumn {
        /// The table.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Each row's value of a column becomes that of an expression over the old row, cast to the new type.
    RewriteColumn {
        /// The table as it was.
        before: Arc<Table>,
        /// The column, by number less one.
        column: usize,
        /// The expression; without one the old value is cast.
        using: Option<Arc<Expression>>,
    },
    /// A materialized view gets the rows of its query in the place of those it has; without a query it
    /// gets none.
    Refresh {
        /// The table.
        table: Oid,
        /// The query.
        query: Option<(Arc<Query>, Clauses)>,
    },
    /// Everything under this key prefix goes.
    DropKeys(Text),
    /// A new table gets the rows of a query.
    Fill {
        /// The table.
        table: Oid,
        /// The query.
        query: Arc<Query>,
        /// What the query says that its syntax tree has no place for.
        clauses: Clauses,
    },
}

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
pub(super) fn select_into(query: &Query) -> Option<&ast::SelectInto> {
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
    let objects = tables.iter().map(|t| depend::Object::Relation(*t)).collect();
    ddl.drop_objects(objects, true)?;
    ddl.out.notices.clear();
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

/// A statement at work.
struct Ddl<'a, 'c> {
    catalog: &'a mut Catalog,
    cx: &'a DdlContext<'c>,
    out: DdlOutcome,
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

    fn tag(&mut self, tag: &str) {
        tag.clone_into(&mut self.out.tag);
    }

    fn notice(&mut self, state: Code, message: String) {
        self.out.notices.push(SqlError::new(state, message).severity(Severity::Notice));
    }

    fn step(&mut self, step: DataStep) {
        self.out.steps.push(step);
    }

    /// The schema and name of something to be made.
    fn new_name(&mut self, name: &ObjectName, temporary: bool) -> Result<(String, String)> {
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

    /// The session's temporary schema, made if it is not there.
    fn temporary_schema(&mut self) -> String {
        let name = self.cx.temporary.to_owned();
        if !self.catalog.schemas.contains_key(&name) {
            let oid = self.catalog.new_oid();
            self.catalog.schemas.insert(name.clone(), Schema::new(oid, &name));
        }
        name
    }

    fn schema(&self, name: &str) -> Result<&Schema> {
        let name = if name == "pg_temp" { self.cx.temporary } else { name };
        self.catalog.schemas.get(name).ok_or_else(|| no_schema(name))
    }

    fn schema_mut(&mut self, name: &str) -> Result<&mut Schema> {
        self.catalog.schemas.get_mut(name).ok_or_else(|| no_schema(name))
    }

    fn writable(&self, schema: &str, name: &str) -> Result<()> {
        if matches!(schema, "pg_catalog" | "information_schema") {
            return Err(SqlError::new(
                SqlState::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to create \"{schema}.{name}\""),
            )
            .detail("System catalog modifications are currently disallowed."));
        }
        Ok(())
    }

    /// Refuses a name that a relation or type of the schema has. Gives whether to go on: with IF NOT
    /// EXISTS a taken name is only noticed.
    fn free_name(&mut self, schema: &str, name: &str, if_not_exists: bool) -> Result<bool> {
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

    /// Refuses a name that a type of the schema has.
    fn free_type_name(&self, schema: &str, name: &str) -> Result<()> {
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

    /// A relation by name.
    fn relation(&self, name: &ObjectName) -> Result<Found<'_>> {
        let (schema, last) = split_name(name)?;
        if let Some(schema) = schema.as_deref() {
            self.schema(schema)?;
        }
        self.catalog.require(self.cx.path, schema.as_deref(), &last)
    }

    /// A table by name, to change it.
    fn user_table(&self, name: &ObjectName) -> Result<Arc<Table>> {
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

    /// A relation's name for a message.
    fn describe(&self, oid: Oid) -> String {
        self.catalog.describe(self.cx.path, oid)
    }
}

fn no_schema(name: &str) -> SqlError {
    SqlError::new(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"))
}

fn no_column(column: &str, table: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{column}\" of relation \"{table}\" does not exist"),
    )
}

/// Parses an expression that we wrote ourselves or printed before.
fn parse_expr(text: &str) -> Result<Expr> {
    Parser::new(&PostgreSqlDialect {})
        .try_with_sql(text)
        .and_then(|mut p| p.parse_expr())
        .map_err(|e| SqlError::syntax(e.to_string()))
}

/// A number as DDL options have them, with a sign.
fn number(expr: &Expr) -> Result<i64> {
    let text = expr.to_string().replace(' ', "");
    text.parse().map_err(|_| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type bigint: \"{text}\""),
        )
    })
}

#[cfg(test)]
pub(crate) mod tests;
