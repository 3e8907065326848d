//! What a statement that changes the schema leaves to be done.

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_schema::catalog::{Expression, Table};
use sqlparser::ast::Query;

use crate::error::SqlError;
use crate::syntax::Clauses;
use crate::types::Oid;

/// What was done, and what is left to do.
#[derive(Clone, Debug, Default)]
pub struct DdlOutcome {
    /// The command, as the client is told it.
    pub verb: &'static str,
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
