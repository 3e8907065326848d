//! The histories of `corpus/crdt-cases.json`, each with the verdict it must get: those on which the axioms or the
//! algorithms of [Biswas 2021a, chapter 2] are wrong.

use hobgoblin_crdt::{CrdtVerdict, Limits, check, read, verify, write};
use serde_json::Value;

#[test]
fn every_case_gets_its_verdict() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/crdt-cases.json");
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("it is JSON");
    assert!(cases.len() >= 11);
    for case in cases {
        let name = case["name"].as_str().expect("a case has a name");
        let history = read(case["history"].to_string().as_bytes(), None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = read(write(&history).as_bytes(), None);
        let again = again.unwrap_or_else(|error| panic!("{name}, written and read: {error}"));
        for history in [history, again] {
            let verdict = match check(&history, &Limits::none()) {
                CrdtVerdict::Admitted(witness) => {
                    verify(&history, &witness).unwrap_or_else(|error| panic!("{name}: {error}"));
                    "ok"
                }
                CrdtVerdict::Violation(violation) => {
                    assert!(!violation.reads.is_empty(), "{name}");
                    "violation"
                }
                CrdtVerdict::Unknown(reason) => panic!("{name}: {reason}"),
            };
            assert_eq!(verdict, case["verdict"], "{name}");
        }
    }
}
