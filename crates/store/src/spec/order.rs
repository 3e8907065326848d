//! The commit order: where a commit goes, and which commits have their place for good.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use hashbrown::HashMap;
use hobgoblin_core::sort_by;

use super::view::View;
use super::{Slot, Spec};
use crate::bits::{Bits, contains};
use crate::ids::{KeyNo, Pos};
use crate::keys::Keys;

impl Spec {
    /// A free slot, made if there is none.
    pub(super) fn slot(&mut self, view: &mut View) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        if self.dead.len() * 4 >= self.slots.len().max(1) {
            self.sweep(view);
        } else {
            let (old, new) = (self.slots.len(), (self.slots.len() * 2).max(64));
            self.slots.resize_with(new, Slot::default);
            for table in [&mut self.past, &mut self.psi, &mut self.before] {
                table.grow(new);
            }
            self.free.extend((old as u32..new as u32).rev());
        }
        self.free.pop().expect("room was made")
    }

    /// Clears the bits of dropped commits everywhere, so that their slots can be used again. Until then
    /// they do no harm: no key has them among its writers.
    fn sweep(&mut self, view: &mut View) {
        let dead = mem::take(&mut self.dead);
        for table in [&mut self.past, &mut self.psi, &mut self.before] {
            table.subtract(dead.words());
        }
        view.sweep(dead.words());
        self.views.iter_mut().for_each(|view| view.sweep(dead.words()));
        self.seen.iter_mut().flatten().for_each(|seen| seen.sweep(dead.words()));
        self.window.sweep(dead.words());
        self.free.extend(dead.iter());
    }

    /// Gives a commit its slot and its place among the others.
    pub(super) fn insert(&mut self, view: &mut View, slot: u32, written: &[KeyNo], keys: &Keys) {
        let tick = self.window.now();
        let arrival = self.arrived;
        self.slots[slot as usize] = Slot { arrival, pos: Pos::START, tick, keys: Vec::new() };
        self.arrived += 1;
        if self.ordered {
            for last in written.iter().filter_map(|&key| keys.get(key).versions().last()) {
                view.psi.insert(last.slot);
                view.psi.union(self.psi.row(last.slot));
            }
        }
        self.past.set(slot, view.past.words());
        self.psi.set(slot, view.psi.words());
        let mut before = Bits::default();
        if self.ordered {
            before.copy(self.live.words());
        } else {
            before.copy(view.past.words());
            for pred in view.preds.iter().filter(|&pred| self.live.contains(pred)) {
                before.union(self.before.row(pred));
            }
            before.union(self.fixed_set.words());
            before.intersect(self.live.words());
        }
        self.before.set(slot, before.words());
        self.live.insert(slot);
        self.window.arrive(slot);
        if self.ordered {
            self.positions = self.positions.next();
            self.slots[slot as usize].pos = self.positions;
            self.fixed.push_back(slot);
            self.fixed_set.insert(slot);
        }
    }

    /// Commits none of which is fixed yet, in an order the edges allow, by arrival where they can.
    pub(super) fn linear_extension(&self, set: &Bits) -> Vec<u32> {
        let mut waits: Vec<(u32, usize)> = Vec::new();
        let mut free = BinaryHeap::new();
        for slot in set.iter() {
            let mut before = set.clone();
            before.intersect(self.before.row(slot));
            match before.len() {
                0 => free.push(Reverse((self.slots[slot as usize].arrival, slot))),
                n => waits.push((slot, n)),
            }
        }
        let mut order = Vec::new();
        while let Some(Reverse((_, slot))) = free.pop() {
            order.push(slot);
            waits.retain_mut(|(next, count)| {
                let next = *next;
                *count -= usize::from(contains(self.before.row(next), slot));
                if *count == 0 {
                    free.push(Reverse((self.slots[next as usize].arrival, next)));
                }
                *count > 0
            });
        }
        debug_assert_eq!(order.len(), set.len(), "the forced edges have no cycle");
        order
    }

    /// Makes commits, with all that must precede them, the next of the fixed prefix.
    pub(super) fn fix(&mut self, wanted: &Bits) {
        let mut set = wanted.clone();
        for slot in wanted.iter() {
            set.union(self.before.row(slot));
        }
        set.intersect(self.live.words());
        set.subtract(self.fixed_set.words());
        for slot in self.linear_extension(&set) {
            self.positions = self.positions.next();
            self.slots[slot as usize].pos = self.positions;
            self.fixed.push_back(slot);
            self.fixed_set.insert(slot);
            self.unlinked += 1;
        }
    }

    /// Lets what was fixed precede all that was not. Commits are mostly dropped as soon as they are
    /// fixed, so this is left for those that stay.
    pub(super) fn link(&mut self) {
        let new = self.unlinked.min(self.fixed.len());
        for at in self.fixed.len() - new..self.fixed.len() {
            let slot = self.fixed[at];
            let mut later = self.live.clone();
            later.subtract(self.fixed_set.words());
            for later in later.iter().chain(self.fixed.iter().skip(at + 1).copied()) {
                self.before.insert(later, slot);
            }
        }
        self.unlinked = 0;
    }

    /// From here on every commit has its place at once: those so far in an order the edges allow.
    pub(super) fn order_all(&mut self, keys: &mut Keys) {
        let live = self.live.clone();
        self.fix(&live);
        self.link();
        self.ordered = true;
        let all: Vec<KeyNo> = keys.all().collect();
        for key in all {
            let state = keys.get_mut(key);
            for version in state.versions_mut() {
                version.version.pos = self.slots[version.slot as usize].pos;
            }
            sort_by(state.versions_mut(), |a, b| a.version.pos.cmp(&b.version.pos));
        }
        // Along the order every commit's past has its own past already.
        let mut last: HashMap<KeyNo, u32> = HashMap::new();
        for at in 0..self.fixed.len() {
            let slot = self.fixed[at];
            let mut psi = Bits::default();
            psi.copy(self.past.row(slot));
            for &key in &self.slots[slot as usize].keys {
                if let Some(writer) = last.insert(key, slot) {
                    psi.insert(writer);
                }
            }
            self.close(&mut psi);
            self.psi.set(slot, psi.words());
        }
        let (mut seen, mut views) = (mem::take(&mut self.seen), mem::take(&mut self.views));
        for seen in seen.iter_mut().flatten() {
            seen.psi.copy(seen.past.words());
            self.close(&mut seen.psi);
            seen.last = self.last_pos(&seen.past);
        }
        for view in views.iter_mut() {
            view.psi.copy(view.past.words());
            self.close(&mut view.psi);
        }
        (self.seen, self.views) = (seen, views);
        let mut psi = self.window.bound_set().clone();
        self.close(&mut psi);
        let pos = self.last_pos(self.window.bound_set());
        self.window.ordered(psi, pos);
    }

    /// Adds to a set the (so ∪ wr ∪ ww)⁺ of its members.
    fn close(&self, set: &mut Bits) {
        for slot in set.clone().iter() {
            if self.live.contains(slot) {
                set.union(self.psi.row(slot));
            }
        }
    }

    /// The last place in the commit order of some commits; 0 for none.
    pub(super) fn last_pos(&self, set: &Bits) -> Pos {
        let mut last = Pos::START;
        for slot in set.iter() {
            if self.live.contains(slot) {
                last = last.max(self.slots[slot as usize].pos);
            }
        }
        last
    }
}
