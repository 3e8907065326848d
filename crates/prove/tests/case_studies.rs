//! What the seed and a prototype found of their case studies is found again, from `.sql` files, each anomaly replayed
//! [Nagar 2018, section 6].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hobgoblin_prove::analysis::{Analysis, Options, analyse};
use hobgoblin_prove::program::Program;
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Level, Specification};

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
    let mut options = Options::default();
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
        all.insert(names);
    }
    all
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
    Specification::all(program.transactions.len(), level)
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
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prove/smallbank.sql");
    let text = fs::read_to_string(file).expect("the example is there");
    let (before, check) = text.split_once("-- transaction WriteCheck").expect("it is in the file");
    let read_savings = "FROM savings WHERE id = p_c;";
    assert!(check.contains(read_savings));
    let check = check.replacen(read_savings, "FROM savings WHERE id = p_c FOR UPDATE;", 1);
    let text = format!("{before}-- transaction WriteCheck{check}");
    let program = read("smallbank.sql", &text).expect("it can be read");
    let Some(found) = analysis(&program, &all(&program, Level::Si), 2, true) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
    assert!(found.proof.is_some(), "{:?}", found.failed);
}

#[test]
fn a_level_for_one_transaction_and_serial_pairs() {
    let program = program("courseware.sql");
    let mut specification = all(&program, Level::Ec);
    let at = |name: &str| position(&program, name);
    specification.levels[at("Enroll")] = Level::Psi;
    for (one, other) in [
        ("AddCourse", "AddCourse"),
        ("AddStudent", "AddStudent"),
        ("Enroll", "RemCourse"),
        ("Enroll", "RemStudent"),
    ] {
        specification.serial.push((at(one), at(other)));
    }
    let Some(found) = analysis(&program, &specification, 2, false) else { return };
    assert_eq!(confirmed(&program, &found), sets(&[]));
}
