//! The whole analysis of a program: the bounded search, then proofs.

use std::time::{Duration, Instant};

use crate::certificate::Certificate;
use crate::closed::{Candidate, Closed, Dependency};
use crate::execute::{Field, Parameter};
use crate::program::{ColumnId, Place, Program, TableId, Type};
use crate::proof::{Attempt, Prover};
use crate::replay::{Outcome, replay};
use crate::scenario::{Instance, Literal, Order, Scenario, Step as Turn, View};
use crate::search::{Ask, Bounds, Cycle, Model, search};
use crate::smt::{Answer, Solver, SolverError, Value};
use crate::specification::Specification;
use crate::term::Term;
use crate::value::{Nullable, Texts};

/// How much is done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
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
}

impl Default for Options {
    fn default() -> Options {
        Options {
            instances: 4,
            rows: None,
            elements: 2,
            rounds: 2,
            path: 5,
            query_limit: Duration::from_secs(30),
            limit: Duration::from_secs(300),
            proofs: true,
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
#[derive(Debug)]
pub struct Analysis {
    /// Cycles, small ones first.
    pub anomalies: Vec<Anomaly>,
    /// The proof that there are none.
    pub proof: Option<Certificate>,
    /// Proofs that were tried, and the questions that stood against them.
    pub failed: Vec<(String, Vec<String>)>,
    /// Combinations that were not decided, by names, and why.
    pub undecided: Vec<(String, String)>,
    /// How many questions the solver was asked.
    pub asked: usize,
}

/// Questions to a solver, within limits.
struct Questions<'s> {
    solver: &'s Solver,
    query_limit: Duration,
    end: Instant,
    asked: usize,
    progress: &'s mut dyn FnMut(usize, &str),
    stop: &'s dyn Fn() -> bool,
}

impl Ask for Questions<'_> {
    fn ask(&mut self, name: &str, script: &str, values: &[String]) -> Result<Answer, SolverError> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() || (self.stop)() {
            return Ok(Answer::Unknown("the time for all questions is over".to_owned()));
        }
        self.asked += 1;
        (self.progress)(self.asked, name);
        self.solver.ask(script, values, self.query_limit.min(left), self.stop)
    }
}

/// Analyses a program.
pub fn analyse(
    program: &Program,
    specification: &Specification,
    options: &Options,
    solver: &Solver,
    progress: &mut dyn FnMut(usize, &str),
    stop: &dyn Fn() -> bool,
) -> Result<Analysis, SolverError> {
    let texts = Texts::of(program);
    let end = Instant::now() + options.limit.min(Duration::from_secs(1 << 32));
    let query_limit = options.query_limit;
    let mut questions = Questions { solver, query_limit, end, asked: 0, progress, stop };
    let bounds = Bounds {
        instances: options.instances,
        rows: options.rows,
        elements: options.elements,
        rounds: options.rounds,
    };
    let bounded = search(program, &texts, specification, &bounds, &mut questions)?;
    let names = |transactions: &[usize]| {
        let names = transactions.iter().map(|&at| program.transactions[at].name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut analysis = Analysis {
        anomalies: bounded
            .cycles
            .iter()
            .map(|cycle| told(program, &texts, specification, cycle))
            .collect(),
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
        let mut prover = Prover::new(program, &texts, specification, &mut questions);
        for method in ["induction", "shortest path"] {
            let attempt = match method {
                "induction" => prover.induction()?,
                _ => prover.shortest_path(options.path)?,
            };
            match attempt {
                Attempt::Proved(certificate) => {
                    analysis.proof = Some(certificate);
                    break;
                }
                Attempt::Failed(questions) => analysis.failed.push((method.to_owned(), questions)),
            }
        }
    }
    analysis.asked = questions.asked;
    Ok(analysis)
}

/// A cycle with the values of its model, replayed.
fn told(
    program: &Program,
    texts: &Texts,
    specification: &Specification,
    cycle: &Cycle<'_>,
) -> Anomaly {
    let Cycle { closed, model, along, visible } = cycle;
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
    } else if by_statement == count {
        // A statement comes after the commits that it sees, and before the next.
        let mut turns = Vec::new();
        for commits in 0..=count {
            for (place, &at) in order.iter().enumerate() {
                for (view, &when) in closed.executions[at].views.iter().enumerate() {
                    if closed.is_true(when, model) && sees(at, view).len() == commits {
                        turns.push((place, Turn::Statement));
                    }
                }
            }
            if commits < count {
                turns.push((commits, Turn::Commit));
            }
        }
        Ok(Order::Turns(turns))
    } else {
        Err("a mix of MVRC and other levels is not replayed".to_owned())
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
    let mut steps = Vec::new();
    for at in 0..count {
        let (from, to) = (along[at], along[(at + 1) % count]);
        let between = closed.edges.iter().filter(|edge| (edge.from, edge.to) == (from, to));
        let mut real: Vec<_> = between.filter(|edge| closed.is_true(edge.when, model)).collect();
        // A read says more than that two wrote the same.
        real.sort_by_key(|edge| edge.kind == Dependency::WriteWrite);
        if let Some(edge) = real.first() {
            let (table, row, field) = edge.cell;
            let key = reader.key(program, table, &closed.rows[table.0 as usize][row]);
            let column = match field {
                Field::Alive => None,
                Field::Column(column) => Some(column),
            };
            let (from, to) = (place_of(from), place_of(to));
            steps.push(Step { from, to, kind: edge.kind, table, key, column, places: edge.places });
        }
    }
    let replays = scene.is_ok();
    let refused = scene.as_ref().err().cloned().unwrap_or_default();
    let scenario = Scenario { rows, instances, order: scene.unwrap_or(Order::Views(Vec::new())) };
    let replayed = if replays {
        replay(program, &scenario).map_err(|error| error.to_string())
    } else {
        Err(refused)
    };
    Anomaly { scenario, steps, visible: *visible, replayed }
}

/// Reads values off a model.
struct Reader<'r, 'p> {
    texts: &'r Texts,
    closed: &'r Closed<'p>,
    model: &'r Model,
}

impl Reader<'_, '_> {
    fn value(&self, term: Term) -> Value {
        self.closed.terms.value(term, self.model).unwrap_or(Value::Int(0))
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
