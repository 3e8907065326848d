//! Giving locks back: at the end of a transaction, at a rollback past the point where they were taken, one that a session
//! itself holds when it says so, and from one session to another when a prepared transaction goes on alone.

use hobgoblin_core::{Key, SessionId};

use super::Locks;
use super::held::{HeldKeys, Holder};
use super::modes::Modes;
use super::taken::{Standing, Taken};
use crate::ids::KeyNo;
use crate::lock::Mode;

/// Memory for so many locks is kept however few there are.
const MANY: usize = 4096;

impl Locks {
    /// How much a session has taken so far, to be passed to [`Locks::release_to`].
    pub(crate) fn mark(&mut self, session: SessionId) -> usize {
        let Some(took) = self.taken.get_mut(session.index()) else { return 0 };
        took.marked = took.all.len();
        took.marked
    }

    /// Releases what a session took after a mark.
    pub(crate) fn release_to(&mut self, session: SessionId, mark: usize) {
        while let Some(took) = self.taken.get_mut(session.index()).filter(|t| t.all.len() > mark) {
            match took.all.pop() {
                Some(Taken::Gap) => self.gaps.free_last(session),
                Some(Taken::Key(key, modes)) => {
                    self.keys.remove(Holder::transaction(session), key, modes)
                }
                Some(Taken::Object) => {
                    let (object, mode) = took.objects.pop().expect("an object that was taken");
                    self.free(Holder::transaction(session), &object, mode);
                }
                None => {}
            }
        }
    }

    /// Releases the keys that a session took after a mark and that are no records any more.
    pub(crate) fn release_keys(
        &mut self,
        session: SessionId,
        mark: usize,
        gone: impl Fn(KeyNo) -> bool,
    ) {
        let Some(took) = self.taken.get_mut(session.index()) else { return };
        let mut released = Vec::new();
        let mut at = 0;
        took.all.retain(|taken| {
            at += 1;
            match *taken {
                Taken::Key(key, modes) if at > mark && gone(key) => {
                    released.push((key, modes));
                    false
                }
                _ => true,
            }
        });
        for (key, modes) in released {
            self.keys.remove(Holder::transaction(session), key, modes);
        }
    }

    fn free(&mut self, holder: Holder, object: &Key, mode: Mode) {
        let held = self.objects.get_mut(object).expect("a lock that was taken is held");
        if !held.remove(holder, Modes::of(mode as u8)) {
            self.objects.remove(object);
        }
    }

    /// Releases once a lock that the session itself holds. Returns whether it held it.
    pub(crate) fn let_go(&mut self, session: SessionId, object: &Key, mode: Mode) -> bool {
        let held = self.standing.iter().position(|held| held.is(session, object, mode));
        let Some(at) = held else { return false };
        self.standing[at].count -= 1;
        if self.standing[at].count == 0 {
            self.standing.remove(at);
            self.free(Holder::standing(session), object, mode);
        }
        true
    }

    /// Releases all locks that the session itself holds.
    pub(crate) fn let_go_all(&mut self, session: SessionId) {
        while let Some(at) = self.standing.iter().position(|held| held.session == session) {
            let Standing { object, mode, .. } = self.standing.remove(at);
            self.free(Holder::standing(session), &object, mode);
        }
    }

    /// Gives what a session's transaction took to another session, which has nothing.
    pub(crate) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        let Some(took) = self.taken.get_mut(from.index()).map(std::mem::take) else { return };
        let (held_by, goes_to) = (Holder::transaction(from), Holder::transaction(to));
        for taken in &took.all {
            let Taken::Key(key, _) = taken else { continue };
            self.keys.rename(*key, held_by, goes_to);
        }
        for (object, _) in &took.objects {
            if let Some(held) = self.objects.get_mut(object) {
                held.rename(held_by, goes_to);
            }
        }
        self.gaps.hand_over(from, to);
        took.all.into_iter().for_each(|taken| self.note(to, taken));
        if !took.objects.is_empty() {
            self.taken[to.index()].objects.extend(took.objects);
        }
    }

    /// Releases all that a session's transaction holds, and takes the session out of the queue.
    pub(crate) fn release(&mut self, session: SessionId) {
        self.stop_waiting(session);
        let took = self.taken.get(session.index());
        if took.is_some_and(|took| took.all.len() > MANY) && self.is_alone(session) {
            self.keys = HeldKeys::default();
            self.taken[session.index()].all.retain(|taken| !matches!(taken, Taken::Key(..)));
        }
        self.release_to(session, 0);
        if let Some(took) = self.taken.get_mut(session.index()) {
            (took.marked, took.waited) = (0, 0);
            // A transaction that locked a million keys leaves no room for as many.
            took.all.shrink_to(MANY);
        }
        self.keys.shrink(MANY);
    }

    /// Whether no other session's transaction holds anything.
    fn is_alone(&self, session: SessionId) -> bool {
        let mut others = self.taken.iter().enumerate().filter(|(at, _)| *at != session.index());
        others.all(|(_, took)| took.all.is_empty())
    }
}
