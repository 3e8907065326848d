//! The bounded search agrees with the explorer, on random small programs: two or three transactions, one or two tables.
//!
//! ```text
//!   tree ──print──> .sql ──read, execute, solve──> anomalies, each replayed        the prover
//!     │                                                     ║ the same?
//!     ├──run on cells, every order and every view──> executions ──> verdicts       the definitions
//!     │                                                     ║ the same?
//!     └──run on keys, a session each──> histories                                  the explorer
//! ```
//!
//! The tree shares nothing with the prover. It runs on *cells*, one for each row's existence and one for each column, which
//! are keys to the explorer; a query that looks for rows reads all that its filter does not leave out by their keys. The
//! solver is confined to the same parameters and first states, of which there are finitely many, and all are tried. Every
//! instance is a session of its own.
//!
//! # What is compared
//!
//! **Histories.** At each level the histories that the explorer finds, in which all commit, are those of the executions of
//! the definitions: who reads from whom, and what is observed. This is asked of a sample of parameters and first states.
//!
//! **Cycles.** For each combination of transactions there is an execution in which dependencies go around all instances iff
//! the solver has found one, visible or not. If a smaller combination was found before, one without a shortcut.
//!
//! **Anomalies.** One of these executions *shows* iff the solver has found one that does, and iff its replay confirms it: no
//! serial order brings all statements to the same, and none brings all to the same that an instance can tell and leaves the
//! same rows.
//!
//! **Replays.** Of every cycle that was found, the replay on the mock store comes to what the tree comes to.
//!
//! # Serializable by reads and by values
//!
//! A history is serializable if in some serial order everybody reads from the same. An anomaly is never serializable so, for
//! in that order everybody would come to the same. The converse fails, and must:
//!
//! - *Values repeat.* Two who set `c = 1 WHERE c < 2` read the first version both, and no order has that; but one after the
//!   other they come to the same.
//! - *What is read does not show.* `SET c = c + 1`, then `SET c = 0`: the first read is lost with what it made.
//!
//! Where neither can be, since every read is a SELECT of one column and what instances write is different, a combination
//! of two has a confirmed anomaly iff it has a history that is not serializable ([`Kind::Told`]).
//!
//! `HOB_FULL=1` tries ten times as many programs, `HOB_SEED=5000` others, `HOB_COUNT=7` so many.

mod compiled;
mod executions;
mod generate;
mod run;
mod tree;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hobgoblin_core::Level;
use hobgoblin_prove::analysis::{Analysis, Anomaly, Domain, Options, analyse};
use hobgoblin_prove::read::read;
use hobgoblin_prove::scenario::{Literal, Order};
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{self, Conflicts, Specification};

use executions::{Execution, LEVELS, World};
use generate::{Kind, Random};
use run::{Instance, Layout};
use tree::Program;

/// The same levels to the explorer and to the prover.
const SAME: [(Level, specification::Level); 3] = [
    (Level::CC, specification::Level::Cc),
    (Level::PSI, specification::Level::Psi),
    (Level::SI, specification::Level::Si),
];

/// What executions of a combination of transactions there are at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    /// Dependencies go around all instances.
    cycle: bool,
    /// And it shows.
    visible: bool,
}

/// What there is of a combination of transactions.
#[derive(Clone, Copy, Debug, Default)]
struct Verdicts {
    /// At each level: of all executions, and of those without shortcuts.
    found: [[Found; 2]; 3],
    /// At each level, whether some execution is not serializable by who reads from whom.
    unserializable: [bool; 3],
}

struct Comparison {
    program: Arc<Program>,
    layout: Arc<Layout>,
    /// How many first states and parameters the explorer is asked about, for each combination.
    explored: usize,
    random: Random,
    /// How many executions there were, and how often the explorer was asked.
    executions: usize,
    explorations: usize,
}

impl Comparison {
    /// All first states.
    fn states(&self) -> Vec<Vec<Option<i64>>> {
        let program = &self.program;
        let mut states: Vec<Vec<Option<i64>>> = vec![Vec::new()];
        for (at, table) in program.tables.iter().enumerate() {
            let mut rows = vec![vec![Some(1)]];
            for &nullable in &table.nullable {
                let values = (0..program.values as i64).map(Some);
                let values: Vec<Option<i64>> = values.chain(nullable.then_some(None)).collect();
                rows = product(
                    &rows,
                    &values.into_iter().map(|value| vec![value]).collect::<Vec<_>>(),
                );
            }
            let mut absent = vec![Some(0)];
            absent.resize(1 + table.nullable.len(), None);
            rows.push(absent);
            for _ in 0..self.layout.rows(at) {
                states = product(&states, &rows);
            }
        }
        states
    }

    /// All parameters of a combination of transactions.
    fn instances(&self, transactions: &[usize]) -> Vec<Vec<Instance>> {
        let mut all: Vec<Vec<Instance>> = vec![Vec::new()];
        for &transaction in transactions {
            let count = self.program.transactions[transaction].parameters as u32;
            let keys = self.program.keys;
            let own: Vec<Vec<Instance>> = (0..keys.pow(count))
                .map(|mut rest| {
                    let mut parameters = Vec::new();
                    for _ in 0..count {
                        parameters.push((rest % keys) as i64);
                        rest /= keys;
                    }
                    vec![Instance { transaction, parameters }]
                })
                .collect();
            all = product(&all, &own);
        }
        all
    }

    fn verdicts(&mut self, transactions: &[usize]) -> Verdicts {
        let mut verdicts = Verdicts::default();
        let states = self.states();
        let all = self.instances(transactions);
        let total = states.len() * all.len();
        let program = Arc::clone(&self.program);
        let layout = Arc::clone(&self.layout);
        for instances in &all {
            for initial in &states {
                let world = World { program: &program, layout: &layout, instances, initial };
                let executions = world.executions();
                self.executions += executions.len();
                let serial: Vec<&Execution> =
                    executions.iter().filter(|execution| execution.is_serial()).collect();
                for execution in &executions {
                    judge(&world, execution, &serial, &mut verdicts);
                }
                if self.random.below(total) < self.explored {
                    self.explore(instances, initial, &executions);
                }
            }
        }
        verdicts
    }

    /// A replay comes to the same as the tree does; if not, in words.
    fn replayed(&self, anomaly: &Anomaly) -> Option<String> {
        let scenario = &anomaly.scenario;
        let int = |literal: &Literal| match literal {
            Literal::Int(value) => Some(*value),
            _ => None,
        };
        let mut initial = vec![None; self.layout.cells()];
        for (at, _) in self.program.tables.iter().enumerate() {
            for row in 0..self.layout.rows(at) {
                initial[self.layout.alive(at, row)] = Some(0);
            }
        }
        for (table, values) in &scenario.rows {
            let at = table.0 as usize;
            let (key, rest) = values.split_at(self.program.tables[at].key);
            let key: Vec<i64> = key.iter().filter_map(int).collect();
            let row = self.layout.row(&key).expect("the key is of the domain");
            initial[self.layout.alive(at, row)] = Some(1);
            for (column, value) in rest.iter().enumerate() {
                initial[self.layout.column(at, row, column)] = int(value);
            }
        }
        let instances: Vec<Instance> = scenario
            .instances
            .iter()
            .map(|instance| Instance {
                transaction: instance.transaction,
                parameters: instance.parameters.iter().filter_map(int).collect(),
            })
            .collect();
        let Order::Views(views) = &scenario.order else { return Some("it has turns".to_owned()) };
        let world = World {
            program: &self.program,
            layout: &self.layout,
            instances: &instances,
            initial: &initial,
        };
        let sees: Vec<u32> =
            views.iter().map(|view| view.sees.iter().map(|other| 1 << other).sum()).collect();
        let all = world.executions();
        let is_it = |one: &&Execution| one.order.is_sorted() && one.sees == sees;
        let Some(execution) = all.iter().find(is_it) else {
            return Some(format!("{scenario:?} does not commit"));
        };
        let serial: Vec<&Execution> = all.iter().filter(|one| one.is_serial()).collect();
        let observed = !serial.iter().any(|one| execution.replays_as(one));
        let confirmed = !serial.iter().any(|one| world.shows_as(execution, one));
        match &anomaly.replayed {
            Err(error) => Some(format!("{scenario:?} is not replayed: {error}")),
            Ok(outcome)
                if (outcome.is_observed(), outcome.is_confirmed()) != (observed, confirmed) =>
            {
                Some(format!(
                    "{scenario:?}: observed {observed}, confirmed {confirmed}, but {outcome:?}"
                ))
            }
            Ok(_) => None,
        }
    }

    /// The explorer finds the same executions.
    fn explore(
        &mut self,
        instances: &[Instance],
        initial: &[Option<i64>],
        executions: &[Execution],
    ) {
        for (at, (level, _)) in SAME.iter().enumerate() {
            let known = compiled::seen_in(executions.iter().filter(|one| one.allowed[at]));
            let found = compiled::explored(&self.program, &self.layout, instances, initial, *level);
            self.explorations += 1;
            assert_eq!(known, found, "{level}: {instances:?} on {initial:?}");
        }
    }
}

/// Adds what an execution is to what there is.
fn judge(world: &World<'_>, execution: &Execution, serial: &[&Execution], verdicts: &mut Verdicts) {
    let is_new = execution.allowed.iter().zip(&verdicts.unserializable);
    if is_new.into_iter().any(|(allowed, known)| *allowed && !known)
        && !serial.iter().any(|one| execution.reads_as(one))
    {
        for (known, allowed) in verdicts.unserializable.iter_mut().zip(execution.allowed) {
            *known |= allowed;
        }
    }
    let goes_around = [false, true].map(|no| execution.goes_around(no));
    if !goes_around[0] {
        return;
    }
    let visible = !serial.iter().any(|one| execution.observes_as(one))
        && !serial.iter().any(|one| world.shows_as(execution, one));
    for (found, allowed) in verdicts.found.iter_mut().zip(execution.allowed) {
        for (found, goes_around) in found.iter_mut().zip(goes_around) {
            found.cycle |= allowed && goes_around;
            found.visible |= allowed && goes_around && visible;
        }
    }
}

fn product<T: Clone>(left: &[Vec<T>], right: &[Vec<T>]) -> Vec<Vec<T>> {
    let pair = |one: &Vec<T>| {
        let one = one.clone();
        right.iter().map(move |other| [one.clone(), other.clone()].concat()).collect::<Vec<_>>()
    };
    left.iter().flat_map(pair).collect()
}

/// All sorted lists of so many of the first so many numbers.
fn combinations(of: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|list| {
            let from = list.last().copied().unwrap_or(0);
            (from..of).map(move |next| [&list[..], &[next]].concat())
        });
        all = longer.collect();
    }
    all
}

fn is_within(small: &[usize], large: &[usize]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|wanted| rest.any(|have| have == wanted))
}

/// Compares a program; what differs, in words.
fn compare(seed: u64, kind: Kind, most: usize, solver: &Solver, tally: &mut Tally) -> Vec<String> {
    let program = Arc::new(generate::program(seed, kind, most > 2));
    let text = program.to_string();
    let read = match read("random.sql", &text) {
        Ok(read) => read,
        Err(error) => return vec![format!("it cannot be read: {error}")],
    };
    let mut comparison = Comparison {
        layout: Arc::new(Layout::new(&program)),
        program: Arc::clone(&program),
        explored: 24,
        random: Random(seed),
        executions: 0,
        explorations: 0,
    };
    let mut wrong = Vec::new();
    let mut known: BTreeMap<Vec<usize>, Verdicts> = BTreeMap::new();
    let start = std::time::Instant::now();
    for count in 2..=most {
        for transactions in combinations(program.transactions.len(), count) {
            let verdicts = comparison.verdicts(&transactions);
            known.insert(transactions, verdicts);
        }
    }
    tally.oracle += start.elapsed();
    for (at, (_, level)) in SAME.into_iter().enumerate() {
        let mut options = Options::new(&hobgoblin_sql::POSTGRES);
        options.instances = most;
        options.proofs = false;
        options.domain =
            Some(Domain { keys: program.keys, parameters: program.keys, values: program.values });
        let mut specification = Specification::all(program.transactions.len(), level);
        // A cell is a key of its own.
        specification.conflicts = Conflicts::Fields;
        let start = std::time::Instant::now();
        let analysis = analyse(&read, &specification, &options, solver, &mut |_, _| {}, &|| false);
        tally.prover += start.elapsed();
        let analysis = match analysis {
            Ok(analysis) => analysis,
            Err(error) => {
                wrong.push(format!("{level}: {error}"));
                continue;
            }
        };
        wrong.extend(differences(kind, &known, at, &analysis, tally));
        for anomaly in &analysis.anomalies {
            wrong.extend(comparison.replayed(anomaly).map(|wrong| format!("{level}: {wrong}")));
        }
    }
    tally.programs += 1;
    tally.executions += comparison.executions;
    tally.explorations += comparison.explorations;
    wrong
}

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    executions: usize,
    explorations: usize,
    questions: usize,
    none: usize,
    invisible: usize,
    visible: usize,
    oracle: std::time::Duration,
    prover: std::time::Duration,
}

fn differences(
    kind: Kind,
    known: &BTreeMap<Vec<usize>, Verdicts>,
    at: usize,
    analysis: &Analysis,
    tally: &mut Tally,
) -> Vec<String> {
    let level = LEVELS[at];
    let mut wrong: Vec<String> =
        analysis.undecided.iter().map(|(names, why)| format!("{level}: {names}: {why}")).collect();
    let mut found: BTreeMap<Vec<usize>, &Anomaly> = BTreeMap::new();
    for anomaly in &analysis.anomalies {
        let instances = anomaly.scenario.instances.iter();
        let mut transactions: Vec<usize> = instances.map(|one| one.transaction).collect();
        transactions.sort_unstable();
        found.insert(transactions, anomaly);
    }
    let smaller: Vec<&Vec<usize>> = known
        .iter()
        .filter(|(_, verdicts)| verdicts.found[at][0].visible)
        .map(|(one, _)| one)
        .collect();
    for (transactions, verdicts) in known {
        let is_larger = smaller
            .iter()
            .any(|one| one.len() < transactions.len() && is_within(one, transactions));
        let expected = verdicts.found[at][usize::from(is_larger)];
        let anomaly = found.get(transactions);
        let has = Found {
            cycle: anomaly.is_some(),
            visible: anomaly.is_some_and(|anomaly| anomaly.visible),
        };
        tally.questions += 1;
        match expected {
            Found { cycle: false, .. } => tally.none += 1,
            Found { visible: false, .. } => tally.invisible += 1,
            _ => tally.visible += 1,
        }
        let unserializable = verdicts.unserializable[at];
        if expected.visible && !unserializable {
            wrong.push(format!("{level}: {transactions:?}: an anomaly is serializable by reads"));
        }
        if kind == Kind::Told && transactions.len() == 2 && has.visible != unserializable {
            wrong.push(format!(
                "{level}: {transactions:?}: {has:?}, unserializable {unserializable}"
            ));
        }
        if has != expected {
            wrong.push(format!("{level}: {transactions:?}: {has:?}, but there is {expected:?}"));
        }
        if let Some(anomaly) = anomaly
            && anomaly.visible != anomaly.is_confirmed()
        {
            wrong.push(format!("{level}: unconfirmed {:?}", anomaly.scenario));
        }
    }
    wrong
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Compares so many programs, ten times as many if all are wanted.
fn compare_all(kind: Kind, most: usize, count: u64) {
    let solver = match Solver::find(None) {
        Ok(solver) => solver,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let full = if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 };
    let first = number("HOB_SEED").unwrap_or(0);
    let count = number("HOB_COUNT").unwrap_or(count * full);
    let mut tally = Tally::default();
    let mut told = String::new();
    let mut failed = 0;
    for seed in first..first + count {
        let compared =
            catch_unwind(AssertUnwindSafe(|| compare(seed, kind, most, &solver, &mut tally)));
        let wrong = compared.unwrap_or_else(|_| vec!["it panics, see above".to_owned()]);
        if !wrong.is_empty() {
            failed += 1;
            let text = generate::program(seed, kind, most > 2).to_string();
            let wrong = format!("HOB_SEED={seed}\n{text}{}\n", wrong.join("\n"));
            eprintln!("{wrong}");
            told.push_str(&wrong);
        }
    }
    eprintln!("{tally:?}");
    assert!(failed == 0, "{failed} of {count} programs differ\n\n{told}");
}

#[test]
fn two_instances_do_what_the_explorer_finds() {
    compare_all(Kind::Any, 2, 150);
}

#[test]
fn three_instances_do_what_the_explorer_finds() {
    compare_all(Kind::Any, 3, 30);
}

#[test]
fn two_instances_that_tell_all_have_an_anomaly_iff_a_history_is_not_serializable() {
    compare_all(Kind::Told, 2, 40);
}
