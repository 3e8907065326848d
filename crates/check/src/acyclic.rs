//! A graph that stays acyclic while edges come and go: a topological order kept up to date
//! [Pearce 2006], with some edges fixed and others on a stack.

use std::collections::VecDeque;

use crate::by_number::ByNumber;
use crate::graph::Graph;
use crate::points::Point;

/// The edges of a cycle: indices of fixed edges, and tags of edges on the stack.
#[derive(Debug, Default)]
pub(crate) struct Cycle {
    pub(crate) fixed: Vec<u32>,
    pub(crate) tags: Vec<u32>,
}

/// See the [module docs](self).
#[derive(Debug)]
pub(crate) struct Acyclic {
    fixed_out: Graph,
    fixed_in: Graph,
    /// The edges on the stack, by where they leave and by where they arrive, with their tags.
    out: Vec<Vec<(Point, u32)>>,
    into: Vec<Vec<(Point, u32)>>,
    stack: Vec<(Point, Point)>,
    /// The place of each point in the order.
    rank: Vec<u32>,
    mark: Vec<u32>,
    round: u32,
}

impl Acyclic {
    /// A graph of fixed edges; `rank` is a topological order of them.
    pub(crate) fn new(edges: &[(Point, Point)], rank: Vec<u32>) -> Acyclic {
        let n = rank.len();
        let reversed: Vec<(Point, Point)> = edges.iter().map(|&(a, b)| (b, a)).collect();
        Acyclic {
            fixed_out: Graph::labelled(n, edges),
            fixed_in: Graph::labelled(n, &reversed),
            out: vec![Vec::new(); n],
            into: vec![Vec::new(); n],
            stack: Vec::new(),
            rank,
            mark: vec![0; n],
            round: 0,
        }
    }

    /// The place of each point in an order that respects all edges.
    pub(crate) fn rank(&self) -> &[u32] {
        &self.rank
    }

    /// How many edges are on the stack.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Takes edges off the stack until it is this deep.
    pub(crate) fn truncate(&mut self, depth: usize) {
        while self.stack.len() > depth {
            let (from, to) = self.stack.pop().expect("the stack is deeper");
            self.out[from as usize].pop();
            self.into[to as usize].pop();
        }
    }

    /// Puts an edge on the stack, unless it closes a cycle.
    pub(crate) fn push(&mut self, from: Point, to: Point, tag: u32) -> Result<(), Cycle> {
        if self.rank[from as usize] >= self.rank[to as usize] {
            let forward = match self.forward(to, from) {
                Ok(forward) => forward,
                Err(()) => return Err(self.cycle(from, to, tag)),
            };
            let backward = self.backward(from, to);
            self.reorder(backward, forward);
        }
        self.out[from as usize].push((to, tag));
        self.into[to as usize].push((from, tag));
        self.stack.push((from, to));
        Ok(())
    }

    /// The points reached from `start` up to the rank of `target`; an error if it is reached.
    fn forward(&mut self, start: Point, target: Point) -> Result<Vec<Point>, ()> {
        if start == target {
            return Err(());
        }
        self.round += 1;
        let last = self.rank[target as usize];
        self.mark[start as usize] = self.round;
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() {
            let point = found[next];
            next += 1;
            let stacked = self.out[point as usize].iter().map(|&(to, _)| to);
            for to in self.fixed_out.successors(point).iter().copied().chain(stacked) {
                if to == target {
                    return Err(());
                }
                if self.rank[to as usize] < last && self.mark[to as usize] != self.round {
                    self.mark[to as usize] = self.round;
                    found.push(to);
                }
            }
        }
        Ok(found)
    }

    /// The points that reach `start` down to the rank of `target`.
    fn backward(&mut self, start: Point, target: Point) -> Vec<Point> {
        self.round += 1;
        let first = self.rank[target as usize];
        self.mark[start as usize] = self.round;
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() {
            let point = found[next];
            next += 1;
            let stacked = self.into[point as usize].iter().map(|&(from, _)| from);
            for from in self.fixed_in.successors(point).iter().copied().chain(stacked) {
                if self.rank[from as usize] > first && self.mark[from as usize] != self.round {
                    self.mark[from as usize] = self.round;
                    found.push(from);
                }
            }
        }
        found
    }

    /// Gives the points of `backward`, then those of `forward`, the places they hold together.
    fn reorder(&mut self, mut backward: Vec<Point>, mut forward: Vec<Point>) {
        let rank = &mut self.rank;
        sort_by_rank(&mut backward, rank);
        sort_by_rank(&mut forward, rank);
        backward.append(&mut forward);
        let mut places: Vec<u32> = backward.iter().map(|&p| rank[p as usize]).collect();
        places.sort_unstable();
        for (point, place) in backward.into_iter().zip(places) {
            rank[point as usize] = place;
        }
    }

    /// A shortest cycle through a new edge that closes one.
    fn cycle(&mut self, from: Point, to: Point, tag: u32) -> Cycle {
        let mut cycle = Cycle { fixed: Vec::new(), tags: vec![tag] };
        if from == to {
            return cycle;
        }
        // How each point was reached: from where, by a fixed edge or one on the stack.
        let mut reached: ByNumber<(Point, Result<u32, u32>)> = ByNumber::new();
        let mut queue = VecDeque::from([to]);
        let last = self.rank[from as usize];
        while let Some(point) = queue.pop_front() {
            if point == from {
                break;
            }
            let fixed = self.fixed_out.labelled_successors(point).map(|(p, edge)| (p, Ok(edge)));
            let stacked = self.out[point as usize].iter().map(|&(p, tag)| (p, Err(tag)));
            for (next, edge) in fixed.chain(stacked) {
                if next != to && self.rank[next as usize] <= last && !reached.contains(next) {
                    reached.insert(next, (point, edge));
                    queue.push_back(next);
                }
            }
        }
        let mut at = from;
        while at != to {
            let &(before, edge) = reached.get(at).expect("the edge closes a cycle");
            match edge {
                Ok(edge) => cycle.fixed.push(edge),
                Err(tag) => cycle.tags.push(tag),
            }
            at = before;
        }
        cycle
    }
}

/// Sorts points by their places.
pub(crate) fn sort_by_rank(points: &mut [Point], rank: &[u32]) {
    points.sort_unstable_by_key(|&p| rank[p as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_and_truncates_like_a_search_would() {
        // A small deterministic stream of edges on 12 points, checked against plain reachability.
        let n = 12u32;
        let mut state = 7u64;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % u64::from(below)) as u32
        };
        let fixed = [(0, 1), (1, 2), (5, 3)];
        let rank = Graph::labelled(n as usize, &fixed).topological();
        let mut place = vec![0; n as usize];
        for (at, &p) in rank.iter().enumerate() {
            place[p as usize] = at as u32;
        }
        let mut graph = Acyclic::new(&fixed, place);
        let mut edges: Vec<(u32, u32)> = fixed.to_vec();
        for step in 0..20_000 {
            if random(10) == 0 {
                let depth = random(graph.depth() as u32 + 1) as usize;
                graph.truncate(depth);
                edges.truncate(fixed.len() + depth);
            }
            let (from, to) = (random(n), random(n));
            let mut all = edges.clone();
            all.push((from, to));
            let acyclic =
                Graph::new(n as usize, || all.iter().copied()).topological().len() == n as usize;
            match graph.push(from, to, step) {
                Ok(()) => {
                    assert!(acyclic);
                    edges.push((from, to));
                }
                Err(cycle) => {
                    assert!(!acyclic);
                    assert!(cycle.tags.contains(&step));
                }
            }
            assert!(
                edges.iter().all(|&(a, b)| graph.rank()[a as usize] < graph.rank()[b as usize])
            );
        }
    }
}
