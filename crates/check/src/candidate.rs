//! Causal consistency of very many sessions: propose a commit order, and look only where it may be wrong.
//!
//! Clocks ([`crate::causal`]) have an entry for each session, which is too much where there are thousands.
//! But with a commit order at hand, little has to be asked:
//!
//! ```text
//! t1 ... t2 ... t3        t3 reads x from t1. Only if t2, which writes x too, comes between them
//!                         in the order, it matters whether t2 is in t3's past.
//! ```
//!
//! Whether it is, a search back from t3 tells that need not look before t2. In an order close to the one in
//! which transactions really committed there are few such t2, and they are near. Where t2 is in t3's past, the edge
//! t2 -> t1 is forced; the next order respects it. So every round either finds no such edge, and then
//! the order is a commit order, or some that were not known; and when they have a cycle, the level is violated.
//! Where nothing recorded tells of such an order, clocks are faster.

#[cfg(test)]
mod tests;

use hobgoblin_core::StopReason;

use crate::forced::{Forced, Static, so_wr};
use crate::graph::Graph;
use crate::hint::{follows_commits, hints};
use crate::in_order::InOrder;
use crate::limits::{Limits, Ticker};
use crate::problem::{INIT, Node, Problem, Read};

/// From this many sessions on it is tried.
pub(crate) const SESSIONS: usize = 256;

/// How it ended.
pub(crate) enum Proposed {
    /// This commit order satisfies all that causal consistency asks for.
    Order(Vec<Node>),
    /// The edges found have a cycle.
    Cycle,
    /// Orders are too far from the real one for this to pay.
    GaveUp,
}

/// Adds edges that causal consistency forces, for the readers to which it `applies`, until an order or a
/// cycle is found. `facts` has what is known so far.
pub(crate) fn force(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    facts: &mut Static,
    limits: &Limits,
) -> Result<Proposed, StopReason> {
    const ROUNDS: usize = 100;
    if !problem.history.has_times() && !follows_commits(problem) {
        return Ok(Proposed::GaveUp);
    }
    let hint = hints(problem, &facts.order);
    let ticker = &mut Ticker::new(limits);
    let mut steps = 40 * (problem.len() + problem.num_reads()) + 100_000;
    for _ in 0..ROUNDS {
        let known = || facts.known.iter().map(|&(_, a, b)| (a, b));
        let forced = || facts.forced.iter().map(|f| (f.from, f.to));
        let graph = Graph::new(problem.len(), || so_wr(problem).chain(known()).chain(forced()));
        let order = graph.topological_by(|n| hint[n as usize]);
        if order.len() < problem.len() {
            return Ok(Proposed::Cycle);
        }
        let before = facts.forced.len();
        let mut search = Search::new(problem, &order);
        for node in (1..problem.len() as Node).filter(|&n| applies(n)) {
            let cost = search.look(node, &mut facts.forced);
            ticker.tick(cost)?;
            steps = steps.saturating_sub(cost);
            if steps == 0 {
                return Ok(Proposed::GaveUp);
            }
        }
        if facts.forced.len() == before {
            return Ok(Proposed::Order(order));
        }
    }
    Ok(Proposed::GaveUp)
}

/// Looks for reads that an order does not explain.
struct Search<'p, 'h> {
    problem: &'p Problem<'h>,
    place: Vec<u32>,
    writers: InOrder,
    /// Who was reached last from where.
    reached_from: Vec<Node>,
    queue: Vec<Node>,
}

impl<'p, 'h> Search<'p, 'h> {
    fn new(problem: &'p Problem<'h>, order: &[Node]) -> Search<'p, 'h> {
        let mut place = vec![0; problem.len()];
        for (at, &node) in order.iter().enumerate() {
            place[node as usize] = at as u32;
        }
        let reached_from = vec![INIT; problem.len()];
        let writers = InOrder::new(problem, order);
        Search { problem, place, writers, reached_from, queue: Vec::new() }
    }

    /// Adds the edges that the reads of a transaction force against the order; returns what that cost.
    fn look(&mut self, reader: Node, forced: &mut Vec<Forced>) -> usize {
        let reads = || self.problem.reads(reader).iter().filter(|r| r.obeys_axiom());
        let own = self.place[reader as usize];
        let between = |run: &Self, n: Node| run.place[n as usize] < own;
        // The first of all that might matter: nothing before it has to be looked at.
        let mut low = own;
        for read in reads() {
            let newer = self.writers.after(self.problem, read.source, read.key());
            if let Some(&writer) = newer.first() {
                low = low.min(self.place[writer as usize]);
            }
        }
        if low == own {
            return 1 + self.problem.reads(reader).len();
        }
        let mut cost = self.search(reader, low);
        for read in reads() {
            for &writer in self.writers.after(self.problem, read.source, read.key()) {
                if !between(self, writer) {
                    break;
                }
                cost += 1;
                if self.reached_from[writer as usize] == reader {
                    forced.push(Forced::new(writer, read));
                }
            }
        }
        cost
    }

    /// Marks the past of `reader` from the place `low` on; returns what that cost.
    fn search(&mut self, reader: Node, low: u32) -> usize {
        let problem = self.problem;
        let mut cost = 0;
        self.queue.push(reader);
        while let Some(node) = self.queue.pop() {
            let plain = |r: &&Read| node != reader || r.obeys_axiom();
            let sources = problem.reads(node).iter().filter(plain).map(|r| r.source);
            for before in std::iter::once(problem.prev[node as usize]).chain(sources) {
                cost += 1;
                if self.place[before as usize] >= low
                    && before != INIT
                    && std::mem::replace(&mut self.reached_from[before as usize], reader) != reader
                {
                    self.queue.push(before);
                }
            }
        }
        cost
    }
}
