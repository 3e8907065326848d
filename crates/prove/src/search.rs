//! The bounded search: which combinations of transactions can produce a cycle of dependencies [Nagar 2018, section 5.1].
//!
//! Every combination of up to k transactions is a question of its own, small ones first; most are answered by a look at which
//! fields they touch. A combination counts when a cycle goes through all its instances. One that contains a smaller one that
//! was found counts only if the cycle has no shortcut: no two instances of it depend on each other but along the cycle.
//!
//! A cycle need not be visible where values repeat. A model whose observations some serial order gives, too, is put aside
//! by asking for one that this order does not give; there are finitely many orders, so this ends.

use std::collections::HashMap;

use crate::closed::{Closed, Size};
use crate::program::Program;
use crate::shape::{Footprint, footprint};
use crate::smt::{Answer, SolverError, Value};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::Texts;

/// Values of variables.
pub(crate) type Model = HashMap<Term, Value>;

/// What is asked of a solver.
pub(crate) trait Ask {
    /// The answer to a script, with the values of terms if it can be satisfied. The name is for people who wait.
    fn ask(&mut self, name: &str, script: &str, values: &[String]) -> Result<Answer, SolverError>;
}

/// A combination of transactions that has a cycle.
pub(crate) struct Cycle<'p> {
    pub(crate) closed: Closed<'p>,
    pub(crate) model: Model,
    /// The instances along the cycle.
    pub(crate) along: Vec<usize>,
    /// Whether no serial order gives the same observations.
    pub(crate) visible: bool,
}

/// What a search found.
#[derive(Default)]
pub(crate) struct Bounded<'p> {
    pub(crate) cycles: Vec<Cycle<'p>>,
    /// Combinations that the solver did not decide, and why.
    pub(crate) undecided: Vec<(Vec<usize>, String)>,
    /// How many combinations were asked of the solver.
    pub(crate) asked: usize,
}

/// What to search.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// The most instances.
    pub(crate) instances: usize,
    /// The most rows of a table; as many as instances if it is not said.
    pub(crate) rows: Option<usize>,
    pub(crate) elements: usize,
    pub(crate) rounds: usize,
}

/// Searches all combinations.
pub(crate) fn search<'p>(
    program: &'p Program,
    texts: &'p Texts,
    specification: &Specification,
    bounds: &Bounds,
    ask: &mut dyn Ask,
) -> Result<Bounded<'p>, SolverError> {
    let footprints: Vec<Footprint> =
        program.transactions.iter().map(|transaction| footprint(program, transaction)).collect();
    let mut bounded = Bounded::default();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for count in 2..=bounds.instances {
        for transactions in combinations(program.transactions.len(), count) {
            let cycles = arrangements(&transactions, &footprints);
            if cycles.is_empty() {
                continue;
            }
            let is_larger = found.iter().any(|smaller| is_within(smaller, &transactions));
            let size = Size {
                rows: bounds.rows.unwrap_or(count),
                elements: bounds.elements,
                rounds: bounds.rounds,
            };
            let mut question = Question::new(program, texts, specification, &transactions, size);
            bounded.asked += 1;
            match question.answer(&cycles, is_larger, ask)? {
                Decided::No => {}
                Decided::Unknown(why) => bounded.undecided.push((transactions, why)),
                Decided::Yes { model, along, visible } => {
                    if visible {
                        found.push(transactions);
                    }
                    let closed = question.closed;
                    bounded.cycles.push(Cycle { closed, model, along, visible });
                }
            }
        }
    }
    Ok(bounded)
}

/// All sorted lists of so many of the first so many numbers.
fn combinations(of: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|list| {
                let from = list.last().copied().unwrap_or(0);
                (from..of).map(move |next| {
                    let mut longer = list.clone();
                    longer.push(next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Whether a sorted list is part of another.
fn is_within(small: &[usize], large: &[usize]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|wanted| rest.any(|have| have == wanted))
}

/// The ways around all instances along which neighbours touch the same fields, one of each kind: instances of the same
/// transaction are alike.
fn arrangements(transactions: &[usize], footprints: &[Footprint]) -> Vec<Vec<usize>> {
    let count = transactions.len();
    let mut ways: Vec<Vec<usize>> = Vec::new();
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for order in permutations(count - 1) {
        let mut way = vec![0];
        way.extend(order.iter().map(|at| at + 1));
        let touches = (0..count).all(|at| {
            let (one, other) = (transactions[way[at]], transactions[way[(at + 1) % count]]);
            footprints[one].meets(&footprints[other])
        });
        let kind: Vec<usize> = way.iter().map(|&at| transactions[at]).collect();
        let is_new = (0..count).all(|turn| {
            let turned: Vec<usize> = (0..count).map(|at| kind[(at + turn) % count]).collect();
            !kinds.contains(&turned)
        });
        if touches && is_new {
            kinds.push(kind);
            ways.push(way);
        }
    }
    ways
}

/// All orders of the first so many numbers.
pub(crate) fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|list| {
                let rest: Vec<usize> = (0..count).filter(|at| !list.contains(at)).collect();
                rest.into_iter().map(move |next| {
                    let mut longer = list.clone();
                    longer.push(next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// What was found of a combination.
enum Decided {
    No,
    Unknown(String),
    Yes { model: Model, along: Vec<usize>, visible: bool },
}

struct Question<'p> {
    closed: Closed<'p>,
    /// Serial orders that must not give the same, each as a formula.
    differs: Vec<Term>,
}

impl<'p> Question<'p> {
    fn new(
        program: &'p Program,
        texts: &'p Texts,
        specification: &Specification,
        transactions: &[usize],
        size: Size,
    ) -> Question<'p> {
        let closed = Closed::new(program, texts, specification, transactions, size);
        Question { closed, differs: Vec::new() }
    }

    fn answer(
        &mut self,
        ways: &[Vec<usize>],
        without_shortcut: bool,
        ask: &mut dyn Ask,
    ) -> Result<Decided, SolverError> {
        let around: Vec<Term> = ways.iter().map(|way| self.around(way, without_shortcut)).collect();
        let some = self.closed.terms.or(around.iter().copied());
        if self.closed.terms.is(some, false) {
            return Ok(Decided::No);
        }
        let orders = permutations(self.closed.transactions.len());
        let mut invisible: Option<Model> = None;
        let mut known: HashMap<Vec<usize>, Term> = HashMap::new();
        let way_of = |closed: &Closed<'_>, model: &Model| {
            let at = around.iter().position(|&term| closed.is_true(term, model));
            ways[at.unwrap_or(0)].clone()
        };
        loop {
            let model = match self.solve(&[some], ask)? {
                Ok(Some(model)) => model,
                Ok(None) => break,
                Err(why) => return Ok(Decided::Unknown(why)),
            };
            let mut agrees = None;
            for order in &orders {
                let differs =
                    *known.entry(order.clone()).or_insert_with(|| self.closed.differs(order));
                if !self.closed.is_true(differs, &model) {
                    agrees = Some(differs);
                    break;
                }
            }
            match agrees {
                Some(differs) => {
                    self.differs.push(differs);
                    invisible = Some(model);
                }
                None => {
                    let model = self.smaller(some, model, ask)?;
                    let along = way_of(&self.closed, &model);
                    return Ok(Decided::Yes { model, along, visible: true });
                }
            }
        }
        Ok(match invisible {
            None => Decided::No,
            Some(model) => {
                let along = way_of(&self.closed, &model);
                Decided::Yes { model, along, visible: false }
            }
        })
    }

    /// That dependencies go around.
    fn around(&mut self, way: &[usize], without_shortcut: bool) -> Term {
        let count = way.len();
        let mut all = Vec::new();
        for at in 0..count {
            for other in 0..count {
                let along = other == (at + 1) % count;
                if at == other || (!along && !without_shortcut) {
                    continue;
                }
                let depends = self.closed.depends(way[at], way[other]);
                all.push(if along { depends } else { self.closed.terms.not(depends) });
            }
        }
        self.closed.terms.and(all)
    }

    /// A model of all that is known and more; in words why there may be one.
    fn solve(
        &mut self,
        more: &[Term],
        ask: &mut dyn Ask,
    ) -> Result<Result<Option<Model>, String>, SolverError> {
        let mut assertions = self.closed.facts.clone();
        assertions.extend_from_slice(more);
        assertions.extend_from_slice(&self.differs);
        let variables = self.closed.terms.variables_of(&assertions);
        let written: Vec<String> =
            variables.iter().map(|&variable| self.closed.terms.written(variable)).collect();
        let script = self.closed.terms.script(&assertions);
        let name: Vec<String> = self.closed.names();
        Ok(match ask.ask(&name.join(", "), &script, &written)? {
            Answer::Sat(values) => Ok(Some(variables.into_iter().zip(values).collect())),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(why),
        })
    }

    /// A model of smaller numbers and fewer rows. A solver that does not decide leaves the one we have.
    fn smaller(
        &mut self,
        some: Term,
        mut model: Model,
        ask: &mut dyn Ask,
    ) -> Result<Model, SolverError> {
        // Whatever is made smaller, no serial order may agree.
        for order in permutations(self.closed.transactions.len()) {
            let differs = self.closed.differs(&order);
            self.differs.push(differs);
        }
        let mut kept = vec![some];
        for most in [1, 2, 4, 9, 99] {
            let within = self.closed.within(most);
            let mut more = kept.clone();
            more.push(within);
            if let Ok(Some(smaller)) = self.solve(&more, ask)? {
                model = smaller;
                kept.push(within);
                break;
            }
        }
        for row in self.closed.rows.iter().flatten().map(|row| row.alive).collect::<Vec<_>>() {
            if !self.closed.is_true(row, &model) {
                continue;
            }
            let absent = self.closed.terms.not(row);
            kept.push(absent);
            match self.solve(&kept.clone(), ask)? {
                Ok(Some(smaller)) => model = smaller,
                _ => {
                    kept.pop();
                }
            }
        }
        Ok(model)
    }
}
