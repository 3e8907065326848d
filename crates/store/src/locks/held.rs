//! Who holds the locks of keys, and of one object.

use std::slice;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use hobgoblin_core::SessionId;

use super::modes::Modes;
use crate::ids::KeyNo;

/// Who holds a lock: the transaction of a session, or the session itself for as long as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holder(u32);

impl Holder {
    /// Set in the number of a session that holds a lock itself. No session has so high a number.
    const STANDING: u32 = 1 << 31;

    /// The transaction of a session as a holder.
    pub(super) fn transaction(session: SessionId) -> Holder {
        Holder(session.raw())
    }

    /// The session itself as a holder.
    pub(super) fn standing(session: SessionId) -> Holder {
        Holder(session.raw() | Holder::STANDING)
    }

    /// The session that the holder is, or whose transaction it is.
    pub(super) fn session(self) -> SessionId {
        SessionId::new((self.0 & !Holder::STANDING) as usize)
    }
}

/// The holders of one lock. Nearly always there is one.
#[derive(Debug)]
pub(super) struct Held {
    first: (Holder, Modes),
    others: Vec<(Holder, Modes)>,
}

/// The holders of a lock, one after the other. They are asked for in so many ways that a chain of the standard library's
/// iterators is a tenth of the code of this crate.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders<'h> {
    first: Option<(Holder, Modes)>,
    others: slice::Iter<'h, (Holder, Modes)>,
}

impl Iterator for Holders<'_> {
    type Item = (Holder, Modes);

    #[inline]
    fn next(&mut self) -> Option<(Holder, Modes)> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.others.next().copied(),
        }
    }
}

impl Holders<'_> {
    /// What a session holds, by its transaction and by itself together.
    pub(super) fn of_session(self, session: SessionId) -> Modes {
        let mut own = 0;
        for (holder, modes) in self {
            if holder.session() == session {
                own |= modes.0;
            }
        }
        Modes(own)
    }
}

impl Held {
    /// A lock with one holder.
    pub(super) fn by(holder: Holder, modes: Modes) -> Held {
        Held { first: (holder, modes), others: Vec::new() }
    }

    pub(super) fn iter(&self) -> Holders<'_> {
        Holders { first: Some(self.first), others: self.others.iter() }
    }

    fn of(&mut self, holder: Holder) -> Option<&mut Modes> {
        if self.first.0 == holder {
            return Some(&mut self.first.1);
        }
        let mut others = self.others.iter_mut();
        others.find(|(other, _)| *other == holder).map(|(_, modes)| modes)
    }

    /// Gives modes to a holder. Returns whether some of them are new.
    pub(super) fn add(&mut self, holder: Holder, modes: Modes) -> bool {
        match self.of(holder) {
            Some(own) => return own.add(modes),
            None => self.others.push((holder, modes)),
        }
        true
    }

    /// Gives to one holder what another has.
    pub(super) fn rename(&mut self, from: Holder, to: Holder) {
        let all = std::iter::once(&mut self.first).chain(&mut self.others);
        all.filter(|(holder, _)| *holder == from).for_each(|(holder, _)| *holder = to);
    }

    /// Takes modes from a holder. Returns whether anyone holds the lock still.
    pub(super) fn remove(&mut self, holder: Holder, modes: Modes) -> bool {
        let own = self.of(holder).expect("by whom it was taken");
        own.0 &= !modes.0;
        if own.0 != 0 {
            return true;
        }
        match self.first.0 == holder {
            true => match self.others.pop() {
                Some(other) => self.first = other,
                None => return false,
            },
            false => self.others.retain(|&(other, _)| other != holder),
        }
        true
    }
}

/// The holders of the locks of keys. A transaction may lock a million keys, of which hardly one is shared.
#[derive(Debug, Default)]
pub(super) struct HeldKeys {
    /// The keys that have one holder.
    single: HashMap<KeyNo, (Holder, Modes)>,
    /// The keys that several had locked at once, as long as anyone has.
    shared: HashMap<KeyNo, Held>,
}

impl HeldKeys {
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.shared.is_empty()
    }

    /// All holders of a key.
    pub(super) fn of(&self, key: KeyNo) -> Holders<'_> {
        match self.single.get(&key) {
            // Nobody is in both.
            Some(&single) => Holders { first: Some(single), ..Holders::default() },
            None => self.shared(key),
        }
    }

    /// The holders of a key if it is among `shared`; otherwise none.
    pub(super) fn shared(&self, key: KeyNo) -> Holders<'_> {
        match self.shared.get(&key) {
            Some(held) => held.iter(),
            None => Holders::default(),
        }
    }

    /// Gives modes to a session if no one holds the key. Returns whether it did.
    pub(super) fn take_free(&mut self, holder: Holder, key: KeyNo, modes: Modes) -> bool {
        if self.shared.contains_key(&key) {
            return false;
        }
        match self.single.entry(key) {
            Entry::Vacant(free) => {
                free.insert((holder, modes));
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// What a session holds of a key that no other holds.
    pub(super) fn alone(&mut self, holder: Holder, key: KeyNo) -> Option<&mut Modes> {
        let (single, modes) = self.single.get_mut(&key)?;
        (*single == holder).then_some(modes)
    }

    /// Gives modes of a key to a session. Returns whether some of them are new.
    pub(super) fn add(&mut self, holder: Holder, key: KeyNo, modes: Modes) -> bool {
        if let Some(held) = self.shared.get_mut(&key) {
            return held.add(holder, modes);
        }
        match self.single.entry(key) {
            Entry::Vacant(free) => {
                free.insert((holder, modes));
                true
            }
            Entry::Occupied(mut held) if held.get().0 == holder => held.get_mut().1.add(modes),
            Entry::Occupied(held) => {
                let (first, own) = held.remove();
                let mut held = Held::by(first, own);
                held.add(holder, modes);
                self.shared.insert(key, held);
                true
            }
        }
    }

    /// Gives to one session what another has of a key.
    pub(super) fn rename(&mut self, key: KeyNo, from: Holder, to: Holder) {
        if let Some((holder, _)) = self.single.get_mut(&key).filter(|(holder, _)| *holder == from) {
            *holder = to;
        }
        if let Some(held) = self.shared.get_mut(&key) {
            held.rename(from, to);
        }
    }

    /// Takes modes from a session.
    pub(super) fn remove(&mut self, holder: Holder, key: KeyNo, modes: Modes) {
        match self.alone(holder, key) {
            Some(own) => {
                own.0 &= !modes.0;
                if own.0 == 0 {
                    self.single.remove(&key);
                }
            }
            None => {
                let held = self.shared.get_mut(&key).expect("a lock that was taken is held");
                if !held.remove(holder, modes) {
                    self.shared.remove(&key);
                }
            }
        }
    }

    /// Gives memory back when much more is reserved than used.
    pub(super) fn shrink(&mut self, many: usize) {
        if self.single.capacity() > many && self.single.len() < self.single.capacity() / 8 {
            self.single.shrink_to_fit();
        }
    }
}
