//! The theory behind [`crate::sources`]: whoever reads from whom, so ∪ wr has no cycle.
//!
//! Choosing a source for a read puts an edge on a graph of transactions that stays acyclic
//! ([`crate::acyclic`]). Most bad choices show here, long before a whole check.

use batsat::{Lit, Theory, TheoryArg, lbool};
use hobgoblin_core::{Edge, EventId, History, Reason, Source, TxnId, sort_dedup};

use crate::acyclic::{Acyclic, Cycle};
use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::narrow::{Narrowing, join_sessions};

/// A choice of a source: this read read from that transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) read: EventId,
    pub(crate) reader: TxnId,
    pub(crate) source: TxnId,
}

/// See the [module docs](self).
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    /// What each variable of the solver chooses, if it is a choice that surely counts.
    choices: Vec<Option<Choice>>,
    /// The edges that need no choice, as transactions and why.
    fixed: Vec<Edge>,
    /// The ambiguous reads that need no choice, ascending.
    settled: Vec<EventId>,
    graph: Option<Acyclic>,
    read: usize,
    levels: Vec<(usize, usize)>,
    /// Two literals that are true.
    truths: [Lit; 2],
    /// The cycles met: their choices, those of settled reads included, and their edges.
    pub(crate) cycles: Vec<(Vec<Choice>, Vec<Edge>)>,
    /// How many edges these have, those no longer remembered included.
    num_edges: usize,
    ticker: Ticker<'a>,
    /// A limit was reached: what the solver says from then on means nothing, so it is let through quickly.
    pub(crate) stopped: bool,
}

impl<'a> Flow<'a> {
    /// The flow of a history. Where that has a cycle already, nothing is asked of the choices: the check
    /// itself will find it.
    pub(crate) fn new(
        history: &History,
        narrowing: &Narrowing<'_>,
        truths: [Lit; 2],
        limits: &'a Limits,
    ) -> Flow<'a> {
        let mut fixed = Vec::new();
        for session in history.sessions() {
            let pairs = history.session_txns(session).windows(2);
            fixed.extend(pairs.map(|p| Edge { from: p[0], to: p[1], why: Reason::Session }));
        }
        for to in history.txns().filter(|&t| history.counts(t)) {
            for event in history.event_ids(to) {
                if let Source::Txn(from) = history.source(event)
                    && from != TxnId::INIT
                {
                    fixed.push(Edge { from, to, why: Reason::Read(event) });
                }
            }
        }
        let settled = narrowing.settled().filter(|&(_, from)| from != TxnId::INIT);
        fixed.extend(settled.map(|(event, from)| Edge {
            from,
            to: history.txn_of(event),
            why: Reason::Read(event),
        }));
        let edges: Vec<(u32, u32)> = fixed.iter().map(|e| (e.from.raw(), e.to.raw())).collect();
        let order = Graph::new(history.num_txns(), || edges.iter().copied()).topological();
        let graph = (order.len() == history.num_txns()).then(|| {
            let mut rank = vec![0; order.len()];
            for (at, &txn) in order.iter().enumerate() {
                rank[txn as usize] = at as u32;
            }
            Acyclic::new(&edges, rank)
        });
        let settled = narrowing.settled().map(|(event, _)| event).collect();
        Flow {
            choices: Vec::new(),
            fixed,
            settled,
            graph,
            read: 0,
            levels: Vec::new(),
            truths,
            cycles: Vec::new(),
            num_edges: 0,
            ticker: Ticker::new(limits),
            stopped: false,
        }
    }

    /// Whether every cycle met is remembered.
    pub(crate) fn is_complete(&self) -> bool {
        self.num_edges <= MOST_EDGES
    }

    /// Says what a variable chooses.
    pub(crate) fn set(&mut self, lit: Lit, choice: Choice) {
        let at = lit.var().idx() as usize;
        if at >= self.choices.len() {
            self.choices.resize(at + 1, None);
        }
        self.choices[at] = Some(choice);
    }

    fn conflict(&mut self, cycle: Cycle, acts: &mut TheoryArg<'_>) {
        let mut clause = Vec::new();
        let (mut choices, mut edges) = (Vec::new(), Vec::new());
        for &tag in &cycle.tags {
            let choice = self.choices[tag as usize].expect("only choices are on the stack");
            let var = batsat::Var::unsafe_from_idx(tag);
            clause.push(Lit::new(var, false));
            choices.push(choice);
            let why = Reason::Read(choice.read);
            edges.push(Edge { from: choice.source, to: choice.reader, why });
        }
        for &at in &cycle.fixed {
            let edge = self.fixed[at as usize];
            edges.push(edge);
            if let Reason::Read(read) = edge.why
                && self.settled.binary_search(&read).is_ok()
            {
                choices.push(Choice { read, reader: edge.to, source: edge.from });
            }
        }
        self.num_edges += edges.len();
        if self.num_edges <= MOST_EDGES {
            self.cycles.push((choices, join_sessions(in_order(edges))));
        }
        sort_dedup(&mut clause);
        if clause.len() < 2 {
            clause.extend(self.truths.map(|truth| !truth));
        }
        acts.raise_conflict(&clause, false);
    }
}

/// How many edges of cycles are remembered at most, to keep to the memory there is.
const MOST_EDGES: usize = 1 << 22;

/// The edges of a cycle, each beginning where the one before ends.
fn in_order(mut edges: Vec<Edge>) -> Vec<Edge> {
    for at in 1..edges.len() {
        let end = edges[at - 1].to;
        if let Some(next) = (at..edges.len()).find(|&i| edges[i].from == end) {
            edges.swap(at, next);
        }
    }
    edges
}

impl Theory for Flow<'_> {
    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        while self.read < acts.model().len() && !self.stopped {
            let lit = acts.model()[self.read];
            let at = lit.var().idx() as usize;
            if lit.sign()
                && let Some(Some(choice)) = self.choices.get(at)
                && let Some(graph) = &mut self.graph
                && choice.source != TxnId::INIT
            {
                self.stopped = self.ticker.tick(64).is_err();
                let pushed = graph.push(choice.source.raw(), choice.reader.raw(), at as u32);
                if let Err(cycle) = pushed {
                    return self.conflict(cycle, acts);
                }
            }
            self.read += 1;
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.partial_check(acts);
        debug_assert!(!acts.is_ok() || acts.value(self.truths[0].var()) == lbool::TRUE);
    }

    fn create_level(&mut self) {
        let depth = self.graph.as_ref().map_or(0, Acyclic::depth);
        self.levels.push((self.read, depth));
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        let (read, depth) = self.levels[self.levels.len() - n];
        self.levels.truncate(self.levels.len() - n);
        self.read = read;
        if let Some(graph) = &mut self.graph {
            graph.truncate(depth);
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("this theory propagates nothing")
    }
}
