//! Sources and version orders searched together, where a run by value got stuck.
//!
//! As in [`crate::solve`], every two writers of a key whose order is open are a variable of a SAT solver
//! with a theory of acyclic graphs. Besides, every candidate of an open read is one. Choosing a source
//! puts an edge from the writer to the reader on the graph of points; and once it is also chosen (or known)
//! that another writer's version comes after the source's, one from the reader to that writer:
//!
//! ```text
//!     w --wr--> r        by the choice of w for r
//!     w --ww--> v        by the order of w and v
//!     r --rw--> v        by both; a clause about a cycle through it names both
//! ```
//!
//! The likely sources and the likely order are tried first, so that conflicts are about what is wrong with
//! them. The search gives up after a while: it is there to find an order, not to show that there is none.

use std::cell::Cell;

use batsat::{Lit, SolverInterface, Theory, TheoryArg, lbool};
use hashbrown::HashMap;
use hobgoblin_core::{EventId, SortedMap, StopReason, TxnId, sort_dedup};

use crate::acyclic::{Acyclic, Cycle, sort_by_rank};
use crate::chains::WritersByChain;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::points::Point;
use crate::problem::{INIT, Node};
use crate::sat;
use crate::saturate::{Clocks, Saturation};
use crate::solve::{Pair, open_pairs};

/// An order of the nodes without init, and the sources of the open reads.
pub(crate) type Model = (Vec<Node>, Vec<(EventId, TxnId)>);

/// Searches for sources and an order; nothing where there are none or it takes more than `steps` steps.
/// `left` has the candidates of each open read, the likely one first; `hint` is a likely order.
pub(crate) fn choose(
    of: &Saturation<'_, '_>,
    clocks: &Clocks,
    left: &SortedMap<EventId, Vec<TxnId>>,
    hint: &[Node],
    steps: u64,
    limits: &Limits,
) -> Result<Option<Model>, StopReason> {
    let pairs = open_pairs(of, Some(clocks), hint, limits)?;
    let edges: Vec<(Point, Point)> = of.edges.iter().map(|e| (e.from, e.to)).collect();
    let order = Graph::new(of.num_points, || edges.iter().copied()).topological();
    if order.len() < of.num_points {
        return Ok(None);
    }
    let mut rank = vec![0; of.num_points];
    for (at, &point) in order.iter().enumerate() {
        rank[point as usize] = at as u32;
    }
    // Stopped at a limit, or after so many steps.
    let steps = Cell::new(steps);
    let mut solver = sat::solver_until(|| {
        steps.set(steps.get().saturating_sub(1));
        steps.get() == 0 || limits.check().is_err()
    });
    let truths = sat::truths(&mut solver);
    for _ in &pairs {
        solver.new_var_default();
    }
    let (history, problem) = (of.problem.history, of.problem);
    let mut choices = Vec::new();
    for (event, candidates) in left {
        let event = *event;
        let reader = problem.node(history.txn_of(event)).expect("it takes part");
        let key = history.event(event).key().index();
        let mut clause = Vec::new();
        for (at, &candidate) in candidates.iter().enumerate() {
            let liking = if at == 0 { lbool::TRUE } else { lbool::FALSE };
            clause.push(Lit::new(solver.new_var(liking, true), true));
            let writer = problem.node(candidate).expect("it takes part");
            choices.push(SourceChoice { event, reader, key, writer });
        }
        solver.add_clause_reuse(&mut clause);
    }
    let mut theory = Choosing::new(of, clocks, &pairs, &choices, truths, &edges, rank);
    let answer = sat::solve(&mut solver, &mut theory, &[]);
    limits.check()?;
    Ok((answer == lbool::TRUE).then_some(theory.model))
}

/// That an open read read from this writer.
struct SourceChoice {
    event: EventId,
    reader: Node,
    key: usize,
    writer: Node,
}

/// The theory of sources and version orders.
struct Choosing<'a, 'p, 'h> {
    of: &'a Saturation<'p, 'h>,
    clocks: &'a Clocks,
    writers: WritersByChain,
    pairs: &'a [Pair],
    /// The pairs of each node.
    pairs_of: HashMap<Node, Vec<u32>>,
    choices: &'a [SourceChoice],
    /// The choices of each version.
    choices_of: HashMap<u32, Vec<u32>>,
    graph: Acyclic,
    /// For each edge on the graph's stack, the literals that it rests on.
    reasons: Vec<[Lit; 2]>,
    /// The literals taken in, by variable.
    taken: Vec<Option<Lit>>,
    trail: Vec<Lit>,
    levels: Vec<(usize, usize)>,
    truths: [Lit; 2],
    model: Model,
}

impl<'a, 'p, 'h> Choosing<'a, 'p, 'h> {
    fn new(
        of: &'a Saturation<'p, 'h>,
        clocks: &'a Clocks,
        pairs: &'a [Pair],
        choices: &'a [SourceChoice],
        truths: [Lit; 2],
        edges: &[(Point, Point)],
        rank: Vec<u32>,
    ) -> Choosing<'a, 'p, 'h> {
        let mut pairs_of: HashMap<Node, Vec<u32>> = HashMap::new();
        for (at, &(a, b)) in pairs.iter().enumerate() {
            for node in [a, b] {
                pairs_of.entry(node).or_default().push(at as u32);
            }
        }
        let mut choices_of: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, choice) in choices.iter().enumerate() {
            let version = of.versions.of(of.problem, choice.writer, choice.key);
            choices_of.entry(version as u32).or_default().push(at as u32);
        }
        Choosing {
            of,
            clocks,
            writers: WritersByChain::new(of.problem, &clocks.chains),
            pairs,
            pairs_of,
            choices,
            choices_of,
            graph: Acyclic::new(edges, rank),
            reasons: Vec::new(),
            taken: vec![None; truths.len() + pairs.len() + choices.len()],
            trail: Vec::new(),
            levels: Vec::new(),
            truths,
            model: Model::default(),
        }
    }

    fn push(&mut self, from: Point, to: Point, why: [Lit; 2]) -> Result<(), Cycle> {
        debug_assert_eq!(self.reasons.len(), self.graph.depth());
        self.reasons.push(why);
        self.graph.push(from, to, self.reasons.len() as u32 - 1)
    }

    fn take(&mut self, lit: Lit) -> Result<(), Cycle> {
        let var = lit.var().idx() as usize;
        self.trail.push(lit);
        self.taken[var] = Some(lit);
        let Some(at) = var.checked_sub(self.truths.len()) else { return Ok(()) };
        match at.checked_sub(self.pairs.len()) {
            None => {
                let (a, b) = self.pairs[at];
                self.order(if lit.sign() { (b, a) } else { (a, b) }, lit)
            }
            Some(at) if lit.sign() => self.source(at, lit),
            Some(_) => Ok(()),
        }
    }

    /// Puts the edges of "`first` before `second`" on the graph.
    fn order(&mut self, (first, second): Pair, lit: Lit) -> Result<(), Cycle> {
        let (of, points) = (self.of, &self.of.points);
        let commit = points.commit(second);
        self.push(points.commit(first), points.ww_entry(second), [lit, lit])?;
        for &key in of.problem.writes(first) {
            let key = key as usize;
            if !of.problem.writes_key(second, key) {
                continue;
            }
            let version = of.versions.of(of.problem, first, key);
            let gatherer = of.gatherer(version);
            if let Some(gatherer) = gatherer {
                self.push(gatherer, commit, [lit, lit])?;
            }
            let mut last = INIT;
            for reader in of.versions.readers(version) {
                let gathered = gatherer.is_some() && !of.problem.writes_key(reader, key);
                if reader == last || reader == second || gathered {
                    continue;
                }
                last = reader;
                if let Some(exit) = points.rw_exit(reader) {
                    self.push(exit, commit, [lit, lit])?;
                }
            }
            for at in self.choices_of.get(&(version as u32)).cloned().unwrap_or_default() {
                let reader = self.choices[at as usize].reader;
                if let Some(chosen) = self.chosen(at as usize)
                    && reader != second
                    && let Some(exit) = points.rw_exit(reader)
                {
                    self.push(exit, commit, [lit, chosen])?;
                }
            }
        }
        Ok(())
    }

    /// Puts the edges of a source on the graph.
    fn source(&mut self, at: usize, lit: Lit) -> Result<(), Cycle> {
        let (of, points) = (self.of, &self.of.points);
        let SourceChoice { reader, key, writer, .. } = self.choices[at];
        if writer != INIT {
            self.push(points.commit(writer), points.snapshot(reader), [lit, lit])?;
        }
        let Some(exit) = points.rw_exit(reader) else { return Ok(()) };
        // Of those known to come later, the first of each chain will do.
        let mut later = Vec::new();
        for &group in self.writers.groups(key) {
            let members = self.writers.members(group);
            let not_yet = |&m: &Node| {
                m == writer || !self.clocks.reaches(points, points.commit(writer), points.commit(m))
            };
            let first = members.partition_point(not_yet);
            later.extend(members[first..].iter().copied().find(|&m| m != reader));
        }
        for member in later {
            self.push(exit, points.commit(member), [lit, lit])?;
        }
        for pair in self.pairs_of.get(&writer).cloned().unwrap_or_default() {
            let (a, b) = self.pairs[pair as usize];
            let Some(order) = self.taken[self.truths.len() + pair as usize] else { continue };
            let (first, second) = if order.sign() { (b, a) } else { (a, b) };
            if first == writer && second != reader && of.problem.writes_key(second, key) {
                self.push(exit, points.commit(second), [lit, order])?;
            }
        }
        Ok(())
    }

    /// The literal of a choice, if it is made.
    fn chosen(&self, at: usize) -> Option<Lit> {
        self.taken[self.truths.len() + self.pairs.len() + at].filter(|lit| lit.sign())
    }

    fn conflict(&mut self, cycle: &Cycle, acts: &mut TheoryArg<'_>) {
        let mut clause: Vec<Lit> = Vec::new();
        for &tag in &cycle.tags {
            clause.extend(self.reasons[tag as usize].into_iter().map(|lit| !lit));
        }
        sort_dedup(&mut clause);
        // The solver takes a clause of one literal for one that is not decided yet.
        if clause.len() < 2 {
            clause.extend(self.truths.map(|truth| !truth));
        }
        acts.raise_conflict(&clause, false);
    }
}

impl Theory for Choosing<'_, '_, '_> {
    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        while self.trail.len() < acts.model().len() {
            let lit = acts.model()[self.trail.len()];
            if let Err(cycle) = self.take(lit) {
                self.conflict(&cycle, acts);
                self.reasons.truncate(self.graph.depth());
                return;
            }
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.partial_check(acts);
        if !acts.is_ok() {
            return;
        }
        let (of, rank) = (self.of, self.graph.rank());
        let commits = (1..of.problem.len() as Node).map(|n| of.points.commit(n));
        let mut order: Vec<Point> = commits.collect();
        sort_by_rank(&mut order, rank);
        let order: Vec<Node> = order.into_iter().map(|p| of.points.node(p)).collect();
        let mut sources: Vec<(EventId, TxnId)> = Vec::new();
        for (at, choice) in self.choices.iter().enumerate() {
            let first = sources.last().is_none_or(|last| last.0 != choice.event);
            if first && self.chosen(at).is_some() {
                sources.push((choice.event, of.problem.txns[choice.writer as usize]));
            }
        }
        self.model = (order, sources);
    }

    fn create_level(&mut self) {
        self.levels.push((self.trail.len(), self.graph.depth()));
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        let (trail, depth) = self.levels[self.levels.len() - n];
        self.levels.truncate(self.levels.len() - n);
        for lit in self.trail.drain(trail..) {
            self.taken[lit.var().idx() as usize] = None;
        }
        self.graph.truncate(depth);
        self.reasons.truncate(depth);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("this theory propagates nothing")
    }
}
