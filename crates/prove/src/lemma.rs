//! What holds of every execution beyond what a few instances of it show.
//!
//! A proof looks at two or three instances among any number. Some that it rules out need a fact about the others
//! [Nagar 2018, section 6, has such facts given by the user]; these are derived from the text of the program:
//!
//! - **Constant tables.** In a table that nobody inserts into or deletes from, the rows are those there were at first.
//! - **Counters.** A column of a constant table that every change makes greater. If all who change it see who changed it before
//!   (WW ⇒ vis), its values grow along the arbitration order: each sees the value of the one just before. So
//!   whoever sees a change sees at least its value; and whoever does not see it, but sees with a transaction what that
//!   one sees, sees at most the value before it.
//! - **Witnesses.** A row that is seen was there at first, or was inserted by one that is seen. The latter is taken into the
//!   question as an instance of its own, unless it is one of those already there.

use crate::program::{ColumnId, TableId};

/// The facts of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lemmas {
    /// Tables nobody inserts into or deletes from.
    pub(crate) constant: Vec<TableId>,
    /// Columns of these that only grow.
    pub(crate) counters: Vec<(TableId, ColumnId)>,
    /// The transactions that insert into each table.
    pub(crate) inserters: Vec<Vec<usize>>,
}
