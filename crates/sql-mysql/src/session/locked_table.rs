//! What LOCK TABLES has locked.

use hobgoblin_front::Mode;
use hobgoblin_sql_value::Oid;

/// A table that LOCK TABLES named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockedTable {
    pub(super) table: Oid,
    pub(super) write: bool,
}

impl LockedTable {
    /// The lock of the store that it is.
    pub(super) fn mode(self) -> Mode {
        if self.write { Mode::AccessExclusive } else { Mode::Share }
    }
}
