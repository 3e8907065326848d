//! The theory of who observed what: vectors with a lower and an upper bound each.
//!
//! Every operation has a vector: of each replica, how many of its operations had been observed. Vectors grow along a
//! replica, and whoever observed an operation observed what that one had observed [CRDT.md, representation lemma]. A
//! variable of the solver says that an operation p observed an update u of another replica. Chosen true, it is an
//! edge: p's vector is at least u's. Chosen false, it is an upper bound on one entry of p's vector.
//!
//! ```text
//!     A:  u -----------> u'             p observed u, so at least what u had observed;
//!           \                           if p did not observe u', nobody before p on B did,
//!     B:     `--> p                     nor whoever p observed.
//! ```
//!
//! Lower bounds flow forward along replicas and edges, upper bounds backward. A variable whose answer follows from
//! the bounds is propagated; where the bounds of an entry cross, the choices that led there are a conflict. An entry
//! of the own replica has both bounds at the operation's own place, so that a cycle is a crossing as well. Once
//! everything is chosen, the lower bounds are vectors that fit all choices.
//!
//! Every change of a bound is kept with its reason until it is taken back, so that the choices behind any bound can
//! be listed, as of the moment when it was reached.

use batsat::{Lit, Theory, TheoryArg, Var};
use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::history::{CrdtHistory, OpId, Replica};

/// A point at which information may arrive: an operation, and those after it that learn nothing new.
pub(crate) type Node = u32;

/// No node.
const NONE: Node = Node::MAX;

/// Why a bound is what it is.
#[derive(Clone, Copy, Debug)]
enum Why {
    /// It was recorded.
    Known,
    /// The neighbour on the same replica has it.
    Neighbour,
    /// The other end of an edge has it; the edge leads from the operation to the node.
    Edge { from: OpId, to: Node, lit: Option<Lit> },
    /// Somebody chose so.
    Choice(Lit),
}

/// Bounds of one side, by node and replica.
#[derive(Debug)]
struct Bounds {
    /// What they were at first.
    first: Vec<u32>,
    now: Vec<u32>,
    /// The values since, each with its reason; the last one is that of now.
    changes: Vec<Vec<(u32, Why)>>,
}

impl Bounds {
    fn new(first: Vec<u32>) -> Bounds {
        Bounds { now: first.clone(), changes: vec![Vec::new(); first.len()], first }
    }

    fn set(&mut self, entry: usize, value: u32, why: Why) {
        self.changes[entry].push((value, why));
        self.now[entry] = value;
    }

    fn undo(&mut self, entry: usize) {
        let changes = &mut self.changes[entry];
        changes.pop();
        self.now[entry] = changes.last().map_or(self.first[entry], |&(value, _)| value);
    }

    /// Why the bound first came to satisfy this; it does by now.
    fn why(&self, entry: usize, reached: impl Fn(u32) -> bool) -> Why {
        if reached(self.first[entry]) {
            return Why::Known;
        }
        let changes = &self.changes[entry];
        changes[changes.partition_point(|&(value, _)| !reached(value))].1
    }
}

#[derive(Debug)]
struct NodeInfo {
    replica: u32,
    position: u32,
    before: Node,
    after: Node,
}

/// What is to be done to a bound.
#[derive(Clone, Copy, Debug)]
struct Task {
    raise: bool,
    node: Node,
    of: u32,
    value: u32,
    why: Why,
}

/// What was done and may be taken back.
#[derive(Clone, Copy, Debug)]
enum Done {
    Low(u32),
    High(u32),
    Edge { from: Node, to: Node },
}

/// See the [module docs](self).
#[derive(Debug)]
pub(crate) struct Causality {
    k: usize,
    nodes: Vec<NodeInfo>,
    /// The node whose vector an operation has.
    node_of: Vec<Node>,
    /// The first operation of every replica, to find operations by place.
    first: Vec<u32>,
    replica_of: Vec<u32>,
    low: Bounds,
    high: Bounds,
    /// The variables about an entry, by the place of the update.
    asked: Vec<Vec<(u32, Var)>>,
    /// What a variable is about: node, replica, place.
    about: Vec<(Node, u32, u32)>,
    out: Vec<Vec<(OpId, Node, Option<Lit>)>>,
    into: Vec<Vec<(OpId, Option<Lit>)>>,
    done: Vec<Done>,
    tasks: Vec<Task>,
    read: usize,
    levels: Vec<(usize, usize)>,
    explanation: Vec<Lit>,
    /// Literals that are true, to fill clauses up.
    truths: [Lit; 2],
    /// The vectors of the last model, by node.
    model: Vec<u32>,
}

/// Choices, all true, that cannot stand together.
pub(crate) struct Crossing(pub(crate) Vec<Lit>);

impl Causality {
    /// The theory of a history in which `receives` says where new information may arrive beside where it is known to.
    pub(crate) fn new(history: &CrdtHistory, receives: &[bool], truths: [Lit; 2]) -> Causality {
        let k = history.num_replicas();
        let mut is_node = receives.to_vec();
        for bound in history.bounds() {
            is_node[bound.op.index()] = true;
        }
        let mut nodes: Vec<NodeInfo> = Vec::new();
        let mut node_of = Vec::with_capacity(history.num_ops());
        let mut first = Vec::with_capacity(k);
        for replica in history.replicas() {
            first.push(node_of.len() as u32);
            let mut last = NONE;
            for (op, position) in history.ops_of(replica).zip(0..) {
                if last == NONE || is_node[op.index()] {
                    let node = nodes.len() as Node;
                    if last != NONE {
                        nodes[last as usize].after = node;
                    }
                    nodes.push(NodeInfo {
                        replica: replica.0,
                        position,
                        before: last,
                        after: NONE,
                    });
                    last = node;
                }
                node_of.push(last);
            }
        }
        let entries = nodes.len() * k;
        let mut low = Vec::with_capacity(entries);
        let mut high = Vec::with_capacity(entries);
        for node in &nodes {
            for of in history.replicas() {
                let own = of.0 == node.replica;
                low.push(if own { node.position } else { 0 });
                high.push(if own { node.position } else { history.len_of(of) });
            }
        }
        Causality {
            k,
            node_of,
            first,
            replica_of: history.ops().map(|op| history.op(op).replica.0).collect(),
            low: Bounds::new(low),
            high: Bounds::new(high),
            asked: vec![Vec::new(); entries],
            about: Vec::new(),
            out: vec![Vec::new(); nodes.len()],
            into: vec![Vec::new(); nodes.len()],
            nodes,
            done: Vec::new(),
            tasks: Vec::new(),
            read: 0,
            levels: Vec::new(),
            explanation: Vec::new(),
            truths,
            model: Vec::new(),
        }
    }

    /// Takes in what was recorded, and what follows from it. An error if nothing fits it.
    ///
    /// Nodes are gone through in the order in which they probably happened, forward for lower bounds and backward for
    /// upper ones, until nothing changes; mostly that is once.
    pub(crate) fn known(
        &mut self,
        history: &CrdtHistory,
        limits: &Limits,
    ) -> Result<Result<(), Crossing>, StopReason> {
        for bound in history.bounds() {
            let node = self.node_of[bound.op.index()];
            let entry = self.entry(node, bound.of.0);
            let most = &mut self.high.first[entry];
            *most = bound.most.min(*most);
            if bound.least > 0 {
                let from = history.op_at(bound.of, bound.least - 1);
                let least = &mut self.low.first[entry];
                *least = bound.least.max(*least);
                self.out[self.node_of[from.index()] as usize].push((from, node, None));
                self.into[node as usize].push((from, None));
            }
        }
        let mut first_op = vec![OpId(0); self.nodes.len()];
        for op in history.ops().rev() {
            first_op[self.node_of[op.index()] as usize] = op;
        }
        let mut in_time: Vec<Node> = (0..self.nodes.len() as Node).collect();
        in_time.sort_by_cached_key(|&node| history.moment(first_op[node as usize]));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            limits.check()?;
            for &node in &in_time {
                changed |= self.learn(node);
            }
            for &node in in_time.iter().rev() {
                changed |= self.restrict(node);
            }
            if self.low.first.iter().zip(&self.high.first).any(|(low, high)| low > high) {
                return Ok(Err(Crossing(Vec::new())));
            }
        }
        self.low.now.clone_from(&self.low.first);
        self.high.now.clone_from(&self.high.first);
        Ok(Ok(()))
    }

    /// Raises a node's first lower bounds to those of whom it has observed. Whether any changed.
    fn learn(&mut self, node: Node) -> bool {
        let mut changed = false;
        let NodeInfo { before, .. } = self.nodes[node as usize];
        let own = (before != NONE).then_some((before, None));
        let observed = self.into[node as usize]
            .iter()
            .map(|(from, _)| (self.node_of[from.index()], Some(self.replica_of[from.index()])));
        for (source, except) in own.into_iter().chain(observed) {
            for of in (0..self.k as u32).filter(|&of| Some(of) != except) {
                let value = self.low.first[self.entry(source, of)];
                let entry = node as usize * self.k + of as usize;
                // Of its own replica a node knows its place; to know more is a crossing.
                let is_own = of == self.nodes[node as usize].replica;
                if value > self.low.first[entry] && !(is_own && except.is_none()) {
                    self.low.first[entry] = value;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Lowers a node's first upper bounds to those of who has observed it. Whether any changed.
    fn restrict(&mut self, node: Node) -> bool {
        let mut changed = false;
        let NodeInfo { after, replica, .. } = self.nodes[node as usize];
        let own = (after != NONE).then_some(after);
        let observers = self.out[node as usize].iter().map(|&(_, to, _)| to);
        for other in own.into_iter().chain(observers) {
            for of in (0..self.k as u32).filter(|&of| of != replica) {
                let value = self.high.first[self.entry(other, of)];
                let entry = node as usize * self.k + of as usize;
                if value < self.high.first[entry] {
                    self.high.first[entry] = value;
                    changed = true;
                }
            }
        }
        changed
    }

    fn entry(&self, node: Node, of: u32) -> usize {
        node as usize * self.k + of as usize
    }

    fn low_at(&self, node: Node, of: u32) -> u32 {
        self.low.now[self.entry(node, of)]
    }

    fn high_at(&self, node: Node, of: u32) -> u32 {
        self.high.now[self.entry(node, of)]
    }

    /// How much of a replica an operation of another has observed at least.
    pub(crate) fn least(&self, op: OpId, of: Replica) -> u32 {
        match self.replica_of[op.index()] == of.0 {
            true => op.0 - self.first[of.index()],
            false => self.low_at(self.node_of[op.index()], of.0),
        }
    }

    /// How much at most.
    pub(crate) fn most(&self, op: OpId, of: Replica) -> u32 {
        match self.replica_of[op.index()] == of.0 {
            true => op.0 - self.first[of.index()],
            false => self.high_at(self.node_of[op.index()], of.0),
        }
    }

    /// The variable that says whether `by`, of another replica, observed an update, if there is one already.
    pub(crate) fn find(&self, update: OpId, by: OpId) -> Option<Var> {
        let of = self.replica_of[update.index()];
        let asked = &self.asked[self.entry(self.node_of[by.index()], of)];
        let position = update.0 - self.first[of as usize];
        let at = asked.binary_search_by_key(&position, |&(position, _)| position).ok()?;
        Some(asked[at].1)
    }

    /// Gives a new variable this meaning.
    pub(crate) fn ask(&mut self, update: OpId, by: OpId, var: Var) {
        let of = self.replica_of[update.index()];
        let node = self.node_of[by.index()];
        let entry = self.entry(node, of);
        let position = update.0 - self.first[of as usize];
        let at = self.asked[entry].partition_point(|&(other, _)| other < position);
        self.asked[entry].insert(at, (position, var));
        let index = var.idx() as usize;
        if self.about.len() <= index {
            self.about.resize(index + 1, (NONE, 0, 0));
        }
        self.about[index] = (node, of, position);
    }

    /// Whether a variable has a meaning here.
    pub(crate) fn is_about(&self, var: Var) -> bool {
        self.about.get(var.idx() as usize).is_some_and(|&(node, ..)| node != NONE)
    }

    fn edge(&mut self, from: OpId, to: Node, lit: Option<Lit>) {
        let source = self.node_of[from.index()];
        self.out[source as usize].push((from, to, lit));
        self.into[to as usize].push((from, lit));
        self.done.push(Done::Edge { from: source, to });
        let of = self.replica_of[from.index()];
        let why = Why::Edge { from, to, lit };
        let position = from.0 - self.first[of as usize];
        self.tasks.push(Task { raise: true, node: to, of, value: position + 1, why });
        for other in (0..self.k as u32).filter(|&other| other != of) {
            let value = self.low_at(source, other);
            if value > 0 {
                self.tasks.push(Task { raise: true, node: to, of: other, value, why });
            }
            let value = self.high_at(to, other);
            self.tasks.push(Task { raise: false, node: source, of: other, value, why });
        }
    }

    /// Carries out what is to be done, and what follows.
    fn work(&mut self, acts: &mut TheoryArg<'_>) -> Result<(), Crossing> {
        while let Some(task) = self.tasks.pop() {
            let result = match task.raise {
                true => self.raise(task, acts),
                false => self.lower(task, acts),
            };
            if let Err(crossing) = result {
                self.tasks.clear();
                return Err(crossing);
            }
            if !acts.is_ok() {
                self.tasks.clear();
                return Ok(());
            }
        }
        Ok(())
    }

    fn raise(&mut self, task: Task, acts: &mut TheoryArg<'_>) -> Result<(), Crossing> {
        let Task { node, of, value, why, .. } = task;
        let entry = self.entry(node, of);
        let old = self.low_at(node, of);
        if old >= value {
            return Ok(());
        }
        if value > self.high_at(node, of) {
            let mut choices = Vec::new();
            self.explain_by(true, node, of, value, why, &mut choices);
            self.explain(false, node, of, value - 1, &mut choices);
            return Err(Crossing(choices));
        }
        self.low.set(entry, value, why);
        self.done.push(Done::Low(entry as u32));
        let asked = &self.asked[entry];
        let from = asked.partition_point(|&(position, _)| position < old);
        for &(position, var) in &asked[from..] {
            if position >= value || !acts.propagate(Lit::new(var, true)) {
                break;
            }
        }
        let after = self.nodes[node as usize].after;
        if after != NONE {
            self.tasks.push(Task { node: after, why: Why::Neighbour, ..task });
        }
        for &(from, to, lit) in &self.out[node as usize] {
            if self.replica_of[from.index()] != of {
                self.tasks.push(Task { node: to, why: Why::Edge { from, to, lit }, ..task });
            }
        }
        Ok(())
    }

    fn lower(&mut self, task: Task, acts: &mut TheoryArg<'_>) -> Result<(), Crossing> {
        let Task { node, of, value, why, .. } = task;
        let entry = self.entry(node, of);
        let old = self.high_at(node, of);
        if old <= value {
            return Ok(());
        }
        if value < self.low_at(node, of) {
            let mut choices = Vec::new();
            self.explain_by(false, node, of, value, why, &mut choices);
            self.explain(true, node, of, value + 1, &mut choices);
            return Err(Crossing(choices));
        }
        self.high.set(entry, value, why);
        self.done.push(Done::High(entry as u32));
        let asked = &self.asked[entry];
        let from = asked.partition_point(|&(position, _)| position < value);
        for &(position, var) in &asked[from..] {
            if position >= old || !acts.propagate(Lit::new(var, false)) {
                break;
            }
        }
        let before = self.nodes[node as usize].before;
        if before != NONE {
            self.tasks.push(Task { node: before, why: Why::Neighbour, ..task });
        }
        for &(from, lit) in &self.into[node as usize] {
            if self.replica_of[from.index()] != of {
                let source = self.node_of[from.index()];
                self.tasks.push(Task {
                    node: source,
                    why: Why::Edge { from, to: node, lit },
                    ..task
                });
            }
        }
        Ok(())
    }

    /// Lists the choices behind a lower bound (`raised`) of at least this, or an upper bound of at most this.
    fn explain(&self, raised: bool, node: Node, of: u32, value: u32, choices: &mut Vec<Lit>) {
        let mut at = Some((node, of, value));
        while let Some((node, of, value)) = at {
            let entry = self.entry(node, of);
            let why = match raised {
                true => self.low.why(entry, |bound| bound >= value),
                false => self.high.why(entry, |bound| bound <= value),
            };
            at = self.step(raised, node, of, value, why, choices);
        }
    }

    /// The same for a bound that is to be set for this reason.
    fn explain_by(
        &self,
        raised: bool,
        node: Node,
        of: u32,
        value: u32,
        why: Why,
        choices: &mut Vec<Lit>,
    ) {
        if let Some((node, of, value)) = self.step(raised, node, of, value, why, choices) {
            self.explain(raised, node, of, value, choices);
        }
    }

    /// One step back from a bound to what it follows from.
    fn step(
        &self,
        raised: bool,
        node: Node,
        of: u32,
        value: u32,
        why: Why,
        choices: &mut Vec<Lit>,
    ) -> Option<(Node, u32, u32)> {
        match why {
            Why::Known => None,
            Why::Choice(lit) => {
                choices.push(lit);
                None
            }
            Why::Neighbour => {
                let NodeInfo { before, after, .. } = self.nodes[node as usize];
                Some((if raised { before } else { after }, of, value))
            }
            Why::Edge { from, to, lit } => {
                choices.extend(lit);
                let replica = self.replica_of[from.index()];
                // What the edge itself says: `to` observed `from`, and so `from` did not observe `to`.
                let itself = match raised {
                    true => of == replica && value <= from.0 - self.first[replica as usize] + 1,
                    false => of == self.nodes[to as usize].replica,
                };
                let other = if raised { self.node_of[from.index()] } else { to };
                (!itself).then_some((other, of, value))
            }
        }
    }

    /// The vectors of the last model, operation by operation.
    pub(crate) fn vectors(&self) -> Vec<u32> {
        let mut vectors = Vec::with_capacity(self.node_of.len() * self.k);
        for (op, &node) in self.node_of.iter().enumerate() {
            let start = vectors.len();
            vectors.extend_from_slice(&self.model[self.entry(node, 0)..][..self.k]);
            let own = self.replica_of[op];
            vectors[start + own as usize] = op as u32 - self.first[own as usize];
        }
        vectors
    }

    fn conflict(&self, crossing: Crossing, acts: &mut TheoryArg<'_>) {
        let mut clause: Vec<Lit> = crossing.0.into_iter().map(|lit| !lit).collect();
        clause.sort_unstable();
        clause.dedup();
        // The solver takes a clause of one literal for one that is not decided yet.
        if clause.len() < 2 {
            clause.extend(self.truths.map(|truth| !truth));
        }
        acts.raise_conflict(&clause, false);
    }
}

impl Theory for Causality {
    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        while self.read < acts.model().len() {
            let lit = acts.model()[self.read];
            self.read += 1;
            let Some(&(node, of, position)) = self.about.get(lit.var().idx() as usize) else {
                continue;
            };
            if node == NONE {
                continue;
            }
            if lit.sign() {
                if self.low_at(node, of) <= position {
                    self.edge(OpId(self.first[of as usize] + position), node, Some(lit));
                }
            } else {
                self.tasks.push(Task {
                    raise: false,
                    node,
                    of,
                    value: position,
                    why: Why::Choice(lit),
                });
            }
            if let Err(crossing) = self.work(acts) {
                return self.conflict(crossing, acts);
            }
            if !acts.is_ok() {
                return;
            }
        }
    }

    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.partial_check(acts);
        if acts.is_ok() {
            self.model.clone_from(&self.low.now);
        }
    }

    fn create_level(&mut self) {
        self.levels.push((self.read, self.done.len()));
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        let (read, done) = self.levels[self.levels.len() - n];
        self.levels.truncate(self.levels.len() - n);
        self.read = read;
        while self.done.len() > done {
            match self.done.pop().expect("there are more") {
                Done::Low(entry) => self.low.undo(entry as usize),
                Done::High(entry) => self.high.undo(entry as usize),
                Done::Edge { from, to } => {
                    self.out[from as usize].pop();
                    self.into[to as usize].pop();
                }
            }
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, lit: Lit) -> &[Lit] {
        let (node, of, position) = self.about[lit.var().idx() as usize];
        let mut choices = std::mem::take(&mut self.explanation);
        choices.clear();
        match lit.sign() {
            true => self.explain(true, node, of, position + 1, &mut choices),
            false => self.explain(false, node, of, position, &mut choices),
        }
        choices.sort_unstable();
        choices.dedup();
        self.explanation = choices;
        &self.explanation
    }
}
