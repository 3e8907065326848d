//! Lists of which only one order of the elements is asked for, as every list that converges has
//! [Attiya 2016, the strong list specification].
//!
//! > There is an order of all elements of a list, such that `read()` returns the visible elements that no visible
//! > `remove` removed in that order, and `add_after(a, e)` puts e directly after a among those that its replica saw:
//! > a comes before e, and every other one comes before a or after e. Who adds after an element, or removes one, has
//! > observed its add.
//!
//! The order of elements has nothing to do with the order of operations. YATA, Fugue, LSEQ and Logoot have such an
//! order, and so have growable arrays.
//!
//! Neighbours in results and anchors are edges between elements. Whether an element c that the adder saw comes before a
//! or after e is a choice, made only where an order that fits the edges puts c between them.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::StopReason;

use super::elements::{membership_of_list, present};
use super::refined::Refined;
use crate::history::{Call, CrdtHistory, Item, OpId};
use crate::search::{Fact, Model, Search};
use crate::view::View;

/// Why one element comes before another.
#[derive(Clone, Copy, Debug)]
enum Because {
    /// A read returned them so, or the second was added after the first; by this operation.
    Operation(OpId),
    /// It was chosen.
    Choice(Fact),
}

#[derive(Debug)]
pub(crate) struct State {
    /// Edges that are there in any case.
    fixed: Vec<(OpId, OpId, OpId)>,
    seen: HashSet<(OpId, OpId)>,
    /// Whether the first comes before the second, where that is a choice; the first has the smaller number.
    choices: HashMap<(OpId, OpId), Fact>,
    anchors: Vec<(OpId, Option<OpId>)>,
}

impl State {
    pub(super) fn new(history: &CrdtHistory) -> State {
        let anchors = history.ops().filter_map(|op| match history.op(op).call {
            Call::Insert { anchor, .. } => Some((op, anchor)),
            _ => None,
        });
        State {
            fixed: Vec::new(),
            seen: HashSet::new(),
            choices: HashMap::new(),
            anchors: anchors.collect(),
        }
    }

    pub(super) fn demand(&mut self, search: &mut Search<'_>, op: OpId) {
        let history = search.history;
        membership_of_list(search, op, |_| true);
        match &history.op(op).call {
            Call::Insert { anchor: Some(anchor), .. } => self.fixed.push((*anchor, op, op)),
            Call::Items(items) => {
                for pair in items.windows(2) {
                    let (Item::Added(first), Item::Added(second)) = (pair[0], pair[1]) else {
                        continue;
                    };
                    if self.seen.insert((first, second))
                        || search.because_of(op) != Fact::Known(true)
                    {
                        self.fixed.push((first, second, op));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether an element comes before another, as a choice.
    fn before(&mut self, search: &mut Search<'_>, first: OpId, second: OpId) -> Fact {
        let pair = (first.min(second), first.max(second));
        let fact = *self.choices.entry(pair).or_insert_with(|| search.new_fact());
        if pair.0 == first { fact } else { !fact }
    }

    /// An order that explains all reads and additions, or what the model forgot is added.
    pub(super) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
        model: &Model,
    ) -> Result<Refined, StopReason> {
        let history = search.history;
        let mut edges: Vec<(OpId, OpId, Because)> = Vec::new();
        for &(from, to, op) in &self.fixed {
            if view.took_place(op) && model.is(search.because_of(op)) {
                edges.push((from, to, Because::Operation(op)));
            }
        }
        let mut chosen: Vec<(&(OpId, OpId), &Fact)> = self.choices.iter().collect();
        chosen.sort_unstable_by_key(|(pair, _)| **pair);
        for (&(first, second), &fact) in chosen {
            match model.is(fact) {
                true => edges.push((first, second, Because::Choice(fact))),
                false => edges.push((second, first, Because::Choice(!fact))),
            }
        }
        search.about_nothing();
        let order = match order(history, &edges) {
            Ok(order) => order,
            Err(cycles) => {
                for cycle in cycles {
                    let mut clause = Vec::new();
                    for at in cycle {
                        match edges[at].2 {
                            Because::Operation(op) => {
                                clause.push(!search.because_of(op));
                                clause.push(!search.took_place(op));
                            }
                            Because::Choice(fact) => clause.push(!fact),
                        }
                    }
                    search.clause(clause);
                }
                return Ok(Refined::Broken);
            }
        };
        let mut rank = vec![0_u32; history.num_ops()];
        for (at, op) in order.iter().enumerate() {
            rank[op.index()] = at as u32;
        }
        let mut broken = false;
        for at in 0..self.anchors.len() {
            let (op, anchor) = self.anchors[at];
            if !view.took_place(op) {
                continue;
            }
            let start = anchor.map(|anchor| rank[anchor.index()]);
            let between = |other: &OpId| {
                let place = rank[other.index()];
                place < rank[op.index()] && start.is_none_or(|start| place > start)
            };
            for other in present(view, op).into_iter().filter(between) {
                broken = true;
                let mut clause = vec![!search.took_place(op), !search.visible(other, op)];
                for &erase in search.index.erases(other) {
                    clause.push(search.visible(erase, op));
                }
                clause.push(self.before(search, op, other));
                if let Some(anchor) = anchor {
                    clause.push(self.before(search, other, anchor));
                }
                search.clause(clause);
            }
        }
        match broken {
            true => Ok(Refined::Broken),
            false => Ok(Refined::Holds(order)),
        }
    }
}

/// The elements of all lists in an order that fits these edges, or cycles of edges.
fn order(
    history: &CrdtHistory,
    edges: &[(OpId, OpId, Because)],
) -> Result<Vec<OpId>, Vec<Vec<usize>>> {
    let n = history.num_ops();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut waiting = vec![0_u32; n];
    for (at, (from, to, _)) in edges.iter().enumerate() {
        out[from.index()].push(at);
        waiting[to.index()] += 1;
    }
    let is_element = |op: &OpId| matches!(history.op(*op).call, Call::Insert { .. });
    let elements: Vec<OpId> = history.ops().filter(is_element).collect();
    let mut ready: Vec<OpId> =
        elements.iter().rev().copied().filter(|op| waiting[op.index()] == 0).collect();
    let mut order = Vec::with_capacity(elements.len());
    while let Some(op) = ready.pop() {
        order.push(op);
        for &edge in &out[op.index()] {
            let to = edges[edge].1;
            waiting[to.index()] -= 1;
            if waiting[to.index()] == 0 {
                ready.push(to);
            }
        }
    }
    if order.len() == elements.len() {
        return Ok(order);
    }
    let mut cycles = Vec::new();
    let mut used = vec![false; edges.len()];
    for (at, &(from, to, _)) in edges.iter().enumerate() {
        if used[at] || waiting[from.index()] == 0 || waiting[to.index()] == 0 || cycles.len() > 100
        {
            continue;
        }
        let mut reached: Vec<Option<usize>> = vec![None; n];
        let mut queue = VecDeque::from([to]);
        while let Some(op) = queue.pop_front() {
            if op == from {
                break;
            }
            for &edge in &out[op.index()] {
                let next = edges[edge].1;
                if next != to && waiting[next.index()] > 0 && reached[next.index()].is_none() {
                    reached[next.index()] = Some(edge);
                    queue.push_back(next);
                }
            }
        }
        let mut cycle = vec![at];
        let mut op = from;
        while op != to {
            let Some(edge) = reached[op.index()] else { break };
            cycle.push(edge);
            op = edges[edge].0;
        }
        if op == to {
            cycle.iter().for_each(|&edge| used[edge] = true);
            cycles.push(cycle);
        }
    }
    Err(cycles)
}
