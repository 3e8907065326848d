//! Checks that are made later than the row is written: at the end of the statement, or of the
//! transaction.

use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{Constraint, Table};
use hobgoblin_sql_value::{Datum, Oid};

/// A check that is to be made later. It has values and not rows, since these may change until then.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Pending {
    /// A row has these values in a foreign key, so their parent must be there.
    Parent { table: Arc<Table>, constraint: Arc<Constraint>, values: Vec<Datum> },
    /// A row with these values is gone or has others now (`new`), so no child may be left with
    /// them.
    Child {
        parent: Arc<Table>,
        table: Arc<Table>,
        constraint: Arc<Constraint>,
        old: Vec<Datum>,
        new: Option<Vec<Datum>>,
    },
    /// A row has these values in the index of a deferrable constraint, so no other row may have
    /// them.
    Unique {
        table: Arc<Table>,
        constraint: Arc<Constraint>,
        index: Oid,
        keys: Vec<Datum>,
        id: String,
    },
}

impl Pending {
    /// The constraint that the check is for.
    pub(super) fn constraint(&self) -> &Arc<Constraint> {
        match self {
            Pending::Parent { constraint, .. }
            | Pending::Child { constraint, .. }
            | Pending::Unique { constraint, .. } => constraint,
        }
    }
}
