//! What the prover answers about the programs of `examples/prove`, and how long it takes.
//!
//! A line each: the answer, whether it is the expected one, and the seconds of the analysis. Anomalies were replayed. The
//! questions of a proof are written to files and answered again by z3 and cvc5, outside the time that is measured. A wrong
//! answer makes the table fail; with `-- --bars` one that came too late does as well.

#![allow(clippy::print_stdout, reason = "a table is what it prints")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::exit;
use std::time::{Duration, Instant};

use hobgoblin_prove::analysis::{Analysis, Method, Options, analyse};
use hobgoblin_prove::certificate::{Certificate, recheck};
use hobgoblin_prove::program::Program;
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Conflicts, Level, Specification};

/// Names of the transactions of anomalies.
type Sets = &'static [&'static [&'static str]];

/// What the answer must be. Every anomaly must be confirmed.
#[derive(Clone, Copy)]
enum Expected {
    /// Anomalies of these transactions, and no others.
    Exactly(Sets),
    /// Anomalies of these transactions, and maybe others.
    Among(Sets),
    /// No anomaly; a proof is not asked for.
    Nothing,
    /// A proof.
    Proved,
    /// A proof by shortest paths.
    ProvedByPaths,
}

use Expected::{Among, Exactly, Nothing, Proved, ProvedByPaths};

/// A question of the table.
struct Row {
    file: &'static str,
    level: Level,
    /// A level for Enroll; then the pairs of [`SERIAL`] are serial, too.
    enroll: Option<Level>,
    instances: usize,
    expected: Expected,
    /// How many seconds it may take.
    required: f64,
}

const fn row(file: &'static str, level: Level, k: usize, expected: Expected, within: f64) -> Row {
    Row { file, level, enroll: None, instances: k, expected, required: within }
}

/// Courseware at EC, but for Enroll.
const fn mixed(file: &'static str, enroll: Level, k: usize, expected: Expected) -> Row {
    let (level, enroll) = (Level::Ec, Some(enroll));
    Row { file, level, enroll, instances: k, expected, required: 10.0 }
}

const COURSEWARE: Sets = &[
    &["Enroll", "Enroll"],
    &["AddCourse", "AddCourse"],
    &["AddStudent", "AddStudent"],
    &["Enroll", "RemCourse"],
    &["Enroll", "RemStudent"],
];
const LONG_FORK: Sets = &[&["AddCourse", "AddStudent", "Enroll", "Enroll"]];
const TPCC: Sets = &[
    &["NewOrder", "NewOrder"],
    &["Payment", "Payment"],
    &["Delivery", "Delivery"],
    &["Payment", "Delivery"],
];
const TPCC_FORKS: Sets = &[
    &["NewOrder", "Payment", "OrderStatus", "OrderStatus"],
    &["NewOrder", "NewOrder", "StockLevel", "StockLevel"],
];
const SMALLBANK: Sets = &[&["Balance", "WriteCheck", "TransactSavings"]];

const ROWS: [Row; 15] = [
    row("banking", Level::Ec, 2, Exactly(&[&["withdraw", "withdraw"]]), 0.2),
    row("banking", Level::Psi, 2, Proved, 1.0),
    row("banking", Level::Psi, 2, ProvedByPaths, 1.0),
    row("courseware", Level::Ec, 2, Exactly(COURSEWARE), 1.0),
    mixed("courseware", Level::Psi, 3, Nothing),
    mixed("courseware", Level::Psi, 4, Nothing),
    mixed("courseware", Level::Si, 4, Nothing),
    mixed("courseware-fork", Level::Psi, 4, Exactly(LONG_FORK)),
    mixed("courseware-fork", Level::Si, 4, Nothing),
    row("tpcc", Level::Ec, 2, Exactly(TPCC), 2.0),
    row("tpcc", Level::Psi, 3, Nothing, 5.0),
    row("tpcc", Level::Psi, 4, Among(TPCC_FORKS), 30.0),
    row("tpcc", Level::Si, 2, Proved, 20.0),
    row("smallbank", Level::Si, 3, Exactly(SMALLBANK), 3.0),
    row("smallbank-promoted", Level::Si, 3, Proved, 3.0),
];

/// Of any two instances of such a pair, the later sees the earlier.
const SERIAL: [(&str, &str); 4] = [
    ("AddCourse", "AddCourse"),
    ("AddStudent", "AddStudent"),
    ("Enroll", "RemCourse"),
    ("Enroll", "RemStudent"),
];

fn main() {
    let bars = std::env::args().any(|argument| argument == "--bars");
    let solvers = ["z3", "cvc5"].map(|name| match Solver::find(Some(name)) {
        Ok(solver) => solver,
        Err(error) => {
            println!("the prover: {error}");
            exit(2)
        }
    });
    println!("the prover, by {}; proofs asked again of {}", solvers[0].name(), solvers[1].name());
    let mut failed = false;
    for row in &ROWS {
        let (answer, is_right, seconds) = row.run(&solvers);
        let is_late = seconds >= row.required;
        failed |= !is_right || (bars && is_late);
        let word = match (is_right, is_late) {
            (false, _) => "WRONG",
            (true, true) => "FAILED",
            (true, false) => "holds",
        };
        println!(
            "  {}: {answer} in {seconds:.2} s; required: {} in {} s: {word}",
            row.question(),
            row.expected.words(),
            row.required
        );
    }
    if failed {
        exit(1);
    }
}

impl Row {
    fn question(&self) -> String {
        let Row { file, level, instances, .. } = self;
        match self.enroll {
            None => format!("{file} {level} k={instances}"),
            Some(enroll) => format!("{file} {level} Enroll={enroll} serial pairs k={instances}"),
        }
    }

    /// The answer in words, whether it is as expected, and how many seconds it took.
    fn run(&self, solvers: &[Solver; 2]) -> (String, bool, f64) {
        let name = format!("{}.sql", self.file);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prove").join(&name);
        let text = fs::read_to_string(path).expect("the example is there");
        let mut options = Options::new(&hobgoblin_sql::POSTGRES);
        options.instances = self.instances;
        options.proofs = matches!(self.expected, Proved | ProvedByPaths);
        if matches!(self.expected, ProvedByPaths) {
            options.methods = vec![Method::ShortestPath];
        }
        let start = Instant::now();
        let program = read(&name, &text).expect("the example can be read");
        let specification = self.specification(&program);
        let solver = &solvers[0];
        let found = analyse(&program, &specification, &options, solver, &mut |_, _| {}, &|| false);
        let found = found.expect("the solver answers");
        let seconds = start.elapsed().as_secs_f64();
        let (mut answer, mut is_right) = self.judge(&program, &found);
        if let Some(proof) = &found.proof {
            let (told, holds) = ask_again(proof, &name, &text, solvers);
            answer = format!("{answer} ({told})");
            is_right &= holds;
        }
        (answer, is_right, seconds)
    }

    fn specification(&self, program: &Program) -> Specification {
        let mut specification = Specification::all(program.transactions.len(), self.level);
        // The seed's definition.
        specification.conflicts = Conflicts::Fields;
        if let Some(level) = self.enroll {
            let at = |name: &str| {
                let mut transactions = program.transactions.iter();
                transactions.position(|one| one.name == name).expect("the transaction is there")
            };
            specification.levels[at("Enroll")] = level;
            specification.serial.extend(SERIAL.map(|(one, other)| (at(one), at(other))));
        }
        specification
    }

    fn judge(&self, program: &Program, found: &Analysis) -> (String, bool) {
        let names = found.anomalies.iter().map(|anomaly| {
            let instances = anomaly.scenario.instances.iter();
            let names = instances.map(|one| program.transactions[one.transaction].name.clone());
            sorted(names.collect())
        });
        let names: Vec<Vec<String>> = names.collect();
        let sets: BTreeSet<Vec<String>> = names.iter().cloned().collect();
        let confirmed = found.anomalies.iter().filter(|anomaly| anomaly.is_confirmed()).count();
        let mut answer = match (names.len(), found.proof.is_some()) {
            (0, true) => "PROVED".to_owned(),
            (0, false) => "none".to_owned(),
            (count, _) => {
                let told: Vec<String> = names.iter().map(|names| names.join("+")).collect();
                format!("{} ({confirmed} of {count} CONFIRMED)", told.join(", "))
            }
        };
        if !found.undecided.is_empty() {
            answer = format!("{answer}, {} undecided", found.undecided.len());
        }
        let as_expected = match self.expected {
            Exactly(expected) => sets == named(expected) && names.len() == sets.len(),
            Among(expected) => named(expected).is_subset(&sets),
            Nothing => sets.is_empty(),
            Proved | ProvedByPaths => sets.is_empty() && found.proof.is_some(),
        };
        (answer, as_expected && found.undecided.is_empty() && confirmed == names.len())
    }
}

impl Expected {
    fn words(self) -> String {
        let told = |sets: Sets| {
            let told: Vec<String> = sets.iter().map(|names| names.join("+")).collect();
            told.join(", ")
        };
        match self {
            Exactly(sets) => format!("{} CONFIRMED and no other", told(sets)),
            Among(sets) => format!("{} CONFIRMED", told(sets)),
            Nothing => "none".to_owned(),
            Proved => "PROVED".to_owned(),
            ProvedByPaths => "PROVED by shortest path".to_owned(),
        }
    }
}

fn named(sets: Sets) -> BTreeSet<Vec<String>> {
    sets.iter().map(|names| sorted(names.iter().map(|&name| name.to_owned()).collect())).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

/// What solvers answer to the questions of a proof, read from the files that it is written to, and whether that is what it
/// needs.
fn ask_again(proof: &Certificate, name: &str, text: &str, solvers: &[Solver]) -> (String, bool) {
    let directory = std::env::temp_dir().join(format!("hob-prove-table-{}", std::process::id()));
    proof.write(&directory, name, text).expect("the certificate can be written");
    let limit = Duration::from_secs(60);
    let answers = recheck(&directory, solvers, limit, &|| false).expect("the solvers answer");
    fs::remove_dir_all(&directory).expect("the certificate is there");
    let mut told = Vec::new();
    let mut holds = true;
    for solver in solvers.iter().map(Solver::name) {
        let own = answers.iter().filter(|answer| answer.solver == solver);
        let held = own.filter(|answer| answer.holds()).count();
        told.push(format!("{held} by {solver}"));
        holds &= held == proof.queries.len();
    }
    (format!("{} questions, refuted again {}", proof.queries.len(), told.join(", ")), holds)
}
