//! What the store's profile says of rows and their locks.

use hobgoblin_core::Level;
use hobgoblin_front::{Profile, Scanning};
use hobgoblin_sql_exec::Granularity;

/// What the store's profile says of rows and their locks.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How rows are kept.
    pub granularity: Granularity,
    /// The profile.
    pub profile: Profile,
    /// Whether the store is an engine's.
    pub engine: bool,
    /// Whether changes and locking reads lock what they scan.
    pub locks_scans: bool,
}

impl Rules {
    /// Those of a profile. Rows are kept whole in an engine's store, by cells in `spec`, unless said otherwise; an engine
    /// always keeps them whole.
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
