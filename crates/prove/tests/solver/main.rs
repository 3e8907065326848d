//! Solvers that are installed, solvers that misbehave, and certificates that are asked again.

mod certificates;
mod fakes;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hobgoblin_prove::smt::{Answer, Solver, SolverError, Value};
use hobgoblin_prove::term::{Sort, Terms};

const LIMIT: Duration = Duration::from_secs(20);

fn never() -> bool {
    false
}

/// The solver of a name, or nothing where it is not installed, which is told; at full size it has to be there.
fn installed(name: &str) -> Option<Solver> {
    match Solver::find(Some(name)) {
        Ok(solver) => Some(solver),
        Err(SolverError::Missing { .. }) => {
            let told = format!("{name} is not installed (make setup installs it)");
            assert!(std::env::var_os("HOB_FULL").is_none(), "{told}");
            eprintln!("skipped: {told}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn both() -> Vec<Solver> {
    ["z3", "cvc5"].into_iter().filter_map(installed).collect()
}

/// A directory of a test, gone when dropped.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str) -> Directory {
        let name = format!("hob-prove-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What `Terms` writes, for each of its four logics, is what both solvers read.
#[test]
fn both_solvers_take_the_same_script() {
    for solver in both() {
        for (real, product) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut terms = Terms::new();
            let view = terms.function("view", &[Sort::Int], Sort::Int);
            let (n, b) = (terms.variable("n", Sort::Int), terms.variable("b", Sort::Bool));
            let unused = terms.variable("unused", Sort::Int);
            let shared = terms.apply(view, &[n]);
            let (five, three) = (terms.int(-5), terms.int(3));
            let mut all = vec![terms.equal(shared, five), terms.less(shared, n), b];
            all.push(terms.equal(n, three));
            if product {
                let square = terms.multiply(n, n);
                let nine = terms.int(9);
                all.push(terms.equal(square, nine));
            }
            let mut values = vec![n, b, shared];
            let mut expected = vec![Value::Int(3), Value::Bool(true), Value::Int(-5)];
            if real {
                let r = terms.variable("r", Sort::Real);
                let thrice = terms.multiply(r, three);
                let one = terms.ratio(-1, 1);
                all.push(terms.equal(thrice, one));
                values.push(r);
                expected.push(Value::Ratio(-1, 3));
            }
            values.push(unused);
            let script = terms.script_about(&all, &values);
            let written: Vec<String> = values.iter().map(|&term| terms.written(term)).collect();
            let answer = solver.ask(&script, &written, LIMIT, &never).expect("an answer");
            let Answer::Sat(found) = answer else { panic!("{}: {answer:?}", solver.name()) };
            assert_eq!(found[..expected.len()], expected, "{}:\n{script}", solver.name());
            let not_b = terms.not(b);
            let none = terms.script(&[all.as_slice(), &[not_b]].concat());
            assert_eq!(solver.ask(&none, &[], LIMIT, &never).expect("an answer"), Answer::Unsat);
        }
    }
}

#[test]
fn a_number_too_large_is_unknown() {
    let script = "(set-logic QF_UFLIA)\n(declare-fun x () Int)\n\
                  (assert (> x 100000000000000000000))\n(check-sat)\n";
    for solver in both() {
        let answer = solver.ask(script, &["x".to_owned()], LIMIT, &never).expect("an answer");
        let Answer::Unknown(why) = answer else { panic!("{answer:?}") };
        assert!(why.contains("too large") && why.contains("100000000000000000001"), "{why}");
    }
}

#[test]
fn a_wrong_script_is_an_error_that_says_what_the_solver_says() {
    for solver in both() {
        let script = "(set-logic QF_UFLIA)\n(assert (= y 1))\n(check-sat)\n";
        let error = solver.ask(script, &[], LIMIT, &never).expect_err("y is not declared");
        assert!(matches!(error, SolverError::Garbage { .. }), "{error}");
        assert!(error.to_string().contains("error") && error.to_string().contains('y'), "{error}");
        let script = "(set-logic QF_UFLIA)\n(check-sat)\n";
        let error = solver.ask(script, &["y".to_owned()], LIMIT, &never).expect_err("no such term");
        assert!(error.to_string().contains('y'), "{error}");
    }
}

/// A pigeonhole of this size takes both solvers longer than anybody waits.
fn hard() -> String {
    let holes = 12;
    let mut text = String::from("(set-logic QF_UFLIA)\n");
    for pigeon in 0..=holes {
        for hole in 0..holes {
            text += &format!("(declare-fun p{pigeon}_{hole} () Bool)\n");
        }
        let somewhere: Vec<String> = (0..holes).map(|hole| format!("p{pigeon}_{hole}")).collect();
        text += &format!("(assert (or {}))\n", somewhere.join(" "));
    }
    for hole in 0..holes {
        for left in 0..=holes {
            for right in 0..left {
                text += &format!("(assert (or (not p{left}_{hole}) (not p{right}_{hole})))\n");
            }
        }
    }
    text + "(check-sat)\n"
}

#[test]
fn a_solver_is_killed_at_the_limit_and_when_told_to_stop() {
    for solver in both() {
        let start = std::time::Instant::now();
        let answer = solver.ask(&hard(), &[], Duration::from_millis(200), &never);
        assert_eq!(
            answer.expect("no error"),
            Answer::Unknown("no answer within 0.2 s".to_owned()),
            "{}",
            solver.name()
        );
        let stop = || start.elapsed() > Duration::from_millis(400);
        let answer = solver.ask(&hard(), &[], Duration::from_secs(60), &stop);
        assert_eq!(answer.expect("no error"), Answer::Unknown("interrupted".to_owned()));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

/// Megabytes go in, and many values come out.
#[test]
fn large_scripts_are_asked() {
    let count = 15_000;
    let mut script = String::from("(set-logic QF_UFLIA)\n");
    for at in 0..count {
        script += &format!("(declare-fun a_rather_long_name_{at} () Int)\n");
        script += &format!("(assert (= a_rather_long_name_{at} {at}))\n");
    }
    script += "(check-sat)\n";
    assert!(script.len() > 1_000_000);
    let values: Vec<String> = (0..count).map(|at| format!("a_rather_long_name_{at}")).collect();
    for solver in both() {
        let answer = solver.ask(&script, &values, LIMIT * 3, &never).expect("an answer");
        assert_eq!(answer, Answer::Sat((0..count).map(Value::Int).collect()));
    }
}
