//! The rows of a query's sources, side by side.
//!
//! In `FROM t, u` a tuple has a row of `t` at place 0 and one of `u` at place 1. It is filled from
//! the left while the sources are gone through, and changed in place.

use std::rc::Rc;

use super::BaseRow;
use hobgoblin_sql_value::Datum;

/// The row of one source in a tuple.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// The source has not been reached yet.
    #[default]
    Unset,
    /// A row of a table, whose cells are read when they are needed.
    Row(Rc<BaseRow>),
    /// The values of a row that is no table's, such as that of a subquery.
    Values(Rc<[Datum]>),
    /// A row of NULLs: the missing side of an outer join.
    Nulls,
}

/// The rows of all sources, each at its place.
pub type Tuple = Vec<Source>;
