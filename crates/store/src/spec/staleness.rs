//! Binds transactions to the set F of the [`window`](super::window), and drops what nobody can read any more.

use super::Spec;
use super::view::View;
use crate::bits::Bits;
use crate::ids::Pos;
use crate::keys::Keys;

impl Spec {
    /// A transaction reads. By its first read it is bound to see F; serializable ones are not, since
    /// they read prefixes that are no older than their begin.
    pub(super) fn bind(&mut self, view: &mut View, keys: &mut Keys) {
        if view.bound.is_some() || view.level.is_serial() {
            return;
        }
        self.advance();
        let window = &self.window;
        view.bound = Some(window.bound);
        view.seen.union(window.set.words());
        view.past.union(window.set.words());
        view.past.union(window.past.words());
        if self.ordered {
            view.psi.union(window.set.words());
            view.psi.union(window.psi.words());
            view.low = view.low.max(window.pos);
        }
        self.drop_unreadable(Some(window.bound), keys);
        self.link();
    }

    /// After a commit: keeps the number of live commits down when nobody reads.
    pub(super) fn settle(&mut self, keys: &mut Keys) {
        self.advance();
        self.drop_unreadable(None, keys);
        self.link();
    }

    /// Lets F grow to where it has to be, and fixes it.
    fn advance(&mut self) {
        let window = &mut self.window;
        let mut new = Bits::default();
        let outside = window.size.map_or(0, |size| self.arrived.saturating_sub(size));
        let bound = window.fence.max(outside);
        while let Some(&slot) = window.outside.front() {
            let commit = &self.slots[slot as usize];
            let late = window.lag.is_some_and(|lag| window.now - commit.tick > lag);
            if commit.arrival >= bound && !late {
                break;
            }
            window.outside.pop_front();
            window.bound = commit.arrival + 1;
            window.set.insert(slot);
            window.past.union(self.past.row(slot));
            window.psi.union(self.psi.row(slot));
            new.insert(slot);
        }
        if !new.is_empty() {
            self.fix(&new);
            self.window.pos = self.window.pos.max(self.last_pos(&new));
        }
    }

    /// Drops the commits at the front of the order that every transaction sees, open or to come. The view of the
    /// transaction at hand is taken out; `reading` is its bound.
    fn drop_unreadable(&mut self, reading: Option<u64>, keys: &mut Keys) {
        let droppable = |spec: &Spec, arrivals: u64, places: Pos| {
            let front = spec.fixed.front().map(|&slot| &spec.slots[slot as usize]);
            front.is_some_and(|front| front.arrival < arrivals && front.pos <= places)
        };
        if !droppable(self, self.window.bound, Pos::ALL) {
            return;
        }
        let mut arrivals = reading.unwrap_or(u64::MAX).min(self.window.bound);
        let mut places = Pos::ALL;
        for view in self.views.iter() {
            match view.bound {
                Some(bound) => arrivals = arrivals.min(bound),
                None if view.level.is_serial() => places = places.min(view.begin),
                None => {}
            }
        }
        while droppable(self, arrivals, places) {
            let slot = self.fixed.pop_front().expect("there is a front");
            self.fixed_set.remove(slot);
            self.live.remove(slot);
            self.dead.insert(slot);
            for key in std::mem::take(&mut self.slots[slot as usize].keys) {
                keys.settle(key, slot);
            }
            self.views.iter_mut().for_each(|view| view.settle(slot));
        }
    }
}
