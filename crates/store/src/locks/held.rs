//! Who holds the locks of one key or object.

use super::modes::Modes;

/// The holders of the locks of a key or an object. Nearly always there is one.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) first: (u32, Modes),
    /// Boxed, since a transaction may hold a million locks and hardly one is shared.
    #[allow(clippy::box_collection)]
    pub(super) others: Option<Box<Vec<(u32, Modes)>>>,
}

impl Held {
    /// Held by one.
    pub(super) fn by(holder: u32, modes: Modes) -> Held {
        Held { first: (holder, modes), others: None }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Modes)> + '_ {
        std::iter::once(self.first).chain(self.others().iter().copied())
    }

    fn others(&self) -> &[(u32, Modes)] {
        self.others.as_ref().map_or(&[], |others| others)
    }

    fn others_mut(&mut self) -> &mut [(u32, Modes)] {
        self.others.as_mut().map_or(&mut [], |others| others)
    }

    pub(super) fn of(&mut self, session: u32) -> Option<&mut Modes> {
        if self.first.0 == session {
            return Some(&mut self.first.1);
        }
        let mut others = self.others_mut().iter_mut();
        others.find(|(holder, _)| *holder == session).map(|(_, modes)| modes)
    }

    /// Notes modes of a holder; whether they are new.
    pub(super) fn add(&mut self, holder: u32, modes: Modes) -> bool {
        match self.of(holder) {
            Some(own) if own.meets(modes) => return false,
            Some(own) => own.0 |= modes.0,
            None => self.others.get_or_insert_default().push((holder, modes)),
        }
        true
    }

    /// What one holder has another one has now.
    pub(super) fn rename(&mut self, from: u32, to: u32) {
        if self.first.0 == from {
            self.first.0 = to;
        }
        let others = self.others_mut().iter_mut().filter(|(holder, _)| *holder == from);
        others.for_each(|(holder, _)| *holder = to);
    }

    /// Takes modes from a holder; whether anybody is left.
    pub(super) fn remove(&mut self, holder: u32, modes: Modes) -> bool {
        let own = self.of(holder).expect("by whom it was taken");
        own.0 &= !modes.0;
        if own.0 != 0 {
            return true;
        }
        let mut others = self.others.take().unwrap_or_default();
        match self.first.0 == holder {
            true => match others.pop() {
                Some(other) => self.first = other,
                None => return false,
            },
            false => others.retain(|&(other, _)| other != holder),
        }
        self.others = (!others.is_empty()).then_some(others);
        true
    }
}
