//! Directed graphs on dense nodes: topological order, or a short cycle. Nothing here recurses.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hobgoblin_core::{SortedMap, sort_dedup};

use crate::by_number::ByNumber;
use crate::lightest::{Step, Taken, lightest};
use crate::problem::Csr;

/// A graph whose edges carry the index they were given in.
#[derive(Debug)]
pub(crate) struct Graph {
    out: Csr,
    /// The index of each edge, in the order of `out`; empty where nobody asked for it.
    label: Vec<u32>,
}

/// Finds a cycle through a node, within the nodes that are marked: its weight, itself, and what it cost to find.
type Find<'a, T> = dyn Fn(u32, &[bool]) -> Option<(u32, Vec<T>, usize)> + 'a;

impl Graph {
    /// A graph of these edges. `edges` is asked twice and must say the same both times.
    pub(crate) fn new<I>(nodes: usize, edges: impl Fn() -> I) -> Graph
    where
        I: Iterator<Item = (u32, u32)>,
    {
        let mut out = Csr::new(nodes);
        for (from, _) in edges() {
            out.count(from as usize);
        }
        out.make_room();
        for (from, to) in edges() {
            out.push(from as usize, to);
        }
        out.done();
        Graph { out, label: Vec::new() }
    }

    /// A graph of these edges that remembers the index of each.
    pub(crate) fn labelled(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let mut at = Csr::new(nodes);
        for &(from, _) in edges {
            at.count(from as usize);
        }
        at.make_room();
        for (i, &(from, _)) in edges.iter().enumerate() {
            at.push(from as usize, i as u32);
        }
        at.done();
        let label = at.items().to_vec();
        let graph = Graph::new(nodes, || edges.iter().copied());
        Graph { label, ..graph }
    }

    pub(crate) fn len(&self) -> usize {
        self.out.rows()
    }

    #[inline]
    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        self.out.row(node as usize)
    }

    /// The successors of a node, each with the index of the edge; the graph must be labelled.
    pub(crate) fn labelled_successors(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let begin = self.out.begin(node as usize);
        let row = self.successors(node);
        row.iter().copied().zip(self.label[begin..begin + row.len()].iter().copied())
    }

    /// How many edges arrive at each node.
    pub(crate) fn missing(&self) -> Vec<u32> {
        let mut missing = vec![0u32; self.len()];
        for &to in self.out.items() {
            missing[to as usize] += 1;
        }
        missing
    }

    /// The nodes along the edges, of those that can come next the one with the smallest `priority`, or as
    /// many of them as are before any cycle.
    pub(crate) fn topological_by(&self, priority: impl Fn(u32) -> u64) -> Vec<u32> {
        let mut missing = self.missing();
        let mut ready: BinaryHeap<Reverse<(u64, u32)>> = (0..self.len() as u32)
            .filter(|&n| missing[n as usize] == 0)
            .map(|n| Reverse((priority(n), n)))
            .collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse((_, node))) = ready.pop() {
            order.push(node);
            for &to in self.successors(node) {
                missing[to as usize] -= 1;
                if missing[to as usize] == 0 {
                    ready.push(Reverse((priority(to), to)));
                }
            }
        }
        order
    }

    /// The nodes in an order along the edges (Kahn), or as many of them as are before any cycle.
    pub(crate) fn topological(&self) -> Vec<u32> {
        let mut missing = self.missing();
        let mut order: Vec<u32> = Vec::with_capacity(self.len());
        order.extend((0..self.len() as u32).filter(|&n| missing[n as usize] == 0));
        let mut next = 0;
        while next < order.len() {
            for &to in self.successors(order[next]) {
                missing[to as usize] -= 1;
                if missing[to as usize] == 0 {
                    order.push(to);
                }
            }
            next += 1;
        }
        order
    }

    /// The shortest of [`Graph::short_cycles`].
    pub(crate) fn short_cycle(&self, sorted: &[u32]) -> Vec<u32> {
        self.short_cycles(sorted).swap_remove(0)
    }

    /// Some short cycles, as edge labels, through nodes that `topological` left out, shortest first:
    /// a shortest one through each of a few nodes on cycles. The graph must be labelled and cyclic.
    pub(crate) fn short_cycles(&self, sorted: &[u32]) -> Vec<Vec<u32>> {
        let find = |start, cyclic: &[bool]| {
            let (cycle, cost) = self.cycle_through(start, cyclic);
            Some((cycle.len() as u32, cycle, cost))
        };
        self.few_cycles(sorted, &|_| true, &find)
    }

    /// Some light cycles (see [`crate::lightest`]), lightest first: a lightest one through each of a few nodes
    /// on cycles at which an edge arrives that `begins` one. The graph must be labelled and cyclic, and every
    /// cycle must have such an edge.
    pub(crate) fn light_cycles(
        &self,
        sorted: &[u32],
        begins: impl Fn(u32) -> bool,
        step: impl Fn(u32) -> Step,
    ) -> Vec<Vec<Taken>> {
        let mut met = vec![false; self.len()];
        for (&to, &label) in self.out.items().iter().zip(&self.label) {
            met[to as usize] |= begins(label);
        }
        let find = |start, cyclic: &[bool]| {
            let mut work = 0;
            let edges = |node, each: &mut dyn FnMut(u32, u32, Step)| {
                for (to, label) in self.labelled_successors(node) {
                    if cyclic[to as usize] {
                        each(to, label, step(label));
                    }
                }
            };
            let (cycle, weight) = lightest(start, start, edges, &mut work)?;
            Some((weight, cycle, work))
        };
        self.few_cycles(sorted, &|n| met[n as usize], &find)
    }

    /// What `find` returns for a few nodes on cycles that are fit to `start` from, without repetition and by
    /// weight.
    fn few_cycles<T: Ord>(
        &self,
        sorted: &[u32],
        start: &dyn Fn(u32) -> bool,
        find: &Find<'_, T>,
    ) -> Vec<Vec<T>> {
        const TRIES: usize = 256;
        const STEPS: usize = 1 << 21;
        const MOST: usize = 16;
        let mut cyclic = vec![true; self.len()];
        for &node in sorted {
            cyclic[node as usize] = false;
        }
        let mut starts = self.nodes_on_cycles(&cyclic);
        starts.retain(|&n| start(n));
        let mut found: Vec<(u32, Vec<T>)> = Vec::new();
        let (mut steps, mut at, apart) = (0, 0, starts.len().div_ceil(TRIES));
        while at < starts.len() && steps < STEPS {
            if let Some((weight, cycle, cost)) = find(starts[at], &cyclic) {
                steps += cost;
                found.push((weight, cycle));
            }
            at += apart;
        }
        sort_dedup(&mut found);
        let mut cycles = Vec::new();
        for (_, cycle) in found {
            if cycles.len() < MOST {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// The nodes of components with a cycle, smallest components first.
    fn nodes_on_cycles(&self, within: &[bool]) -> Vec<u32> {
        let components = self.cyclic_components(within).into_iter().enumerate();
        let by_size = components.map(|(at, nodes)| ((nodes.len(), at), nodes)).collect();
        let mut all = Vec::new();
        for (_, nodes) in SortedMap::of(by_size).iter() {
            all.extend_from_slice(nodes);
        }
        all
    }

    /// The strongly connected components with a cycle, each before those from which it can be reached
    /// (Tarjan, with a stack).
    pub(crate) fn cyclic_components(&self, within: &[bool]) -> Vec<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        let n = self.len();
        let (mut index, mut low) = (vec![UNSEEN; n], vec![0u32; n]);
        let mut on_stack = vec![false; n];
        let (mut stack, mut components) = (Vec::new(), Vec::new());
        let mut next_index = 0;
        let mut calls: Vec<(u32, usize)> = Vec::new();
        for root in (0..n as u32).filter(|&r| within[r as usize]) {
            if index[root as usize] != UNSEEN {
                continue;
            }
            calls.push((root, 0));
            while let Some(&mut (node, ref mut edge)) = calls.last_mut() {
                let v = node as usize;
                if *edge == 0 {
                    index[v] = next_index;
                    low[v] = next_index;
                    next_index += 1;
                    stack.push(node);
                    on_stack[v] = true;
                }
                let row = self.successors(node);
                let mut descend = None;
                while *edge < row.len() {
                    let to = row[*edge];
                    *edge += 1;
                    if !within[to as usize] {
                        continue;
                    }
                    if index[to as usize] == UNSEEN {
                        descend = Some(to);
                        break;
                    }
                    if on_stack[to as usize] {
                        low[v] = low[v].min(index[to as usize]);
                    }
                }
                if let Some(to) = descend {
                    calls.push((to, 0));
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[v]);
                }
                if low[v] == index[v] {
                    let at = stack.iter().rposition(|&n| n == node).expect("it is on the stack");
                    let component = stack.split_off(at);
                    for &member in &component {
                        on_stack[member as usize] = false;
                    }
                    if component.len() > 1 || row.contains(&node) {
                        components.push(component);
                    }
                }
            }
        }
        components
    }

    /// A shortest cycle through `start`, which is on one, and what the search cost.
    fn cycle_through(&self, start: u32, within: &[bool]) -> (Vec<u32>, usize) {
        // Who was reached by which edge (its position in `out`), and from whom.
        let mut from: ByNumber<(u32, usize)> = ByNumber::new();
        let mut queue = VecDeque::from([start]);
        let mut cost = 0;
        while let Some(node) = queue.pop_front() {
            let begin = self.out.begin(node as usize);
            for (i, &to) in self.successors(node).iter().enumerate() {
                cost += 1;
                if to == start {
                    let mut cycle = vec![self.label[begin + i]];
                    let mut at = node;
                    while at != start {
                        let &(before, edge) = from.get(at).expect("who was reached was reached");
                        cycle.push(self.label[edge]);
                        at = before;
                    }
                    cycle.reverse();
                    return (cycle, cost);
                }
                if within[to as usize] && !from.contains(to) {
                    from.insert(to, (node, begin + i));
                    queue.push_back(to);
                }
            }
        }
        unreachable!("the node is on a cycle")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_or_a_short_cycle() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 2), (3, 4)];
        let graph = Graph::labelled(5, &edges);
        let sorted = graph.topological();
        assert!(sorted.is_empty());
        assert_eq!(graph.short_cycle(&sorted).len(), 2);
        let graph = Graph::labelled(3, &[(2, 1), (1, 0)]);
        assert_eq!(graph.topological(), [2, 1, 0]);
        let graph = Graph::labelled(2, &[(0, 1), (1, 1)]);
        assert_eq!(graph.short_cycle(&graph.topological()), [1]);
    }
}
