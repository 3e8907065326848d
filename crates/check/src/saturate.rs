//! Saturation: everything that follows about the order of points without guessing.
//!
//! The levels from PC up leave open in which order the writers of a key come. What is known of it
//! follows from reachability among points (see [`crate::points`]), and adds edges, which adds
//! reachability:
//!
//! - **Seen**: t3 reads x from t1, and the commit of t2, which writes x too, reaches the snapshot of t3.
//!   So t2's version is older than t1's.
//! - **Overwritten**: t3 reads x from t1, and t1 reaches t2, which writes x too. So t3's snapshot comes
//!   before t2's commit.
//! - **Conflict** (SI): t1 and t2 write x, and t1's snapshot reaches t2's commit. Then t2 cannot have come
//!   first, since t1 would have had to see it; so t1 commits before t2's snapshot.
//! - **Read-modify-write** (PSI): t3 reads x from t1 and writes x, and t1 reaches t2, which writes x. Then
//!   t2 comes after t3.
//!
//! Rounds of one topological walk with a vector clock per point add all edges that follow from the
//! clocks, until nothing new follows or there is a cycle. Per key and chain only the last writer within
//! a clock is looked at, and of those only the ones not before another: the rest follow. Compare
//! [DESIGN, decision 3] and the pruning of polygraphs in [Tan 2020, section 3].

mod evidence;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashSet;
use hobgoblin_core::{Level, StopReason, Target};

use crate::chains::{Chains, WritersByChain};
use crate::forced::Static;
use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::points::{Point, PointEdge, Points, Why};
use crate::polynomial::tidy;
use crate::problem::{INIT, Node, Problem};
use crate::realtime;
use crate::versions::Versions;

/// The graph of points of a problem and all that follows.
#[derive(Debug)]
pub(crate) struct Saturation<'p, 'h> {
    pub(crate) problem: &'p Problem<'h>,
    pub(crate) points: Points<'p, 'h>,
    pub(crate) versions: Versions,
    pub(crate) edges: Vec<PointEdge>,
    /// How many points there are, those that stand for moments in time included.
    pub(crate) num_points: usize,
    /// Versions with many readers have a point after all their readers; where, by version.
    gather: Vec<(u32, Point)>,
}

/// Reachability after saturation, for those who want to ask.
#[derive(Debug)]
pub(crate) struct Clocks {
    pub(crate) chains: Chains,
    width: usize,
    clock: Vec<u32>,
    /// The place of each point in the topological order.
    pub(crate) rank: Vec<u32>,
}

impl Clocks {
    #[inline]
    fn at(&self, point: Point, chain: u32) -> u32 {
        self.clock[point as usize * self.width + chain as usize]
    }

    /// Whether `from`, a point of a transaction, reaches `to`.
    #[inline]
    pub(crate) fn reaches(&self, points: &Points<'_, '_>, from: Point, to: Point) -> bool {
        let node = points.node(from);
        if node == INIT {
            return points.node(to) != INIT;
        }
        let chain = self.chains.chain[node as usize];
        points.place(&self.chains, from) < self.at(to, chain)
    }

    /// Adds the past of `from`, and `from` itself where it is on a chain, to the past of `to`; tells
    /// whether that is news.
    #[inline]
    fn join(&mut self, from: Point, to: Point, own: Option<(u32, u32)>) -> bool {
        let (a, b) = (from as usize * self.width, to as usize * self.width);
        let (source, target) = if a < b {
            let (low, high) = self.clock.split_at_mut(b);
            (&low[a..a + self.width], &mut high[..self.width])
        } else {
            let (low, high) = self.clock.split_at_mut(a);
            (&high[..self.width], &mut low[b..b + self.width])
        };
        let mut news = false;
        for (t, s) in target.iter_mut().zip(source) {
            news |= *s > *t;
            *t = (*t).max(*s);
        }
        if let Some((chain, place)) = own {
            let t = &mut target[chain as usize];
            news |= place + 1 > *t;
            *t = (*t).max(place + 1);
        }
        news
    }
}

/// How saturation ended.
pub(crate) enum Saturated {
    /// A fixed point; clocks are left out where they would take too much memory.
    Open(Option<Clocks>),
    /// These nodes violate the level between them.
    Core(Vec<Node>),
}

/// Past this many clock entries saturation is skipped; other means decide.
const MOST_ENTRIES: usize = 1 << 28;
/// A version read more often than this gets a point that gathers its readers.
const GATHER: usize = 4;

impl<'p, 'h> Saturation<'p, 'h> {
    /// The graph of what the history gives and the static edges.
    pub(crate) fn new(problem: &'p Problem<'h>, facts: &Static) -> Saturation<'p, 'h> {
        let points = Points::new(problem);
        let versions = Versions::new(problem);
        let num_points = points.len();
        let mut this =
            Saturation { problem, points, versions, edges: Vec::new(), num_points, gather: vec![] };
        this.add_given(facts);
        this.add_gatherers();
        this
    }

    fn add_given(&mut self, facts: &Static) {
        let given = |from, to| PointEdge { from, to, why: Why::Given };
        let (problem, points) = (self.problem, &self.points);
        let edges = &mut self.edges;
        for node in 1..problem.len() as Node {
            let (snapshot, commit) = (points.snapshot(node), points.commit(node));
            if snapshot != commit {
                edges.push(given(snapshot, commit));
            }
            let prev = problem.prev[node as usize];
            edges.push(given(points.commit(prev), snapshot));
            let mut last = prev;
            for read in problem.reads(node) {
                if read.source == last {
                    continue;
                }
                let to = if read.obeys_axiom() {
                    last = read.source;
                    snapshot
                } else {
                    commit
                };
                edges.push(given(points.commit(read.source), to));
            }
        }
        for &(_, earlier, later) in &facts.known {
            edges.push(given(points.commit(earlier), points.ww_entry(later)));
        }
        for forced in &facts.forced {
            let read_by = problem.history.txn_of(forced.read);
            let reader = problem.node(read_by).expect("the reader is part of the problem");
            // Static edges rest on a path of `so` and `wr` to the reader; RC and RA need no more than
            // their ends, which such a path has too.
            let why = Why::Path {
                from: points.commit(forced.from),
                to: points.snapshot(reader),
                also: [reader, reader],
            };
            let (from, to) = (points.commit(forced.from), points.ww_entry(forced.to));
            edges.push(PointEdge { from, to, why });
        }
        self.num_points = realtime::add_edges(problem, points, self.num_points, edges);
    }

    /// Versions with many readers: one point between the readers and whoever overwrites it.
    fn add_gatherers(&mut self) {
        for version in 0..self.versions.len() {
            if self.versions.num_reads(version) <= GATHER {
                continue;
            }
            let gatherer = self.num_points as Point;
            let mut any = false;
            let mut last = INIT;
            for reader in self.versions.readers(version) {
                if reader == last || self.overwrites(reader, version) {
                    continue;
                }
                last = reader;
                if let Some(from) = self.points.rw_exit(reader) {
                    self.edges.push(PointEdge { from, to: gatherer, why: Why::Given });
                    any = true;
                }
            }
            if any {
                self.gather.push((version as u32, gatherer));
                self.num_points += 1;
            }
        }
    }

    /// Whether a reader of a version writes its key too.
    fn overwrites(&self, reader: Node, version: usize) -> bool {
        let key = self.key_of(version);
        self.problem.writes_key(reader, key)
    }

    fn key_of(&self, version: usize) -> usize {
        let writes = self.problem.num_writes();
        match version.checked_sub(writes) {
            Some(key) => key,
            None => self.problem.write_at(version),
        }
    }

    pub(crate) fn gatherer(&self, version: usize) -> Option<Point> {
        let at = self.gather.binary_search_by_key(&(version as u32), |&(v, _)| v).ok()?;
        Some(self.gather[at].1)
    }

    /// Two transactions that read one version and both replace it, at levels that forbid that.
    pub(crate) fn lost_update(&self) -> Option<Vec<Node>> {
        let forbids = |n: Node| self.problem.level(n).implies(Level::PSI);
        for version in 0..self.versions.len() {
            if self.versions.num_reads(version) < 2 {
                continue;
            }
            let mut first = None;
            for reader in self.versions.readers(version) {
                if !forbids(reader) || !self.overwrites(reader, version) {
                    continue;
                }
                match first {
                    None => first = Some(reader),
                    Some(other) if other != reader => {
                        let writer = self.problem.writer_of(version);
                        return Some(tidy(vec![writer, other, reader]));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// Adds all that follows. `order` is a topological order of `so ∪ wr`.
    pub(crate) fn saturate(
        &mut self,
        order: &[Node],
        limits: &Limits,
    ) -> Result<Saturated, StopReason> {
        let chains = Chains::of(self.problem, order);
        if self.num_points.saturating_mul(chains.count.max(1)) > MOST_ENTRIES {
            return Ok(Saturated::Open(None));
        }
        let width = chains.count;
        let mut walk = Walk {
            writers: WritersByChain::new(self.problem, &chains),
            clocks: Clocks {
                chains,
                width,
                clock: vec![0; self.num_points * width],
                rank: Vec::new(),
            },
            known: HashSet::new(),
            found: Vec::new(),
            candidates: Vec::new(),
        };
        let ticker = &mut Ticker::new(limits);
        // The first round visits every point, later ones those whose past has grown.
        let mut new_edges = 0..self.edges.len();
        loop {
            limits.check()?;
            let graph = Graph::new(self.num_points, || self.edges.iter().map(|e| (e.from, e.to)));
            let order = graph.topological();
            if order.len() < self.num_points {
                return Ok(Saturated::Core(self.cycle_core(&order)));
            }
            walk.clocks.rank.resize(self.num_points, 0);
            for (at, &point) in order.iter().enumerate() {
                walk.clocks.rank[point as usize] = at as u32;
            }
            if new_edges.start == 0 {
                for &point in &order {
                    walk.visit(self, point, ticker)?;
                    let own = self.own(&walk.clocks.chains, point);
                    for &to in graph.successors(point) {
                        walk.clocks.join(point, to, own);
                    }
                    ticker.tick(graph.successors(point).len() * width / 8)?;
                }
            } else {
                self.revisit(&graph, &order, &mut walk, new_edges, ticker)?;
            }
            if walk.found.is_empty() {
                return Ok(Saturated::Open(Some(walk.clocks)));
            }
            let before = self.edges.len();
            self.edges.append(&mut walk.found);
            new_edges = before..self.edges.len();
        }
    }

    /// Carries news along the edges from `new_edges` on, in topological order.
    fn revisit(
        &self,
        graph: &Graph,
        order: &[Point],
        walk: &mut Walk,
        new_edges: std::ops::Range<usize>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), StopReason> {
        let mut queued = vec![false; self.num_points];
        let mut queue = BinaryHeap::new();
        for edge in &self.edges[new_edges] {
            let own = self.own(&walk.clocks.chains, edge.from);
            // Edges found along the way may have been followed at once; their targets have news
            // for their successors all the same.
            walk.clocks.join(edge.from, edge.to, own);
            if !std::mem::replace(&mut queued[edge.to as usize], true) {
                queue.push(Reverse(walk.clocks.rank[edge.to as usize]));
            }
        }
        while let Some(Reverse(rank)) = queue.pop() {
            let point = order[rank as usize];
            queued[point as usize] = false;
            walk.visit(self, point, ticker)?;
            let own = self.own(&walk.clocks.chains, point);
            for &to in graph.successors(point) {
                let news = walk.clocks.join(point, to, own);
                if news && !std::mem::replace(&mut queued[to as usize], true) {
                    queue.push(Reverse(walk.clocks.rank[to as usize]));
                }
            }
            ticker.tick(graph.successors(point).len() * walk.clocks.width / 8)?;
        }
        Ok(())
    }

    /// The chain of a point and its place on it.
    fn own(&self, chains: &Chains, point: Point) -> Option<(u32, u32)> {
        let node = self.transaction(point)?;
        let is_point = point == self.points.commit(node) || point == self.points.snapshot(node);
        (node != INIT && is_point)
            .then(|| (chains.chain[node as usize], self.points.place(chains, point)))
    }

    fn transaction(&self, point: Point) -> Option<Node> {
        ((point as usize) < self.points.len()).then(|| self.points.node(point))
    }

    fn is_psi(&self) -> bool {
        matches!(self.problem.target, Target::Level(level) if level.is_parallel())
    }
}

/// One topological walk.
struct Walk {
    clocks: Clocks,
    writers: WritersByChain,
    /// The edges found so far.
    known: HashSet<(Point, Point)>,
    found: Vec<PointEdge>,
    candidates: Vec<Node>,
}

impl Walk {
    /// Applies all rules to a point whose past is known.
    fn visit(
        &mut self,
        of: &Saturation<'_, '_>,
        point: Point,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), StopReason> {
        let Some(node) = of.transaction(point).filter(|&n| n != INIT) else { return Ok(()) };
        if point == of.points.commit(node) {
            self.written(of, node, ticker)?;
        }
        if point == of.points.snapshot(node) {
            self.seen(of, node, ticker)?;
        }
        Ok(())
    }

    /// Keeps the candidate that comes last in the walk, and those not before it.
    fn keep_last(&mut self, points: &Points<'_, '_>) {
        let rank = |n: &Node| self.clocks.rank[points.commit(*n) as usize];
        let Some(&last) = self.candidates.iter().max_by_key(|n| rank(n)) else { return };
        let commit = points.commit(last);
        let clocks = &self.clocks;
        self.candidates.retain(|&n| n == last || !clocks.reaches(points, points.commit(n), commit));
    }

    /// The rule **Seen** for all reads of a transaction whose snapshot the walk has reached.
    fn seen(
        &mut self,
        of: &Saturation<'_, '_>,
        reader: Node,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), StopReason> {
        let (points, split) = (&of.points, of.points.split);
        if points.rw_exit(reader).is_none() && !of.is_psi() {
            return Ok(());
        }
        let snapshot = points.snapshot(reader);
        for read in of.problem.reads(reader).iter().filter(|r| r.obeys_axiom()) {
            let entry = points.ww_entry(read.source);
            ticker.tick(1 + self.writers.groups(read.key()).len())?;
            self.candidates.clear();
            let Walk { clocks, writers, candidates, .. } = self;
            let range =
                |c| (clocks.at(entry, c) >> split as u32, clocks.at(snapshot, c) >> split as u32);
            writers.last_of_each(read.key(), range, |writer| {
                if writer != read.source {
                    candidates.push(writer);
                }
            });
            self.keep_last(points);
            for i in 0..self.candidates.len() {
                let from = points.commit(self.candidates[i]);
                if self.known.insert((from, entry)) {
                    let why = Why::Path { from, to: snapshot, also: [reader, reader] };
                    self.found.push(PointEdge { from, to: entry, why });
                }
            }
        }
        Ok(())
    }

    /// The rules **Overwritten**, **Conflict** and **Read-modify-write** for all writes of a
    /// transaction whose commit the walk has reached.
    fn written(
        &mut self,
        of: &Saturation<'_, '_>,
        writer: Node,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), StopReason> {
        let (points, split) = (&of.points, of.points.split);
        let commit = points.commit(writer);
        let all_si = matches!(of.problem.target, Target::Level(level) if level.excludes_writers());
        for &key in of.problem.writes(writer) {
            let key = key as usize;
            ticker.tick(1 + self.writers.groups(key).len())?;
            self.candidates.clear();
            let Walk { clocks, writers, candidates, .. } = self;
            // At SI it is enough that the other's snapshot comes before, as the writer's own does.
            let (chain, place) =
                (clocks.chains.chain[writer as usize], clocks.chains.place[writer as usize]);
            let range = |c| match c {
                c if c == chain => (0, place),
                c if all_si => (0, clocks.at(commit, c).div_ceil(2)),
                c => (0, clocks.at(commit, c) >> split as u32),
            };
            writers.last_of_each(key, range, |earlier| candidates.push(earlier));
            if self.candidates.is_empty() {
                self.candidates.push(INIT);
            } else {
                self.keep_last(points);
            }
            for i in 0..self.candidates.len() {
                self.overwritten(of, self.candidates[i], key, writer);
            }
        }
        Ok(())
    }

    /// `earlier` wrote `key` before `writer`, whose commit the walk has reached.
    fn overwritten(&mut self, of: &Saturation<'_, '_>, earlier: Node, key: usize, writer: Node) {
        let points = &of.points;
        let commit = points.commit(writer);
        // At SI this may rest on the snapshot of `earlier` alone.
        let premise = points.ww_entry(earlier);
        let path = |also| Why::Path { from: premise, to: commit, also: [also, writer] };
        if earlier != INIT {
            let (from, to) = (points.commit(earlier), points.ww_entry(writer));
            if !self.clocks.reaches(points, from, to) {
                self.add(of, from, to, path(earlier));
            }
        }
        let version = of.versions.of(of.problem, earlier, key);
        let gatherer = of.gatherer(version);
        if let Some(gatherer) = gatherer {
            self.add(of, gatherer, commit, path(earlier));
        }
        let mut last = INIT;
        for reader in of.versions.readers(version) {
            if reader == last || reader == writer {
                continue;
            }
            last = reader;
            let replaces =
                (gatherer.is_some() || of.is_psi()) && of.problem.writes_key(reader, key);
            let exit = match points.rw_exit(reader) {
                Some(exit) if gatherer.is_none() || replaces => exit,
                None if of.is_psi() && replaces => points.commit(reader),
                _ => continue,
            };
            if !self.clocks.reaches(points, exit, commit) {
                self.add(of, exit, commit, path(reader));
            }
        }
    }

    /// Adds an edge, and follows it at once if the walk allows.
    fn add(&mut self, of: &Saturation<'_, '_>, from: Point, to: Point, why: Why) {
        if !self.known.insert((from, to)) {
            return;
        }
        self.found.push(PointEdge { from, to, why });
        if self.clocks.rank[from as usize] < self.clocks.rank[to as usize] {
            let own = of.own(&self.clocks.chains, from);
            self.clocks.join(from, to, own);
        }
    }
}
