//! The rows of a query's sources, side by side.

use std::rc::Rc;

use super::BaseRow;
use hobgoblin_sql_value::Datum;

/// The row of one source.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// Not there yet.
    #[default]
    Unset,
    /// A row of a table, its cells read as needed.
    Row(Rc<BaseRow>),
    /// Values.
    Values(Rc<[Datum]>),
    /// The missing side of an outer join.
    Nulls,
}

/// The rows of all sources.
pub type Tuple = Vec<Source>;
