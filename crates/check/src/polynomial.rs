//! Read committed, read atomic, causal consistency, and any mix of them: derive the commit edges the
//! level forces, and look for a cycle. Where there is none, any topological order is a commit order.

use hobgoblin_core::{EventId, Level, StopReason};

use crate::candidate::Proposed;
use crate::forced::{Static, so_wr};
use crate::graph::Graph;
use crate::lightest::{Step, Taken, lightest};
use crate::limits::{Limits, Ticker};
use crate::problem::{INIT, Node, Problem, Read};
use crate::{atomic, candidate, causal, committed};

/// What a check found, in terms of its problem.
#[derive(Debug)]
pub(crate) enum Decision {
    /// The level holds; this is a commit order, init included.
    Order(Vec<Node>),
    /// These nodes (ascending, without init) violate the level between them.
    Core(Vec<Node>),
}

/// Decides a problem in which all levels are RU, RC, RA or CC.
pub(crate) fn decide(problem: &Problem<'_>, limits: &Limits) -> Result<Decision, StopReason> {
    match force(problem, Edges::Enough { sessions: candidate::SESSIONS }, limits)? {
        Ok(facts) => Ok(decide_static(problem, &facts)),
        Err(core) => Ok(Decision::Core(core)),
    }
}

/// Which static edges are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edges {
    /// All that other orders than the one found have to respect.
    All,
    /// Enough for a cycle, or for the order that comes with them; from so many sessions on these are looked
    /// for without clocks.
    Enough {
        /// From how many sessions on.
        sessions: usize,
    },
}

/// Finds the static edges, or a cycle of `so ∪ wr`.
pub(crate) fn force(
    problem: &Problem<'_>,
    edges: Edges,
    limits: &Limits,
) -> Result<Result<Static, Vec<Node>>, StopReason> {
    let graph = Graph::new(problem.len(), || so_wr(problem));
    let order = graph.topological();
    if order.len() < problem.len() {
        let edges: Vec<_> = so_wr(problem).collect();
        let graph = Graph::labelled(problem.len(), &edges);
        let is_read = |edge: u32| !is_session(problem, edges[edge as usize]);
        let step = |edge| if is_read(edge) { Step::Other(1) } else { Step::Session };
        let cycle = graph.light_cycles(&order, is_read, step).swap_remove(0);
        return Ok(Err(tidy(ends(&cycle))));
    }
    drop(graph);
    let ticker = &mut Ticker::new(limits);
    let mut forced = Vec::new();
    let at = |force| move |node| force_of(problem.level(node)) == force;
    committed::force(problem, at(Force::Earlier), ticker, &mut forced)?;
    atomic::force(problem, at(Force::Direct), ticker, &mut forced)?;
    let known = problem.known_orders();
    let mut facts = Static { order, forced, known, found: None };
    let causal = at(Force::Past);
    if (1..problem.len() as Node).any(causal) {
        let without_clocks =
            matches!(edges, Edges::Enough { sessions } if problem.num_sessions >= sessions);
        if without_clocks {
            match candidate::force(problem, causal, &mut facts, limits)? {
                Proposed::Order(order) => facts.found = Some(order),
                Proposed::Cycle => {}
                Proposed::GaveUp => {
                    causal::force(problem, causal, &facts.order, ticker, &mut facts.forced)?;
                }
            }
        } else {
            causal::force(problem, causal, &facts.order, ticker, &mut facts.forced)?;
        }
    }
    Ok(Ok(facts))
}

/// Looks for a cycle of `so`, `wr` and the static edges.
pub(crate) fn decide_static(problem: &Problem<'_>, facts: &Static) -> Decision {
    if let Some(order) = &facts.found {
        return Decision::Order(order.clone());
    }
    let forced = || facts.forced.iter().map(|f| (f.from, f.to));
    let known = || facts.known.iter().map(|&(_, a, b)| (a, b));
    let graph = Graph::new(problem.len(), || so_wr(problem).chain(known()).chain(forced()));
    let order = graph.topological();
    if order.len() == problem.len() {
        return Decision::Order(order);
    }
    let edges: Vec<(Node, Node)> = so_wr(problem).chain(known()).chain(forced()).collect();
    let first_forced = edges.len() - facts.forced.len();
    let graph = Graph::labelled(problem.len(), &edges);
    let is_forced = |edge: u32| edge as usize >= first_forced;
    let step = |edge: u32| match edges[edge as usize] {
        // The reader too, and for causal consistency what is between.
        _ if is_forced(edge) => Step::Other(3),
        edge if is_session(problem, edge) => Step::Session,
        _ => Step::Other(1),
    };
    // Without known orders every cycle has a forced edge.
    let begins = |edge: u32| edge as usize >= first_forced - facts.known.len();
    let mut smallest: Option<Vec<Node>> = None;
    let mut work = 0;
    for cycle in graph.light_cycles(&order, begins, step) {
        let mut core = Vec::new();
        for edge in cycle {
            core.extend([edge.from, edge.to]);
            if let Some(at) = (edge.label as usize).checked_sub(first_forced) {
                let forced = facts.forced[at];
                core.extend(evidence(problem, forced.from, forced.read, &mut work));
            }
        }
        let core = tidy(core);
        if smallest.as_ref().is_none_or(|smallest| core.len() < smallest.len()) {
            smallest = Some(core);
        }
        if work > MOST_WORK {
            break;
        }
    }
    Decision::Core(smallest.expect("there is a cycle"))
}

/// Once so many edges were looked at for the evidence of cycles, the smallest so far will do.
const MOST_WORK: usize = 1 << 20;

/// Whether an edge of `so ∪ wr` connects neighbours in a session.
fn is_session(problem: &Problem<'_>, (from, to): (Node, Node)) -> bool {
    problem.prev[to as usize] == from
}

/// What a reader sees that forces commit edges whatever the commit order is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Force {
    Nothing,
    /// Whom it read from before.
    Earlier,
    /// Its predecessors in so and wr.
    Direct,
    /// All its past.
    Past,
}

fn force_of(level: Level) -> Force {
    match level {
        Level::RU => Force::Nothing,
        Level::RC => Force::Earlier,
        Level::RA => Force::Direct,
        Level::CC | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => Force::Past,
    }
}

/// The reader of a forced edge, and for causal consistency a lightest way from the edge's source to it. `work`
/// counts the edges looked at.
fn evidence(problem: &Problem<'_>, from: Node, read: EventId, work: &mut usize) -> Vec<Node> {
    let reader =
        problem.node(problem.history.txn_of(read)).expect("the reader is part of the problem");
    if force_of(problem.level(reader)) != Force::Past {
        return vec![reader];
    }
    let before = |node: Node, each: &mut dyn FnMut(Node, u32, Step)| {
        let prev = problem.prev[node as usize];
        if prev != INIT {
            each(prev, 0, Step::Session);
        }
        let plain = |r: &&Read| node != reader || r.obeys_axiom();
        for read in problem.reads(node).iter().filter(plain).filter(|r| r.source != INIT) {
            each(read.source, 0, Step::Other(1));
        }
    };
    let (way, _) = lightest(reader, from, before, work)
        .expect("a forced edge comes from the past of its reader");
    let mut nodes = ends(&way);
    nodes.extend_from_slice(&[reader, from]);
    nodes
}

/// Where the edges of a way begin and end.
fn ends(way: &[Taken]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * way.len());
    for edge in way {
        nodes.extend_from_slice(&[edge.from, edge.to]);
    }
    nodes
}

/// Ascending, once each, without init.
pub(crate) fn tidy(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.retain(|&n| n != INIT);
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
