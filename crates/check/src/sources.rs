//! Histories in which values repeat, so that a read may have come from several transactions.
//!
//! A level then holds when *some* choice of sources satisfies it [MODEL, section 1]. We choose, check,
//! and learn: a SAT solver picks a source for each such read (at first the latest likely one), the
//! ordinary check decides, and a violation, being one of a few transactions and of the sources chosen
//! among them, forbids that combination. A transaction of unknown status counts once a read that counts
//! chooses it.

use std::collections::{BTreeMap, BTreeSet};

use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use hobgoblin_core::{
    CommitOrder, Conclusion, EventId, History, Level, Proof, Source, StopReason, Target, TxnId,
    Verdict, Witness,
};

use crate::flow::{Choice, Flow};
use crate::limits::Limits;
use crate::minimize::minimize;
use crate::polynomial::Decision;
use crate::problem::{INIT, Problem};
use crate::{anomaly, decide, txns, witness};

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
    let mut choices = Choices::new(history, target);
    loop {
        limits.check()?;
        let Some(sources) = choices.next() else {
            return Ok(Verdict::Violation(Box::new(choices.witness())));
        };
        let problem = Problem::whole(history, target, &sources);
        let core = match decide(&problem, limits)? {
            Decision::Order(order) => {
                let included =
                    |&(event, _): &(EventId, TxnId)| problem.node(history.txn_of(event)).is_some();
                let sources = sources.iter().copied().filter(included).collect();
                let txns = txns(&problem, &order);
                return Ok(Verdict::Consistent(CommitOrder { txns, sources }));
            }
            Decision::Core(core) => core,
        };
        let (core, _) = minimize(&problem, core, limits);
        let part = problem.restrict(&core);
        let weakest = witness::weakest(&part, limits);
        choices.learn(&problem, &core, (weakest, witness::proof(&part)), &sources);
    }
}

struct Choices<'h> {
    history: &'h History,
    target: Target,
    solver: BasicSolver,
    /// Keeps `so ∪ wr` acyclic; without it where all is at read uncommitted.
    flow: Option<Flow>,
    /// When each transaction is likely to have ended.
    when: Vec<u64>,
    /// For each ambiguous read, its possible sources with their variables.
    reads: BTreeMap<EventId, Vec<(TxnId, Lit)>>,
    /// For each transaction of unknown status that need not count, whether it does.
    counts: BTreeMap<TxnId, Lit>,
    nogoods: Vec<Nogood>,
}

impl<'h> Choices<'h> {
    fn new(history: &'h History, target: Target) -> Choices<'h> {
        let mut solver = BasicSolver::default();
        let truths =
            [solver.new_var_default(), solver.new_var_default()].map(|v| Lit::new(v, true));
        for truth in truths {
            solver.add_clause_reuse(&mut vec![truth]);
        }
        let free = Problem::asks_nothing(history, target);
        let mut this = Choices {
            history,
            target,
            solver,
            flow: (!free).then(|| Flow::new(history, truths)),
            when: when(history),
            reads: BTreeMap::new(),
            counts: BTreeMap::new(),
            nogoods: Vec::new(),
        };
        for txn in history.txns() {
            if history.status(txn) == hobgoblin_core::Status::Unknown && !history.counts(txn) {
                let var = this.solver.new_var(lbool::FALSE, true);
                this.counts.insert(txn, Lit::new(var, true));
            }
        }
        for &event in history.ambiguous_reads() {
            this.add_read(event);
        }
        let optional: Vec<(TxnId, Lit)> = this.counts.iter().map(|(&t, &l)| (t, l)).collect();
        for (txn, counts) in optional {
            this.add_consequences(txn, counts);
        }
        this
    }

    fn add_read(&mut self, event: EventId) {
        let candidates = self.history.candidates(event);
        let likely = self.likely(event, &candidates);
        let reader = self.history.txn_of(event);
        let mut lits = Vec::with_capacity(candidates.len());
        for candidate in candidates {
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

    /// The candidate that most likely wrote what a read returned: the last one before the reader, or
    /// else the first one after.
    fn likely(&self, event: EventId, candidates: &[TxnId]) -> TxnId {
        let reader = self.history.txn_of(event);
        let order = |t: &TxnId| (self.when[t.index()], *t);
        let (earlier, later): (Vec<TxnId>, Vec<TxnId>) =
            candidates.iter().partition(|t| **t == TxnId::INIT || order(t) < order(&reader));
        let init_last = |t: &TxnId| (*t != TxnId::INIT, order(t));
        earlier
            .into_iter()
            .max_by_key(init_last)
            .or_else(|| later.into_iter().min_by_key(order))
            .expect("an ambiguous read has candidates")
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
    fn next(&mut self) -> Option<Vec<(EventId, TxnId)>> {
        let answer = match &mut self.flow {
            Some(flow) => self.solver.solve_limited_th(flow, &[]),
            None => self.solver.solve_limited(&[]),
        };
        self.note_cycles();
        if answer != lbool::TRUE {
            return None;
        }
        let chosen = |lits: &[(TxnId, Lit)]| {
            let chosen = lits.iter().find(|(_, lit)| self.solver.value_lit(*lit) == lbool::TRUE);
            chosen.expect("every read has a source").0
        };
        Some(self.reads.iter().map(|(&event, lits)| (event, chosen(lits))).collect())
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
            let lits = &self.reads[&event];
            !lits.iter().find(|(candidate, _)| *candidate == txn).expect("it was chosen").1
        };
        let mut clause: Vec<Lit> = nogood.sources.iter().map(source).collect();
        clause.extend(nogood.counted.iter().map(|txn| !self.counts[txn]));
        self.solver.add_clause_reuse(&mut clause);
        self.nogoods.push(nogood);
    }

    /// Why no choice of sources works.
    fn witness(&self) -> Witness {
        const STEPS: usize = 20_000;
        let search = Proof { steps: Vec::new(), conclusion: Conclusion::Search };
        let proof = self.split(&mut BTreeMap::new(), &mut { STEPS }).unwrap_or(search);
        let weakest = self.nogoods.iter().map(|n| n.weakest).min().unwrap_or(Level::SER);
        let anomaly = anomaly::name(self.history, weakest, &proof);
        let txns = self.involved(&proof);
        Witness { target: self.target, anomaly, txns, minimal: false, proof }
    }

    /// The transactions of all that was learned, and of the reads that a proof splits.
    fn involved(&self, proof: &Proof) -> Vec<TxnId> {
        let mut txns: BTreeSet<TxnId> =
            self.nogoods.iter().flat_map(|nogood| nogood.txns.iter().copied()).collect();
        let learned = self.nogoods.iter().flat_map(|n| n.sources.iter().map(|&(event, _)| event));
        let mut reads: BTreeSet<EventId> = learned.collect();
        let mut queue = vec![proof];
        while let Some(proof) = queue.pop() {
            if let Conclusion::Sources { read, cases } = &proof.conclusion {
                reads.insert(*read);
                queue.extend(cases.iter().map(|(_, case)| case));
            }
        }
        for read in reads {
            txns.insert(self.history.txn_of(read));
            txns.extend(self.reads[&read].iter().map(|&(candidate, _)| candidate));
        }
        txns.remove(&TxnId::INIT);
        txns.into_iter().collect()
    }

    /// A proof under some chosen sources: what was learned says they cannot be, or one more read is
    /// split.
    fn split(&self, chosen: &mut BTreeMap<EventId, TxnId>, left: &mut usize) -> Option<Proof> {
        *left = left.checked_sub(1 + self.nogoods.len() / 64)?;
        let counted = self.counted(chosen);
        let agrees = |&(event, txn): &(EventId, TxnId)| chosen.get(&event) == Some(&txn);
        let applies = |n: &&Nogood| {
            n.sources.iter().all(agrees) && n.counted.iter().all(|t| counted.contains(t))
        };
        if let Some(nogood) = self.nogoods.iter().find(applies) {
            return Some(nogood.proof.clone());
        }
        // A read that counts and that something learned speaks of.
        let open = |event: &EventId| {
            let txn = self.history.txn_of(*event);
            !chosen.contains_key(event)
                && (!self.counts.contains_key(&txn) || counted.contains(&txn))
        };
        let possible =
            |n: &&Nogood| n.sources.iter().all(|(e, t)| chosen.get(e).is_none_or(|c| c == t));
        let learned = self.nogoods.iter().filter(possible).flat_map(|n| n.sources.iter());
        let read = learned
            .map(|&(event, _)| event)
            .find(open)
            .or_else(|| self.reads.keys().copied().find(open))?;
        let mut cases = Vec::new();
        for &(candidate, _) in &self.reads[&read] {
            chosen.insert(read, candidate);
            let proof = self.split(chosen, left);
            chosen.remove(&read);
            cases.push((candidate, proof?));
        }
        Some(Proof { steps: Vec::new(), conclusion: Conclusion::Sources { read, cases } })
    }

    /// The optional transactions that count under some chosen sources.
    fn counted(&self, chosen: &BTreeMap<EventId, TxnId>) -> BTreeSet<TxnId> {
        let mut counted = BTreeSet::new();
        loop {
            let before = counted.len();
            let counts = |t: TxnId, counted: &BTreeSet<TxnId>| {
                !self.counts.contains_key(&t) || counted.contains(&t)
            };
            for (&event, &source) in chosen {
                if self.counts.contains_key(&source) && counts(self.history.txn_of(event), &counted)
                {
                    counted.insert(source);
                }
            }
            for txn in counted.clone() {
                for event in self.history.event_ids(txn) {
                    if let Source::Txn(source) = self.history.source(event)
                        && self.counts.contains_key(&source)
                    {
                        counted.insert(source);
                    }
                }
            }
            if counted.len() == before {
                return counted;
            }
        }
    }
}

/// When each transaction is likely to have ended: by its time, by its place in the file where sessions
/// interleave, else by how far along its session it is.
fn when(history: &History) -> Vec<u64> {
    let all = || (0..history.num_txns()).map(TxnId::new);
    if history.has_times() {
        let time = |t| history.end(t).or(history.begin(t)).unwrap_or(i64::MAX);
        return all().map(|t| (time(t) as u64) ^ (1 << 63)).collect();
    }
    let session = |t: usize| history.session_of(TxnId::new(t));
    let switches = (2..history.num_txns()).filter(|&t| session(t - 1) != session(t)).count();
    if switches > 2 * history.num_sessions() {
        return all().map(|t| t.index() as u64).collect();
    }
    let share = |t: TxnId| match history.session_of(t) {
        Some(s) => {
            ((history.position(t) as u64 + 1) << 32) / (history.session_txns(s).len() as u64 + 1)
        }
        None => 0,
    };
    all().map(share).collect()
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
