//! How a scan that locks as it goes locks, see [`step`](super::step).

use hobgoblin_front::{Lock, Wait};

/// How a source is locked while it is scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLock {
    /// The lock; nothing where the store locks plain reads by itself.
    pub(super) lock: Option<Lock>,
    pub(super) wait: Wait,
    /// Whether rows are looked at before they are locked, where the scan is of rows.
    pub(super) skims: bool,
}
