//! Certificates are written, asked again, and found out when they are wrong.

use std::fs;

use hobgoblin_prove::certificate::{Certificate, Query, read_index, recheck};
use hobgoblin_prove::smt::Answer;

use crate::{Directory, LIMIT, both, never};

fn query(name: &str, condition: &str) -> Query {
    let script = format!(
        "(set-logic QF_UFLIA)\n(declare-fun x () Int)\n(assert {condition})\n(check-sat)\n"
    );
    Query { name: name.to_owned(), why: format!("{name} cannot be.\nNever."), script }
}

fn certificate(queries: &[(&str, &str)]) -> Certificate {
    let queries = queries.iter().map(|(name, condition)| query(name, condition)).collect();
    let claim = "every execution of bank.sql at SI is serializable".to_owned();
    Certificate { method: "induction".to_owned(), claim, queries }
}

#[test]
fn a_certificate_is_asked_again_of_both() {
    let directory = Directory::new("again");
    let path = directory.path().join("proof");
    let proof = certificate(&[("Two cycle", "(< x x)"), ("step", "(and (< x 1) (> x 0))")]);
    proof.write(&path, "bank.sql", "CREATE TABLE t").expect("written");
    let index = read_index(&path).expect("an index");
    assert_eq!(index.program.file, "bank.sql");
    assert_eq!(index.program.sha256.len(), 64);
    assert_eq!(index.claim, proof.claim);
    let text = fs::read_to_string(path.join("1-two-cycle.smt2")).expect("the file");
    let head = "; Two cycle cannot be.\n; Never.\n(set-info :status unsat)\n(set-logic QF_UFLIA)\n";
    assert!(text.starts_with(head), "{text}");
    let solvers = both();
    let all = recheck(&path, &solvers, LIMIT, &never).expect("answers");
    assert_eq!(all.len(), 2 * solvers.len());
    assert!(all.iter().all(|each| each.holds()), "{all:?}");
    // Another one takes its place, and nothing of it stays.
    certificate(&[("other", "false")]).write(&path, "bank.sql", "").expect("written");
    let mut files: Vec<_> =
        fs::read_dir(&path).unwrap().map(|each| each.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["1-other.smt2", "proof.json"]);
}

#[test]
fn a_question_that_can_be_satisfied_does_not_hold() {
    let directory = Directory::new("wrong");
    let path = directory.path().join("proof");
    certificate(&[("fine", "(< x x)"), ("wrong", "(< x 3)")]).write(&path, "p", "").unwrap();
    for solver in both() {
        let all = recheck(&path, &[solver], LIMIT, &never).expect("answers");
        let holds: Vec<bool> = all.iter().map(|each| each.holds()).collect();
        assert_eq!(holds, [true, false]);
        assert_eq!(all[1].answer, Answer::Sat(Vec::new()));
        assert_eq!(all[1].file, "2-wrong.smt2");
    }
}

#[test]
fn what_is_no_certificate_is_told() {
    let directory = Directory::new("none");
    let path = directory.path();
    let told = |_: ()| recheck(path, &[], LIMIT, &never).expect_err("wrong").to_string();
    assert!(told(()).contains("proof.json: No such file"), "{}", told(()));
    fs::write(path.join("notes.txt"), "mine").unwrap();
    let proof = certificate(&[("one", "false")]);
    let error = proof.write(path, "p", "").expect_err("a directory of somebody's");
    assert!(error.to_string().contains("a directory of its own"), "{error}");
    fs::write(path.join("proof.json"), "{").unwrap();
    assert!(told(()).contains("proof.json: EOF"), "{}", told(()));
    let index = |queries: &str| {
        let text = format!(
            r#"{{"method": "m", "claim": "c", "program": {{"file": "p", "sha256": ""}}, "queries": [{queries}]}}"#
        );
        fs::write(path.join("proof.json"), text).unwrap();
    };
    index("");
    assert!(told(()).contains("lists no question"), "{}", told(()));
    index(r#"{"file": "../notes.txt", "sha256": "", "why": ""}"#);
    assert!(told(()).contains("is no name of a question"), "{}", told(()));
    index(r#"{"file": "1-a.smt2", "sha256": "", "why": ""}"#);
    fs::write(path.join("1-a.smt2"), "(check-sat)").unwrap();
    assert!(told(()).contains("1-a.smt2: it was changed"), "{}", told(()));
}
