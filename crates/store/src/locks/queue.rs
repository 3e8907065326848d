//! The one queue of those who wait, and who of them goes first.
//!
//! Who begins to wait goes behind all others, but before those that wait for an object which it holds in part, since they
//! cannot have it before it ends: a step of the queue is then no reason for a deadlock. For keys, PostgreSQL does so as
//! well; in MySQL only a lock that is made stronger goes first, and that not in all versions.
//!
//! Nobody is taken out of the queue but when it has what it waited for, or gives up.

use hobgoblin_core::SessionId;

use super::modes::{OBJECTS, ROWS};
use super::wanted::{Waiter, Wanted};
use super::{Circle, KeyWait, Locks};
use crate::keys::Keys;
use crate::lock::Lock;

impl Locks {
    /// Somebody who waits for what clashes with an object that a session wants at once or not at all, unless it has
    /// that very lock: PostgreSQL does not look whether it would come before them.
    pub(crate) fn wanted_by_another(
        &self,
        session: SessionId,
        wanted: &Wanted,
        keys: &Keys,
    ) -> Option<SessionId> {
        let Wanted::Object { object, mode, .. } = wanted else { return None };
        if self.holders_of(object).of_session(session).has(*mode as u8) {
            return None;
        }
        let mut others = self.waiting.iter().filter(|waiter| waiter.session != session);
        others.find(|waiter| waiter.wanted.clashes(wanted, keys)).map(|waiter| waiter.session)
    }

    /// The sessions that wait and go before one that asks now, even if no holder is in its way.
    pub(super) fn ahead(&self, session: SessionId, wanted: &Wanted, keys: &Keys) -> Vec<SessionId> {
        let place = self.place_of(session, wanted);
        let before = self.waiting[..place].iter().enumerate();
        let clashing = before.filter(|(_, waiter)| waiter.wanted.clashes(wanted, keys));
        let comes_first = |at: usize| match wanted {
            Wanted::Object { .. } => true,
            _ => self.fair || !self.is_blocked(at, keys),
        };
        clashing.filter(|&(at, _)| comes_first(at)).map(|(_, waiter)| waiter.session).collect()
    }

    /// The place in the queue for a session that begins to wait: behind all others, but before
    /// those that wait for something it holds itself, unless that is a key and the queue is fair.
    pub(super) fn place_of(&self, session: SessionId, wanted: &Wanted) -> usize {
        let held = match wanted {
            Wanted::Object { object, .. } => self.holders_of(object),
            Wanted::Key { key, .. } if !self.fair => self.keys.of(*key),
            Wanted::Key { key, .. } | Wanted::Next { key, .. } if self.upgrades_first => {
                self.keys.of(*key)
            }
            _ => return self.waiting.len(),
        };
        let own = held.of_session(session);
        let waits_for_it = |waiter: &Waiter| match (&waiter.wanted, wanted) {
            (Wanted::Object { object: same, mode, .. }, Wanted::Object { object, .. }) => {
                OBJECTS.any(*mode as u8, own) && same == object
            }
            (
                Wanted::Key { key: same, lock } | Wanted::Next { key: same, lock, .. },
                Wanted::Key { key, .. } | Wanted::Next { key, .. },
            ) => ROWS.any(*lock as u8, own) && same == key,
            _ => false,
        };
        self.waiting.iter().position(waits_for_it).unwrap_or(self.waiting.len())
    }

    /// Puts a session into the queue, unless that closes a circle. One that is in it keeps its
    /// place.
    pub(crate) fn wait(
        &mut self,
        session: SessionId,
        wanted: Wanted,
        keys: &Keys,
    ) -> Result<(), Circle> {
        match self.waiting.iter_mut().find(|waiter| waiter.session == session) {
            Some(waiter) => waiter.wanted = wanted,
            None => {
                if let Some(other) = self.each_holds_what_the_other_wants(session, &wanted) {
                    return Err(Circle(vec![session, other]));
                }
                let place = self.place_of(session, &wanted);
                self.waiting.insert(place, Waiter { session, wanted });
            }
        }
        if self.patient {
            return Ok(());
        }
        self.untangle(session, keys).inspect_err(|circle| {
            self.refused.clone_from(&circle.0);
            let at = self.waiting.iter().position(|waiter| waiter.session == session);
            self.asked = at.map(|at| self.waiting.remove(at).wanted);
        })
    }

    /// One who waits for an object because of what a session holds of it, while that one is about to wait for what the
    /// other holds of it: PostgreSQL refuses at once, without looking for circles.
    fn each_holds_what_the_other_wants(
        &self,
        session: SessionId,
        wanted: &Wanted,
    ) -> Option<SessionId> {
        let Wanted::Object { object, mode, .. } = wanted else { return None };
        let held_by = |session: SessionId| self.holders_of(object).of_session(session);
        let own = held_by(session);
        let first = self.waiting.iter().find(|waiter| match &waiter.wanted {
            Wanted::Object { object: same, mode, .. } => {
                same == object && OBJECTS.any(*mode as u8, own)
            }
            _ => false,
        })?;
        OBJECTS.any(*mode as u8, held_by(first.session)).then_some(first.session)
    }

    pub(crate) fn waits(&self, session: SessionId) -> bool {
        self.waiting.iter().any(|waiter| waiter.session == session)
    }

    /// The key that a session waits for, if it waits for one.
    pub(crate) fn key_wait(&self, session: SessionId, keys: &Keys) -> Option<KeyWait> {
        let waiter = self.waiting.iter().find(|waiter| waiter.session == session)?;
        let (key, lock) = waiter.wanted.key()?;
        let mut sharers = self.blockers(session, keys);
        let has = |session: SessionId, lock: Lock| self.holds(session, key, lock);
        sharers.retain(|&other| {
            let shares = has(other, Lock::Share) || has(other, Lock::KeyShare);
            shares && !has(other, Lock::NoKeyUpdate) && !has(other, Lock::Update)
        });
        let gap = matches!(waiter.wanted, Wanted::Room { .. });
        let key = keys.get(key).name.clone();
        Some(KeyWait { key, shared: lock <= Lock::Share, gap, sharers })
    }

    /// Says anew on which sessions it depends whether the snapshots are safe that are waited for.
    pub(crate) fn renew_unsure(&mut self, of: impl Fn(SessionId) -> Vec<SessionId>) {
        for Waiter { session, wanted } in &mut self.waiting {
            if let Wanted::Safe { unsure } = wanted {
                *unsure = of(*session);
            }
        }
    }

    /// Takes a session out of the queue. Returns whether it was in it.
    pub(crate) fn stop_waiting(&mut self, session: SessionId) -> bool {
        let at = self.waiting.iter().position(|waiter| waiter.session == session);
        at.map(|at| self.waiting.remove(at)).is_some()
    }

    /// The sessions in the queue that need not wait any more, in order.
    pub(crate) fn ready<'a>(&'a self, keys: &'a Keys) -> impl Iterator<Item = SessionId> + 'a {
        let free = |&at: &usize| !self.is_blocked(at, keys);
        (0..self.waiting.len()).filter(free).map(|at| self.waiting[at].session)
    }
}
