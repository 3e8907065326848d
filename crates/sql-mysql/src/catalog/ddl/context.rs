//! What a statement that changes the schema asks of its session, and what it leaves to be done.

use std::sync::Arc;

use hobgoblin_sql_mysql_types::Settings;
use hobgoblin_sql_schema::catalog::{Catalog, Table};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Oid, TypeId};
use sqlparser::ast::{Expr, Query};

use crate::syntax::OnDuplicate;

/// What a statement of the schema may ask of its session.
pub struct DdlContext<'a> {
    /// The database in use.
    pub database: Option<&'a str>,
    /// The number of the session, whose temporary tables are its own.
    pub session: u32,
    /// The user, with the host: `root@localhost`.
    pub user: &'a str,
    /// `foreign_key_checks`.
    pub foreign_key_checks: bool,
    /// `explicit_defaults_for_timestamp`.
    pub explicit_timestamps: bool,
    /// `character_set_server` with `collation_server`: of databases that say none.
    pub server_collation: hobgoblin_sql_mysql_types::Collation,
    /// The time, in microseconds since 2000.
    pub now: i64,
    /// How values read and print.
    pub env: TypeEnv<'a>,
    /// Who binds expressions and queries.
    pub binder: &'a dyn DdlBinder,
}

impl<'a> DdlContext<'a> {
    /// The settings of the session.
    pub fn settings(&self) -> &'a Settings {
        Settings::of(&self.env)
    }
}

/// A column of a query.
#[derive(Clone, Debug)]
pub struct QueryColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The table and the column, by number less one, that it is as it stands there.
    pub origin: Option<(Oid, usize)>,
}

/// What binding tells about the expressions and queries of the schema.
pub trait DdlBinder {
    /// The columns of a query.
    fn describe_query(&self, catalog: &Catalog, query: &Query) -> Result<Vec<QueryColumn>>;
    /// Checks an expression over the columns of a table, and gives its type.
    fn describe_expr(&self, catalog: &Catalog, table: &Arc<Table>, expr: &Expr) -> Result<TypeId>;
}

/// What was done, and what is left to do.
#[derive(Clone, Debug, Default)]
pub struct DdlOutcome {
    /// What to do to rows and counters, in order.
    pub steps: Vec<DataStep>,
    /// How many rows or tables the client is told of.
    pub affected: u64,
    /// What the statement fails with after all that has been done, and stays done.
    pub late: Option<SqlError>,
}

/// What must be done to rows and counters after the catalogue has changed.
#[derive(Clone, Debug)]
pub enum DataStep {
    /// A counter gives this value next.
    SetCounter(Oid, i64),
    /// A counter gives more than the table has in its column; at least this value.
    RaiseCounter {
        /// The counter.
        sequence: Oid,
        /// The table.
        table: Oid,
        /// The column, by number less one.
        column: usize,
        /// The least.
        least: i64,
    },
    /// A new index gets its entries; a unique one finds duplicates (1062).
    BuildIndex {
        /// The table.
        table: Oid,
        /// The index.
        index: Oid,
    },
    /// The rows of a table as it was become those of the table as it is, under other keys.
    Rebuild {
        /// The table as it was.
        before: Arc<Table>,
        /// The table.
        table: Oid,
        /// For each column as it is, the number less one of the one that it was.
        from: Vec<Option<usize>>,
        /// Whether rows with a key that is there already are left out.
        ignore: bool,
        /// The columns by which the rows are sorted first, each with whether it descends.
        order: Vec<(usize, bool)>,
    },
    /// Every row must pass a CHECK (4025), or refer to something (1452).
    Validate {
        /// The table.
        table: Oid,
        /// The constraint.
        constraint: Oid,
    },
    /// The client is told how many rows the table has: a server would have copied them.
    Count(Oid),
    /// A new table gets the rows of a query.
    Fill {
        /// The table.
        table: Oid,
        /// The columns that the query gives, by number less one.
        columns: Vec<usize>,
        /// The query.
        query: Arc<Query>,
        /// What happens to a row whose key is there already.
        on_duplicate: OnDuplicate,
    },
}
