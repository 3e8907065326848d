//! What a statement that changes the schema asks of its session.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Catalog, Table};
use sqlparser::ast::{Expr, Query};

use crate::error::Result;
use crate::syntax::{Clauses, Written};
use crate::types::{Datum, TypeId};

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
    /// Whether to go on: an error where the statement is to end.
    fn go_on(&self) -> Result<()>;
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
