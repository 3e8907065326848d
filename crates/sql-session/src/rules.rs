//! What the store's profile means for rows and their locks.

use hobgoblin_core::Level;
use hobgoblin_front::{Profile, Scanning};
use hobgoblin_sql_exec::Granularity;

/// What the store's profile means for rows and their locks, looked up once.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Whether rows are kept whole or by cells.
    pub granularity: Granularity,
    /// The profile that the store was opened with.
    pub profile: Profile,
    /// Whether the store behaves as a real engine, with locks and snapshots; otherwise it is
    /// `spec`.
    pub engine: bool,
    /// Whether changes and locking reads lock what they scan, as InnoDB's do.
    pub locks_scans: bool,
}

impl Rules {
    /// The rules of a profile. An engine's store always keeps rows whole. The store of `spec` keeps
    /// them by cells unless `granularity` says otherwise.
    pub fn new(profile: Profile, granularity: Option<Granularity>) -> Rules {
        let granularity = match (profile.has_locks(), granularity) {
            (true, _) => Granularity::Row,
            (false, given) => given.unwrap_or(Granularity::Cell),
        };
        Rules {
            granularity,
            engine: profile.has_locks(),
            locks_scans: profile.scanning(Level::RC) != Scanning::Finds,
            profile,
        }
    }
}
