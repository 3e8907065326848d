//! What the seed and a prototype found of their case studies is found again, from `.sql` files, each anomaly replayed
//! [Nagar 2018, section 6].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hobgoblin_prove::analysis::{Analysis, Anomaly, Dependency, Method, Options, analyse};
use hobgoblin_prove::program::{Place, Program};
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Conflicts, Level, Specification};

/// A program of `examples/prove`.
fn program(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prove").join(name);
    let text = fs::read_to_string(&file).expect("the example is there");
    read(name, &text).expect("the example can be read")
}

fn solver() -> Option<Solver> {
    match Solver::find(None) {
        Ok(solver) => Some(solver),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn analysis(
    program: &Program,
    specification: &Specification,
    instances: usize,
    proofs: bool,
) -> Option<Analysis> {
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.instances = instances;
    options.proofs = proofs;
    let found = analyse(program, specification, &options, &solver()?, &mut |_, _| {}, &|| false);
    let found = found.expect("the solver answers");
    assert_eq!(found.undecided, Vec::new());
    Some(found)
}

/// The transactions of each anomaly by name, all of which must have been confirmed by running them.
fn confirmed(program: &Program, analysis: &Analysis) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    for anomaly in &analysis.anomalies {
        let instances = anomaly.scenario.instances.iter();
        let mut names: Vec<String> = instances
            .map(|instance| program.transactions[instance.transaction].name.clone())
            .collect();
        names.sort();
        assert!(anomaly.is_confirmed(), "{names:?}: {:?}", anomaly.replayed);
        assert_eq!(not_run(anomaly), Vec::new(), "{names:?}");
        all.insert(names);
    }
    all
}

/// The statements that are said to have written something, and were not run.
fn not_run(anomaly: &Anomaly) -> Vec<Place> {
    let outcome = anomaly.replayed.as_ref().expect("it was replayed");
    let writes = anomaly.steps.iter().flat_map(|step| {
        let (from, to) = ((step.from, step.places.0), (step.to, step.places.1));
        match step.kind {
            Dependency::WriteRead => vec![from],
            Dependency::ReadWrite => vec![to],
            Dependency::WriteWrite => vec![from, to],
        }
    });
    let is_run = |at: usize, place: Place| outcome.executed.ran[at].contains(&place);
    writes.filter(|&(at, place)| !is_run(at, place)).map(|(_, place)| place).collect()
}

fn sets(expected: &[&[&str]]) -> BTreeSet<Vec<String>> {
    let sorted = expected.iter().map(|names| {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        names
    });
    sorted.collect()
}

fn position(program: &Program, name: &str) -> usize {
    let mut names = program.transactions.iter();
    names.position(|transaction| transaction.name == name).expect("the transaction is there")
}

fn all(program: &Program, level: Level) -> Specification {
    // The seed's definition.
    let conflicts = Conflicts::Fields;
    Specification { conflicts, ..Specification::all(program.transactions.len(), level) }
}

#[test]
fn banking_loses_updates_but_not_where_writers_see_each_other() {
    let program = program("banking.sql");
    for level in [Level::Ec, Level::Mvrc, Level::Cc, Level::Pc] {
        let Some(found) = analysis(&program, &all(&program, level), 2, true) else { return };
        assert_eq!(confirmed(&program, &found), sets(&[&["withdraw", "withdraw"]]), "{level}");
        assert!(found.proof.is_none());
    }
    for level in [Level::Psi, Level::Si, Level::Ser] {
        let Some(found) = analysis(&program, &all(&program, level), 3, true) else { return };
        assert_eq!(confirmed(&program, &found), sets(&[]), "{level}");
        assert!(found.proof.is_some(), "{level}: {:?}", found.failed);
    }
}

#[test]
fn courseware_has_five_anomalies_of_two() {
    let program = program("courseware.sql");
    let Some(found) = analysis(&program, &all(&program, Level::Ec), 2, true) else { return };
    let expected: &[&[&str]] = &[
        &["addcourse", "addcourse"],
        &["addstudent", "addstudent"],
        &["enroll", "enroll"],
        &["enroll", "remcourse"],
        &["enroll", "remstudent"],
    ];
    let found: BTreeSet<Vec<String>> = confirmed(&program, &found)
        .into_iter()
        .map(|names| names.iter().map(|name| name.to_lowercase()).collect())
        .collect();
    assert_eq!(found, sets(expected));
}

#[test]
fn smallbank_has_one_anomaly_at_snapshot_isolation() {
    let program = program("smallbank.sql");
    let Some(found) = analysis(&program, &all(&program, Level::Si), 3, true) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[&["Balance", "WriteCheck", "TransactSavings"]]));
}

#[test]
fn smallbank_is_safe_with_a_locking_read() {
    let program = program("smallbank-promoted.sql");
    let Some(found) = analysis(&program, &all(&program, Level::Si), 2, true) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
    assert!(found.proof.is_some(), "{:?}", found.failed);
}

#[test]
fn tpcc_is_proved_at_snapshot_isolation() {
    let program = program("tpcc.sql");
    let Some(found) = analysis(&program, &all(&program, Level::Si), 2, true) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
    assert!(found.proof.is_some(), "{:?}", found.failed);
}

#[test]
fn tpcc_has_no_anomaly_of_three_where_writers_see_each_other() {
    let program = program("tpcc.sql");
    let Some(found) = analysis(&program, &all(&program, Level::Psi), 3, false) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
}

#[test]
fn a_level_for_one_transaction_and_serial_pairs() {
    let program = program("courseware.sql");
    let specification = enroll_at(&program, Level::Psi);
    let Some(found) = analysis(&program, &specification, 2, false) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
}

#[test]
fn who_reads_both_first_can_disagree_on_their_order() {
    let program = program("courseware-fork.sql");
    let specification = enroll_at(&program, Level::Psi);
    let Some(found) = analysis(&program, &specification, 4, false) else { return };
    let expected: &[&[&str]] = &[&["AddCourse", "AddStudent", "Enroll", "Enroll"]];
    assert_eq!(confirmed(&program, &found), sets(expected));
}

/// Courseware at EC, with another level for Enroll, and serial pairs.
fn enroll_at(program: &Program, level: Level) -> Specification {
    let mut specification = all(program, Level::Ec);
    let at = |name: &str| position(program, name);
    specification.levels[at("Enroll")] = level;
    for (one, other) in [
        ("AddCourse", "AddCourse"),
        ("AddStudent", "AddStudent"),
        ("Enroll", "RemCourse"),
        ("Enroll", "RemStudent"),
    ] {
        specification.serial.push((at(one), at(other)));
    }
    specification
}

#[test]
fn what_stands_against_a_proof_is_satisfied_or_has_no_answer() {
    let Some(solver) = solver() else { return };
    let program = program("smallbank.sql");
    let specification = all(&program, Level::Si);
    // Two are too few for the anomaly.
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.instances = 2;
    options.path = 1;
    let until = |options: &Options, most: usize| {
        let asked = AtomicUsize::new(0);
        let mut count = |number: usize, _: &str| asked.store(number, Relaxed);
        let stop = || asked.load(Relaxed) >= most;
        let found = analyse(&program, &specification, options, &solver, &mut count, &stop);
        let found = found.expect("the solver answers");
        assert!(found.proof.is_none());
        found
    };
    let whole = until(&options, usize::MAX);
    let (method, satisfied) = &whole.failed[0];
    assert_eq!(method, "induction");
    assert!(!satisfied.is_empty());
    assert!(satisfied.iter().all(|obstacle| obstacle.unanswered.is_none()), "{satisfied:?}");

    options.proofs = false;
    let search = until(&options, usize::MAX).asked;
    options.proofs = true;
    let part = until(&options, search + 1);
    let (_, obstacles) = &part.failed[0];
    let interrupted = Some("interrupted".to_owned());
    assert!(obstacles.iter().any(|one| one.unanswered == interrupted), "{obstacles:?}");
}

#[test]
fn banking_is_proved_by_shortest_paths_too() {
    let Some(solver) = solver() else { return };
    let program = program("banking.sql");
    let specification = all(&program, Level::Psi);
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.methods = vec![Method::ShortestPath];
    options.instances = 2;
    let found = analyse(&program, &specification, &options, &solver, &mut |_, _| (), &|| false);
    let method = found.unwrap().proof.unwrap().method;
    assert!(method.starts_with("shortest path"), "{method}");
}
