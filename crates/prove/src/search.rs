//! The bounded search: which combinations of transactions can produce a cycle of dependencies [Nagar 2018, section 5.1].
//!
//! Every combination of up to k transactions is a question of its own, small ones first; most are answered by a look at which
//! fields they touch. A combination counts when a cycle goes through all its instances. One that contains a smaller one that
//! was found counts only if the cycle has no shortcut: no two instances of it depend on each other but along the cycle.
//!
//! What is found is run; if that does not confirm it, the same is asked for in another order.
//!
//! A cycle need not be visible where values repeat. A model whose observations some serial order gives, too, is put aside
//! by asking for one that this order does not give; there are finitely many orders, so this ends.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use crate::closed::{Closed, Difference, Domain, Model, Size};
use crate::program::Program;
use crate::shape::{Footprint, footprint};
use crate::shrink::shrink;
use crate::smt::{Answer, SolverError};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::Texts;

/// So many orders of a cycle are run, until one is confirmed.
const MOST_ORDERS: usize = 4;

/// So often a model is asked for that does harm.
const MOST_TRIED: usize = 6;

/// Of more instances one is not asked for: there are too many serial orders.
const MOST_HARMFUL: usize = 3;

/// What is asked of a solver, by several at once.
pub(crate) trait Ask: Sync {
    /// The answer to a script, with the values of terms if it can be satisfied. The name is for people who wait.
    fn ask(&self, name: &str, script: &str, values: &[String]) -> Result<Answer, SolverError>;

    /// How many may ask at once.
    fn workers(&self) -> usize;
}

/// What a function makes of each of these, in their order, by several workers. The first error ends it.
pub(crate) fn in_parallel<A: Sync, B: Send>(
    ask: &dyn Ask,
    all: &[A],
    work: impl Fn(&A) -> Result<B, SolverError> + Sync,
) -> Result<Vec<B>, SolverError> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let done = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let at = next.fetch_add(1, Relaxed);
            let Some(one) = all.get(at) else { break };
            match work(one) {
                Ok(result) => done.lock().expect("no worker panics").push((at, result)),
                Err(error) => {
                    next.store(all.len(), Relaxed);
                    failed.lock().expect("no worker panics").get_or_insert(error);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..ask.workers().min(all.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    if let Some(error) = failed.into_inner().expect("no worker panics") {
        return Err(error);
    }
    let mut done = done.into_inner().expect("no worker panics");
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
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

/// A cycle while it is looked at.
pub(crate) struct Found<'f, 'p> {
    pub(crate) closed: &'f Closed<'p>,
    pub(crate) model: &'f Model,
    pub(crate) along: &'f [usize],
    pub(crate) visible: bool,
}

impl<'p> Cycle<'p> {
    pub(crate) fn found(&self) -> Found<'_, 'p> {
        let Cycle { closed, model, along, visible } = self;
        Found { closed, model, along, visible: *visible }
    }
}

/// Whether a cycle is an anomaly when it is run; if not, others of the same transactions are looked for.
pub(crate) type Confirm<'c> = dyn Fn(&Found<'_, '_>) -> bool + Sync + 'c;

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
    /// Only this combination, which is sorted.
    pub(crate) only: Option<Vec<usize>>,
    /// Whether one anomaly is enough.
    pub(crate) first: bool,
    pub(crate) domain: Option<Domain>,
}

/// Searches all combinations.
pub(crate) fn search<'p>(
    program: &'p Program,
    texts: &'p Texts,
    specification: &Specification,
    bounds: &Bounds,
    ask: &dyn Ask,
    confirm: &Confirm<'_>,
) -> Result<Bounded<'p>, SolverError> {
    let footprints: Vec<Footprint> =
        program.transactions.iter().map(|transaction| footprint(program, transaction)).collect();
    let mut bounded = Bounded::default();
    let mut found: Vec<Vec<usize>> = Vec::new();
    let enough = AtomicBool::new(false);
    for count in 2..=bounds.only.as_ref().map_or(bounds.instances, Vec::len) {
        let mut questions = Vec::new();
        let all = match &bounds.only {
            None => combinations(program.transactions.len(), count),
            Some(only) if only.len() == count => vec![only.clone()],
            Some(_) => Vec::new(),
        };
        for transactions in all {
            let cycles = arrangements(&transactions, &footprints);
            if !cycles.is_empty() {
                questions.push((transactions, cycles));
            }
        }
        bounded.asked += questions.len();
        let size = Size {
            rows: bounds.rows.unwrap_or(count),
            elements: bounds.elements,
            rounds: bounds.rounds,
            domain: bounds.domain,
        };
        let answers = in_parallel(ask, &questions, |(transactions, cycles)| {
            if enough.load(Relaxed) {
                return Ok(None);
            }
            let is_larger = found.iter().any(|smaller| is_within(smaller, transactions));
            let mut question = Question::new(program, texts, specification, transactions, size);
            let decided = question.answer(cycles, is_larger, ask, confirm)?;
            if bounds.first && matches!(decided, Decided::Yes { visible: true, .. }) {
                enough.store(true, Relaxed);
            }
            Ok(Some((decided, question.closed)))
        })?;
        for ((transactions, _), answer) in questions.into_iter().zip(answers) {
            let Some((decided, closed)) = answer else { continue };
            match decided {
                Decided::No => {}
                Decided::Unknown(why) => bounded.undecided.push((transactions, why)),
                Decided::Yes { model, along, visible } => {
                    if visible {
                        found.push(transactions);
                    }
                    bounded.cycles.push(Cycle { closed, model, along, visible });
                }
            }
        }
        if enough.load(Relaxed) {
            break;
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
    /// All serial orders, each with what it would give instead, once that is known.
    orders: Vec<(Vec<usize>, Option<Difference>)>,
    /// The formulas of those that a model agreed with.
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
        let orders = permutations(transactions.len()).into_iter().map(|order| (order, None));
        Question { closed, orders: orders.collect(), differs: Vec::new() }
    }

    fn answer(
        &mut self,
        ways: &[Vec<usize>],
        without_shortcut: bool,
        ask: &dyn Ask,
        confirm: &Confirm<'_>,
    ) -> Result<Decided, SolverError> {
        let around: Vec<Term> = ways.iter().map(|way| self.around(way, without_shortcut)).collect();
        let some = self.closed.terms.or(around.iter().copied());
        if self.closed.terms.is(some, false) {
            return Ok(Decided::No);
        }
        let way_of = |closed: &Closed<'_>, model: &Model| {
            let at = around.iter().position(|&term| closed.is_true(term, model));
            ways[at.unwrap_or(0)].clone()
        };
        let (mut invisible, mut doubtful) = (None, None);
        let mut asked = vec![some];
        for _ in 0..MOST_ORDERS {
            let model = match self.visible(&asked, &mut invisible, ask)? {
                Ok(Some(model)) => model,
                Ok(None) => break,
                Err(why) if doubtful.is_none() => return Ok(Decided::Unknown(why)),
                Err(_) => break,
            };
            let known: Vec<Difference> = self.orders.iter().filter_map(|(_, it)| *it).collect();
            let mut wanted: Vec<Term> = known.iter().map(|difference| difference.shows).collect();
            wanted.extend_from_slice(&asked);
            let model = match self.harmful(&asked, &model, &known, ask)? {
                Some(harmful) => {
                    wanted.extend(known.iter().map(|difference| difference.left));
                    harmful
                }
                None => model,
            };
            let model = shrink(&self.closed, &wanted, model);
            let along = way_of(&self.closed, &model);
            let found = Found { closed: &self.closed, model: &model, along: &along, visible: true };
            if confirm(&found) {
                return Ok(Decided::Yes { model, along, visible: true });
            }
            let order = self.closed.order_of(&model);
            let order = self.closed.terms.and(order);
            asked.push(self.closed.terms.not(order));
            doubtful.get_or_insert((model, along));
        }
        Ok(match (doubtful, invisible) {
            (Some((model, along)), _) => Decided::Yes { model, along, visible: true },
            (None, Some(model)) => {
                let along = way_of(&self.closed, &model);
                Decided::Yes { model, along, visible: false }
            }
            (None, None) => Decided::No,
        })
    }

    /// A model of all that is known and more, whose observations no serial order gives; the last one that was put aside
    /// is left in `invisible`.
    fn visible(
        &mut self,
        more: &[Term],
        invisible: &mut Option<Model>,
        ask: &dyn Ask,
    ) -> Result<Result<Option<Model>, String>, SolverError> {
        // The order of the model that was put aside last: within one order a question is sooner answered.
        let mut within: Option<Vec<Term>> = None;
        loop {
            let asked: Vec<Term> = within.iter().flatten().chain(more).copied().collect();
            let model = match (self.solve(&asked, ask)?, &within) {
                (Ok(Some(model)), _) => model,
                (_, Some(_)) => {
                    within = None;
                    continue;
                }
                (other, None) => return Ok(other),
            };
            let mut agrees = None;
            for at in 0..self.orders.len() {
                let difference = match self.orders[at] {
                    (_, Some(known)) => known,
                    (ref order, None) => {
                        let difference = self.closed.differs(order);
                        self.orders[at].1 = Some(difference);
                        difference
                    }
                };
                if !self.closed.is_true(difference.shows, &model) {
                    agrees = Some((at, difference.shows));
                    break;
                }
            }
            let Some((at, shows)) = agrees else { return Ok(Ok(Some(model))) };
            if self.differs.contains(&shows) {
                return Ok(Err("the solver's values do not satisfy the question".to_owned()));
            }
            // Models like this one are likely to agree with this order, too: it is looked at first from now on.
            self.differs.push(shows);
            self.orders[..=at].rotate_right(1);
            within = Some(self.closed.order_of(&model));
            *invisible = Some(model);
        }
    }

    /// A model of the same order that leaves a state which no serial order leaves, if one is soon found: it shows best what is
    /// at stake.
    fn harmful(
        &mut self,
        more: &[Term],
        model: &Model,
        known: &[Difference],
        ask: &dyn Ask,
    ) -> Result<Option<Model>, SolverError> {
        if self.closed.transactions.len() > MOST_HARMFUL {
            return Ok(None);
        }
        let mut asked = self.closed.order_of(model);
        asked.extend_from_slice(more);
        asked.extend(known.iter().map(|difference| difference.shows));
        let mut model = model.clone();
        for _ in 0..=known.len().min(MOST_TRIED) {
            let harmless = known.iter().find(|it| !self.closed.is_true(it.left, &model));
            let Some(harmless) = harmless else { return Ok(Some(model)) };
            asked.push(harmless.left);
            match self.solve(&asked, ask)? {
                Ok(Some(other)) => model = other,
                _ => break,
            }
        }
        Ok(None)
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
        ask: &dyn Ask,
    ) -> Result<Result<Option<Model>, String>, SolverError> {
        let mut assertions = self.closed.facts.clone();
        assertions.extend_from_slice(&self.closed.sorted);
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
}
