//! A greedy commit order: run the transactions on an imaginary database and see whether they get
//! through.
//!
//! The database holds one current version per key. A snapshot point can run when what comes before it
//! has run; a commit point can run when, besides, nobody still has to read a version it replaces, and
//! (SI) nobody who writes one of its keys is between snapshot and commit. So every read sees the current
//! version, by construction: an order that gets through is a commit order. One that does not proves
//! nothing. Ties go to whoever is likely to have come first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hobgoblin_core::StopReason;

use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::points::Point;
use crate::problem::{INIT, Node, Problem};
use crate::saturate::Saturation;

/// A commit order (init included), or how far the attempt got.
pub(crate) struct Guess {
    pub(crate) order: Vec<Node>,
    pub(crate) complete: bool,
}

/// Tries to run all transactions. `of` gives the edges known so far, `past` the size of everyone's
/// past.
pub(crate) fn guess(
    of: &Saturation<'_, '_>,
    past: &[u64],
    limits: &Limits,
) -> Result<Guess, StopReason> {
    let graph = Graph::new(of.num_points, || of.edges.iter().map(|e| (e.from, e.to)));
    let mut run = Run::new(of, &graph, past);
    run.go(limits)
}

/// The commits in a likely order that respects the edges known so far, whatever anyone reads.
pub(crate) fn likely_order(of: &Saturation<'_, '_>, past: &[u64]) -> Vec<Node> {
    let graph = Graph::new(of.num_points, || of.edges.iter().map(|e| (e.from, e.to)));
    let hint = hints(of.problem, past);
    let priority = |point: Point| {
        let of_point = (point as usize) < of.points.len();
        if of_point { hint[of.points.node(point) as usize] } else { 0 }
    };
    let mut missing = missing(&graph);
    let mut ready: BinaryHeap<Reverse<(u64, Point)>> = (0..graph.len() as Point)
        .filter(|&p| missing[p as usize] == 0)
        .map(|p| Reverse((priority(p), p)))
        .collect();
    let mut order = Vec::with_capacity(of.problem.len());
    while let Some(Reverse((_, point))) = ready.pop() {
        if (point as usize) < of.points.len() && of.points.commit(of.points.node(point)) == point {
            order.push(of.points.node(point));
        }
        for &to in graph.successors(point) {
            missing[to as usize] -= 1;
            if missing[to as usize] == 0 {
                ready.push(Reverse((priority(to), to)));
            }
        }
    }
    order
}

/// How many predecessors each point has.
fn missing(graph: &Graph) -> Vec<u32> {
    let mut missing = vec![0; graph.len()];
    for point in 0..graph.len() as Point {
        for &to in graph.successors(point) {
            missing[to as usize] += 1;
        }
    }
    missing
}

struct Run<'a, 'p, 'h> {
    of: &'a Saturation<'p, 'h>,
    problem: &'p Problem<'h>,
    graph: &'a Graph,
    /// How many predecessors of each point have not run.
    missing: Vec<u32>,
    /// How many transactions still have to read each version.
    unread: Vec<u32>,
    /// Who read each version last, so that reading it twice counts once.
    read_by: Vec<Node>,
    /// The writer of the current version of each key.
    current: Vec<Node>,
    /// Who is between snapshot and commit and writes a key, at SI.
    locked: Vec<Node>,
    /// Commits that wait for a key: for its readers or for its lock.
    waiting: Vec<Vec<Node>>,
    hint: Vec<u64>,
    commits: BinaryHeap<Reverse<(u64, Node)>>,
    snapshots: BinaryHeap<Reverse<(u64, Node)>>,
    /// Snapshots that found a lock.
    parked: Vec<Node>,
    order: Vec<Node>,
}

impl<'a, 'p, 'h> Run<'a, 'p, 'h> {
    fn new(of: &'a Saturation<'p, 'h>, graph: &'a Graph, past: &[u64]) -> Run<'a, 'p, 'h> {
        let problem = of.problem;
        let missing = missing(graph);
        let mut run = Run {
            of,
            problem,
            graph,
            missing,
            unread: vec![0; of.versions.len()],
            read_by: vec![INIT; of.versions.len()],
            current: vec![INIT; problem.num_keys()],
            locked: vec![INIT; problem.num_keys()],
            waiting: vec![Vec::new(); problem.num_keys()],
            hint: hints(problem, past),
            commits: BinaryHeap::new(),
            snapshots: BinaryHeap::new(),
            parked: Vec::new(),
            order: Vec::with_capacity(problem.len()),
        };
        for version in 0..of.versions.len() {
            let mut last = INIT;
            for reader in of.versions.readers(version) {
                if reader != last && run.must_read(reader) {
                    run.unread[version] += 1;
                }
                last = reader;
            }
        }
        run
    }

    /// Whether the current version matters to this reader, or its level is settled by edges alone.
    fn must_read(&self, node: Node) -> bool {
        self.of.points.rw_exit(node).is_some()
    }

    fn go(&mut self, limits: &Limits) -> Result<Guess, StopReason> {
        let ticker = &mut Ticker::new(limits);
        let mut ready: Vec<Point> =
            (0..self.of.num_points as Point).filter(|&p| self.missing[p as usize] == 0).collect();
        loop {
            while let Some(point) = ready.pop() {
                self.enable(point, &mut ready);
            }
            ticker.tick(8)?;
            let ran = match self.commits.pop() {
                Some(Reverse((_, node))) => self.try_commit(node),
                None => match self.next_snapshot() {
                    Some(node) => Some(self.run_snapshot(node)),
                    None => break,
                },
            };
            if let Some(point) = ran {
                self.finish(point, &mut ready);
            }
        }
        let order = std::mem::take(&mut self.order);
        Ok(Guess { complete: order.len() == self.problem.len(), order })
    }

    /// Everything before a point has run.
    fn enable(&mut self, point: Point, ready: &mut Vec<Point>) {
        let points = &self.of.points;
        if point as usize >= points.len() {
            return self.finish(point, ready);
        }
        let node = points.node(point);
        if point == points.commit(node) {
            self.commits.push(Reverse((self.hint[node as usize], node)));
        } else if point == points.snapshot(node) {
            if self.problem.level(node).excludes_writers() && !self.problem.writes(node).is_empty()
            {
                self.snapshots.push(Reverse((self.hint[node as usize], node)));
            } else {
                self.read(node);
                self.finish(point, ready);
            }
        } else {
            self.finish(point, ready);
        }
    }

    fn finish(&mut self, point: Point, ready: &mut Vec<Point>) {
        for &to in self.graph.successors(point) {
            self.missing[to as usize] -= 1;
            if self.missing[to as usize] == 0 {
                ready.push(to);
            }
        }
    }

    /// The transaction reads; versions nobody else has to read can be replaced.
    fn read(&mut self, node: Node) {
        if !self.must_read(node) {
            return;
        }
        for read in self.problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
            let version = self.of.versions.of(self.problem, read.source, read.key());
            if std::mem::replace(&mut self.read_by[version], node) == node {
                continue;
            }
            self.unread[version] -= 1;
            if self.unread[version] <= 1 {
                self.wake(read.key());
            }
        }
    }

    fn wake(&mut self, key: usize) {
        for node in std::mem::take(&mut self.waiting[key]) {
            self.commits.push(Reverse((self.hint[node as usize], node)));
        }
    }

    fn next_snapshot(&mut self) -> Option<Node> {
        while let Some(Reverse((_, node))) = self.snapshots.pop() {
            let writes = self.problem.writes(node);
            if writes.iter().all(|&k| self.locked[k as usize] == INIT) {
                return Some(node);
            }
            self.parked.push(node);
        }
        None
    }

    fn run_snapshot(&mut self, node: Node) -> Point {
        for &key in self.problem.writes(node) {
            self.locked[key as usize] = node;
        }
        self.read(node);
        self.of.points.snapshot(node)
    }

    /// Runs a commit, or leaves it waiting for a key.
    fn try_commit(&mut self, node: Node) -> Option<Point> {
        let points = &self.of.points;
        let reads_now = points.snapshot(node) == points.commit(node) && self.must_read(node);
        for &key in self.problem.writes(node) {
            let key = key as usize;
            let version = self.of.versions.of(self.problem, self.current[key], key);
            let own =
                reads_now && self.unread[version] > 0 && self.of.versions.is_reader(version, node);
            let held = self.locked[key] != INIT && self.locked[key] != node;
            if self.unread[version] > u32::from(own) || held {
                self.waiting[key].push(node);
                return None;
            }
        }
        if reads_now {
            self.read(node);
        }
        for &key in self.problem.writes(node) {
            let key = key as usize;
            self.current[key] = node;
            if self.locked[key] == node {
                self.locked[key] = INIT;
            }
            self.wake(key);
        }
        for node in std::mem::take(&mut self.parked) {
            self.snapshots.push(Reverse((self.hint[node as usize], node)));
        }
        self.order.push(node);
        Some(points.commit(node))
    }
}

/// Who is likely to have come first: by time, by file order where sessions interleave, else by how much
/// is known to have come before.
fn hints(problem: &Problem<'_>, past: &[u64]) -> Vec<u64> {
    let history = problem.history;
    if history.has_times() {
        let time = |&t| history.end(t).or(history.begin(t)).unwrap_or(i64::MAX);
        return problem.txns.iter().map(time).map(|t| (t as u64) ^ (1 << 63)).collect();
    }
    let switches = problem.session.windows(2).filter(|w| w[0] != w[1]).count();
    if switches > 2 * problem.num_sessions || past.is_empty() {
        return (0..problem.len() as u64).collect();
    }
    past.to_vec()
}
