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

use crate::certificate::{Certificate, Query};
use crate::open::Open;
use crate::program::Program;
use crate::search::Ask;
use crate::shape::{Footprint, footprint};
use crate::smt::{Answer, SolverError};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::Texts;

/// What an attempt came to.
pub(crate) enum Attempt {
    /// There is no cycle of dependencies in any execution.
    Proved(Certificate),
    /// These questions have another answer than the proof needs.
    Failed(Vec<String>),
}

/// What proofs ask about.
pub(crate) struct Prover<'p, 'a> {
    program: &'p Program,
    texts: &'p Texts,
    specification: &'p Specification,
    footprints: Vec<Footprint>,
    ask: &'a mut dyn Ask,
    /// What was answered as needed.
    kept: Vec<Query>,
}

impl<'p, 'a> Prover<'p, 'a> {
    pub(crate) fn new(
        program: &'p Program,
        texts: &'p Texts,
        specification: &'p Specification,
        ask: &'a mut dyn Ask,
    ) -> Prover<'p, 'a> {
        let transactions = program.transactions.iter();
        let footprints = transactions.map(|transaction| footprint(program, transaction)).collect();
        Prover { program, texts, specification, footprints, ask, kept: Vec::new() }
    }

    fn names(&self, transactions: &[usize]) -> String {
        let names = transactions.iter().map(|&at| self.program.transactions[at].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// Whether nothing satisfies what is asked of instances of these transactions.
    fn refute(
        &mut self,
        what: &str,
        transactions: &[usize],
        ask: impl FnOnce(&mut Open<'p>) -> Vec<Term>,
    ) -> Result<bool, SolverError> {
        let mut open = Open::new(self.program, self.texts, self.specification, transactions);
        let asked = ask(&mut open);
        if asked.iter().any(|&term| open.terms.is(term, false)) {
            return Ok(true);
        }
        let mut assertions = open.facts.clone();
        assertions.extend(asked);
        let script = open.terms.script(&assertions);
        let names = self.names(transactions);
        let name = format!("{what}: {names}");
        let refuted = matches!(self.ask.ask(&name, &script, &[])?, Answer::Unsat);
        if refuted {
            let slug = format!("{:04}-{}", self.kept.len() + 1, what.replace(' ', "-"));
            self.kept.push(Query { name: slug, why: name, script });
        }
        Ok(refuted)
    }

    fn meet(&self, one: usize, other: usize) -> bool {
        self.footprints[one].meets(&self.footprints[other])
    }

    /// Whether no path of two dependencies leads back, for instances of these transactions (condition 2).
    fn steps_lead_on(&mut self, among: &[usize]) -> Result<Vec<String>, SolverError> {
        let mut failed = Vec::new();
        for &one in among {
            for &two in among.iter().filter(|&&two| self.meet(one, two)).collect::<Vec<_>>() {
                if one <= two
                    && !self.refute("two that depend on each other", &[one, two], |open| {
                        vec![open.may_depend(0, 1, true), open.may_depend(1, 0, true)]
                    })?
                {
                    failed.push(format!(
                        "two that depend on each other: {}",
                        self.names(&[one, two])
                    ));
                }
                for &three in
                    among.iter().filter(|&&three| self.meet(two, three)).collect::<Vec<_>>()
                {
                    let what = "two steps that lead back";
                    if !self.refute(what, &[one, two, three], |open| {
                        let back = [open.order.before(2, 0), open.order.before(2, 1)];
                        let steps = [open.may_depend(0, 1, true), open.may_depend(1, 2, true)];
                        back.into_iter().chain(steps).collect()
                    })? {
                        failed.push(format!("{what}: {}", self.names(&[one, two, three])));
                        return Ok(failed);
                    }
                }
            }
        }
        Ok(failed)
    }

    /// Whether a step from one to another leads on (condition 1); only of those that write, if said so.
    fn leads_on(&mut self, one: usize, other: usize, writing: bool) -> Result<bool, SolverError> {
        let what =
            if writing { "a step from a writer that leads back" } else { "a step that leads back" };
        self.refute(what, &[one, other], |open| {
            let mut all = vec![open.may_depend(0, 1, true), open.order.before(1, 0)];
            if writing {
                all.push(open.writes(0));
            }
            all
        })
    }

    /// By induction.
    pub(crate) fn induction(&mut self) -> Result<Attempt, SolverError> {
        self.kept.clear();
        let mut left: Vec<usize> = (0..self.program.transactions.len()).collect();
        let mut stages = Vec::new();
        while left.iter().any(|&one| left.iter().any(|&other| self.meet(one, other))) {
            let failed = self.steps_lead_on(&left)?;
            if !failed.is_empty() {
                return Ok(Attempt::Failed(failed));
            }
            let mut failed = Vec::new();
            let mut firm = Vec::new();
            for &one in &left.clone() {
                let mut holds = true;
                for &other in &left.clone() {
                    if self.meet(one, other) && !self.leads_on(one, other, true)? {
                        failed
                            .push(format!("a step that leads back: {}", self.names(&[one, other])));
                        holds = false;
                        break;
                    }
                }
                if holds {
                    firm.push(one);
                }
            }
            if failed.is_empty() {
                stages.push(format!("instances of {} that write", self.names(&left)));
                left.clear();
                break;
            }
            // Of these, all instances must be firm, for the others to be looked at alone.
            let mut wholly = Vec::new();
            for &one in &firm {
                let mut holds = true;
                for &other in &left.clone() {
                    if self.meet(one, other) && !self.leads_on(one, other, false)? {
                        holds = false;
                        break;
                    }
                }
                if holds {
                    wholly.push(one);
                }
            }
            if wholly.is_empty() {
                return Ok(Attempt::Failed(failed));
            }
            stages.push(self.names(&wholly));
            left.retain(|one| !wholly.contains(one));
        }
        let claim = format!(
            "No execution has a cycle of dependencies, by induction ({}).",
            stages.join("; then ")
        );
        let queries = std::mem::take(&mut self.kept);
        Ok(Attempt::Proved(Certificate { method: "induction".to_owned(), claim, queries }))
    }

    /// By shortest paths of up to so many steps.
    pub(crate) fn shortest_path(&mut self, most: usize) -> Result<Attempt, SolverError> {
        self.kept.clear();
        let count = self.program.transactions.len();
        let mut paths: Vec<Vec<usize>> = (0..count).map(|one| vec![one]).collect();
        let mut bound = None;
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
            if longer.len() > 200 {
                break;
            }
            let mut there = Vec::new();
            for path in longer {
                let what = format!("a path of {steps} without shortcuts");
                if !self.refute(&what, &path, |open| along(open, steps + 1, false))? {
                    there.push(path);
                }
            }
            if there.is_empty() {
                bound = Some(steps);
                break;
            }
            paths = there;
        }
        let Some(steps) = bound else {
            return Ok(Attempt::Failed(vec![format!(
                "there may be paths of {most} without shortcuts: {}",
                self.names(&paths[0])
            )]));
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
            for cycle in cycles {
                let what = format!("a cycle of {length}");
                let meets = (0..length).all(|at| self.meet(cycle[at], cycle[(at + 1) % length]));
                if meets && !self.refute(&what, &cycle, |open| along(open, length, true))? {
                    failed.push(format!("{what}: {}", self.names(&cycle)));
                }
            }
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
