//! Proofs that a few transactions violate their levels, in the terms of [`hobgoblin_core::Proof`].
//!
//! For every two writers of a key whose order is open we ask whether either order closes a forbidden
//! cycle; if so, the other one follows, and its proof is that cycle. When nothing follows any more and
//! there is still no contradiction, we split on one pair. This is exhaustive, so it also decides, but
//! it is meant for witnesses, which are small.

use std::collections::VecDeque;

use hobgoblin_core::{
    Conclusion, Edge, EventId, KeyId, Level, Proof, Reason, SortedMap, Step, TxnId,
};

use crate::points::{Point, Points};
use crate::problem::{INIT, Node, Problem, Read};

/// The transactions satisfy their levels, or the proof would take too many steps.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoProof {
    Consistent,
    TooLong,
}

/// Proves that a problem has no solution.
pub(crate) fn prove(problem: &Problem<'_>) -> Result<Proof, NoProof> {
    const STEPS: usize = 20_000_000;
    let mut prover = Prover::new(problem, STEPS);
    let facts = prover.known.clone();
    prover.prove(facts, 0)
}

/// `(key, a, b)`: a writes the key before b does. Init before all goes without saying.
type Fact = (usize, Node, Node);

/// What is known. It is copied more often than changed, and no larger than a witness.
type Facts = SortedMap<Fact, ()>;

struct Prover<'p, 'h> {
    problem: &'p Problem<'h>,
    points: Points<'p, 'h>,
    writers: Vec<Vec<Node>>,
    /// Everyone's external reads that obey an axiom.
    reads: Vec<(Node, Read)>,
    known: Facts,
    /// The edges that do not depend on the order of versions.
    given: Vec<Link>,
    left: usize,
}

/// An edge and the points it leaves and meets.
#[derive(Clone, Copy)]
struct Link {
    leaves: Point,
    meets: Point,
    from: Node,
    to: Node,
    why: Reason,
}

impl<'p, 'h> Prover<'p, 'h> {
    fn new(problem: &'p Problem<'h>, left: usize) -> Prover<'p, 'h> {
        let points = Points::new(problem);
        let writers = problem.writers();
        let writers = (0..problem.num_keys()).map(|k| writers.row(k).to_vec()).collect();
        let nodes = || 1..problem.len() as Node;
        let mut reads = Vec::new();
        for node in nodes() {
            let obeying = problem.reads(node).iter().filter(|r| r.obeys_axiom());
            reads.extend(obeying.map(|&read| (node, read)));
        }
        let known = problem.known_orders().into_iter().map(|fact| (fact, ()));
        let known = Facts::of(known.collect());
        let mut this = Prover { problem, points, writers, reads, known, given: Vec::new(), left };
        for node in nodes() {
            let prev = problem.prev[node as usize];
            if prev != INIT {
                this.link(prev, node, Reason::Session, this.points.snapshot(node));
            }
            for read in problem.reads(node).iter().filter(|r| r.source != INIT) {
                let meets = if read.obeys_axiom() {
                    this.points.snapshot(node)
                } else {
                    this.points.commit(node)
                };
                this.link(read.source, node, Reason::Read(read.event), meets);
            }
            this.link_real_time(node);
        }
        this
    }

    fn link(&mut self, from: Node, to: Node, why: Reason, meets: Point) {
        self.given.push(Link { leaves: self.points.commit(from), meets, from, to, why });
    }

    fn link_real_time(&mut self, node: Node) {
        let problem = self.problem;
        let txn = |n: Node| problem.txns[n as usize];
        let Some(begin) = problem.history.begin(txn(node)) else { return };
        if !problem.level(node).respects_real_time() {
            return;
        }
        for other in 1..problem.len() as Node {
            if problem.history.end(txn(other)).is_some_and(|end| end < begin) && other != node {
                self.link(other, node, Reason::RealTime, self.points.commit(node));
            }
        }
    }

    /// Whether `a` is known to write `key` before `b`.
    fn before(facts: &Facts, key: usize, a: Node, b: Node) -> bool {
        a == INIT || facts.contains_key(&(key, a, b))
    }

    fn prove(&mut self, mut facts: Facts, depth: usize) -> Result<Proof, NoProof> {
        const DEEPEST: usize = 200;
        if depth > DEEPEST {
            return Err(NoProof::TooLong);
        }
        let mut steps: Vec<Step> = Vec::new();
        loop {
            if let Some(cycle) = self.cycle(&facts)? {
                let conclusion = Conclusion::Cycle(self.edges(cycle));
                return Ok(self.pruned(Proof { steps, conclusion }));
            }
            let mut open = Vec::new();
            let mut progress = false;
            for key in 0..self.writers.len() {
                for i in 0..self.writers[key].len() {
                    for j in i + 1..self.writers[key].len() {
                        let (a, b) = (self.writers[key][i], self.writers[key][j]);
                        if facts.contains_key(&(key, a, b)) || facts.contains_key(&(key, b, a)) {
                            continue;
                        }
                        let found = match self.refute(&facts, (key, a, b))? {
                            Some(cycle) => Some((b, a, cycle)),
                            None => self.refute(&facts, (key, b, a))?.map(|cycle| (a, b, cycle)),
                        };
                        match found {
                            Some((first, second, cycle)) => {
                                let conclusion = Conclusion::Cycle(self.edges(cycle));
                                let otherwise = Proof { steps: Vec::new(), conclusion };
                                steps.push(self.step(key, first, second, otherwise));
                                facts.insert((key, first, second), ());
                                progress = true;
                            }
                            None => open.push((key, a, b)),
                        }
                    }
                }
            }
            if progress {
                continue;
            }
            let Some(&(key, a, b)) = open.first() else { return Err(NoProof::Consistent) };
            let mut assumed = facts.clone();
            assumed.insert((key, a, b), ());
            let otherwise = self.prove(assumed, depth + 1)?;
            steps.push(self.step(key, b, a, otherwise));
            facts.insert((key, b, a), ());
        }
    }

    fn step(&self, key: usize, first: Node, second: Node, otherwise: Proof) -> Step {
        let txn = |n: Node| self.problem.txns[n as usize];
        Step { key: self.problem.key_id(key), first: txn(first), second: txn(second), otherwise }
    }

    fn edges(&self, cycle: Vec<Link>) -> Vec<Edge> {
        let txn = |n: Node| self.problem.txns[n as usize];
        cycle.iter().map(|l| Edge { from: txn(l.from), to: txn(l.to), why: l.why }).collect()
    }

    /// The proof without the steps that nothing after them uses.
    fn pruned(&self, mut proof: Proof) -> Proof {
        let mut needed: SortedMap<(KeyId, TxnId, TxnId), ()> = SortedMap::new();
        self.uses(&proof.conclusion, &mut needed);
        let mut kept = Vec::new();
        for step in proof.steps.into_iter().rev() {
            if needed.contains_key(&(step.key, step.first, step.second)) {
                self.uses_of(&step.otherwise, &mut needed);
                kept.push(step);
            }
        }
        kept.reverse();
        proof.steps = kept;
        proof
    }

    fn uses_of(&self, proof: &Proof, needed: &mut SortedMap<(KeyId, TxnId, TxnId), ()>) {
        let mut queue = vec![proof];
        while let Some(proof) = queue.pop() {
            self.uses(&proof.conclusion, needed);
            queue.extend(proof.steps.iter().map(|step| &step.otherwise));
        }
    }

    fn uses(&self, conclusion: &Conclusion, needed: &mut SortedMap<(KeyId, TxnId, TxnId), ()>) {
        let Conclusion::Cycle(edges) = conclusion else { return };
        for edge in edges {
            match edge.why {
                Reason::Write(key) => {
                    needed.insert((key, edge.from, edge.to), ());
                }
                Reason::Overwrite(read) => {
                    let key = self.problem.history.event(read).key();
                    needed.insert((key, self.source_of(read), edge.to), ());
                }
                _ => {}
            }
        }
    }

    fn source_of(&self, read: EventId) -> TxnId {
        let at = self.reads.iter().find(|(_, r)| r.event == read).expect("a read of the problem");
        self.problem.txns[at.1.source as usize]
    }

    /// The links that facts about versions bring.
    fn links(&self, facts: impl Iterator<Item = Fact>) -> Vec<Link> {
        let mut links = Vec::new();
        for (key, a, b) in facts {
            if a != INIT {
                let (leaves, meets) = (self.points.commit(a), self.points.ww_entry(b));
                let why = Reason::Write(self.problem.key_id(key));
                links.push(Link { leaves, meets, from: a, to: b, why });
            }
            for &(reader, read) in &self.reads {
                if read.key() == key
                    && read.source == a
                    && reader != b
                    && let Some(leaves) = self.points.rw_exit(reader)
                {
                    let (meets, why) = (self.points.commit(b), Reason::Overwrite(read.event));
                    links.push(Link { leaves, meets, from: reader, to: b, why });
                }
            }
        }
        links
    }

    fn all_facts<'f>(&'f self, facts: &'f Facts) -> impl Iterator<Item = Fact> + 'f {
        let first = (0..self.writers.len())
            .flat_map(|key| self.writers[key].iter().map(move |&w| (key, INIT, w)));
        first.chain(facts.iter().map(|&(fact, ())| fact))
    }

    /// A forbidden cycle under these facts.
    fn cycle(&mut self, facts: &Facts) -> Result<Option<Vec<Link>>, NoProof> {
        let mut links = self.given.clone();
        links.extend(self.links(self.all_facts(facts)));
        let through: Vec<Link> = links.clone();
        self.search(facts, &links, &through)
    }

    /// A forbidden cycle that one more fact closes.
    fn refute(&mut self, facts: &Facts, fact: Fact) -> Result<Option<Vec<Link>>, NoProof> {
        let through = self.links(std::iter::once(fact));
        let mut links = self.given.clone();
        links.extend(self.links(self.all_facts(facts)));
        links.extend(&through);
        let mut with = facts.clone();
        with.insert(fact, ());
        self.search(&with, &links, &through)
    }

    /// A shortest forbidden cycle of `links` that goes through one of `through`, or that is one of the
    /// special ones of RC, RA, CC and PSI.
    fn search(
        &mut self,
        facts: &Facts,
        links: &[Link],
        through: &[Link],
    ) -> Result<Option<Vec<Link>>, NoProof> {
        let mut out = vec![Vec::new(); self.points.len()];
        for (i, link) in links.iter().enumerate() {
            out[link.leaves as usize].push(i);
        }
        let mut best: Option<Vec<Link>> = None;
        for link in through {
            let cost = links.len() + 1;
            self.left = self.left.checked_sub(cost).ok_or(NoProof::TooLong)?;
            let below = best.as_ref().map_or(usize::MAX, Vec::len);
            if let Some(mut path) = self.path(&out, links, link.meets, link.leaves)
                && path.len() + 1 < below
            {
                path.insert(0, *link);
                best = Some(path);
            }
        }
        let special = self.special(facts, links)?;
        Ok(match (best, special) {
            (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
            (a, b) => a.or(b),
        })
    }

    /// A shortest path of links from where one met to where one leaves; from a snapshot one may go on
    /// to the commit.
    fn path(
        &self,
        out: &[Vec<usize>],
        links: &[Link],
        start: Point,
        goal: Point,
    ) -> Option<Vec<Link>> {
        let leaving = |at: Point| {
            let commit = self.points.commit(self.points.node(at));
            let on = (commit != at).then_some(commit);
            std::iter::once(at).chain(on)
        };
        if leaving(start).any(|p| p == goal) {
            return Some(Vec::new());
        }
        // By which link each point was met, and from which point that link was taken.
        let mut reached: Vec<Option<(usize, Point)>> = vec![None; self.points.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(point) = queue.pop_front() {
            for leaves in leaving(point) {
                for &i in &out[leaves as usize] {
                    let meets = links[i].meets;
                    if meets == start || reached[meets as usize].is_some() {
                        continue;
                    }
                    reached[meets as usize] = Some((i, point));
                    if leaving(meets).any(|p| p == goal) {
                        let mut path = Vec::new();
                        let mut at = meets;
                        while let Some((i, before)) = reached[at as usize] {
                            path.push(links[i]);
                            at = before;
                        }
                        path.reverse();
                        return Some(path);
                    }
                    queue.push_back(meets);
                }
            }
        }
        None
    }

    /// The cycles of one rw that RC, RA, CC and PSI forbid: a reader that saw more than it read.
    fn special(&mut self, facts: &Facts, links: &[Link]) -> Result<Option<Vec<Link>>, NoProof> {
        let mut best: Option<Vec<Link>> = None;
        for at in 0..self.reads.len() {
            let (reader, read) = self.reads[at];
            let level = self.problem.level(reader);
            match level {
                Level::RC | Level::RA | Level::CC | Level::PSI => {}
                // Their axioms are about the commit order, which is in the links already.
                Level::RU | Level::PC | Level::SI | Level::SER | Level::SSER => continue,
            }
            for i in 0..self.writers[read.key()].len() {
                let newer = self.writers[read.key()][i];
                if newer == reader
                    || newer == read.source
                    || !Self::before(facts, read.key(), read.source, newer)
                {
                    continue;
                }
                self.left = self.left.checked_sub(links.len() + 1).ok_or(NoProof::TooLong)?;
                let Some(mut path) = self.way_back(level, links, newer, reader, read) else {
                    continue;
                };
                let commit = self.points.commit(reader);
                path.insert(
                    0,
                    Link {
                        leaves: commit,
                        meets: self.points.commit(newer),
                        from: reader,
                        to: newer,
                        why: Reason::Overwrite(read.event),
                    },
                );
                if best.as_ref().is_none_or(|b| path.len() < b.len()) {
                    best = Some(path);
                }
            }
        }
        Ok(best)
    }

    /// How `newer` is in the past of `reader` as its level understands it.
    fn way_back(
        &self,
        level: Level,
        links: &[Link],
        newer: Node,
        reader: Node,
        read: Read,
    ) -> Option<Vec<Link>> {
        let direct = |l: &&Link| l.from == newer && l.to == reader;
        // A locking read of the reader's own is no evidence.
        let plain = |l: &Link| match l.why {
            Reason::Read(event) => l.to != reader || !self.problem.history.is_locking(event),
            _ => true,
        };
        let is_read =
            |l: &&Link| matches!(l.why, Reason::Read(event) if event < read.event) && plain(l);
        let so_wr = |l: &Link| matches!(l.why, Reason::Session | Reason::Read(_));
        match level {
            Level::RC => links.iter().filter(direct).find(is_read).map(|&l| vec![l]),
            Level::RA => {
                let link = links.iter().filter(direct).find(|l| so_wr(l) && plain(l)).copied();
                link.or_else(|| self.session_link(newer, reader)).map(|l| vec![l])
            }
            Level::CC | Level::PSI => {
                let counts = |l: &Link| {
                    let ww = level.is_parallel() && matches!(l.why, Reason::Write(_));
                    (so_wr(l) || ww) && plain(l)
                };
                self.plain_path(links, counts, newer, reader)
            }
            Level::RU | Level::PC | Level::SI | Level::SER | Level::SSER => None,
        }
    }

    /// The link of session order between two transactions that are not neighbours.
    fn session_link(&self, a: Node, b: Node) -> Option<Link> {
        let (s, p) = (&self.problem.session, &self.problem.place);
        let (i, j) = (a as usize, b as usize);
        (s[i] == s[j] && p[i] < p[j]).then(|| Link {
            leaves: self.points.commit(a),
            meets: self.points.snapshot(b),
            from: a,
            to: b,
            why: Reason::Session,
        })
    }

    /// A shortest path between transactions, wherever links leave and meet them.
    fn plain_path(
        &self,
        links: &[Link],
        counts: impl Fn(&Link) -> bool,
        start: Node,
        goal: Node,
    ) -> Option<Vec<Link>> {
        let mut out = vec![Vec::new(); self.problem.len()];
        for (i, link) in links.iter().enumerate() {
            if counts(link) {
                out[link.from as usize].push(i);
            }
        }
        let mut reached: Vec<Option<usize>> = vec![None; self.problem.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &i in &out[node as usize] {
                let to = links[i].to;
                if to == start || reached[to as usize].is_some() {
                    continue;
                }
                reached[to as usize] = Some(i);
                queue.push_back(to);
            }
        }
        let mut path = Vec::new();
        let mut at = goal;
        while at != start {
            let link = links[reached[at as usize]?];
            path.push(link);
            at = link.from;
        }
        path.reverse();
        Some(path)
    }
}
