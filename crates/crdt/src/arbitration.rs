//! The order that decides among concurrent updates: it contains happens-before, and what reads demand of it.
//!
//! A demand is an edge between two updates. Together with happens-before they must have no cycle; then any order that
//! fits them all will do.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::history::OpId;
use crate::view::View;

/// A demand: the first comes before the second.
pub(crate) type Demand = (OpId, OpId);

/// A step of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The second observed the first, on whatever way.
    Observed(OpId, OpId),
    /// The demand of this number.
    Demand(usize),
}

/// How many cycles are told at once.
const MOST_CYCLES: usize = 50;

/// An order of all operations that fits everything, or cycles that keep it from existing.
pub(crate) fn order(view: View<'_>, demands: &[Demand]) -> Result<Vec<OpId>, Vec<Vec<Step>>> {
    let n = view.history.num_ops();
    let graph = Edges::new(view, demands);
    let mut waiting = vec![0_u32; n];
    for op in 0..n as u32 {
        graph.successors(op, |to, _| waiting[to as usize] += 1);
    }
    // Of several that may be next, the one that was probably first: replicas go on at about an even pace.
    let moment = |op: u32| Reverse((view.history.moment(OpId(op)), op));
    let first = (0..n as u32).filter(|&op| waiting[op as usize] == 0);
    let mut ready: BinaryHeap<Reverse<(u64, u32)>> = first.map(moment).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse((_, op))) = ready.pop() {
        order.push(OpId(op));
        graph.successors(op, |to, _| {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                ready.push(moment(to));
            }
        });
    }
    if order.len() == n {
        return Ok(order);
    }
    let mut cycles: Vec<Vec<Step>> = Vec::new();
    for number in graph.demands_on_cycles(&waiting) {
        if cycles.len() == MOST_CYCLES {
            break;
        }
        let told = cycles.iter().flatten().any(|step| *step == Step::Demand(number));
        let (from, to) = demands[number];
        if !told && let Some(cycle) = graph.cycle(number, from, to, &waiting) {
            cycles.push(cycle);
        }
    }
    debug_assert!(!cycles.is_empty(), "happens-before has no cycle, so a demand is on each");
    Err(cycles)
}

/// Happens-before and the demands, as edges.
struct Edges<'a> {
    view: View<'a>,
    /// Who observed an operation as the last of its replica that it knew, without its predecessor having done so.
    observers: Vec<Vec<u32>>,
    demanded: Vec<Vec<(u32, usize)>>,
}

impl<'a> Edges<'a> {
    fn new(view: View<'a>, demands: &[Demand]) -> Edges<'a> {
        let history = view.history;
        let n = history.num_ops();
        let mut observers = vec![Vec::new(); n];
        for replica in history.replicas() {
            let mut before = vec![0; history.num_replicas()];
            for op in history.ops_of(replica) {
                for of in history.replicas().filter(|&of| of != replica) {
                    let seen = view.seen(op, of);
                    if seen > before[of.index()] {
                        observers[history.op_at(of, seen - 1).index()].push(op.0);
                        before[of.index()] = seen;
                    }
                }
            }
        }
        let mut demanded = vec![Vec::new(); n];
        for (number, &(from, to)) in demands.iter().enumerate() {
            demanded[from.index()].push((to.0, number));
        }
        Edges { view, observers, demanded }
    }

    /// Hands over who comes after an operation, and by which demand.
    fn successors(&self, op: u32, mut each: impl FnMut(u32, Option<usize>)) {
        let history = self.view.history;
        let id = OpId(op);
        if history.position(id) + 1 < history.len_of(history.op(id).replica) {
            each(op + 1, None);
        }
        for &observer in &self.observers[op as usize] {
            each(observer, None);
        }
        for &(to, number) in &self.demanded[op as usize] {
            each(to, Some(number));
        }
    }

    /// Demands that lie on cycles, which those who still wait have among them: each of them waits for another, so who
    /// goes from one to the one it waits for comes round.
    fn demands_on_cycles(&self, waiting: &[u32]) -> Vec<usize> {
        let mut waits_for: Vec<Option<(u32, Option<usize>)>> = vec![None; waiting.len()];
        for op in (0..waiting.len() as u32).filter(|&op| waiting[op as usize] > 0) {
            self.successors(op, |to, demand| {
                let known = &mut waits_for[to as usize];
                // Another demand each time, where there is one, leads to more cycles.
                if known.is_none() || demand.is_some() {
                    *known = Some((op, demand));
                }
            });
        }
        let mut met = vec![0_u32; waiting.len()];
        let mut found = Vec::new();
        for start in (0..waiting.len() as u32).filter(|&op| waiting[op as usize] > 0) {
            let round = start + 1;
            let mut at = start;
            while met[at as usize] == 0 {
                met[at as usize] = round;
                let Some((before, _)) = waits_for[at as usize] else { break };
                at = before;
            }
            if met[at as usize] != round {
                continue;
            }
            let first = at;
            while let Some((before, demand)) = waits_for[at as usize] {
                if let Some(demand) = demand {
                    found.push(demand);
                    break;
                }
                at = before;
                if at == first {
                    break;
                }
            }
        }
        found
    }

    /// A cycle through a demand with as few others as possible, if there is one.
    fn cycle(&self, number: usize, from: OpId, to: OpId, waiting: &[u32]) -> Option<Vec<Step>> {
        let mut reached: Vec<Option<(u32, Option<usize>)>> = vec![None; waiting.len()];
        let mut queue = VecDeque::from([to.0]);
        reached[to.index()] = Some((to.0, None));
        while let Some(op) = queue.pop_front() {
            if op == from.0 {
                break;
            }
            self.successors(op, |next, demand| {
                if waiting[next as usize] > 0 && reached[next as usize].is_none() {
                    reached[next as usize] = Some((op, demand));
                    match demand {
                        // Happens-before costs nothing.
                        None => queue.push_front(next),
                        Some(_) => queue.push_back(next),
                    }
                }
            });
        }
        reached[from.index()]?;
        let mut steps = vec![Step::Demand(number)];
        let mut at = from.0;
        let mut end = from.0;
        while at != to.0 {
            let (before, demand) = reached[at as usize]?;
            if let Some(demand) = demand {
                if at != end {
                    steps.push(Step::Observed(OpId(at), OpId(end)));
                }
                steps.push(Step::Demand(demand));
                end = before;
            }
            at = before;
        }
        if to.0 != end {
            steps.push(Step::Observed(to, OpId(end)));
        }
        steps.reverse();
        Some(steps)
    }
}
