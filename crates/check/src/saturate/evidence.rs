//! What edges between points rest on, told with few transactions.
//!
//! An edge that saturation found follows from a path over earlier edges, some of which follow from paths
//! themselves. A cycle is worth as much as all of these together are small; that is not known before they are
//! looked at, so a few cycles are tried.

use hashbrown::HashSet;

use super::Saturation;
use crate::graph::Graph;
use crate::lightest::{Step, lightest};
use crate::points::Point;
use crate::points::{PointEdge, Why};
use crate::polynomial::tidy;
use crate::problem::{INIT, Node};

/// Once so many edges were looked at for what cycles rest on, short ways will do instead of light ones.
const MOST_WORK: usize = 1 << 20;

impl Saturation<'_, '_> {
    /// The transactions of a short cycle and of all it rests on: of several short cycles, the one that
    /// rests on the fewest.
    pub(crate) fn cycle_core(&self, sorted: &[Point]) -> Vec<Node> {
        let pairs: Vec<(Point, Point)> = self.edges.iter().map(|e| (e.from, e.to)).collect();
        let graph = Graph::labelled(self.num_points, &pairs);
        let incoming = Incoming::new(self.num_points, &self.edges);
        let derived = |edge: u32| matches!(self.edges[edge as usize].why, Why::Path { .. });
        let step = |edge: u32| self.step(edge as usize, self.edges[edge as usize].to);
        let light = graph.light_cycles(sorted, derived, step).into_iter();
        let light = light.map(|cycle| cycle.into_iter().map(|e| e.label).collect());
        // What a cycle rests on is not in its weight, so those with few edges are tried as well.
        let cycles = graph.short_cycles(sorted).into_iter().chain(light);
        let mut smallest: Option<Vec<Node>> = None;
        let mut work = 0;
        for cycle in cycles {
            let edges = cycle.into_iter().map(|e| e as usize).collect();
            let core = self.rests_on(&incoming, edges, &mut work);
            if smallest.as_ref().is_none_or(|smallest| core.len() < smallest.len()) {
                smallest = Some(core);
            }
            if work > MOST_WORK {
                break;
            }
        }
        smallest.expect("there is a cycle")
    }

    /// What it takes to follow an edge (by index) to one of its ends.
    fn step(&self, index: usize, end: Point) -> Step {
        let edge = self.edges[index];
        let (from, to) = (self.transaction(edge.from), self.transaction(edge.to));
        let arrives = u32::from(self.transaction(end).is_some_and(|n| n != INIT));
        match (from, to, edge.why) {
            (Some(from), Some(to), _) if from == to => Step::Within,
            (Some(from), Some(to), Why::Given) if self.problem.prev[to as usize] == from => {
                Step::Session
            }
            (_, _, Why::Given) => Step::Other(arrives),
            // Most often a reader and somebody on the way to it.
            (_, _, Why::Path { .. }) => Step::Other(arrives + 2),
        }
    }

    /// The transactions that these edges (by index) rest on.
    pub(crate) fn core_of(&self, edges: impl Iterator<Item = usize>) -> Vec<Node> {
        let incoming = Incoming::new(self.num_points, &self.edges);
        self.rests_on(&incoming, edges.collect(), &mut 0)
    }

    /// The transactions that these edges rest on; `work` counts the edges looked at.
    fn rests_on(&self, incoming: &Incoming, mut queue: Vec<usize>, work: &mut usize) -> Vec<Node> {
        let mut done: HashSet<usize> = queue.iter().copied().collect();
        let mut core = Vec::new();
        while let Some(index) = queue.pop() {
            let edge = self.edges[index];
            core.extend([edge.from, edge.to].into_iter().filter_map(|p| self.transaction(p)));
            if let Why::Path { from, to, also } = edge.why {
                core.extend(also);
                core.extend([from, to].into_iter().filter_map(|p| self.transaction(p)));
                for premise in incoming.path(self, from, to, index, work) {
                    if done.insert(premise) {
                        queue.push(premise);
                    }
                }
            }
        }
        tidy(core)
    }

    /// The edges, by index, of a path between each two points, those within sessions left out.
    pub(crate) fn fixed_paths(&self, between: &[(Point, Point)]) -> Vec<usize> {
        if between.is_empty() {
            return Vec::new();
        }
        let incoming = Incoming::new(self.num_points, &self.edges);
        let mut work = 0;
        let mut edges = Vec::new();
        for &(from, to) in between {
            edges.extend(incoming.path(self, from, to, usize::MAX, &mut work));
        }
        edges
    }
}

/// Edges by where they arrive, for walking back.
struct Incoming {
    graph: Graph,
}

impl Incoming {
    fn new(num_points: usize, edges: &[PointEdge]) -> Incoming {
        let reversed: Vec<(Point, Point)> = edges.iter().map(|e| (e.to, e.from)).collect();
        Incoming { graph: Graph::labelled(num_points, &reversed) }
    }

    /// A lightest path between two points over edges before `below`, as edge indices, those within sessions left
    /// out. Where too much `work` was done already, just a short one.
    fn path(
        &self,
        of: &Saturation<'_, '_>,
        from: Point,
        to: Point,
        below: usize,
        work: &mut usize,
    ) -> Vec<usize> {
        if from == to {
            return Vec::new();
        }
        let thrifty = *work > MOST_WORK;
        let edges = |point: Point, each: &mut dyn FnMut(Point, u32, Step)| {
            for (before, label) in self.graph.labelled_successors(point) {
                if (label as usize) < below {
                    let step = of.step(label as usize, before);
                    each(before, label, if thrifty { Step::Other(1) } else { step });
                }
            }
        };
        let path = lightest(to, from, edges, work).map_or(Vec::new(), |(path, _)| path);
        path.into_iter().map(|edge| edge.label as usize).collect()
    }
}
