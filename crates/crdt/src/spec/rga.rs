//! Replicated growable arrays.
//!
//! Elements are a tree: each hangs below the one it was added after, or below the beginning.
//!
//! > There is an order of all adds that contains happens-before, and `read()` returns the visible elements that no
//! > visible `remove` removed, depth first; of two added after the same element, the one added later comes first.
//! > Who adds after an element, or removes one, has observed its add.
//!
//! An element may be added after one that was removed, unless `strict_anchor` forbids it. The thesis's RETVLRGA lets a
//! read return what it saw removed (erratum E6), and LINRGA leaves out that an element comes after the one it was
//! added after (E7).
//!
//! Two neighbours in a result either hang below one another, or they show which of two siblings was added later. That
//! is a demand of the order; neighbours are enough, since depth first is one order for all. If every element is removed
//! at most once, what a read did not return although it saw the add says that it saw the remove, which is Horn; with
//! several removes one has to choose (E8).

use hashbrown::HashSet;
use hobgoblin_core::StopReason;

use super::elements::membership_of_list;
use super::lww::{groups, updates};
use super::refined::Refined;
use super::tree::{Related, Tree};
use crate::arbitration::{self, Demand, Step};
use crate::history::{Call, CrdtHistory, Item, OpId};
use crate::search::{Fact, Search};
use crate::view::View;

#[derive(Debug)]
pub(crate) struct State {
    tree: Tree,
    /// What reads demand of the order, and which read does.
    demands: Vec<Demand>,
    readers: Vec<OpId>,
    seen: HashSet<Demand>,
}

impl State {
    pub(super) fn new(history: &CrdtHistory) -> State {
        State {
            tree: Tree::new(history),
            demands: Vec::new(),
            readers: Vec::new(),
            seen: HashSet::new(),
        }
    }

    pub(super) fn demand(&mut self, search: &mut Search<'_>, op: OpId) {
        let history = search.history;
        membership_of_list(search, op, |added| !self.tree.is_circular(added));
        let Call::Items(items) = &history.op(op).call else { return };
        for pair in items.windows(2) {
            let (Item::Added(first), Item::Added(second)) = (pair[0], pair[1]) else { continue };
            if first == second || self.tree.is_circular(first) || self.tree.is_circular(second) {
                continue;
            }
            match self.tree.related(first, second) {
                Related::Above => {}
                Related::Below => search.clause([]),
                Related::Beside(first, second) => {
                    let demand = (second, first);
                    // Which read is to blame matters only where reads may be taken away.
                    if self.seen.insert(demand) || search.because_of(op) != Fact::Known(true) {
                        self.demands.push(demand);
                        self.readers.push(op);
                    }
                }
            }
        }
    }

    /// An order that explains all reads, or what the model forgot is added.
    pub(super) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
    ) -> Result<Refined, StopReason> {
        let mut broken = false;
        let mut orders = Vec::new();
        for group in groups(view, &self.demands) {
            let part: Vec<Demand> = group.iter().map(|&at| self.demands[at]).collect();
            match arbitration::order(view, &part) {
                Ok(order) => orders.push(order),
                Err(cycles) => {
                    broken = true;
                    for cycle in cycles {
                        let mut clause = Vec::new();
                        for step in cycle {
                            clause.push(match step {
                                Step::Observed(op, by) => !search.observed(op, by),
                                Step::Demand(at) => !search.because_of(self.readers[group[at]]),
                            });
                        }
                        search.about_nothing();
                        search.clause(clause);
                    }
                }
            }
        }
        match broken {
            true => Ok(Refined::Broken),
            false => Ok(Refined::Holds(updates(view, orders))),
        }
    }
}
