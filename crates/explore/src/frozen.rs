//! The frozen core: what of a history can never change again, to cut branches without an end.
//!
//! Cutting a branch because its history already violates SI or SER loses histories: swaps start from
//! histories that violate them. But a swap never touches a read that was swapped, or that reads from
//! outside its transaction's own past (OPTIMALITY). Such a read is *frozen*, and so is all it rests on: the
//! earlier events of its transaction, and that transaction's past. When the frozen read was the last one of
//! its transaction, what follows is determined, and so is its commit. If this core alone violates the level,
//! so does every end of the branch.

use crate::branch::Branch;
use crate::compiled::{Compiled, Set, one};
use crate::filter::Item;

impl Branch {
    /// Whether the frozen core violates the levels.
    pub(crate) fn is_hopeless(&self, compiled: &Compiled<'_>) -> bool {
        let frozen = |place: usize, at: &usize| {
            let source = self.order[place].reads[*at].source;
            self.past_before(compiled, place, *at) & one(source) == 0 || self.is_swapped(place, *at)
        };
        let mut whole: Set = 0;
        let mut partly: Vec<(usize, usize)> = Vec::new();
        for (place, log) in self.order.iter().enumerate() {
            if let Some(last) = (0..log.reads.len()).rev().find(|at| frozen(place, at)) {
                whole |= self.past_before(compiled, place, last + 1);
                if last + 1 == log.reads.len() && log.done.is_some() {
                    whole |= one(log.txn);
                } else {
                    partly.push((place, last + 1));
                }
            }
        }
        if partly.is_empty() && whole == 0 {
            return false;
        }
        let of_whole = self.order.iter().filter(|log| whole & one(log.txn) != 0);
        let mut items: Vec<Item> = of_whole.map(Item::whole).collect();
        for (place, count) in partly {
            if whole & one(self.order[place].txn) == 0 {
                let mut item = Item::reads(&self.order[place], count);
                item.preds = self.past_before(compiled, place, count);
                items.push(item);
            }
        }
        !compiled.satisfies(&items)
    }
}
