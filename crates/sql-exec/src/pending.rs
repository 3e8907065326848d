//! Checks that wait.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Constraint, Table};
use hobgoblin_sql_value::{Datum, Oid};

/// A check that waits for the end of the statement or the transaction.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Pending {
    /// A row refers to these values.
    Parent { table: Arc<Table>, constraint: Arc<Constraint>, values: Vec<Datum> },
    /// A row that may be referred to by these values is gone, or has these new ones.
    Child {
        parent: Arc<Table>,
        table: Arc<Table>,
        constraint: Arc<Constraint>,
        old: Vec<Datum>,
        new: Option<Vec<Datum>>,
    },
    /// A row has these values in an index of a constraint that can be deferred.
    Unique {
        table: Arc<Table>,
        constraint: Arc<Constraint>,
        index: Oid,
        keys: Vec<Datum>,
        id: String,
    },
}

impl Pending {
    /// Of which constraint.
    pub(super) fn constraint(&self) -> &Arc<Constraint> {
        match self {
            Pending::Parent { constraint, .. }
            | Pending::Child { constraint, .. }
            | Pending::Unique { constraint, .. } => constraint,
        }
    }
}
