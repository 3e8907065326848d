//! Bounded staleness: the set F of commits that every transaction which has not read yet must see.
//!
//! F is all that arrived before the last fence, or longer ago than the lag, or before the last N commits.
//! Each of these is a threshold on arrival, so F is one too. It only grows.

use std::collections::VecDeque;

use hobgoblin_core::Level;

use crate::bits::Bits;
use crate::config::Config;
use crate::keys::Keys;
use crate::open::View;
use crate::sessions::Sessions;
use crate::spec::Spec;

/// Where F ends, and what follows from it.
#[derive(Debug)]
pub(crate) struct Window {
    /// How many commits outside F there may be; `None` for any number.
    size: Option<u64>,
    /// How long a commit stays outside F; `None` for ever.
    lag: Option<u64>,
    now: u64,
    /// How many commits had arrived at the last fence.
    fence: u64,
    /// F is what arrived before this.
    bound: u64,
    /// Live commits outside F, in the order they arrived.
    outside: VecDeque<u32>,
    /// The live part of F, its (so ∪ wr)⁺, its (so ∪ wr ∪ ww)⁺, its last place in the commit order.
    set: Bits,
    past: Bits,
    psi: Bits,
    pos: u64,
}

impl Window {
    pub(super) fn new(config: &Config) -> Window {
        Window {
            size: config.window.map(u64::from),
            lag: config.lag,
            now: 0,
            fence: 0,
            bound: 0,
            outside: VecDeque::new(),
            set: Bits::default(),
            past: Bits::default(),
            psi: Bits::default(),
            pos: 0,
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn arrive(&mut self, slot: u32) {
        self.outside.push_back(slot);
    }

    pub(super) fn bound_set(&self) -> &Bits {
        &self.set
    }

    /// Commits have just been ordered.
    pub(super) fn ordered(&mut self, psi: Bits, pos: u64) {
        (self.psi, self.pos) = (psi, pos);
    }

    pub(super) fn sweep(&mut self, dead: &[u64]) {
        for set in [&mut self.set, &mut self.past, &mut self.psi] {
            set.subtract(dead);
        }
    }
}

impl Spec {
    pub(crate) fn tick(&mut self, now: u64) {
        self.window.now = self.window.now.max(now);
    }

    /// Every transaction that has not read yet sees what has arrived.
    pub(crate) fn fence(&mut self) {
        self.window.fence = self.arrived;
    }

    /// A transaction reads. By its first read it is bound to see F; serializable ones are not, since
    /// they read prefixes that are no older than their begin.
    pub(crate) fn bind(
        &mut self,
        view: &mut View,
        level: Level,
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) {
        if view.bound.is_some() || level.is_serial() {
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
        self.drop_unreadable(Some(window.bound), sessions, keys);
        self.link();
    }

    /// After a commit: keeps the number of live commits down when nobody reads.
    pub(super) fn settle(&mut self, sessions: &mut Sessions, keys: &mut Keys) {
        self.advance();
        self.drop_unreadable(None, sessions, keys);
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

    /// Drops the commits at the front of the order that every transaction sees, open or to come.
    fn drop_unreadable(&mut self, reading: Option<u64>, sessions: &mut Sessions, keys: &mut Keys) {
        let droppable = |spec: &Spec, arrivals: u64, places: u64| {
            let front = spec.fixed.front().map(|&slot| &spec.slots[slot as usize]);
            front.is_some_and(|front| front.arrival < arrivals && front.pos <= places)
        };
        if !droppable(self, self.window.bound, u64::MAX) {
            return;
        }
        let mut arrivals = reading.unwrap_or(u64::MAX).min(self.window.bound);
        let mut places = u64::MAX;
        for open in sessions.opens() {
            match open.view.bound {
                Some(bound) => arrivals = arrivals.min(bound),
                None if open.level.is_serial() => places = places.min(open.view.begin),
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
            sessions.opens_mut(|open| open.view.settle(slot));
        }
    }
}
