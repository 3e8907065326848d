//! Specifications of one's own, compared with the levels they spell out, and what is said of wrong ones.

use hobgoblin_prove::analysis::{Analysis, Options, analyse};
use hobgoblin_prove::formula::Formula;
use hobgoblin_prove::program::Program;
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Conflicts, Level, Specification};

const CAUSAL: &str = "vis(a, b) and vis(b, c) => vis(a, c)\n";
const PREFIX: &str = "ar(a, b) and vis(b, c) => vis(a, c)\n";
const CONFLICTS: &str = "WW(a, b) => vis(a, b)\n";
const SERIAL: &str = "ar(a, b) => vis(a, b)\n";

fn example(name: &str) -> Program {
    let path = format!("{}/../../examples/prove/{name}.sql", env!("CARGO_MANIFEST_DIR"));
    read(&path, &std::fs::read_to_string(&path).unwrap()).unwrap()
}

fn analysed(program: &Program, specification: &Specification, proofs: bool) -> Analysis {
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.instances = 3;
    options.proofs = proofs;
    let solver = Solver::find(None).unwrap();
    analyse(program, specification, &options, &solver, &mut |_, _| (), &|| false).unwrap()
}

fn found(program: &Program, specification: &Specification) -> Vec<Vec<usize>> {
    let analysis = analysed(program, specification, false);
    assert!(analysis.undecided.is_empty(), "{:?}", analysis.undecided);
    let mut all: Vec<Vec<usize>> = analysis
        .anomalies
        .iter()
        .filter(|anomaly| anomaly.visible)
        .map(|anomaly| {
            let instances = anomaly.scenario.instances.iter();
            let mut transactions: Vec<usize> = instances.map(|it| it.transaction).collect();
            transactions.sort_unstable();
            transactions
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_level_spelled_out_is_the_level() {
    for name in ["banking", "smallbank"] {
        let program = example(name);
        for (level, text) in [
            (Level::Cc, CAUSAL.to_owned()),
            (Level::Pc, PREFIX.to_owned()),
            (Level::Psi, format!("{CAUSAL}{CONFLICTS}")),
            (Level::Si, format!("{PREFIX}{CONFLICTS}")),
            (Level::Ser, SERIAL.to_owned()),
        ] {
            let count = program.transactions.len();
            let mut spelled = Specification::all(count, Level::Ec);
            spelled.formulas = Formula::read(&text, &program).unwrap();
            let mut of_level = Specification::all(count, level);
            of_level.conflicts = Conflicts::Fields;
            let of_level = found(&program, &of_level);
            assert_eq!(found(&program, &spelled), of_level, "{name} at {level}");
        }
    }
}

#[test]
fn formulas_take_part_in_proofs() {
    let program = example("banking");
    let mut specification = Specification::all(program.transactions.len(), Level::Ec);
    specification.formulas = Formula::read(SERIAL, &program).unwrap();
    assert!(analysed(&program, &specification, true).proof.is_some());
    let psi = Specification {
        formulas: Formula::read(&format!("{CAUSAL}{CONFLICTS}"), &program).unwrap(),
        ..Specification::all(program.transactions.len(), Level::Ec)
    };
    let analysis = analysed(&program, &psi, true);
    assert!(analysis.proof.is_some(), "{:?}", analysis.failed);
}

#[test]
fn a_formula_for_some_transactions_leaves_the_others() {
    let program = example("courseware");
    let mut specification = Specification::all(program.transactions.len(), Level::Ec);
    let text = "# the later of two sees the earlier\nfor a in AddCourse or addstudent, b:\n  ar(a, b) => vis(a, b)";
    specification.formulas = Formula::read(text, &program).unwrap();
    let names = |list: Vec<usize>| -> Vec<String> {
        list.into_iter().map(|at| program.transactions[at].name.clone()).collect()
    };
    let found: Vec<Vec<String>> = found(&program, &specification).into_iter().map(names).collect();
    assert!(!found.contains(&vec!["AddCourse".to_owned(); 2]), "{found:?}");
    assert!(found.contains(&vec!["Enroll".to_owned(); 2]), "{found:?}");
}

#[test]
fn wrong_formulas_are_told_with_their_place() {
    let program = example("banking");
    for (text, line, column, message) in [
        ("", 1, 1, "there is no formula in it"),
        ("# nothing\n", 1, 1, "there is no formula in it"),
        ("vis(a, b) =>", 1, 13, "expected a formula"),
        ("vis(a b)", 1, 7, "expected `,`, found `b`"),
        ("vis(a, b", 1, 9, "expected `)`, found the end"),
        ("\nsees(a, b)", 2, 1, "`sees` is no relation"),
        ("vis(a, b) & ar(a, b)", 1, 11, "`&` has no meaning in a formula"),
        ("vis(a, b) vis(b, c)", 1, 11, "expected the end of the formula, found `vis`"),
        ("for a in transfer: vis(a, b)", 1, 10, "there is no transaction `transfer`"),
        ("for a, a: vis(a, a)", 1, 8, "`a` is named twice"),
        ("a", 1, 2, "expected `=`, found the end"),
        (
            "a = b or b = c or c = d or d = e or e = f",
            1,
            42,
            "a formula speaks of at most 5 instances",
        ),
        (&format!("{}a = a", "(".repeat(200)), 1, 101, "the formula is nested too deeply"),
    ] {
        let error = Formula::read(text, &program).expect_err(text);
        let (at, said) = ((error.line, error.column), error.message.as_str());
        assert_eq!((at, said), ((line, column), message), "{text}");
        assert!(!error.help.is_empty());
    }
}
