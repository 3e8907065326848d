//! One level, kept decided while transactions arrive: the commit edges it forces, and no cycle.
//!
//! The edges are those of the offline checks (`committed.rs`, `atomic.rs`, `causal.rs`). Each is forced
//! by one reader, and follows from that reader's sources and past. So when something arrives, the readers
//! to look at again are those that have a new source, and whose past has grown: at RC the reader itself; at
//! RA also the rest of the session of a transaction that began to count late; at CC all that follow in
//! `so ∪ wr`, as far as their clocks change. A past only grows, and so do the edges.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hashbrown::HashMap;
use hobgoblin_core::Level;

use super::clocks::{Clock, Clocks};
use super::order::{CycleEdge, Order, Why};
use super::record::Record;
use super::writers::Writers;
use crate::graph::Graph;
use crate::problem::{INIT, Node};

/// What an arrival changed for the transactions that count.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Those that count from now on, and for each the next in its session, if it counted before.
    pub(super) nodes: Vec<(Node, Option<Node>)>,
    /// Reads, of others, that have a source from now on: reader, and index among all reads.
    pub(super) reads: Vec<(Node, usize)>,
}

/// Why an engine has no other level.
const NOT_ONLINE: &str = "a checker is made for RC, RA and CC only";

/// Some transactions that violate a level between them, ascending.
pub(super) type Core = Vec<Node>;

/// See the [module docs](self).
#[derive(Debug)]
pub(super) struct Engine {
    level: Level,
    order: Order,
    writers: Writers,
    clocks: Clocks,
    forced: Vec<(Node, Node)>,
    /// The past of the reader at hand, by chain, and the chains that are in it.
    seen: Vec<u32>,
    seen_chains: Vec<u32>,
    sorted: Sorted,
}

impl Engine {
    pub(super) fn new(level: Level) -> Engine {
        Engine {
            level,
            order: Order::default(),
            writers: Writers::default(),
            clocks: Clocks::new(),
            forced: Vec::new(),
            seen: Vec::new(),
            seen_chains: Vec::new(),
            sorted: Sorted::default(),
        }
    }

    pub(super) fn set_clock_capacity(&mut self, entries: usize) {
        self.clocks.set_capacity(entries);
    }

    /// An engine that has seen all that is recorded.
    pub(super) fn catch_up(level: Level, record: &Record) -> Result<Engine, Core> {
        let counted = || (1..record.len() as Node).filter(|&n| record.counts(n));
        let edges = || counted().flat_map(|n| record.before(n, true).map(move |b| (b, n)));
        let topological = Graph::new(record.len(), edges).topological();
        if topological.len() < record.len() {
            let edges: Vec<(Node, Node)> = edges().collect();
            let cycle = Graph::labelled(record.len(), &edges).short_cycle(&topological);
            return Err(tidy(cycle.into_iter().map(|e| edges[e as usize].0).collect()));
        }
        let mut rank = vec![0; record.len()];
        for (place, &node) in topological.iter().enumerate() {
            rank[node as usize] = place as u32;
        }
        let mut engine = Engine::new(level);
        engine.order = Order::with_ranks(rank);
        for &node in topological.iter().filter(|&&n| n != INIT && record.counts(n)) {
            engine.apply(record, &Changes { nodes: vec![(node, None)], reads: Vec::new() })?;
        }
        Ok(engine)
    }

    pub(super) fn num_edges(&self) -> usize {
        self.order.num_edges()
    }

    pub(super) fn clock_entries(&self) -> usize {
        self.clocks.entries()
    }

    /// Takes in what an arrival changed; a core, if the level is violated from now on.
    pub(super) fn apply(&mut self, record: &Record, changes: &Changes) -> Result<(), Core> {
        self.order.grow(record.len());
        for &(node, next) in &changes.nodes {
            self.add_writes(record, node);
            for before in record.before(node, true) {
                self.add(record, before, node, Why::Past)?;
            }
            if let Some(next) = next {
                self.add(record, node, next, Why::Past)?;
            }
        }
        for &(reader, read) in &changes.reads {
            let source = record.read(read).source().expect("it has a source now");
            self.add(record, source, reader, Why::Past)?;
        }
        for reader in self.readers_affected(record, changes) {
            self.forced.clear();
            match self.level {
                Level::RC => self.sorted.committed(record, reader, &mut self.forced),
                Level::RA => self.atomic(record, reader),
                Level::CC => self.causal(record, reader),
                Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                    unreachable!("{NOT_ONLINE}")
                }
            }
            for (from, to) in std::mem::take(&mut self.forced) {
                self.add(record, from, to, Why::Forced(reader))?;
            }
        }
        Ok(())
    }

    fn add_writes(&mut self, record: &Record, node: Node) {
        let (line, place) = match self.level {
            Level::RC => return,
            Level::RA => (record.session(node), record.place(node)),
            Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                unreachable!("{NOT_ONLINE}")
            }
            Level::CC => {
                self.clocks.add(record, node);
                self.seen.resize(self.clocks.chains.len(), 0);
                (self.clocks.chains.chain(node), self.clocks.chains.place(node))
            }
        };
        for &key in record.writes(node) {
            self.writers.add(key, line, place, node);
        }
    }

    fn add(&mut self, record: &Record, from: Node, to: Node, why: Why) -> Result<(), Core> {
        self.order.add(from, to, why).map_err(|cycle| self.core(record, &cycle))
    }

    /// The readers whose forced edges may be more than before.
    fn readers_affected(&mut self, record: &Record, changes: &Changes) -> Vec<Node> {
        let nodes = changes.nodes.iter().map(|&(node, _)| node);
        let mut readers: Vec<Node> = nodes.chain(changes.reads.iter().map(|r| r.0)).collect();
        match self.level {
            Level::RC => {}
            Level::RA => {
                let late = changes.nodes.iter().filter(|(_, next)| next.is_some());
                readers.extend(late.flat_map(|&(node, _)| record.later_in_session(node)));
            }
            Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                unreachable!("{NOT_ONLINE}")
            }
            Level::CC => {
                let next = changes.nodes.iter().filter_map(|&(_, next)| next);
                readers.extend(next);
                return self.update_clocks(record, readers);
            }
        }
        readers.sort_unstable();
        readers.dedup();
        readers
    }

    /// Finds the clocks of these nodes anew, and of all that follow as far as clocks change; returns
    /// those whose did, and these.
    fn update_clocks(&mut self, record: &Record, mut roots: Vec<Node>) -> Vec<Node> {
        roots.sort_unstable();
        roots.dedup();
        let mut affected = Vec::new();
        let queued = roots.iter().map(|&n| Reverse((self.order.rank(n), n)));
        let mut queue: BinaryHeap<Reverse<(u32, Node)>> = queued.collect();
        while let Some(Reverse((_, node))) = queue.pop() {
            if affected.last() == Some(&node) {
                continue;
            }
            let clock = self.clocks.find(record, &self.order, node, true);
            let same = self.clocks.held(node) == Some(&clock);
            if same && roots.binary_search(&node).is_err() {
                continue;
            }
            affected.push(node);
            if !same {
                self.clocks.hold(node, clock);
                let later = self.order.successors(node);
                queue.extend(later.map(|n| Reverse((self.order.rank(n), n))));
            }
        }
        affected
    }

    /// Read atomic: `t2 --so or wr--> t3: r(x)<-t1`, and t2 writes x too.
    fn atomic(&mut self, record: &Record, reader: Node) {
        let (session, place) = (record.session(reader), record.place(reader));
        for read in record.reads(reader).iter().filter(|r| !r.is_locking()) {
            if let Some(source) = read.source()
                && let Some(writer) = self.writers.last_on(read.key(), session, place)
                && writer != source
            {
                self.forced.push((writer, source));
            }
        }
        self.sorted.atomic(record, reader, &mut self.forced);
    }

    /// Causal: t2 writes x too and is in the past of t3, not of t1. Of a chain the last such t2 will do.
    fn causal(&mut self, record: &Record, reader: Node) {
        let reads = record.reads(reader);
        if reads.is_empty() {
            return;
        }
        let own: Clock;
        let clock = if reads.iter().any(|r| r.is_locking()) {
            own = self.clocks.find(record, &self.order, reader, false);
            &own
        } else {
            self.clocks.get(record, &self.order, reader)
        };
        for &(chain, count) in clock {
            self.seen[chain as usize] = count;
            self.seen_chains.push(chain);
        }
        // A transaction is not in its own past.
        let (chain, place) = (self.clocks.chains.chain(reader), self.clocks.chains.place(reader));
        self.seen[chain as usize] = place;
        for read in reads.iter().filter(|r| !r.is_locking()) {
            let Some(source) = read.source() else { continue };
            let groups = self.writers.of(read.key());
            let no_clock = Clock::new();
            let known = match source {
                INIT => &no_clock,
                source => self.clocks.get(record, &self.order, source),
            };
            let mut known = known.iter().copied().peekable();
            for group in groups {
                let seen = self.seen[group.line as usize];
                while known.next_if(|k| k.0 < group.line).is_some() {}
                let known = known.peek().filter(|k| k.0 == group.line).map_or(0, |k| k.1);
                if known >= seen {
                    continue;
                }
                if let Some((place, writer)) = group.last_before(seen)
                    && place >= known
                    && writer != source
                {
                    self.forced.push((writer, source));
                }
            }
        }
        for chain in self.seen_chains.drain(..) {
            self.seen[chain as usize] = 0;
        }
    }

    /// The nodes of a cycle, the readers that force its edges, and why they do.
    fn core(&self, record: &Record, cycle: &[CycleEdge]) -> Core {
        let mut core: Core = cycle.iter().map(|edge| edge.from).collect();
        for edge in cycle {
            let Why::Forced(reader) = edge.why else { continue };
            core.push(reader);
            match self.level {
                Level::RC | Level::RA => {}
                Level::CC => core.extend(way(record, edge.from, reader)),
                Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                    unreachable!("{NOT_ONLINE}")
                }
            }
        }
        tidy(core)
    }
}

/// A shortest way in `so ∪ wr` from a node to one it is in the past of.
fn way(record: &Record, from: Node, to: Node) -> Vec<Node> {
    let mut towards: HashMap<Node, Node> = HashMap::new();
    let mut queue = VecDeque::from([to]);
    while let Some(node) = queue.pop_front().filter(|&node| node != from) {
        for before in record.before(node, node != to).filter(|&n| n != to) {
            towards.entry(before).or_insert_with(|| {
                queue.push_back(before);
                node
            });
        }
    }
    std::iter::successors(Some(from), |node| towards.get(node).copied()).collect()
}

/// Ascending, once each, without init.
fn tidy(mut nodes: Vec<Node>) -> Core {
    nodes.retain(|&n| n != INIT);
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The plain reads of one transaction, sorted by key and then as they came.
#[derive(Debug, Default)]
struct Sorted {
    /// Key, position, source.
    reads: Vec<(u32, u32, Node)>,
    /// For each of them, the next of its key from another source; or the end.
    next_other: Vec<u32>,
    /// The sources, with the position of the first read from each.
    sources: Vec<(Node, u32)>,
}

impl Sorted {
    fn fill(&mut self, record: &Record, reader: Node) {
        self.reads.clear();
        self.sources.clear();
        for (at, read) in record.reads(reader).iter().enumerate().filter(|(_, r)| !r.is_locking()) {
            if let Some(source) = read.source() {
                self.reads.push((read.key(), at as u32, source));
                self.sources.push((source, at as u32));
            }
        }
        self.reads.sort_unstable();
        self.sources.sort_unstable();
        self.sources.dedup_by_key(|s| s.0);
        self.sources.retain(|s| s.0 != INIT);
        self.next_other.clear();
        self.next_other.resize(self.reads.len(), u32::MAX);
        for at in (1..self.reads.len()).rev() {
            let (before, this) = (self.reads[at - 1], self.reads[at]);
            if before.0 == this.0 {
                let other = before.2 != this.2;
                self.next_other[at - 1] = if other { at as u32 } else { self.next_other[at] };
            }
        }
    }

    /// Calls `found` with the place of the first read, not before position `from`, of each key that a
    /// source writes; walks over the smaller of the keys written and those read.
    fn each_written(&self, writes: &[u32], from: u32, mut found: impl FnMut(usize)) {
        let mut look = |key: u32, begin: usize| {
            let at = begin + self.reads[begin..].partition_point(|&(k, p, _)| (k, p) < (key, from));
            if self.reads.get(at).is_some_and(|read| read.0 == key) {
                found(at);
            }
        };
        if writes.len() <= self.reads.len() {
            writes.iter().for_each(|&key| look(key, 0));
            return;
        }
        let mut at = 0;
        while let Some(&(key, ..)) = self.reads.get(at) {
            if writes.binary_search(&key).is_ok() {
                look(key, at);
            }
            at += self.reads[at..].partition_point(|read| read.0 == key);
        }
    }

    /// Read committed: `t3: r(y)<-t2 ... r(x)<-t1`, and t2 writes x too. For each t2 and x the first such
    /// read will do.
    fn committed(&mut self, record: &Record, reader: Node, forced: &mut Vec<(Node, Node)>) {
        if record.reads(reader).len() < 2 {
            return;
        }
        self.fill(record, reader);
        for &(source, first) in &self.sources {
            self.each_written(record.writes(source), first + 1, |at| {
                let at = if self.reads[at].2 == source { self.next_other[at] as usize } else { at };
                if let Some(read) = self.reads.get(at) {
                    forced.push((source, read.2));
                }
            });
        }
    }

    /// Read atomic, the part of wr. Of several sources of one key any two contradict each other.
    fn atomic(&mut self, record: &Record, reader: Node, forced: &mut Vec<(Node, Node)>) {
        if record.reads(reader).len() < 2 {
            return;
        }
        self.fill(record, reader);
        for &(source, _) in &self.sources {
            self.each_written(record.writes(source), 0, |at| {
                let other = self.reads.get(self.next_other[at] as usize);
                let both = [Some(&self.reads[at]), other].into_iter().flatten();
                forced.extend(both.filter(|r| r.2 != source).map(|r| (source, r.2)));
            });
        }
    }
}
