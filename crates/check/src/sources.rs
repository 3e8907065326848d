//! Histories in which values repeat, so that a read may have come from several transactions.
//!
//! A level then holds when *some* choice of sources satisfies it [MODEL, section 1]. In this order, until
//! one answers:
//!
//! 1. [`crate::narrow`]: what so and the reads whose source is known say about the others. Mostly one
//!    candidate of each read is left; where none is, that is the violation.
//! 2. [`crate::by_value`]: a greedy run on an imaginary database that needs no sources. An order of a
//!    stronger level is one of the level asked for, so the strongest is tried first.
//! 3. Choose, check and learn: a SAT solver picks a source for each read that is still open (at first the
//!    latest likely one), the ordinary check decides, and a violation, being one of a few transactions
//!    and of the sources chosen among them, forbids that combination.
//!
//! A transaction of unknown status counts once a read that counts chooses it.

use batsat::{Lit, SolverInterface, lbool};
use hobgoblin_core::{
    CommitOrder, Conclusion, Edge, EventId, History, Level, Proof, Reason, SortedMap, Source,
    StopReason, Target, TxnId, Verdict, Witness, sort_dedup,
};

use crate::by_value;
use crate::decide::{decide, txns};
use crate::flow::{Choice, Flow};
use crate::limits::{Limits, Ticker};
use crate::minimize::minimize;
use crate::narrow::Narrowing;
use crate::polynomial::Decision;
use crate::problem::{INIT, Node, Problem};
use crate::sat;
use crate::{anomaly, witness};

/// A combination of sources that cannot be, and why.
struct Nogood {
    sources: Vec<(EventId, TxnId)>,
    /// Transactions of unknown status that the contradiction needs to count.
    counted: Vec<TxnId>,
    txns: Vec<TxnId>,
    /// The weakest level violated, for the name.
    weakest: Level,
    proof: Proof,
}

/// Decides a history with ambiguous reads.
pub(crate) fn check(
    history: &History,
    target: Target,
    limits: &Limits,
) -> Result<Verdict, StopReason> {
    let narrowing = Narrowing::new(history, target, limits)?;
    if let Some(proof) = narrowing.refutation() {
        let witness = witness_of(history, target, weakest_of(&proof), proof, Vec::new());
        return Ok(Verdict::Violation(Box::new(witness)));
    }
    let weak = |t| !witness::level(history, target, t).implies(Level::CC);
    let causal = if history.txns().any(weak) && !Problem::asks_nothing(history, target) {
        Some(Narrowing::new(history, Level::CC.into(), limits)?)
    } else {
        None
    };
    let guide = match &causal {
        Some(causal) => Some(causal).filter(|causal| causal.is_open()),
        None => Some(&narrowing),
    };
    if let Some(guide) = guide {
        // Where deciding is cheap, the likely sources are worth a look.
        let cheap = |t| Level::CC.implies(witness::level(history, target, t));
        if history.txns().all(cheap) {
            let events = history.ambiguous_reads().iter();
            let likely: Vec<_> = events.map(|&event| (event, guide.likely(event))).collect();
            let problem = Problem::whole(history, target, &likely);
            if let Decision::Order(order) = decide(&problem, limits)? {
                let order = commit_order(&problem, &order, &likely);
                if is_free_of_faults(history, target, &order) {
                    return Ok(Verdict::Consistent(order));
                }
            }
        }
        if let Some(order) = run_by_value(history, target, guide, limits)?
            && is_free_of_faults(history, target, &order)
        {
            return Ok(Verdict::Consistent(order));
        }
    }
    let mut choices = Choices::new(history, target, &narrowing, guide, limits)?;
    loop {
        limits.check()?;
        let Some(sources) = choices.next()? else {
            return Ok(Verdict::Violation(Box::new(choices.witness())));
        };
        let problem = Problem::whole(history, target, &sources);
        let core = match decide(&problem, limits)? {
            Decision::Order(order) => {
                return Ok(Verdict::Consistent(commit_order(&problem, &order, &sources)));
            }
            Decision::Core(core) => core,
        };
        let (core, _) = minimize(&problem, core, limits);
        let part = problem.restrict(&core);
        let weakest = witness::weakest(&part, limits);
        choices.learn(&problem, &core, (weakest, witness::proof(&part)), &sources);
    }
}

/// Whether nobody counts in an order who read what its level forbids. Likely sources may make a transaction of
/// unknown status count that had better be dropped.
fn is_free_of_faults(history: &History, target: Target, order: &CommitOrder) -> bool {
    let forbidden = |&&event: &&EventId| {
        witness::forbids(witness::level(history, target, history.txn_of(event)), history, event)
    };
    let faulty = history.faults().iter().filter(forbidden);
    let faulty: SortedMap<TxnId, ()> =
        SortedMap::of(faulty.map(|&event| (history.txn_of(event), ())).collect());
    faulty.is_empty() || !order.txns.iter().any(|txn| faulty.contains_key(txn))
}

/// The commit order of these nodes and sources.
fn commit_order(
    problem: &Problem<'_>,
    order: &[Node],
    sources: &[(EventId, TxnId)],
) -> CommitOrder {
    let included =
        |&(event, _): &(EventId, TxnId)| problem.node(problem.history.txn_of(event)).is_some();
    let sources = sources.iter().copied().filter(included).collect();
    CommitOrder { txns: txns(problem, order), sources }
}

/// A commit order of the level asked for or a stronger one, if a greedy run finds one.
fn run_by_value(
    history: &History,
    target: Target,
    narrowing: &Narrowing<'_>,
    limits: &Limits,
) -> Result<Option<CommitOrder>, StopReason> {
    let strict = |t| witness::level(history, target, t).respects_real_time();
    let attempts: &[Level] = match target {
        Target::Level(Level::RU) => &[],
        Target::Level(Level::SSER) => &[Level::SSER],
        Target::Level(Level::SER) => &[Level::SER],
        Target::Level(Level::SI | Level::PSI) => &[Level::SER, Level::SI],
        Target::Level(Level::PC | Level::CC | Level::RA | Level::RC) => {
            &[Level::SER, Level::SI, Level::PC]
        }
        Target::Mixed(_) if history.txns().any(strict) => &[],
        Target::Mixed(_) => &[Level::SER],
    };
    for &level in attempts {
        let steps = if target == Target::Level(level) { 3_000_000 } else { 200_000 };
        if let Some(order) = by_value::find_order(history, level, narrowing, steps, limits)? {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

struct Choices<'a, 'h> {
    history: &'h History,
    target: Target,
    narrowing: &'a Narrowing<'h>,
    limits: &'a Limits,
    solver: sat::Solver<'a>,
    /// Keeps `so ∪ wr` acyclic; without it where all is at read uncommitted.
    flow: Option<Flow<'a>>,
    /// For each open read, its possible sources with their variables.
    reads: SortedMap<EventId, Vec<(TxnId, Lit)>>,
    /// For each transaction of unknown status that need not count, whether it does.
    counts: SortedMap<TxnId, Lit>,
    nogoods: Vec<Nogood>,
}

impl<'a, 'h> Choices<'a, 'h> {
    /// `guide` knows better than `narrowing` what is likely, if it is given.
    fn new(
        history: &'h History,
        target: Target,
        narrowing: &'a Narrowing<'h>,
        guide: Option<&Narrowing<'_>>,
        limits: &'a Limits,
    ) -> Result<Choices<'a, 'h>, StopReason> {
        let mut solver = sat::solver(limits);
        let truths = sat::truths(&mut solver);
        let free = Problem::asks_nothing(history, target);
        let mut this = Choices {
            history,
            target,
            narrowing,
            limits,
            solver,
            flow: (!free).then(|| Flow::new(history, narrowing, truths, limits)),
            reads: SortedMap::new(),
            counts: SortedMap::new(),
            nogoods: Vec::new(),
        };
        for txn in history.txns() {
            if history.status(txn) == hobgoblin_core::Status::Unknown && !history.counts(txn) {
                let var = this.solver.new_var(lbool::FALSE, true);
                this.counts.insert(txn, Lit::new(var, true));
            }
        }
        let ticker = &mut Ticker::new(limits);
        for &event in history.ambiguous_reads() {
            ticker.tick(8 * narrowing.left(event).len())?;
            if narrowing.is_settled(event) {
                let settled = narrowing.left(event).first();
                if let Some(&counts) = settled.and_then(|source| this.counts.get(source)) {
                    this.solver.add_clause_reuse(&mut vec![counts]);
                }
            } else {
                this.add_read(event, guide.unwrap_or(narrowing).likely(event));
            }
        }
        for (txn, counts) in this.counts.clone().into_entries() {
            this.add_consequences(txn, counts);
        }
        Ok(this)
    }

    fn add_read(&mut self, event: EventId, likely: TxnId) {
        let candidates = self.narrowing.left(event);
        let reader = self.history.txn_of(event);
        let mut lits = Vec::with_capacity(candidates.len());
        for &candidate in candidates {
            let liking = if candidate == likely { lbool::TRUE } else { lbool::FALSE };
            let lit = Lit::new(self.solver.new_var(liking, true), true);
            lits.push((candidate, lit));
            if let Some(flow) = self.flow.as_mut().filter(|_| self.history.counts(reader)) {
                flow.set(lit, Choice { read: event, reader, source: candidate });
            }
            if let Some(&counts) = self.counts.get(&candidate) {
                // A read that counts makes its source count.
                let mut clause = vec![!lit, counts];
                clause.extend(self.counts.get(&reader).map(|&reader| !reader));
                self.solver.add_clause_reuse(&mut clause);
            }
        }
        let mut some: Vec<Lit> = lits.iter().map(|&(_, lit)| lit).collect();
        self.solver.add_clause_reuse(&mut some);
        self.reads.insert(event, lits);
    }

    /// What follows if a transaction of unknown status counts: so do those it is known to have read
    /// from, and its reads must be in order.
    fn add_consequences(&mut self, txn: TxnId, counts: Lit) {
        let history = self.history;
        let level = witness::level(history, self.target, txn);
        for event in history.event_ids(txn) {
            match history.source(event) {
                Source::Txn(source) => {
                    if let Some(&also) = self.counts.get(&source) {
                        self.solver.add_clause_reuse(&mut vec![!counts, also]);
                    }
                }
                Source::Fault(_) if witness::forbids(level, history, event) => {
                    let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Read(event) };
                    self.add(Nogood {
                        sources: Vec::new(),
                        counted: vec![txn],
                        txns: vec![txn],
                        weakest: Level::RC,
                        proof,
                    });
                }
                _ => {}
            }
        }
    }

    /// The next choice of sources that nothing learned forbids, by event.
    fn next(&mut self) -> Result<Option<Vec<(EventId, TxnId)>>, StopReason> {
        let answer = match &mut self.flow {
            Some(flow) => sat::solve(&mut self.solver, flow, &[]),
            None => sat::solve(&mut self.solver, &mut batsat::theory::EmptyTheory::new(), &[]),
        };
        if answer == lbool::UNDEF || self.flow.as_ref().is_some_and(|flow| flow.stopped) {
            self.limits.check()?;
            return Err(StopReason::Interrupted);
        }
        self.note_cycles();
        if answer != lbool::TRUE {
            return Ok(None);
        }
        let chosen = |event: EventId| match self.reads.get(&event) {
            None => self.narrowing.left(event)[0],
            Some(lits) => {
                let is_true = |lit: Lit| self.solver.value_lit(lit) == lbool::TRUE;
                lits.iter().find(|(_, lit)| is_true(*lit)).expect("every read has a source").0
            }
        };
        let events = self.history.ambiguous_reads().iter();
        Ok(Some(events.map(|&event| (event, chosen(event))).collect()))
    }

    /// Remembers, for the witness, the cycles that forbade choices.
    fn note_cycles(&mut self) {
        let Some(flow) = &mut self.flow else { return };
        for (choices, edges) in std::mem::take(&mut flow.cycles) {
            let txns = edges.iter().map(|e| e.from).collect();
            let sources = choices.iter().map(|c| (c.read, c.source)).collect();
            let counted = Vec::new();
            let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Cycle(edges) };
            self.nogoods.push(Nogood { sources, counted, txns, weakest: Level::RC, proof });
        }
    }

    /// Forbids what led to the violation that these nodes show.
    fn learn(
        &mut self,
        problem: &Problem<'_>,
        core: &[u32],
        (weakest, proof): (Level, Proof),
        sources: &[(EventId, TxnId)],
    ) {
        let txns: Vec<TxnId> = core.iter().map(|&n| problem.txns[n as usize]).collect();
        let (sources_used, counted) = (Vec::new(), Vec::new());
        let mut nogood = Nogood { sources: sources_used, counted, txns, weakest, proof };
        for &node in core {
            let txn = problem.txns[node as usize];
            if self.counts.contains_key(&txn) {
                nogood.counted.push(txn);
            }
            for read in problem.reads(node) {
                let inside = read.source == INIT || core.binary_search(&read.source).is_ok();
                if inside && let Ok(at) = sources.binary_search_by_key(&read.event, |&(e, _)| e) {
                    nogood.sources.push(sources[at]);
                }
            }
        }
        self.add(nogood);
    }

    fn add(&mut self, nogood: Nogood) {
        let source = |&(event, txn): &(EventId, TxnId)| {
            let lits = self.reads.get(&event)?;
            Some(!lits.iter().find(|(candidate, _)| *candidate == txn).expect("it was chosen").1)
        };
        let mut clause: Vec<Lit> = nogood.sources.iter().filter_map(source).collect();
        clause.extend(
            nogood.counted.iter().map(|txn| !*self.counts.get(txn).expect("its end is unknown")),
        );
        self.solver.add_clause_reuse(&mut clause);
        self.nogoods.push(nogood);
    }

    /// Why no choice of sources works.
    fn witness(&self) -> Witness {
        const STEPS: usize = 20_000;
        let search = || Proof { steps: Vec::new(), conclusion: Conclusion::Search };
        let complete = self.flow.as_ref().is_none_or(Flow::is_complete);
        let mut needs = Vec::new();
        let split = || self.split(&mut SortedMap::new(), &mut { STEPS }, &mut needs);
        let proof = complete.then(split).flatten();
        let proof = proof.and_then(|proof| self.narrowing.wrap(proof, needs));
        let weakest = self.nogoods.iter().map(|n| n.weakest).min().unwrap_or(Level::SER);
        let mut learned = Vec::new();
        for nogood in &self.nogoods {
            learned.extend_from_slice(&nogood.txns);
        }
        witness_of(self.history, self.target, weakest, proof.unwrap_or_else(search), learned)
    }

    /// A proof under some chosen sources: what was learned says they cannot be, or one more read is
    /// split. The settled reads it rests on are added to `needs`.
    fn split(
        &self,
        chosen: &mut SortedMap<EventId, TxnId>,
        left: &mut usize,
        needs: &mut Vec<EventId>,
    ) -> Option<Proof> {
        *left = left.checked_sub(1 + self.nogoods.len() / 64)?;
        let counted = self.counted(chosen);
        let settled = |event: EventId| !self.reads.contains_key(&event);
        let agrees =
            |&(event, txn): &(EventId, TxnId)| settled(event) || chosen.get(&event) == Some(&txn);
        let applies = |n: &&Nogood| {
            n.sources.iter().all(agrees) && n.counted.iter().all(|t| counted.contains_key(t))
        };
        if let Some(nogood) = self.nogoods.iter().find(applies) {
            let sources = nogood.sources.iter().map(|&(event, _)| event);
            needs.extend(sources.filter(|&event| settled(event)));
            needs.extend(self.settled_for(&nogood.counted));
            return Some(nogood.proof.clone());
        }
        // A read that counts and that something learned speaks of.
        let open = |event: &EventId| {
            let txn = self.history.txn_of(*event);
            !settled(*event)
                && !chosen.contains_key(event)
                && (!self.counts.contains_key(&txn) || counted.contains_key(&txn))
        };
        let possible =
            |n: &&Nogood| n.sources.iter().all(|(e, t)| chosen.get(e).is_none_or(|c| c == t));
        let mut found = None;
        for nogood in &self.nogoods {
            if found.is_none() && possible(&nogood) {
                found = nogood.sources.iter().find(|(event, _)| open(event)).map(|source| source.0);
            }
        }
        for (event, _) in &self.reads {
            if found.is_none() && open(event) {
                found = Some(*event);
            }
        }
        let read = found?;
        let mut cases = Vec::new();
        for &(candidate, _) in self.reads.get(&read).map_or(&[][..], |candidates| candidates) {
            chosen.insert(read, candidate);
            let proof = self.split(chosen, left, needs);
            chosen.remove(&read);
            cases.push((candidate, proof?));
        }
        cases.extend(self.narrowing.closed_cases(read, needs));
        needs.extend(self.settled_for(&[self.history.txn_of(read)]));
        Some(Proof { steps: Vec::new(), conclusion: Conclusion::Sources { read, cases } })
    }

    /// The settled reads by which optional transactions count, if any of these does by one.
    fn settled_for(&self, txns: &[TxnId]) -> Vec<EventId> {
        if !txns.iter().any(|txn| self.counts.contains_key(txn)) {
            return Vec::new();
        }
        let optional = |&(_, source): &(EventId, TxnId)| self.counts.contains_key(&source);
        self.narrowing.settled().filter(optional).map(|(event, _)| event).collect()
    }

    /// The optional transactions that count under some chosen sources.
    fn counted(&self, chosen: &SortedMap<EventId, TxnId>) -> SortedMap<TxnId, ()> {
        let mut counted = SortedMap::new();
        loop {
            let before = counted.len();
            let counts = |t: TxnId, counted: &SortedMap<TxnId, ()>| {
                !self.counts.contains_key(&t) || counted.contains_key(&t)
            };
            let chosen = chosen.iter().copied();
            for (event, source) in chosen.chain(self.narrowing.settled()) {
                if self.counts.contains_key(&source) && counts(self.history.txn_of(event), &counted)
                {
                    counted.insert(source, ());
                }
            }
            for (txn, ()) in counted.clone().into_entries() {
                for event in self.history.event_ids(txn) {
                    if let Source::Txn(source) = self.history.source(event)
                        && self.counts.contains_key(&source)
                    {
                        counted.insert(source, ());
                    }
                }
            }
            if counted.len() == before {
                return counted;
            }
        }
    }
}

/// The witness of a proof; `learned` are the transactions of what was found out in a search.
fn witness_of(
    history: &History,
    target: Target,
    weakest: Level,
    proof: Proof,
    learned: Vec<TxnId>,
) -> Witness {
    let anomaly = anomaly::name(history, weakest, &proof);
    let mut txns = Vec::new();
    let mut searched = false;
    let mut open = vec![&proof];
    while let Some(proof) = open.pop() {
        for step in &proof.steps {
            txns.extend([step.first, step.second]);
            open.push(&step.otherwise);
        }
        match &proof.conclusion {
            Conclusion::Read(event) => txns.push(history.txn_of(*event)),
            Conclusion::Cycle(edges) => {
                for edge in edges {
                    txns.extend([edge.from, edge.to]);
                }
            }
            Conclusion::Sources { read, cases } => {
                txns.push(history.txn_of(*read));
                txns.extend(cases.iter().map(|&(candidate, _)| candidate));
                open.extend(cases.iter().map(|(_, proof)| proof));
            }
            Conclusion::Search => searched = true,
        }
    }
    if searched {
        txns.extend(learned);
        if txns.is_empty() {
            txns.extend(history.txns().filter(|&t| history.counts(t)));
        }
    }
    sort_dedup(&mut txns);
    txns.retain(|&txn| txn != TxnId::INIT);
    Witness { target, anomaly, txns, minimal: false, proof }
}

/// The weakest level that the first case of a proof by cases violates, for the name.
fn weakest_of(proof: &Proof) -> Level {
    let mut proof = proof;
    loop {
        match &proof.conclusion {
            Conclusion::Sources { cases, .. } => match cases.first() {
                Some((_, first)) => proof = first,
                None => return Level::RC,
            },
            Conclusion::Cycle(edges) => {
                let overwrites = |e: &&Edge| matches!(e.why, Reason::Overwrite(_));
                return match (edges.iter().find(overwrites), edges.len()) {
                    (None, _) => Level::RC,
                    (Some(_), 2) => Level::RA,
                    (Some(_), _) => Level::CC,
                };
            }
            Conclusion::Read(_) => return Level::RC,
            Conclusion::Search => return Level::CC,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_core::{HistoryBuilder, Kind, TxnInfo};

    #[test]
    fn some_choice_of_sources_is_enough() {
        // x = 1 is written twice; the reader saw y = 1 of the second writer, so x = 1 is the second's.
        let mut b = HistoryBuilder::new();
        let (x, y) = (b.key(&"x".into()), b.key(&"y".into()));
        for (session, events) in [
            (1, vec![(Kind::Write, x, 1)]),
            (2, vec![(Kind::Write, x, 1), (Kind::Write, y, 1)]),
            (3, vec![(Kind::Read, y, 1), (Kind::Read, x, 1)]),
        ] {
            let session = b.session(&session.into());
            b.begin(session);
            for (kind, key, value) in events {
                b.event_int(kind, key, value);
            }
            b.end(TxnInfo::default()).unwrap();
        }
        let history = b.finish().unwrap();
        let Ok(Verdict::Consistent(order)) = check(&history, Level::SER.into(), &Limits::none())
        else {
            panic!("serializable")
        };
        assert_eq!(order.sources.len(), 1);
    }
}
