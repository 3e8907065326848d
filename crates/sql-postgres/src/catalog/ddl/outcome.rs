//! What a statement that changes the schema leaves to be done.
//!
//! The statement itself only changes a catalogue, which is a value: so it can be tried, thrown away
//! and done again. What it means for rows is listed here as steps, and the session does these once
//! the locks are taken.

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_schema::catalog::{Expression, Table};
use sqlparser::ast::Query;

use crate::error::SqlError;
use crate::syntax::Clauses;
use crate::types::Oid;

/// What a change of the schema has done, and what is left to do.
#[derive(Clone, Debug, Default)]
pub struct DdlOutcome {
    /// The command tag that the client is told, such as `CREATE TABLE`.
    pub verb: &'static str,
    /// The notices for the client, in the order in which they came up.
    pub notices: Vec<SqlError>,
    /// What is to be done to rows and counters, in order.
    pub steps: Vec<DataStep>,
}

/// What must be done to rows or counters once the catalogue has changed.
#[derive(Clone, Debug)]
pub enum DataStep {
    /// Let a new sequence begin at its start.
    StartSequence(Oid),
    /// Let a sequence give this value next.
    RestartSequence(Oid, i64),
    /// Make the entries of a new index. If it is unique, equal rows are an error (23505).
    BuildIndex {
        /// The table that the index is on.
        table: Oid,
        /// The new index.
        index: Oid,
    },
    /// Check that no row has NULL in a column (23502).
    CheckNotNull {
        /// The table that has the column.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Check that every row satisfies a CHECK (23514).
    ValidateCheck {
        /// The table whose rows are checked.
        table: Oid,
        /// The constraint with the condition.
        constraint: Oid,
    },
    /// Check that every row with a foreign key has its parent (23503).
    ValidateForeign {
        /// The table whose rows refer to others.
        table: Oid,
        /// The constraint with the foreign key.
        constraint: Oid,
    },
    /// Check that every value of a domain satisfies its checks (23514), or is not NULL (23502).
    ValidateDomain {
        /// The domain whose columns are looked for in all tables.
        domain: Oid,
        /// Whether only NULLs are looked for; otherwise only the checks.
        nulls: bool,
    },
    /// Check that every value of a column satisfies the column's domain.
    CheckDomain {
        /// The table that has the column.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Give each row its own value of a new column: its default, its next number, or what it is
    /// generated from.
    FillColumn {
        /// The table that has the column.
        table: Oid,
        /// The column, by number less one.
        column: usize,
    },
    /// Give each row a new value in a column whose type has changed.
    RewriteColumn {
        /// The table as it was, with the old type.
        before: Arc<Table>,
        /// The column, by number less one.
        column: usize,
        /// The expression over the old row that gives the value; `None` converts the old value.
        using: Option<Arc<Expression>>,
    },
    /// Put the rows of its query into a materialized view, in the place of those it has.
    Refresh {
        /// The materialized view.
        table: Oid,
        /// Its query; `None` leaves it empty (WITH NO DATA).
        query: Option<(Arc<Query>, Clauses)>,
    },
    /// Delete all keys that begin with this prefix, since their table or index is dropped.
    DropKeys(Text),
    /// Put the rows of a query into a new table (CREATE TABLE AS).
    Fill {
        /// The new table.
        table: Oid,
        /// The query that gives the rows.
        query: Arc<Query>,
        /// The clauses of the query that its syntax tree has no place for.
        clauses: Clauses,
    },
}
