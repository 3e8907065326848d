//! What saturation leaves open goes to a SAT solver with a theory of acyclic graphs.
//!
//! Every two writers of a key whose order is open are a variable. Choosing "a before b" puts edges on
//! the graph of points: from a to b, and from the readers of a's version to b. The theory keeps the
//! graph acyclic ([`crate::acyclic`]); a cycle is a conflict whose clause forbids the choices on it.
//! Parallel snapshot isolation is no condition on cycles of points, so it is checked once all is
//! chosen: with a version order at hand, vector clocks over so, wr and ww tell whether somebody saw a
//! version newer than one it read.

use batsat::{Lit, SolverInterface, Theory, TheoryArg, Var, lbool};
use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{StopReason, sort, sort_dedup};

use crate::acyclic::{Acyclic, Cycle, sort_by_rank};
use crate::chains::WritersByChain;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::parallel;
use crate::points::Point;
use crate::polynomial::{Decision, tidy};
use crate::problem::{INIT, Node};
use crate::sat;
use crate::saturate::{Clocks, Saturation};

/// Past this many open pairs the problem is given up rather than the memory.
const MOST_PAIRS: usize = 30_000_000;

/// Decides what is left open. `clocks` tell what is not; `hint` is a likely order of the nodes.
pub(crate) fn solve(
    of: &Saturation<'_, '_>,
    clocks: Option<&Clocks>,
    hint: &[Node],
    limits: &Limits,
) -> Result<Decision, StopReason> {
    let pairs = open_pairs(of, clocks, hint, limits)?;
    let edges: Vec<(Point, Point)> = of.edges.iter().map(|e| (e.from, e.to)).collect();
    let order = Graph::new(of.num_points, || edges.iter().copied()).topological();
    if order.len() < of.num_points {
        return Ok(Decision::Core(of.cycle_core(&order)));
    }
    let mut rank = vec![0; of.num_points];
    for (at, &point) in order.iter().enumerate() {
        rank[point as usize] = at as u32;
    }
    let mut solver = sat::solver(limits);
    let truths = sat::truths(&mut solver);
    for _ in &pairs {
        solver.new_var_default();
    }
    let psi = (1..of.problem.len() as Node).any(|n| of.problem.level(n).is_parallel());
    let mut theory = Ordering {
        of,
        index: if psi {
            pairs.iter().zip(0..).map(|(&pair, at)| (pair, at)).collect()
        } else {
            HashMap::new()
        },
        pairs: &pairs,
        psi,
        graph: Acyclic::new(&edges, rank),
        read: 0,
        levels: Vec::new(),
        truths,
        used: Used::default(),
        faults: Faults::default(),
        model: Vec::new(),
    };
    let answer = sat::solve(&mut solver, &mut theory, &[]);
    if answer == lbool::TRUE {
        return Ok(Decision::Order(theory.model));
    }
    if answer == lbool::FALSE {
        return Ok(Decision::Core(theory.used.core(of, &pairs)));
    }
    limits.check()?;
    Err(StopReason::Interrupted)
}

/// Two writers of a common key whose order is open; the first is likely to come first.
pub(crate) type Pair = (Node, Node);

/// The pairs whose order is open.
pub(crate) fn open_pairs(
    of: &Saturation<'_, '_>,
    clocks: Option<&Clocks>,
    hint: &[Node],
    limits: &Limits,
) -> Result<Vec<Pair>, StopReason> {
    let problem = of.problem;
    let mut likely = vec![u32::MAX; problem.len()];
    for (at, &node) in hint.iter().enumerate() {
        likely[node as usize] = at as u32;
    }
    let rank = |n: Node| {
        let later = clocks.map_or(n, |c| c.rank[of.points.commit(n) as usize]);
        (likely[n as usize], later)
    };
    let mut pairs: HashSet<Pair> = HashSet::new();
    let mut add = |a: Node, b: Node| {
        pairs.insert(if rank(a) <= rank(b) { (a, b) } else { (b, a) });
        if pairs.len() > MOST_PAIRS { Err(StopReason::TooLarge) } else { Ok(()) }
    };
    if let Some(clocks) = clocks {
        let writers = WritersByChain::new(problem, &clocks.chains);
        for key in 0..problem.num_keys() {
            limits.check()?;
            for &group in writers.groups(key) {
                for &writer in writers.members(group) {
                    let commit = of.points.commit(writer);
                    for &other in writers.groups(key).iter().filter(|o| o.chain < group.chain) {
                        // On another chain, those open are neighbours: before them come those that
                        // reach the writer, after them those it reaches.
                        let members = writers.members(other);
                        let reaching = members.partition_point(|&m| {
                            clocks.reaches(&of.points, of.points.commit(m), commit)
                        });
                        for &member in &members[reaching..] {
                            let other = of.points.commit(member);
                            if clocks.reaches(&of.points, commit, other) {
                                break;
                            }
                            add(writer, member)?;
                        }
                    }
                }
            }
        }
    } else {
        let writers = problem.writers();
        for key in 0..problem.num_keys() {
            limits.check()?;
            let row = writers.row(key);
            for (i, &a) in row.iter().enumerate() {
                for &b in &row[i + 1..] {
                    add(a, b)?;
                }
            }
        }
    }
    // Neighbours in the likely order are decided one after the other, so that what a conflict takes
    // back was decided recently.
    let mut pairs: Vec<Pair> = pairs.into_iter().collect();
    pairs.sort_unstable_by_key(|&(a, b)| (rank(a).max(rank(b)), a, b));
    Ok(pairs)
}

/// The theory of version orders.
struct Ordering<'a, 'p, 'h> {
    of: &'a Saturation<'p, 'h>,
    pairs: &'a [Pair],
    /// Where to find a pair, for PSI.
    index: HashMap<Pair, u32>,
    psi: bool,
    graph: Acyclic,
    /// How much of the solver's trail the graph has taken in.
    read: usize,
    levels: Vec<(usize, usize)>,
    /// Two literals that are true, in front of those of the pairs.
    truths: [Lit; 2],
    used: Used,
    faults: Faults,
    /// The commit order of the model found.
    model: Vec<Node>,
}

/// The clauses of PSI. Most are of few choices, so that raising one takes back nearly all that was
/// chosen; the others are kept, to be raised as soon as somebody chooses the same again.
#[derive(Default)]
struct Faults {
    clauses: Vec<Vec<Lit>>,
    /// The clauses a pair is in.
    of_pair: HashMap<u32, Vec<u32>>,
    /// Those found by the last full check and not looked at since.
    pending: Vec<u32>,
}

impl Faults {
    fn add(&mut self, clause: Vec<Lit>, pairs: impl Iterator<Item = u32>) {
        let at = self.clauses.len() as u32;
        for pair in pairs {
            self.of_pair.entry(pair).or_default().push(at);
        }
        self.clauses.push(clause);
        self.pending.push(at);
    }

    /// A pending clause that is violated.
    fn next(&mut self, acts: &TheoryArg<'_>) -> Option<Vec<Lit>> {
        while let Some(at) = self.pending.pop() {
            if self.is_violated(at, acts) {
                return Some(self.clauses[at as usize].clone());
            }
        }
        None
    }

    /// A clause with this pair that is violated.
    fn violated(&self, pair: u32, acts: &TheoryArg<'_>) -> Option<Vec<Lit>> {
        let mut clauses = self.of_pair.get(&pair)?.iter();
        let at = clauses.find(|&&at| self.is_violated(at, acts))?;
        Some(self.clauses[*at as usize].clone())
    }

    fn is_violated(&self, at: u32, acts: &TheoryArg<'_>) -> bool {
        let is_false = |lit: &Lit| acts.value(lit.var()) == lbool::from(!lit.sign());
        self.clauses[at as usize].iter().all(is_false)
    }
}

/// What conflicts rested on.
#[derive(Default)]
struct Used {
    fixed: HashSet<u32>,
    pairs: HashSet<u32>,
    nodes: HashSet<Node>,
    /// Points that fixed edges connect, over some path.
    paths: HashSet<(Point, Point)>,
}

impl Used {
    fn core(&self, of: &Saturation<'_, '_>, pairs: &[Pair]) -> Vec<Node> {
        let mut fixed: Vec<usize> = self.fixed.iter().map(|&e| e as usize).collect();
        let mut paths: Vec<(Point, Point)> = self.paths.iter().copied().collect();
        sort(&mut paths);
        fixed.extend(of.fixed_paths(&paths));
        sort_dedup(&mut fixed);
        let mut core = of.core_of(fixed.into_iter());
        for &pair in &self.pairs {
            let (a, b) = pairs[pair as usize];
            core.extend([a, b]);
        }
        for &(from, to) in &paths {
            core.extend([of.points.node(from), of.points.node(to)]);
        }
        core.extend(&self.nodes);
        tidy(core)
    }
}

impl Ordering<'_, '_, '_> {
    /// The pair a literal decides, and how; a positive one turns its pair round.
    fn chosen(&self, lit: Lit) -> Option<(u32, Pair)> {
        let pair = lit.var().idx().checked_sub(self.truths.len() as u32)?;
        let (a, b) = self.pairs[pair as usize];
        Some((pair, if lit.sign() { (b, a) } else { (a, b) }))
    }

    /// Puts the edges of a choice on the graph.
    fn choose(&mut self, pair: u32, (first, second): Pair) -> Result<(), Cycle> {
        let of = self.of;
        let points = &of.points;
        self.graph.push(points.commit(first), points.ww_entry(second), pair)?;
        let commit = points.commit(second);
        for &key in of.problem.writes(first) {
            let key = key as usize;
            if !of.problem.writes_key(second, key) {
                continue;
            }
            let version = of.versions.of(of.problem, first, key);
            let gatherer = of.gatherer(version);
            if let Some(gatherer) = gatherer {
                self.graph.push(gatherer, commit, pair)?;
            }
            let mut last = INIT;
            for reader in of.versions.readers(version) {
                if reader == last || reader == second {
                    continue;
                }
                last = reader;
                if gatherer.is_some() && !of.problem.writes_key(reader, key) {
                    continue;
                }
                if let Some(exit) = points.rw_exit(reader)
                    && let Err(cycle) = self.graph.push(exit, commit, pair)
                {
                    self.used.nodes.insert(reader);
                    return Err(cycle);
                }
            }
        }
        Ok(())
    }

    fn conflict(&mut self, cycle: Cycle, acts: &mut TheoryArg<'_>) {
        let mut clause: Vec<Lit> =
            cycle.tags.iter().map(|&pair| self.literal(pair, acts)).map(|lit| !lit).collect();
        sort_dedup(&mut clause);
        for &pair in &cycle.tags {
            // The readers whose edges the choice brought may be part of the cycle.
            let (a, b) = self.pairs[pair as usize];
            self.note_readers(a, b);
            self.note_readers(b, a);
        }
        self.used.fixed.extend(cycle.fixed);
        self.used.pairs.extend(cycle.tags);
        self.raise(clause, acts);
    }

    /// Forbids the version orders a fault rests on.
    fn forbid(&mut self, fault: parallel::Fault, acts: &TheoryArg<'_>) {
        let of = self.of;
        let mut chosen: Vec<u32> = Vec::new();
        for &(a, b) in &fault.versions {
            let pair = self.index.get(&(a, b)).or_else(|| self.index.get(&(b, a)));
            match pair.copied() {
                Some(pair) => {
                    chosen.push(pair);
                }
                // Not open: the fixed edges say so, over some path.
                None => {
                    self.used.paths.insert((of.points.commit(a), of.points.commit(b)));
                }
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        self.used.pairs.extend(&chosen);
        self.used.nodes.extend(fault.nodes);
        let clause = chosen.iter().map(|&pair| !self.literal(pair, acts)).collect();
        self.faults.add(clause, chosen.into_iter());
    }

    fn note_readers(&mut self, writer: Node, other: Node) {
        let of = self.of;
        for &key in of.problem.writes(writer) {
            if of.problem.writes_key(other, key as usize) {
                let version = of.versions.of(of.problem, writer, key as usize);
                self.used.nodes.extend(of.versions.readers(version));
            }
        }
    }

    fn raise(&mut self, mut clause: Vec<Lit>, acts: &mut TheoryArg<'_>) {
        // The solver takes a clause of one literal for one that is not decided yet.
        if clause.len() < 2 {
            clause.extend(self.truths.map(|truth| !truth));
        }
        acts.raise_conflict(&clause, false);
    }

    /// The literal of a pair that is true now.
    fn literal(&self, pair: u32, acts: &TheoryArg<'_>) -> Lit {
        let var = Var::unsafe_from_idx(pair + self.truths.len() as u32);
        Lit::new(var, acts.value(var) == lbool::TRUE)
    }
}

impl Theory for Ordering<'_, '_, '_> {
    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        if let Some(clause) = self.faults.next(acts) {
            return self.raise(clause, acts);
        }
        while self.read < acts.model().len() {
            let lit = acts.model()[self.read];
            if let Some((pair, choice)) = self.chosen(lit) {
                if let Some(clause) = self.faults.violated(pair, acts) {
                    return self.raise(clause, acts);
                }
                if let Err(cycle) = self.choose(pair, choice) {
                    return self.conflict(cycle, acts);
                }
            }
            self.read += 1;
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.partial_check(acts);
        if !acts.is_ok() {
            return;
        }
        let (of, rank) = (self.of, self.graph.rank());
        let commits = (0..of.problem.len() as Node).map(|n| of.points.commit(n));
        let mut order: Vec<Point> = commits.collect();
        sort_by_rank(&mut order, rank);
        let order: Vec<Node> = order.into_iter().map(|p| of.points.node(p)).collect();
        if self.psi {
            const MOST: usize = 1000;
            for fault in parallel::find_faults(of.problem, &order, MOST) {
                self.forbid(fault, acts);
            }
            if let Some(clause) = self.faults.next(acts) {
                return self.raise(clause, acts);
            }
        }
        self.model = order;
    }

    fn create_level(&mut self) {
        self.levels.push((self.read, self.graph.depth()));
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        let (read, depth) = self.levels[self.levels.len() - n];
        self.levels.truncate(self.levels.len() - n);
        self.read = read;
        self.graph.truncate(depth);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("this theory propagates nothing")
    }
}
