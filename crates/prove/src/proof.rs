//! Proofs for any number of instances: by induction, and by shortest paths.
//!
//! **Induction** [Nagar 2018, section 5.3]. Let W be a set of instances such that, in every execution,
//!
//! 1. if w in W has a dependency to t, then w is before t in the arbitration order, and
//! 2. if there are dependencies t1 → t2 → t3, then t1 or t2 is before t3 (t1 = t3 included, which the seed's equation 7 leaves
//!    out: then there are no two that depend on each other).
//!
//! Then whatever a path of dependencies from w in W leads to is after w: by 1 for one step; and if it holds up to tn-1, then by 2
//! either tn-2 or tn-1, which are after w or w itself, are before tn. So no cycle goes through W. First W are the instances
//! that write something: without one there is no dependency at all. If 1 fails for them, W are the instances of those transactions for
//! which 1 holds, and the same is asked of the others, until none are left, or no two of them can depend on each other.
//!
//! **Shortest paths** (section 5.2). A shortest cycle has no dependencies but those along it. If it has more than n + 1
//! instances, n + 1 that follow each other form a path of n steps without any other dependency among them. If there is no such path, and no
//! cycle of up to n + 1 instances, there is none.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::certificate::{Certificate, Query};
use crate::derive::{Reason, derive};
use crate::lemma::Lemmas;
use crate::open::Open;
use crate::program::Program;
use crate::search::{Ask, in_parallel};
use crate::shape::{Footprint, footprint};
use crate::smt::{Answer, SolverError};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::Texts;

/// What an attempt came to.
pub(crate) enum Attempt {
    /// There is no cycle of dependencies in any execution.
    Proved(Certificate),
    /// These questions have another answer than the proof needs, or none.
    Failed(Vec<Obstacle>),
}

/// A question that stood against a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What was asked, and of which transactions.
    pub question: String,
    /// Why there is no answer; absent if the question can be satisfied.
    pub unanswered: Option<String>,
}

/// What came of a question that nothing should satisfy.
#[derive(Clone)]
enum Refuted {
    /// By these questions.
    Yes(Vec<Query>),
    /// Something satisfies it.
    No,
    /// There is no answer, and this is why.
    Unknown(String),
}

impl Refuted {
    fn is_yes(&self) -> bool {
        matches!(self, Refuted::Yes(_))
    }

    /// The question as one that stands against a proof, unless it is refuted.
    fn obstacle(self, question: String) -> Option<Obstacle> {
        match self {
            Refuted::Yes(_) => None,
            Refuted::No => Some(Obstacle { question, unanswered: None }),
            Refuted::Unknown(why) => Some(Obstacle { question, unanswered: Some(why) }),
        }
    }
}

/// In a question about more instances nobody else is looked at.
const MOST_WITH_WITNESS: usize = 3;

/// More paths of a length are not asked about.
const MOST_PATHS: usize = 200;

/// What proofs ask about.
pub(crate) struct Prover<'p, 'a> {
    program: &'p Program,
    texts: &'p Texts,
    specification: &'p Specification,
    footprints: Vec<Footprint>,
    lemmas: Lemmas,
    /// What was asked for the lemmas.
    reasons: Vec<Query>,
    ask: &'a dyn Ask,
    /// What was answered as needed.
    kept: Vec<Query>,
}

impl<'p, 'a> Prover<'p, 'a> {
    pub(crate) fn new(
        program: &'p Program,
        texts: &'p Texts,
        specification: &'p Specification,
        ask: &'a dyn Ask,
    ) -> Result<Prover<'p, 'a>, SolverError> {
        let (lemmas, reasons) = derive(program, texts, specification, ask)?;
        let reasons = reasons.into_iter().map(|Reason { why, script }| Query {
            name: "a change that does not grow".to_owned(),
            why,
            script,
        });
        let reasons = reasons.collect();
        let transactions = program.transactions.iter();
        let footprints = transactions.map(|transaction| footprint(program, transaction)).collect();
        let kept = Vec::new();
        Ok(Prover { program, texts, specification, footprints, lemmas, reasons, ask, kept })
    }

    fn names(&self, transactions: &[usize]) -> String {
        let names = transactions.iter().map(|&at| self.program.transactions[at].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// Whether nothing satisfies what is asked of instances of each of these lists of transactions. With `all_needed`, what
    /// comes after one that is satisfied may be left out.
    fn refute_all(
        &mut self,
        what: &str,
        lists: &[Vec<usize>],
        all_needed: bool,
        ask: impl Fn(&mut Open<'p>) -> Vec<Term> + Sync,
    ) -> Result<Vec<Option<Refuted>>, SolverError> {
        let enough = AtomicBool::new(false);
        let this = &*self;
        let all = in_parallel(self.ask, lists, |transactions| {
            if enough.load(Relaxed) {
                return Ok(None);
            }
            let refuted = this.refute(what, transactions, &ask)?;
            if all_needed && !refuted.is_yes() {
                enough.store(true, Relaxed);
            }
            Ok(Some(refuted))
        })?;
        for refuted in all.iter().flatten() {
            if let Refuted::Yes(queries) = refuted {
                self.kept.extend_from_slice(queries);
            }
        }
        Ok(all)
    }

    /// Whether nothing satisfies what is asked of instances of these transactions.
    fn refute(
        &self,
        what: &str,
        transactions: &[usize],
        ask: impl Fn(&mut Open<'p>) -> Vec<Term>,
    ) -> Result<Refuted, SolverError> {
        let name = format!("{what}: {}", self.names(transactions));
        let alone = self.refute_with(&name, what, transactions, &ask, |_| ())?;
        if alone.is_yes() || transactions.len() > MOST_WITH_WITNESS {
            return Ok(alone);
        }
        // Somebody else may have to be looked at: who inserted a row that one of these sees.
        let plain = Open::new(self.program, self.texts, self.specification, transactions);
        for reader in 0..transactions.len() {
            for row in plain.may_have_witnesses(reader, &self.lemmas) {
                let table = &self.program.tables[row.0.0 as usize].name;
                let at_first = format!("{name}; its row of {table} is old, or one of theirs");
                let mut refuted =
                    self.refute_with(&at_first, what, transactions, &ask, |open| {
                        open.without_witness(reader, &row);
                    })?;
                for &inserter in &self.lemmas.inserters[row.0.0 as usize] {
                    let Refuted::Yes(mut queries) = refuted else { break };
                    let inserted =
                        format!("{name}; its row of {table} is of {}", self.names(&[inserter]));
                    let more = [transactions, &[inserter]].concat();
                    refuted = self.refute_with(&inserted, what, &more, &ask, |open| {
                        open.with_witness(reader, &row);
                    })?;
                    if let Refuted::Yes(own) = &mut refuted {
                        queries.append(own);
                        *own = queries;
                    }
                }
                if refuted.is_yes() {
                    return Ok(refuted);
                }
            }
        }
        Ok(alone)
    }

    fn refute_with(
        &self,
        name: &str,
        what: &str,
        transactions: &[usize],
        ask: impl Fn(&mut Open<'p>) -> Vec<Term>,
        known: impl Fn(&mut Open<'p>),
    ) -> Result<Refuted, SolverError> {
        let mut open = Open::new(self.program, self.texts, self.specification, transactions);
        open.apply(&self.lemmas);
        let asked = ask(&mut open);
        if asked.iter().any(|&term| open.terms.is(term, false)) {
            return Ok(Refuted::Yes(Vec::new()));
        }
        known(&mut open);
        let mut assertions = open.facts.clone();
        assertions.extend(asked);
        let script = open.terms.script(&assertions);
        Ok(match self.ask.ask(name, &script, &[])? {
            Answer::Unsat => {
                Refuted::Yes(vec![Query { name: what.to_owned(), why: name.to_owned(), script }])
            }
            Answer::Sat(_) => Refuted::No,
            Answer::Unknown(why) => Refuted::Unknown(why),
        })
    }

    fn meet(&self, one: usize, other: usize) -> bool {
        self.footprints[one].meets(&self.footprints[other])
    }

    /// What stands against a question that was not refuted.
    fn obstacles(
        &self,
        what: &str,
        lists: &[Vec<usize>],
        answers: Vec<Option<Refuted>>,
    ) -> Vec<Obstacle> {
        let answered = lists.iter().zip(answers).filter_map(|(list, answer)| Some((list, answer?)));
        answered
            .filter_map(|(list, answer)| answer.obstacle(format!("{what}: {}", self.names(list))))
            .collect()
    }

    /// Whether no path of two dependencies leads back, for instances of these transactions (condition 2).
    fn steps_lead_on(&mut self, among: &[usize]) -> Result<Vec<Obstacle>, SolverError> {
        let (mut pairs, mut paths) = (Vec::new(), Vec::new());
        for &one in among {
            for &two in among.iter().filter(|&&two| self.meet(one, two)) {
                if one <= two {
                    pairs.push(vec![one, two]);
                }
                let next = among.iter().filter(|&&three| self.meet(two, three));
                paths.extend(next.map(|&three| vec![one, two, three]));
            }
        }
        let what = "two that depend on each other";
        let answers = self.refute_all(what, &pairs, true, |open| {
            vec![open.may_depend(0, 1, true), open.may_depend(1, 0, true)]
        })?;
        let failed = self.obstacles(what, &pairs, answers);
        if !failed.is_empty() {
            return Ok(failed);
        }
        let what = "two steps that lead back";
        let answers = self.refute_all(what, &paths, true, |open| {
            let back = [open.order.before(2, 0), open.order.before(2, 1)];
            let steps = [open.may_depend(0, 1, true), open.may_depend(1, 2, true)];
            back.into_iter().chain(steps).collect()
        })?;
        Ok(self.obstacles(what, &paths, answers))
    }

    /// Those of which all steps lead on (condition 1), only from instances that write if said so; and what stands against
    /// the others.
    fn firm(
        &mut self,
        those: &[usize],
        among: &[usize],
        writing: bool,
    ) -> Result<(Vec<usize>, Vec<Obstacle>), SolverError> {
        let mut steps = Vec::new();
        for &one in those {
            let others = among.iter().filter(|&&other| self.meet(one, other));
            steps.extend(others.map(|&other| vec![one, other]));
        }
        let what =
            if writing { "a step from a writer that leads back" } else { "a step that leads back" };
        let answers = self.refute_all(what, &steps, false, |open| {
            let mut all = vec![open.may_depend(0, 1, true), open.order.before(1, 0)];
            if writing {
                all.push(open.writes(0));
            }
            all
        })?;
        let holds = |one: usize| {
            let mut own = steps.iter().zip(&answers).filter(|(step, _)| step[0] == one);
            own.all(|(_, answer)| answer.as_ref().is_some_and(Refuted::is_yes))
        };
        let firm = those.iter().copied().filter(|&one| holds(one)).collect();
        Ok((firm, self.obstacles(what, &steps, answers)))
    }

    /// By induction.
    pub(crate) fn induction(&mut self) -> Result<Attempt, SolverError> {
        self.kept.clone_from(&self.reasons);
        let mut left: Vec<usize> = (0..self.program.transactions.len()).collect();
        let mut stages = Vec::new();
        while left.iter().any(|&one| left.iter().any(|&other| self.meet(one, other))) {
            let failed = self.steps_lead_on(&left)?;
            if !failed.is_empty() {
                return Ok(Attempt::Failed(failed));
            }
            let (firm, failed) = self.firm(&left, &left, true)?;
            if failed.is_empty() {
                stages.push(format!("instances of {} that write", self.names(&left)));
                left.clear();
                break;
            }
            // Of these, all instances must be firm, for the others to be looked at alone.
            let (wholly, _) = self.firm(&firm, &left, false)?;
            if wholly.is_empty() {
                return Ok(Attempt::Failed(failed));
            }
            stages.push(self.names(&wholly));
            left.retain(|one| !wholly.contains(one));
        }
        let why = match stages.is_empty() {
            true => "no two instances touch the same".to_owned(),
            false => format!("none goes through {}", stages.join("; of the others none through ")),
        };
        let claim = format!("No execution has a cycle of dependencies: {why}.");
        let queries = std::mem::take(&mut self.kept);
        Ok(Attempt::Proved(Certificate { method: "induction".to_owned(), claim, queries }))
    }

    /// By shortest paths of up to so many steps.
    pub(crate) fn shortest_path(&mut self, most: usize) -> Result<Attempt, SolverError> {
        self.kept.clone_from(&self.reasons);
        let count = self.program.transactions.len();
        let mut paths: Vec<Vec<usize>> = (0..count).map(|one| vec![one]).collect();
        let mut bound = None;
        let mut unanswered = None;
        for steps in 1..=most {
            // A path without shortcuts is made of shorter ones.
            let longer: Vec<Vec<usize>> = paths
                .iter()
                .flat_map(|path| (0..count).map(move |next| [&path[..], &[next]].concat()))
                .filter(|path| {
                    let end = path.len() - 1;
                    self.meet(path[end - 1], path[end])
                        && (end < 2 || paths.contains(&path[1..].to_vec()))
                })
                .collect();
            if longer.len() > MOST_PATHS {
                unanswered = Some(format!("{} longer paths are too many", longer.len()));
                break;
            }
            let what = format!("a path of {steps} without shortcuts");
            let answers =
                self.refute_all(&what, &longer, false, |open| along(open, steps + 1, false))?;
            let asked = longer.into_iter().zip(answers.into_iter().flatten());
            let (there, answers): (Vec<_>, Vec<_>) =
                asked.filter(|(_, refuted)| !refuted.is_yes()).unzip();
            if there.is_empty() {
                bound = Some(steps);
                break;
            }
            unanswered = match &answers[0] {
                Refuted::Unknown(why) => Some(why.clone()),
                _ => None,
            };
            paths = there;
        }
        let Some(steps) = bound else {
            let steps = paths[0].len() - 1;
            let names = self.names(&paths[0]);
            let question = format!("a path of {steps} without shortcuts: {names}");
            return Ok(Attempt::Failed(vec![Obstacle { question, unanswered }]));
        };
        let mut failed = Vec::new();
        for length in 2..=steps + 1 {
            let mut cycles: Vec<Vec<usize>> = vec![Vec::new()];
            for _ in 0..length {
                cycles = cycles
                    .into_iter()
                    .flat_map(|cycle| (0..count).map(move |next| [&cycle[..], &[next]].concat()))
                    .filter(|cycle: &Vec<usize>| cycle.iter().all(|one| *one >= cycle[0]))
                    .collect();
            }
            cycles.retain(|cycle| {
                (0..length).all(|at| self.meet(cycle[at], cycle[(at + 1) % length]))
            });
            let what = format!("a cycle of {length}");
            let answers =
                self.refute_all(&what, &cycles, true, |open| along(open, length, true))?;
            failed.extend(self.obstacles(&what, &cycles, answers));
        }
        if !failed.is_empty() {
            return Ok(Attempt::Failed(failed));
        }
        let claim = format!(
            "No execution has a cycle of dependencies: a shortest one has at most {} instances, and there is none of these.",
            steps + 1
        );
        let queries = std::mem::take(&mut self.kept);
        Ok(Attempt::Proved(Certificate {
            method: format!("shortest path ({steps})"),
            claim,
            queries,
        }))
    }
}

/// That each of so many depends on the one before, the first on the last if it is a cycle, and no others on each other.
fn along(open: &mut Open<'_>, count: usize, cycle: bool) -> Vec<Term> {
    let mut all = Vec::new();
    for one in 0..count {
        for other in (0..count).filter(|&other| other != one) {
            let is_step = other == one + 1 || (cycle && one + 1 == count && other == 0);
            if is_step {
                all.push(open.may_depend(one, other, false));
            } else {
                let depends = open.must_depend(one, other);
                all.push(open.terms.not(depends));
            }
        }
    }
    all
}
