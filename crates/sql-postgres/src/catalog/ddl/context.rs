//! What a statement that changes the schema asks of its session.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Catalog, Table};
use sqlparser::ast::{Expr, Query};

use crate::error::Result;
use crate::syntax::{Clauses, Written};
use crate::types::{Datum, TypeId};

/// What a statement that changes the schema may ask of the session it runs in.
pub struct DdlContext<'a> {
    /// The schemas of the search path, the session's temporary one first.
    pub path: &'a [String],
    /// The session's temporary schema, `pg_temp_N`; it is made when needed.
    pub temporary: &'a str,
    /// The session's user, who will own what is made.
    pub user: &'a str,
    /// What binds the expressions and queries that become part of the schema.
    pub binder: &'a dyn DdlBinder,
    /// The text of the statement, and the clauses that its tree has no place for.
    pub written: Written<'a>,
}

/// Binds the expressions and queries of a schema, to check them and to find out their types.
pub trait DdlBinder {
    /// Asked now and then: an error if the statement is cancelled.
    fn go_on(&self) -> Result<()>;
    /// The columns of a query: name, type, modifier.
    fn describe_query(
        &self,
        catalog: &Catalog,
        query: &Query,
        clauses: &Clauses,
    ) -> Result<Vec<(String, TypeId, i32)>>;
    /// Checks that an expression may be used so, and gives its type. Its columns are those of the
    /// table, if there is one.
    fn describe_expr(
        &self,
        catalog: &Catalog,
        table: Option<&Arc<Table>>,
        expr: &Expr,
        usage: Usage,
    ) -> Result<TypeId>;
    /// The value of a default for the rows that are there already; `None` if each needs its own.
    fn constant(
        &self,
        catalog: &Catalog,
        expr: &Expr,
        ty: TypeId,
        typmod: i32,
    ) -> Result<Option<Datum>>;
}

/// What an expression of the schema is used for, which decides what it may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// The default of a column of this type. It may not name columns.
    Default(TypeId),
    /// What a column of this type is generated from. It must be immutable, and may not name
    /// generated columns.
    Generated(TypeId),
    /// The condition of a CHECK.
    Check,
    /// A column of an index. It must be immutable.
    IndexKey,
    /// The condition of a partial index. It must be immutable.
    IndexPredicate,
    /// The new value of a column whose type changes to this one.
    Using(TypeId),
}
