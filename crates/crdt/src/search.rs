//! A SAT solver over "who observed whom", with the theory of [`crate::causality`]: what specifications see of it.
//!
//! Specifications say what a read demands in clauses over facts: `observed(u, p)`, `visible(u, p)` (observed, and it
//! took place), and variables of their own. Nobody observes what nothing says they did, so the solver decides only why
//! reads returned what they did; who observed whom follows.

use batsat::{Lit, SolverInterface, Var, lbool};
use hashbrown::{HashMap, HashSet};
use hobgoblin_check::{Limits, sat};
use hobgoblin_core::StopReason;

use crate::causality::Causality;
use crate::history::{CrdtHistory, ObjectId, OpId, Replica};
use crate::index::Index;

/// Past this many variables a problem is given up rather than the memory.
const MOST_VARS: u32 = 40_000_000;

/// Something that is so, is not so, or is to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    Known(bool),
    Open(Lit),
}

impl std::ops::Not for Fact {
    type Output = Fact;

    fn not(self) -> Fact {
        match self {
            Fact::Known(is) => Fact::Known(!is),
            Fact::Open(lit) => Fact::Open(!lit),
        }
    }
}

/// See the [module docs](self).
pub(crate) struct Search<'a> {
    pub(crate) history: &'a CrdtHistory,
    pub(crate) index: &'a Index,
    limits: &'a Limits,
    solver: sat::Solver<'a>,
    causality: Causality,
    /// Whether a doubtful update took place.
    happened: HashMap<OpId, Lit>,
    /// `visible(u, p)` of doubtful updates.
    effects: HashMap<(OpId, OpId), Lit>,
    /// What demands of a read rest on, where somebody wants to know which reads are to blame.
    guards: Option<HashMap<OpId, Lit>>,
    /// The guard of the read whose demands are being added.
    guard: Option<Lit>,
    /// A demand that nothing can meet was added, without a guard.
    hopeless: bool,
    clause: Vec<Lit>,
    /// Of variables that the solver does not decide: ones that imply them, and that it does decide.
    proxies: HashMap<Lit, Lit>,
    decides_all: bool,
    /// Variables that say that the reason for a read is one nobody has looked at: assumed to be false, as long as that
    /// leaves something.
    elsewhere: Vec<(Lit, OpId)>,
    /// How many reasons of a read are looked at, if not as many as at first.
    windows: HashMap<OpId, usize>,
}

/// How many reasons of a read are looked at first.
const WINDOW: usize = 10;

impl<'a> Search<'a> {
    /// None if what was recorded contradicts itself. New information may arrive where `receives` says so; with `blame`,
    /// what reads demand can be taken back.
    pub(crate) fn new(
        history: &'a CrdtHistory,
        index: &'a Index,
        limits: &'a Limits,
        mut receives: Vec<bool>,
        (blame, decides_all): (bool, bool),
    ) -> Result<Option<Search<'a>>, StopReason> {
        let mut solver = sat::solver(limits);
        let truths = sat::truths(&mut solver);
        history.finals.iter().for_each(|op| receives[op.index()] = true);
        let mut search = Search {
            history,
            index,
            limits,
            solver,
            causality: Causality::new(history, &receives, truths),
            happened: HashMap::new(),
            effects: HashMap::new(),
            guards: blame.then(HashMap::new),
            guard: None,
            hopeless: false,
            clause: Vec::new(),
            proxies: HashMap::new(),
            decides_all,
            elsewhere: Vec::new(),
            windows: HashMap::new(),
        };
        let fits = search.causality.known(history, limits)?.is_ok();
        if fits {
            search.doubts();
        }
        Ok(fits.then_some(search))
    }

    /// Demands of doubtful updates: final operations observed those that took place.
    fn doubts(&mut self) {
        let history = self.history;
        for op in history.ops().filter(|&op| history.op(op).doubtful) {
            let lit = self.new_lit();
            self.happened.insert(op, lit);
        }
        for &by in &history.finals {
            let others = |op: &OpId| {
                history.op(*op).doubtful && history.op(*op).replica != history.op(by).replica
            };
            for op in history.ops().filter(others) {
                let observed = self.observed(op, by);
                self.clause([!self.took_place(op), observed]);
            }
        }
    }

    /// Whether `by` is known to have observed an operation.
    pub(crate) fn observed_already(&self, op: OpId, by: OpId) -> bool {
        self.causality.least(by, self.history.op(op).replica) > self.history.position(op)
    }

    /// Asks whether a limit is reached, or there are too many variables.
    pub(crate) fn check(&self) -> Result<(), StopReason> {
        if self.solver.num_vars() > MOST_VARS {
            return Err(StopReason::TooLarge);
        }
        self.limits.check()
    }

    /// Looks for a model of all demands so far.
    pub(crate) fn solve(&mut self) -> Result<Solved, StopReason> {
        self.limits.check()?;
        if self.hopeless {
            return Ok(Solved::Nothing(self.reads()));
        }
        let mut assumed: Vec<Lit> = match &self.guards {
            Some(guards) => self.history.ops().filter_map(|op| guards.get(&op)).copied().collect(),
            None => Vec::new(),
        };
        assumed.extend(self.elsewhere.iter().map(|&(lit, _)| !lit));
        let answer = sat::solve(&mut self.solver, &mut self.causality, &assumed);
        if answer == lbool::FALSE {
            let wider = self.widen();
            return Ok(match wider.is_empty() {
                true => Solved::Nothing(self.blamed()),
                false => Solved::Wider(wider),
            });
        }
        if answer != lbool::TRUE {
            self.limits.check()?;
            return Err(StopReason::Interrupted);
        }
        let absent = match self.happened.is_empty() {
            true => Vec::new(),
            false => self.history.ops().map(|op| self.is_absent(op)).collect(),
        };
        let values = self.solver.get_model().to_vec();
        Ok(Solved::Model(Model { values, observed: self.causality.vectors(), absent }))
    }

    /// The doubtful updates that took place in a model.
    pub(crate) fn happened(&self, model: &Model) -> Vec<OpId> {
        let mut happened: Vec<OpId> =
            self.happened.keys().copied().filter(|op| !model.absent[op.index()]).collect();
        happened.sort_unstable();
        happened
    }

    fn is_absent(&self, op: OpId) -> bool {
        self.happened.get(&op).is_some_and(|&lit| self.solver.value_lit(lit) != lbool::TRUE)
    }

    fn reads(&self) -> Vec<OpId> {
        self.history.ops().filter(|&op| self.history.op(op).call.is_read()).collect()
    }

    /// The reads because of which there is no execution.
    fn blamed(&self) -> Vec<OpId> {
        let Some(guards) = &self.guards else { return self.reads() };
        let core = self.solver.unsat_core();
        let in_core =
            |op: &OpId| guards.get(op).is_some_and(|g| core.iter().any(|lit| lit.var() == g.var()));
        self.history.ops().filter(in_core).collect()
    }

    /// What follows is demanded because of this operation.
    pub(crate) fn about(&mut self, op: OpId) {
        self.guard = None;
        if self.guards.is_some() && self.history.op(op).call.is_read() {
            let known = self.guards.as_ref().and_then(|guards| guards.get(&op).copied());
            let guard = known.unwrap_or_else(|| self.new_lit());
            if let Some(guards) = &mut self.guards {
                guards.insert(op, guard);
            }
            self.guard = Some(guard);
        }
    }

    /// What is demanded because of a read, for clauses that rest on several.
    pub(crate) fn because_of(&self, op: OpId) -> Fact {
        let guard = self.guards.as_ref().and_then(|guards| guards.get(&op));
        guard.map_or(Fact::Known(true), |&guard| Fact::Open(guard))
    }

    /// What follows is demanded whatever the reads returned.
    pub(crate) fn about_nothing(&mut self) {
        self.guard = None;
    }

    /// A variable of a specification's own.
    pub(crate) fn new_fact(&mut self) -> Fact {
        Fact::Open(self.new_lit())
    }

    /// The same; the solver tries first that it is so.
    pub(crate) fn new_likely_fact(&mut self) -> Fact {
        // Variables are tried as false first.
        !self.new_fact()
    }

    /// Keeps of these updates those nearest in time to an operation, unless the whole list is wanted; the fact that it
    /// is another one.
    pub(crate) fn nearest(&mut self, by: OpId, updates: &mut Vec<OpId>, whole: bool) -> Fact {
        let window = self.windows.get(&by).copied().unwrap_or(WINDOW);
        if whole || updates.len() <= window {
            return Fact::Known(false);
        }
        let now = self.history.moment(by);
        updates.sort_by_key(|&op| (self.history.moment(op).abs_diff(now), op));
        updates.truncate(window);
        updates.sort_unstable();
        let lit = self.new_lit();
        self.elsewhere.push((lit, by));
        Fact::Open(lit)
    }

    /// Looks at more reasons of the reads that have none among those looked at. Which reads these are.
    fn widen(&mut self) -> Vec<OpId> {
        let core: HashSet<Var> = self.solver.unsat_core().iter().map(|lit| lit.var()).collect();
        let (wider, rest) = self.elsewhere.iter().partition(|(lit, _)| core.contains(&lit.var()));
        let wider: Vec<(Lit, OpId)> = wider;
        self.elsewhere = rest;
        let mut reads: Vec<OpId> = wider.iter().map(|&(_, op)| op).collect();
        reads.sort_unstable();
        reads.dedup();
        // Whatever was demanded of these reads with the narrow list is demanded no more.
        let (gone, rest) =
            self.elsewhere.iter().partition(|(_, op)| reads.binary_search(op).is_ok());
        let gone: Vec<(Lit, OpId)> = gone;
        self.elsewhere = rest;
        for (lit, _) in wider.into_iter().chain(gone) {
            self.solver.add_clause_reuse(&mut vec![lit]);
        }
        for &read in &reads {
            *self.windows.entry(read).or_insert(WINDOW) *= 4;
        }
        reads
    }

    /// Which of these updates an operation most likely saw last: the latest before it, if replicas went on at an even
    /// pace.
    pub(crate) fn likely(&self, by: OpId, updates: &[OpId]) -> Option<OpId> {
        let moment = |op: OpId| self.history.moment(op);
        let now = moment(by);
        let before = updates.iter().copied().filter(|&op| moment(op) <= now);
        let latest = before.max_by_key(|&op| (moment(op), op));
        latest.or_else(|| updates.iter().copied().min_by_key(|&op| (moment(op), op)))
    }

    fn new_lit(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Demands that one of these be so.
    pub(crate) fn clause(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.clause.clear();
        for fact in facts {
            match fact {
                Fact::Known(true) => return,
                Fact::Known(false) => {}
                Fact::Open(lit) => self.clause.push(lit),
            }
        }
        let follows = |lit: &&mut Lit| lit.sign() && self.causality.is_about(lit.var());
        if !self.decides_all && self.clause.iter_mut().filter(follows).count() > 1 {
            let mut clause = std::mem::take(&mut self.clause);
            for lit in &mut clause {
                if lit.sign() && self.causality.is_about(lit.var()) {
                    *lit = self.proxy(*lit);
                }
            }
            self.clause = clause;
        }
        self.clause.extend(self.guard.map(|guard| !guard));
        if self.clause.is_empty() || !self.solver.add_clause_reuse(&mut self.clause) {
            self.hopeless |= self.guards.is_none();
            if self.guards.is_some() && self.clause.is_empty() {
                self.hopeless = true;
            }
        }
    }

    /// A variable that the solver decides, and that implies this one.
    fn proxy(&mut self, lit: Lit) -> Lit {
        if let Some(&proxy) = self.proxies.get(&lit) {
            return proxy;
        }
        let proxy = self.new_lit();
        self.solver.add_clause_reuse(&mut vec![!proxy, lit]);
        self.proxies.insert(lit, proxy);
        proxy
    }

    /// Whether `by` observed another operation.
    pub(crate) fn observed(&mut self, update: OpId, by: OpId) -> Fact {
        let of = self.history.op(update).replica;
        let position = self.history.position(update);
        if self.causality.least(by, of) > position {
            return Fact::Known(true);
        }
        if self.causality.most(by, of) <= position {
            return Fact::Known(false);
        }
        if let Some(var) = self.causality.find(update, by) {
            return Fact::Open(Lit::new(var, true));
        }
        // Nobody observes what nothing says they did, so there is nothing to decide.
        let var = self.solver.new_var(lbool::UNDEF, self.decides_all);
        self.causality.ask(update, by, var);
        Fact::Open(Lit::new(var, true))
    }

    /// Whether an update took place.
    pub(crate) fn took_place(&self, update: OpId) -> Fact {
        self.happened.get(&update).map_or(Fact::Known(true), |&lit| Fact::Open(lit))
    }

    /// Whether `by` observed an update that took place.
    pub(crate) fn visible(&mut self, update: OpId, by: OpId) -> Fact {
        let observed = self.observed(update, by);
        match self.took_place(update) {
            Fact::Known(true) => observed,
            took_place => match observed {
                Fact::Known(false) => observed,
                Fact::Known(true) => took_place,
                Fact::Open(_) => {
                    if let Some(&lit) = self.effects.get(&(update, by)) {
                        return Fact::Open(lit);
                    }
                    let lit = self.new_lit();
                    self.effects.insert((update, by), lit);
                    let effect = Fact::Open(lit);
                    let guard = self.guard.take();
                    self.clause([!effect, observed]);
                    self.clause([!effect, took_place]);
                    self.clause([effect, !observed, !took_place]);
                    self.guard = guard;
                    effect
                }
            },
        }
    }

    /// The updates of an object by a replica that an operation may have observed; first those it must have.
    pub(crate) fn possible(
        &self,
        object: ObjectId,
        of: Replica,
        by: OpId,
    ) -> (&'a [OpId], &'a [OpId]) {
        let history = self.history;
        let updates = self.index.updates(object, of);
        let (least, most) = (self.causality.least(by, of), self.causality.most(by, of));
        let must = updates.partition_point(|&u| history.position(u) < least);
        let may = updates.partition_point(|&u| history.position(u) < most);
        (&updates[..must], &updates[must..may.max(must)])
    }
}

/// The solver's answers.
pub(crate) struct Model {
    values: Vec<lbool>,
    /// Of every operation and replica, how many of its operations were observed.
    pub(crate) observed: Vec<u32>,
    /// Of every operation, whether it did not take place; empty if all did.
    pub(crate) absent: Vec<bool>,
}

impl Model {
    /// Whether this is so. What nobody asked about is not.
    pub(crate) fn is(&self, fact: Fact) -> bool {
        match fact {
            Fact::Known(is) => is,
            Fact::Open(lit) => {
                let value = self.values.get(lit.var().idx() as usize).copied();
                (value == Some(lbool::TRUE)) == lit.sign()
            }
        }
    }
}

/// What the solver came to.
pub(crate) enum Solved {
    /// A model of the demands so far.
    Model(Model),
    /// None without reasons that nobody has looked at: more is to be demanded of these reads.
    Wider(Vec<OpId>),
    /// None, because of these reads; all of them if nobody asked which.
    Nothing(Vec<OpId>),
}
