//! A graph that grows, and a topological order of it kept up to date [Pearce 2006].
//!
//! An edge that agrees with the order costs nothing. One that does not makes us look at the nodes
//! between its ends in the order, forward from its target and backward from its source; either we meet,
//! and there is a cycle, or the two groups swap places. Edges are three linked lists' worth of numbers in
//! one array, since there are many nodes with few edges each. (The `acyclic` module does the same for a
//! graph of fixed size whose edges come and go.)

use std::collections::VecDeque;

use crate::problem::{INIT, Node};

/// Why one node comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// They are of one session, or the second read from the first.
    Past,
    /// This reader's level forces it.
    Forced(Node),
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    next_out: u32,
    next_in: u32,
    /// The reader of a forced edge; init for the others.
    reader: Node,
}

/// One edge of a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleEdge {
    pub(super) from: Node,
    pub(super) why: Why,
}

const NONE: u32 = u32::MAX;

/// See the [module docs](self).
#[derive(Debug, Default)]
pub(super) struct Order {
    rank: Vec<u32>,
    first_out: Vec<u32>,
    first_in: Vec<u32>,
    edges: Vec<Edge>,
    mark: Vec<u32>,
    round: u32,
    forward: Vec<Node>,
    backward: Vec<Node>,
    places: Vec<u32>,
}

impl Order {
    /// An order of these nodes, without edges.
    pub(super) fn with_ranks(rank: Vec<u32>) -> Order {
        let n = rank.len();
        Order {
            rank,
            first_out: vec![NONE; n],
            first_in: vec![NONE; n],
            mark: vec![0; n],
            ..Order::default()
        }
    }

    /// Adds nodes, last in the order, until there are this many.
    pub(super) fn grow(&mut self, len: usize) {
        while self.rank.len() < len {
            self.rank.push(self.rank.len() as u32);
            self.first_out.push(NONE);
            self.first_in.push(NONE);
            self.mark.push(0);
        }
    }

    #[inline]
    pub(super) fn rank(&self, node: Node) -> u32 {
        self.rank[node as usize]
    }

    pub(super) fn num_edges(&self) -> usize {
        self.edges.len()
    }

    /// The nodes that follow one in a session or by reading from it.
    pub(super) fn successors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.out(node).filter(|e| e.reader == INIT).map(|e| e.to)
    }

    fn out(&self, node: Node) -> impl Iterator<Item = &Edge> + '_ {
        let mut at = self.first_out[node as usize];
        std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next_out;
            Some(edge)
        })
    }

    fn incoming(&self, node: Node) -> impl Iterator<Item = &Edge> + '_ {
        let mut at = self.first_in[node as usize];
        std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next_in;
            Some(edge)
        })
    }

    /// Adds an edge, or returns a short cycle that it closes. Init comes before all others, edge or not.
    pub(super) fn add(&mut self, from: Node, to: Node, why: Why) -> Result<(), Vec<CycleEdge>> {
        /// How far to look for the same edge: the lists are short, but for a few nodes.
        const NEAR: usize = 16;
        if from == INIT {
            return Ok(());
        }
        if to == INIT || from == to {
            return Err(vec![CycleEdge { from, why }]);
        }
        if self.rank(from) > self.rank(to) {
            if !self.find_forward(to, from) {
                return Err(self.cycle(from, to, why));
            }
            self.find_backward(from, to);
            self.reorder();
        }
        let reader = match why {
            Why::Past => INIT,
            Why::Forced(reader) => reader,
        };
        let same = |e: &Edge| e.from == from && (e.reader == INIT || reader != INIT);
        if self.incoming(to).take(NEAR).any(same) {
            return Ok(());
        }
        let at = self.edges.len() as u32;
        let (out, into) = (&mut self.first_out[from as usize], &mut self.first_in[to as usize]);
        self.edges.push(Edge { from, to, next_out: *out, next_in: *into, reader });
        (*out, *into) = (at, at);
        Ok(())
    }

    /// Collects what is reached from `start` before `target` in the order; false if `target` is.
    fn find_forward(&mut self, start: Node, target: Node) -> bool {
        let mut found = std::mem::take(&mut self.forward);
        found.clear();
        found.push(start);
        self.round += 1;
        self.mark[start as usize] = self.round;
        let last = self.rank(target);
        let mut next = 0;
        let mut free = true;
        while free && next < found.len() {
            let mut at = self.first_out[found[next] as usize];
            next += 1;
            while let Some(&Edge { to, next_out, .. }) = self.edges.get(at as usize) {
                at = next_out;
                free &= to != target;
                if self.rank(to) < last && self.mark[to as usize] != self.round {
                    self.mark[to as usize] = self.round;
                    found.push(to);
                }
            }
        }
        self.forward = found;
        free
    }

    /// Collects what reaches `start` and comes after `target` in the order.
    fn find_backward(&mut self, start: Node, target: Node) {
        let mut found = std::mem::take(&mut self.backward);
        found.clear();
        found.push(start);
        self.round += 1;
        self.mark[start as usize] = self.round;
        let first = self.rank(target);
        let mut next = 0;
        while next < found.len() {
            let mut at = self.first_in[found[next] as usize];
            next += 1;
            while let Some(&Edge { from, next_in, .. }) = self.edges.get(at as usize) {
                at = next_in;
                if self.rank(from) > first && self.mark[from as usize] != self.round {
                    self.mark[from as usize] = self.round;
                    found.push(from);
                }
            }
        }
        self.backward = found;
    }

    /// Gives those found backward, then those found forward, the places they hold together.
    fn reorder(&mut self) {
        let rank = &mut self.rank;
        self.backward.sort_unstable_by_key(|&n| rank[n as usize]);
        self.forward.sort_unstable_by_key(|&n| rank[n as usize]);
        let all = || self.backward.iter().chain(&self.forward);
        self.places.clear();
        self.places.extend(all().map(|&n| rank[n as usize]));
        self.places.sort_unstable();
        for (&node, &place) in all().zip(&self.places) {
            rank[node as usize] = place;
        }
    }

    /// A shortest cycle through an edge that closes one.
    fn cycle(&self, from: Node, to: Node, why: Why) -> Vec<CycleEdge> {
        let last = self.rank(from);
        let mut reached: hashbrown::HashMap<Node, CycleEdge> = hashbrown::HashMap::new();
        let mut queue = VecDeque::from([to]);
        while let Some(node) = queue.pop_front().filter(|&node| node != from) {
            for edge in self.out(node).filter(|e| e.to != to && self.rank(e.to) <= last) {
                reached.entry(edge.to).or_insert_with(|| {
                    queue.push_back(edge.to);
                    let reader = edge.reader;
                    let why = if reader == INIT { Why::Past } else { Why::Forced(reader) };
                    CycleEdge { from: node, why }
                });
            }
        }
        let mut cycle = vec![CycleEdge { from, why }];
        let mut at = from;
        while at != to {
            cycle.push(reached[&at]);
            at = reached[&at].from;
        }
        cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn orders_and_cycles_like_a_search_would() {
        let n = 14;
        let mut state = 11u64;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(below)) as u32
        };
        for _ in 0..500 {
            let mut order = Order::default();
            order.grow(n);
            let mut edges: Vec<(u32, u32)> = Vec::new();
            loop {
                let (from, to) = (1 + random(n as u32 - 1), 1 + random(n as u32 - 1));
                edges.push((from, to));
                let acyclic = Graph::new(n, || edges.iter().copied()).topological().len() == n;
                match order.add(from, to, Why::Past) {
                    Ok(()) => assert!(acyclic),
                    Err(cycle) => {
                        assert!(!acyclic);
                        // Listed against the edges: each one's source is the target of the next.
                        for (i, edge) in cycle.iter().enumerate() {
                            let to = if i == 0 { to } else { cycle[i - 1].from };
                            assert!(edges.contains(&(edge.from, to)));
                        }
                        break;
                    }
                }
                let ranks: Vec<u32> = (0..n as u32).map(|node| order.rank(node)).collect();
                assert!(edges.iter().all(|&(a, b)| ranks[a as usize] < ranks[b as usize]));
            }
        }
    }
}
