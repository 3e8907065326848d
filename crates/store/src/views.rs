//! What a profile knows of each open transaction, by session.

use hobgoblin_core::SessionId;

/// The views of the open transactions, at most one for each session. They lie next to each other,
/// so that going through them costs as much as there are, however many sessions there have been.
#[derive(Debug)]
pub(crate) struct Views<V> {
    open: Vec<(SessionId, V)>,
    /// For each session, the place of its view in `open`.
    places: Vec<u32>,
}

/// Stands in `places` for a session without an open transaction.
const NOWHERE: u32 = u32::MAX;

impl<V> Default for Views<V> {
    fn default() -> Views<V> {
        Views { open: Vec::new(), places: Vec::new() }
    }
}

impl<V> Views<V> {
    #[inline]
    fn place(&self, session: SessionId) -> usize {
        let place = self.places[session.index()];
        debug_assert_ne!(place, NOWHERE, "the session has a transaction open");
        place as usize
    }

    #[inline]
    pub(crate) fn get(&self, session: SessionId) -> &V {
        &self.open[self.place(session)].1
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, session: SessionId) -> &mut V {
        let place = self.place(session);
        &mut self.open[place].1
    }

    /// Adds the view of a session that has none.
    pub(crate) fn put(&mut self, session: SessionId, view: V) {
        let at = session.index();
        if self.places.len() <= at {
            self.places.resize(at + 1, NOWHERE);
        }
        debug_assert_eq!(self.places[at], NOWHERE, "a session has one transaction open");
        self.places[at] = self.open.len() as u32;
        self.open.push((session, view));
    }

    /// Takes a view out, because its transaction ends or is to be changed beside all others.
    pub(crate) fn take(&mut self, session: SessionId) -> V {
        let place = self.place(session);
        self.places[session.index()] = NOWHERE;
        let (_, view) = self.open.swap_remove(place);
        if let Some(&(moved, _)) = self.open.get(place) {
            self.places[moved.index()] = place as u32;
        }
        view
    }

    /// All views, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &V> {
        self.open.iter().map(|(_, view)| view)
    }

    /// All views, in no order, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.open.iter_mut().map(|(_, view)| view)
    }

    /// The views of other sessions, in no order.
    pub(crate) fn others(&self, session: SessionId) -> impl Iterator<Item = &V> {
        let others = self.open.iter().filter(move |(other, _)| *other != session);
        others.map(|(_, view)| view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_found_whatever_was_taken() {
        let mut views = Views::default();
        let s = SessionId::new;
        (0..5).for_each(|at| views.put(s(at), at * 10));
        assert_eq!(views.take(s(1)), 10);
        assert_eq!(views.take(s(4)), 40);
        views.put(s(7), 70);
        *views.get_mut(s(0)) += 1;
        let found = [0, 2, 3, 7].map(|at| *views.get(s(at)));
        assert_eq!(found, [1, 20, 30, 70]);
        assert_eq!((views.iter().count(), views.others(s(3)).sum::<usize>()), (4, 91));
    }
}
