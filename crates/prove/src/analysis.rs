//! The whole analysis of a program: the bounded search, then proofs.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::certificate::Certificate;
#[doc(hidden)]
pub use crate::closed::Domain;
use crate::closed::{Candidate, Closed, Edge, Model};
use crate::evaluation::Evaluation;
use crate::execute::{Field, Parameter, What};
use crate::program::{ColumnId, Place, Program, TableId, Type};
use crate::proof::{Attempt, Prover};
use crate::replay::{Outcome, Postgres, replay};
use crate::scenario::{Instance, Literal, Order, Scenario, View};
use crate::schedule::{Look, turns};
use crate::search::{Ask, Bounds, Found, search};
use crate::smt::{Answer, Solver, SolverError, Value};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::{Nullable, Texts};

pub use crate::closed::Dependency;
pub use crate::proof::Obstacle;

/// How proofs are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By induction over paths of dependencies.
    Induction,
    /// By a bound on the length of shortest cycles.
    ShortestPath,
}

impl Method {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Induction => "induction",
            Method::ShortestPath => "shortest path",
        }
    }
}

/// How much is done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The SQL of replays, with functions, as `hobgoblin_sql::POSTGRES`.
    pub postgres: &'static Postgres,
    /// The most instances of a cycle that is searched for.
    pub instances: usize,
    /// The most rows of a table in the search; as many as instances if it is not said.
    pub rows: Option<usize>,
    /// The most elements of an array in the search.
    pub elements: usize,
    /// The most rounds of a counted loop in the search.
    pub rounds: usize,
    /// The longest path that a proof by shortest paths looks at.
    pub path: usize,
    /// How long the solver may take for a question.
    pub query_limit: Duration,
    /// How long all may take.
    pub limit: Duration,
    /// Whether proofs are tried.
    pub proofs: bool,
    /// How, in this order.
    pub methods: Vec<Method>,
    /// How many solvers run at once.
    pub workers: usize,
    /// The values there are at first in the search, if not all.
    #[doc(hidden)]
    pub domain: Option<Domain>,
}

impl Options {
    /// The usual ones. Anomalies are replayed by this SQL.
    pub fn new(postgres: &'static Postgres) -> Options {
        Options {
            postgres,
            instances: 4,
            rows: None,
            elements: 2,
            rounds: 2,
            path: 5,
            query_limit: Duration::from_secs(30),
            limit: Duration::from_secs(300),
            proofs: true,
            methods: vec![Method::Induction, Method::ShortestPath],
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            domain: None,
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            instances: self.instances,
            rows: self.rows,
            elements: self.elements,
            rounds: self.rounds,
            only: None,
            first: false,
            domain: self.domain,
        }
    }
}

/// A dependency of an anomaly.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which instance, and which depends on it.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// How.
    pub kind: Dependency,
    /// Of which table.
    pub table: TableId,
    /// The key of the row.
    pub key: Vec<Literal>,
    /// Which column; none for the row itself.
    pub column: Option<ColumnId>,
    /// The statements of the two.
    pub places: (Place, Place),
}

/// A cycle of dependencies, with all values.
#[derive(Clone, Debug)]
pub struct Anomaly {
    /// What happens: the rows that are there at first, the instances in arbitration order, who sees whom.
    pub scenario: Scenario,
    /// The dependencies along the cycle.
    pub steps: Vec<Step>,
    /// Whether by the solver no serial order gives the same observations.
    pub visible: bool,
    /// What came of running it on the mock store, or why it could not be run.
    pub replayed: Result<Outcome, String>,
}

impl Anomaly {
    /// Whether the instances, run on the mock store, observed what no serial order lets them observe. What an UPDATE reads
    /// to compute what it writes is observed in what it leaves.
    pub fn is_confirmed(&self) -> bool {
        let confirms =
            |outcome: &Outcome| outcome.is_observed() || (self.visible && outcome.is_confirmed());
        self.replayed.as_ref().is_ok_and(confirms)
    }
}

/// What was found of a program.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Cycles, small ones first.
    pub anomalies: Vec<Anomaly>,
    /// The proof that there are none.
    pub proof: Option<Certificate>,
    /// Proofs that were tried, and the questions that stood against them.
    pub failed: Vec<(String, Vec<Obstacle>)>,
    /// Combinations that were not decided, by names, and why.
    pub undecided: Vec<(String, String)>,
    /// How many questions the solver was asked.
    pub asked: usize,
}

/// Told how many questions were asked, and of whom.
type Progress<'s> = &'s mut (dyn FnMut(usize, &str) + Send);

/// Questions to a solver, within limits.
pub struct Questions<'s> {
    solver: &'s Solver,
    query_limit: Duration,
    end: Instant,
    workers: usize,
    asked: AtomicUsize,
    progress: Mutex<Progress<'s>>,
    stop: &'s (dyn Fn() -> bool + Sync),
}

impl<'s> Questions<'s> {
    /// Questions within the limits that the options have. The time begins now. `progress` hears the number of each question
    /// and what it is about; when `stop` says so, no more are answered.
    pub fn new(
        solver: &'s Solver,
        options: &Options,
        progress: &'s mut (dyn FnMut(usize, &str) + Send),
        stop: &'s (dyn Fn() -> bool + Sync),
    ) -> Questions<'s> {
        Questions {
            solver,
            query_limit: options.query_limit,
            end: Instant::now() + options.limit.min(Duration::from_secs(1 << 32)),
            workers: options.workers.max(1),
            asked: AtomicUsize::new(0),
            progress: Mutex::new(progress),
            stop,
        }
    }

    /// How many were asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }

    /// Whether no more are answered.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.end || (self.stop)()
    }
}

impl Ask for Questions<'_> {
    fn ask(&self, name: &str, script: &str, values: &[String]) -> Result<Answer, SolverError> {
        let left = self.end.saturating_duration_since(Instant::now());
        if (self.stop)() {
            return Ok(Answer::Unknown("interrupted".to_owned()));
        }
        if left.is_zero() {
            return Ok(Answer::Unknown("the time for all questions is over".to_owned()));
        }
        let asked = self.asked.fetch_add(1, Relaxed) + 1;
        (self.progress.lock().expect("who shows progress does not panic"))(asked, name);
        self.solver.ask(script, values, self.query_limit.min(left), self.stop)
    }

    fn workers(&self) -> usize {
        self.workers
    }
}

/// Analyses a program.
pub fn analyse(
    program: &Program,
    specification: &Specification,
    options: &Options,
    solver: &Solver,
    progress: &mut (dyn FnMut(usize, &str) + Send),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Analysis, SolverError> {
    let questions = Questions::new(solver, options, progress, stop);
    analyse_with(program, specification, options, &questions)
}

/// Analyses a program, and leaves time for more questions.
pub fn analyse_with(
    program: &Program,
    specification: &Specification,
    options: &Options,
    questions: &Questions<'_>,
) -> Result<Analysis, SolverError> {
    let texts = Texts::of(program);
    let asked = questions.asked();
    let postgres = options.postgres;
    let told = |found: &Found<'_, '_>| told(program, &texts, specification, found, postgres);
    let confirm = |found: &Found<'_, '_>| told(found).is_confirmed();
    let bounds = options.bounds();
    let bounded = search(program, &texts, specification, &bounds, questions, &confirm)?;
    let names = |transactions: &[usize]| {
        let names = transactions.iter().map(|&at| program.transactions[at].name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut analysis = Analysis {
        anomalies: bounded.cycles.iter().map(|cycle| told(&cycle.found())).collect(),
        proof: None,
        failed: Vec::new(),
        undecided: bounded
            .undecided
            .iter()
            .map(|(transactions, why)| (names(transactions), why.clone()))
            .collect(),
        asked: 0,
    };
    let is_clean = !analysis.anomalies.iter().any(|anomaly| anomaly.visible);
    if options.proofs && is_clean {
        let mut prover = Prover::new(program, &texts, specification, questions)?;
        for method in &options.methods {
            let attempt = match method {
                Method::Induction => prover.induction()?,
                Method::ShortestPath => prover.shortest_path(options.path)?,
            };
            match attempt {
                Attempt::Proved(certificate) => {
                    analysis.proof = Some(certificate);
                    break;
                }
                Attempt::Failed(questions) => {
                    analysis.failed.push((method.name().to_owned(), questions))
                }
            }
        }
    }
    analysis.asked = questions.asked() - asked;
    Ok(analysis)
}

/// A cycle with the values of its model, replayed.
fn told(
    program: &Program,
    texts: &Texts,
    specification: &Specification,
    found: &Found<'_, '_>,
    postgres: &'static Postgres,
) -> Anomaly {
    let &Found { closed, model, along, visible } = found;
    let count = closed.transactions.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&at| {
        let others = (0..count).filter(|&other| other != at);
        others.filter(|&other| closed.is_true(closed.order.before(other, at), model)).count()
    });
    let place_of =
        |at: usize| order.iter().position(|&other| other == at).expect("all are in order");
    let reader = Reader { texts, closed, model };
    let instances = order
        .iter()
        .map(|&at| {
            let transaction = closed.transactions[at];
            let definition = &program.transactions[transaction];
            let types = definition.variables.iter().map(|variable| variable.ty);
            let parameters = closed.parameters[at].iter().zip(types);
            let choices = closed.executions[at].choices.iter();
            Instance {
                transaction,
                parameters: parameters.map(|(value, ty)| reader.parameter(value, ty)).collect(),
                choices: choices.map(|&(value, ty)| reader.literal(value, ty)).collect(),
            }
        })
        .collect();
    let sees = |at: usize, view: usize| -> Vec<usize> {
        let all = (0..count).filter(|&other| other != at);
        let seen = all.filter(|&other| closed.is_true(closed.order.seen(other, at, view), model));
        let mut seen: Vec<usize> = seen.map(place_of).collect();
        seen.sort_unstable();
        seen
    };
    let level = |at: usize| specification.levels[closed.transactions[at]];
    let by_statement = order.iter().filter(|&&at| !level(at).is_atomic()).count();
    let scene = if by_statement == 0 {
        let views = order.iter();
        Ok(Order::Views(
            views
                .map(|&at| View { level: level(at).replayed_at(), sees: sees(at, usize::MAX) })
                .collect(),
        ))
    } else if order.iter().all(|&at| !level(at).is_atomic() || level(at).is_snapshot()) {
        let looks = |&at: &usize| {
            let execution = &closed.executions[at];
            let is_real = |&when: &Term| closed.is_true(when, model);
            let views = execution.views.iter().enumerate().filter(|(_, when)| is_real(when));
            let look = |(view, _)| Look {
                sees: sees(at, view).len(),
                writes: execution.accesses.iter().any(|access| {
                    access.view == view
                        && matches!(access.what, What::Write(..) | What::Lock)
                        && is_real(&access.guard)
                }),
            };
            views.map(look).collect::<Vec<Look>>()
        };
        let instances: Vec<Vec<Look>> = order.iter().map(looks).collect();
        let snapshots = order.iter().enumerate().filter(|(_, at)| level(**at).is_atomic());
        let snapshots = snapshots.map(|(place, _)| (place, crate::scenario::Step::Snapshot));
        Ok(Order::Turns(snapshots.chain(turns(&instances)).collect()))
    } else {
        Err("a mix of MVRC and levels below SI is not replayed".to_owned())
    };
    let mut rows = Vec::new();
    for (at, candidates) in closed.rows.iter().enumerate() {
        for row in candidates.iter().filter(|row| closed.is_true(row.alive, model)) {
            let types = program.tables[at].columns.iter().map(|column| column.ty);
            let values = row.columns.iter().zip(types);
            let values = values.map(|(&value, ty)| reader.literal(value, ty)).collect();
            rows.push((TableId(at as u32), values));
        }
    }
    let real = |at: usize| {
        let (from, to) = (along[at], along[(at + 1) % count]);
        let between = closed.edges.iter().filter(|edge| (edge.from, edge.to) == (from, to));
        between.filter(|edge| closed.is_true(edge.when, model)).collect::<Vec<&Edge>>()
    };
    let steps = telling(&(0..count).map(real).collect::<Vec<_>>());
    let steps = steps.into_iter().map(|edge| {
        let (table, row, field) = edge.cell;
        let key = reader.key(program, table, &closed.rows[table.0 as usize][row]);
        let column = match field {
            Field::Alive => None,
            Field::Column(column) => Some(column),
        };
        let (from, to) = (place_of(edge.from), place_of(edge.to));
        let places = closed.places(edge, model);
        Step { from, to, kind: edge.kind, table, key, column, places }
    });
    let steps = steps.collect();
    let replays = scene.is_ok();
    let refused = scene.as_ref().err().cloned().unwrap_or_default();
    let scenario = Scenario { rows, instances, order: scene.unwrap_or(Order::Views(Vec::new())) };
    let replayed = if replays {
        replay(program, &scenario, postgres).map_err(|error| error.to_string())
    } else {
        Err(refused)
    };
    Anomaly { scenario, steps, visible, replayed }
}

/// Of the dependencies that make each step of a cycle, the one that tells most. A read says more than that two wrote the same;
/// and two that each read what the other overwrote have lost an update, whatever else is between them.
fn telling<'e>(steps: &[Vec<&'e Edge>]) -> Vec<&'e Edge> {
    let is_overwrite = |edge: &Edge| edge.kind == Dependency::WriteWrite;
    if let [forth, back] = steps {
        let misses = |edge: &Edge| edge.kind == Dependency::ReadWrite;
        let pairs = forth.iter().flat_map(|one| back.iter().map(move |other| [*one, *other]));
        let lost =
            |[one, other]: &[&Edge; 2]| misses(one) && misses(other) && one.cell == other.cell;
        if let Some(pair) = pairs.into_iter().find(lost) {
            return pair.to_vec();
        }
    }
    let first = |edges: &Vec<&'e Edge>| edges.iter().copied().min_by_key(|edge| is_overwrite(edge));
    steps.iter().filter_map(first).collect()
}

/// Reads values off a model.
struct Reader<'r, 'p> {
    texts: &'r Texts,
    closed: &'r Closed<'p>,
    model: &'r Model,
}

impl Reader<'_, '_> {
    fn value(&self, term: Term) -> Value {
        Evaluation::new(&self.closed.terms, self.model, &HashMap::new())
            .value(term)
            .unwrap_or(Value::Int(0))
    }

    fn literal(&self, value: Nullable, ty: Type) -> Literal {
        if self.closed.is_true(value.null, self.model) {
            return Literal::Null;
        }
        match (self.value(value.value), ty) {
            (Value::Bool(value), _) => Literal::Bool(value),
            (Value::Int(number), Type::Text) => Literal::Text(self.texts.text(number)),
            (Value::Int(number), Type::Decimal) => Literal::Decimal(number, 1),
            (Value::Int(number), _) => Literal::Int(number),
            (Value::Ratio(numerator, denominator), _) => Literal::Decimal(numerator, denominator),
        }
    }

    fn parameter(&self, parameter: &Parameter, ty: Type) -> Literal {
        match parameter {
            Parameter::One(value) => self.literal(*value, ty),
            Parameter::Array(length, elements) => {
                let int = |term: Term| match self.value(term) {
                    Value::Int(number) => number,
                    _ => 0,
                };
                let length = usize::try_from(int(*length)).unwrap_or(0);
                Literal::IntArray(
                    elements.iter().take(length).map(|&element| int(element)).collect(),
                )
            }
            Parameter::Set(_) => Literal::Null,
        }
    }

    fn key(&self, program: &Program, table: TableId, row: &Candidate) -> Vec<Literal> {
        let definition = &program.tables[table.0 as usize];
        let columns = definition.key.iter().map(|column| column.0 as usize);
        columns.map(|at| self.literal(row.columns[at], definition.columns[at].ty)).collect()
    }
}
