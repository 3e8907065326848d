//! Why candidates of a read are out of the question, as proofs that anyone can check.
//!
//! Narrowing remembers of each candidate the round in which it fell and by whom. A proof is made only for
//! those that a witness needs: a shortest way along the edges known in that round closes the cycle. Edges of
//! reads that were settled themselves are proved around it, by cases: of their candidates one leads to the
//! cycle, the others are out of the question too.

use std::collections::{BinaryHeap, VecDeque};

use hobgoblin_core::{Conclusion, Edge, EventId, Level, Proof, Reason, Step, TxnId};

use super::{End, Narrowing, Open, Removed};
use crate::by_number::ByNumber;
use crate::graph::Graph;
use crate::witness;

impl Narrowing<'_> {
    /// Why there is no choice of sources, where that is known.
    pub(crate) fn refutation(&self) -> Option<Proof> {
        let search = || Proof { steps: Vec::new(), conclusion: Conclusion::Search };
        let (proof, needs) = match self.end {
            End::Open | End::Given => return None,
            End::Nobody(at) => {
                let event = self.reads[at].event;
                let mut needs = Vec::new();
                let cases = self.closed_cases(event, &mut needs);
                let conclusion = Conclusion::Sources { read: event, cases };
                (Proof { steps: Vec::new(), conclusion }, needs)
            }
            End::Circle(round) => {
                let edges = self.edges_with_reasons(round);
                let pairs: Vec<(u32, u32)> =
                    edges.iter().map(|e| (e.from.raw(), e.to.raw())).collect();
                let graph = Graph::labelled(self.history.num_txns(), &pairs);
                let cycle = graph.short_cycle(&graph.topological());
                let cycle = cycle.into_iter().map(|e| edges[e as usize]).collect();
                let cycle = join_sessions(cycle);
                let needs = self.settled_on(&cycle);
                (Proof { steps: Vec::new(), conclusion: Conclusion::Cycle(cycle) }, needs)
            }
        };
        Some(self.wrap(proof, needs).unwrap_or_else(search))
    }

    fn edges_with_reasons(&self, round: u32) -> Vec<Edge> {
        let mut edges = Vec::new();
        for to in self.history.txns() {
            let prev = self.prev(to).map(|from| Edge { from, to, why: Reason::Session });
            edges.extend(prev);
            let reads = self.sources_of(to, round);
            edges.extend(reads.map(|(e, from)| Edge { from, to, why: Reason::Read(e) }));
        }
        edges
    }

    /// The settled reads among the edges of a proof.
    fn settled_on(&self, edges: &[Edge]) -> Vec<EventId> {
        let read = |edge: &Edge| match edge.why {
            Reason::Read(event) if self.is_settled(event) => Some(event),
            _ => None,
        };
        edges.iter().filter_map(read).collect()
    }

    /// For each candidate of a read that is out of the question, the proof of it. Settled reads that
    /// these proofs rest on are added to `needs`.
    pub(crate) fn closed_cases(
        &self,
        event: EventId,
        needs: &mut Vec<EventId>,
    ) -> Vec<(TxnId, Proof)> {
        let Some(at) = self.index(event) else { return Vec::new() };
        let removed = self.reads[at].removed.iter();
        removed.map(|&(w, round, why)| (w, self.proof_against(at, w, round, why, needs))).collect()
    }

    fn proof_against(
        &self,
        at: usize,
        candidate: TxnId,
        round: u32,
        why: Removed,
        needs: &mut Vec<EventId>,
    ) -> Proof {
        let Open { event, reader, key, .. } = self.reads[at];
        let mut note = |edges: &[Edge]| needs.extend(self.settled_on(edges));
        let mut steps = Vec::new();
        let mut cycle;
        match why {
            Removed::Later => {
                let way = self.way(reader, candidate, round);
                note(&way);
                cycle = vec![Edge { from: candidate, to: reader, why: Reason::Read(event) }];
                cycle.extend(way);
            }
            Removed::Overwritten(by) => {
                if candidate != TxnId::INIT {
                    let way = self.way(candidate, by, round);
                    note(&way);
                    let mut otherwise =
                        vec![Edge { from: by, to: candidate, why: Reason::Write(key) }];
                    otherwise.extend(way);
                    let conclusion = Conclusion::Cycle(join_sessions(otherwise));
                    let otherwise = Proof { steps: Vec::new(), conclusion };
                    steps.push(Step { key, first: candidate, second: by, otherwise });
                }
                let way = self.way_seen(by, event, round);
                note(&way);
                cycle = vec![Edge { from: reader, to: by, why: Reason::Overwrite(event) }];
                cycle.extend(way);
            }
        }
        Proof { steps, conclusion: Conclusion::Cycle(join_sessions(cycle)) }
    }

    /// A shortest way along so and wr known before a round.
    fn way(&self, from: TxnId, to: TxnId, round: u32) -> Vec<Edge> {
        self.way_by(from, to, round, |_| true)
    }

    /// How the transaction of a read saw another, by the rules of its level.
    fn way_seen(&self, from: TxnId, event: EventId, round: u32) -> Vec<Edge> {
        let history = self.history;
        let to = history.txn_of(event);
        let level = witness::level(history, self.target, to);
        if level.implies(Level::CC) {
            return self.way_by(from, to, round, |e| !history.is_locking(e));
        }
        if level.is_atomic() && history.so(from, to) {
            return vec![Edge { from, to, why: Reason::Session }];
        }
        let seen = |&(e, s): &(EventId, TxnId)| {
            s == from && !history.is_locking(e) && (level.is_atomic() || e < event)
        };
        let (read, _) = self.sources_of(to, round).find(seen).expect("it was seen directly");
        vec![Edge { from, to, why: Reason::Read(read) }]
    }

    /// A shortest way along so and wr whose last read, if it ends in one, is `allowed`.
    fn way_by(
        &self,
        from: TxnId,
        to: TxnId,
        round: u32,
        allowed: impl Fn(EventId) -> bool,
    ) -> Vec<Edge> {
        let mut towards: ByNumber<Edge> = ByNumber::new();
        let mut queue = VecDeque::from([to]);
        while let Some(txn) = queue.pop_front() {
            if txn == from {
                break;
            }
            let mut look_at = |from: TxnId, why: Reason| {
                if from != to && !towards.contains(from.raw()) {
                    towards.insert(from.raw(), Edge { from, to: txn, why });
                    queue.push_back(from);
                }
            };
            if let Some(before) = self.prev(txn) {
                look_at(before, Reason::Session);
            }
            for (read, source) in self.sources_of(txn, round) {
                if txn != to || allowed(read) {
                    look_at(source, Reason::Read(read));
                }
            }
        }
        let mut way = Vec::new();
        let mut at = from;
        while at != to {
            let edge = *towards.get(at.raw()).expect("there is a way");
            way.push(edge);
            at = edge.to;
        }
        way
    }

    /// Puts around a proof why the settled reads it needs are settled as they are, and so on; nothing
    /// where that nests too deep.
    pub(crate) fn wrap(&self, proof: Proof, needs: Vec<EventId>) -> Option<Proof> {
        const DEEPEST: usize = 300;
        let (mut proof, mut depth) = (proof, 0);
        let entry = |event: EventId| {
            let at = self.index(event).expect("it is ambiguous");
            (self.reads[at].settled, at as u32)
        };
        let mut open: BinaryHeap<(u32, u32)> = needs.into_iter().map(entry).collect();
        while let Some(last) = open.pop() {
            if open.peek() == Some(&last) {
                continue;
            }
            let at = last.1 as usize;
            let event = self.reads[at].event;
            depth += 1;
            if depth > DEEPEST {
                return None;
            }
            let mut needs = Vec::new();
            let mut cases = vec![(self.reads[at].left[0], proof)];
            cases.extend(self.closed_cases(event, &mut needs));
            open.extend(needs.into_iter().map(entry));
            let conclusion = Conclusion::Sources { read: event, cases };
            proof = Proof { steps: Vec::new(), conclusion };
        }
        Some(proof)
    }
}

/// The same cycle without what lies between in a session, which may not even have committed. The cycle
/// does not begin in the middle of a session's run.
pub(crate) fn join_sessions(edges: Vec<Edge>) -> Vec<Edge> {
    let mut edges = edges;
    if let Some(start) = edges.iter().position(|e| e.why != Reason::Session) {
        edges.rotate_left(start);
    }
    let mut joined: Vec<Edge> = Vec::with_capacity(edges.len());
    for edge in edges {
        match joined.last_mut() {
            Some(last) if last.why == Reason::Session && edge.why == Reason::Session => {
                last.to = edge.to;
            }
            _ => joined.push(edge),
        }
    }
    joined
}
