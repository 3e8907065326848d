//! What is lost when a transaction is undone, as InnoDB weighs the transactions of a deadlock.
//!
//! InnoDB ends the lightest one: that with the fewest rows changed and locks taken together, and at a tie the one that asked
//! last. A lock there is a bitmap: all records of one page that are locked alike are one. Here what is locked alike of one
//! table or index counts once, and a row that was inserted needs no lock of its own.

use hashbrown::HashSet;
use hobgoblin_core::{Key, SessionId};

use super::{Locks, Taken};
use crate::keys::Keys;
use crate::locks::modes::Modes;
use crate::lock::Lock;
use crate::range::index_of;

impl Locks {
    /// Which session of the circle that was refused last is to be undone; `changed` tells how many rows a session's
    /// transaction has changed. Only where queues are fair it may be another one than who asked.
    pub(crate) fn victim(
        &self,
        asker: SessionId,
        changed: impl Fn(SessionId) -> usize,
        keys: &Keys,
    ) -> SessionId {
        if !self.fair {
            return asker;
        }
        let weight = |session: SessionId| changed(session) + self.kinds(session, keys);
        let others = self.refused.iter().filter(|&&session| session != asker);
        let lightest = others.map(|&session| (weight(session), session)).min();
        match lightest {
            Some((least, session)) if least < weight(asker) => session,
            _ => asker,
        }
    }

    /// How many kinds of locks a session has: on tables and indexes as such, on their keys, and on gaps.
    fn kinds(&self, session: SessionId, keys: &Keys) -> usize {
        let Some(took) = self.taken.get(session.index()) else { return 0 };
        let mut kinds: HashSet<(&str, u16)> = HashSet::new();
        const TABLE: u16 = 1 << 8;
        let locks = Modes::of(Lock::Share as u8).0 | Modes::of(Lock::Update as u8).0;
        for taken in &took.all {
            let Taken::Key(key, modes) = *taken else { continue };
            let state = keys.get(key);
            let Key::Text(name) = &state.name else { continue };
            let (index, modes) = (index_of(name), modes.0 & locks);
            kinds.insert((index, modes | TABLE));
            if !state.newest().value.is_null() {
                kinds.insert((index, modes));
            }
        }
        let gaps = self.gaps.iter().filter(|(holder, _)| *holder == session);
        kinds.len() + gaps.count()
    }
}
