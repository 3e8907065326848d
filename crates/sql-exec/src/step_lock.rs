//! How a scan that locks as it goes locks, see [`step`](super::step).

use hobgoblin_front::{Lock, Wait};

/// How the rows of a source are locked while it is scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLock {
    /// The lock that is taken; `None` where the store locks plain reads by itself.
    pub(super) lock: Option<Lock>,
    pub(super) wait: Wait,
    /// Whether the row is checked by the conditions before it is locked, if the scan is of rows and
    /// not of an index.
    pub(super) skims: bool,
}
