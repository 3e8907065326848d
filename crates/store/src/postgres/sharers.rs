//! Who shares versions of a key that were overwritten.
//!
//! A lock FOR KEY SHARE goes with an update that leaves the key as it is, and then both are of one version of the
//! row: PostgreSQL keeps them together in its `xmax` (src/backend/access/heap/README.tuplock, "multixact").
//! Who wants to delete that version waits for all of them, also where the update has committed and what it
//! wants will be refused. Who shares the row only after that commit is not of the version before it.
//!
//! ```text
//!     a, REPEATABLE READ: takes its snapshot
//!     b: updates the row, and is open
//!     c: FOR KEY SHARE                         of the version of the snapshot, and of b's
//!     b: commits
//!     a: deletes the row                       waits for c, and is refused then
//! ```

use hashbrown::HashMap;
use hobgoblin_core::SessionId;

use crate::ids::{KeyNo, Pos};

/// Which sessions share versions that were overwritten. For each key and session, it has the first
/// version that came while the session had locked the key, since the session shares all from then
/// on. Rows are seldom shared and updated at once.
#[derive(Debug, Default)]
pub(super) struct Sharers(HashMap<SessionId, HashMap<KeyNo, Pos>>);

impl Sharers {
    /// Notes that a session shares the version of a key that `next` came after, and all that
    /// follow.
    pub(super) fn note(&mut self, session: SessionId, key: KeyNo, next: Pos) {
        let first = self.0.entry(session).or_default().entry(key).or_insert(next);
        *first = next.min(*first);
    }

    /// The other sessions that share the version that `next` came after.
    pub(super) fn of(&self, key: KeyNo, next: Pos, session: SessionId) -> Vec<SessionId> {
        let shares =
            |keys: &HashMap<KeyNo, Pos>| keys.get(&key).is_some_and(|&first| first <= next);
        let others = self.0.iter().filter(|&(&sharer, keys)| sharer != session && shares(keys));
        others.map(|(&sharer, _)| sharer).collect()
    }

    /// Says that a session has released its locks, except on keys for which `keeps` is true.
    pub(super) fn keep(&mut self, session: SessionId, keeps: impl Fn(KeyNo) -> bool) {
        if let Some(keys) = self.0.get_mut(&session) {
            keys.retain(|&key, _| keeps(key));
        }
    }

    /// Says that a session has released all its locks.
    pub(super) fn end(&mut self, session: SessionId) {
        self.0.remove(&session);
    }

    /// Gives to one session what another shares.
    pub(super) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        if let Some(keys) = self.0.remove(&from) {
            self.0.insert(to, keys);
        }
    }
}
