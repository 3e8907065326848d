//! The parts of the reduction are decided by enumeration, the whole is replayed.

use hobgoblin_oracle::crdt::reduction::{
    Formula, assignment, formula, history, satisfiable, witness,
};
use serde_json::{Value, json};

const KINDS: [&str; 7] = ["ew-flag", "dw-flag", "aw-set", "rw-set", "mvr", "lww", "counter"];

#[test]
fn a_satisfying_assignment_explains_the_history() {
    let mut satisfied = 0;
    for seed in 0..400 {
        let formula = formula(seed);
        assert_eq!(satisfiable(&formula), assignment(&formula).is_some());
        let Some(values) = assignment(&formula) else { continue };
        satisfied += 1;
        for kind in KINDS {
            let replayed = hobgoblin_oracle::crdt::verify(
                &history(&formula, kind),
                &witness(&formula, kind, &values),
            );
            assert_eq!(replayed, Ok(()), "{kind} {formula:?} {values:?}");
        }
    }
    assert!((120..280).contains(&satisfied), "{satisfied} of 400 are satisfiable");
}

#[test]
fn a_wrong_assignment_explains_nothing() {
    let formula = one_clause();
    for bits in 0..8 {
        let values: Vec<bool> = (0..3).map(|x| bits >> x & 1 == 1).collect();
        let good = values.iter().filter(|value| **value).count() == 1;
        for kind in KINDS {
            let witness = witness(&formula, kind, &values);
            let replayed = hobgoblin_oracle::crdt::verify(&history(&formula, kind), &witness);
            assert_eq!(replayed.is_ok(), good, "{kind} {bits}");
        }
    }
}

fn one_clause() -> Formula {
    Formula { variables: 3, clauses: vec![[0, 1, 2]] }
}

/// The operations of replicas 0 to 2 that are about variables, or about the marks of barriers.
fn part(formula: &Formula, kind: &str, prefix: &str) -> Vec<Vec<Value>> {
    let history: Value = serde_json::from_str(&history(formula, kind)).unwrap();
    let about = |op: &&Value| op["args"][0].as_str().unwrap().starts_with(prefix);
    let ops = |n: usize| history["replicas"][n]["ops"].as_array().unwrap().clone();
    (0..3).map(|n| ops(n).iter().filter(about).cloned().collect()).collect()
}

fn text(kind: &str, init: &Value, ops: &[Vec<Value>]) -> String {
    let replica = |(n, ops): (usize, &Vec<Value>)| json!({"id": n, "ops": ops});
    let replicas: Vec<Value> = ops.iter().enumerate().map(replica).collect();
    json!({"type": kind, "init": init, "replicas": replicas}).to_string()
}

/// The rounds of a formula apart from each other, without round 0 and barriers.
fn rounds(formula: &Formula, kind: &str) -> Vec<Vec<Vec<Value>>> {
    let mut parts = part(formula, kind, "x");
    for ops in &mut parts {
        let first = ops.iter().position(|op| op.get("ret").is_some()).unwrap();
        ops.drain(..first);
    }
    let length = parts[0].len() / formula.clauses.len();
    let round = |k: usize| parts.iter().map(|ops| ops[k * length..][..length].to_vec()).collect();
    (0..formula.clauses.len()).map(round).collect()
}

/// The variables whose bits are set are on.
fn initial(kind: &str, variables: usize, bits: u32) -> Value {
    let on = |x: usize| (format!("x{x}"), state(kind, bits >> x & 1 == 1));
    Value::Object((0..variables).map(on).collect())
}

/// How a type writes that a variable is on or off, initially or in a result.
fn state(kind: &str, on: bool) -> Value {
    match kind {
        "mvr" => json!([u8::from(on)]),
        "lww" => json!(u8::from(on)),
        "counter" => json!(if on { 1 } else { -1 }),
        _ => json!(on),
    }
}

/// A single round is admitted just if it begins with one variable on, and leaves all as they were.
#[test]
fn a_round_asks_for_one_in_three() {
    for kind in KINDS {
        let round = rounds(&one_clause(), kind).remove(0);
        for bits in 0..8 {
            let on = |x: usize| bits >> x & 1 == 1;
            let good = (0..3).filter(|&x| on(x)).count() == 1;
            let init = initial(kind, 3, bits);
            assert_eq!(
                hobgoblin_oracle::crdt::admits(&text(kind, &init, &round)),
                Ok(good),
                "{kind} {bits}"
            );
            for (x, wanted) in (0..3).flat_map(|x| [(x, true), (x, false)]) {
                let mut longer = round.clone();
                let f = if kind.ends_with("set") { "contains" } else { "read" };
                let ret = state(kind, wanted);
                longer.push(vec![
                    json!({"f": f, "args": [format!("x{x}")], "ret": ret, "final": true}),
                ]);
                let expected = good && on(x) == wanted;
                let found = hobgoblin_oracle::crdt::admits(&text(kind, &init, &longer));
                assert_eq!(found, Ok(expected), "{kind} {bits} {x} {wanted}");
            }
        }
    }
}

/// After one barrier, and after two, everybody has seen what anybody did before the last one.
#[test]
fn barriers_separate() {
    let formula = Formula { variables: 3, clauses: vec![[0, 1, 2], [0, 1, 2]] };
    for kind in KINDS {
        let marks = part(&formula, kind, "z");
        let set = kind.ends_with("set");
        let turn = match kind {
            "counter" => json!({"f": "inc", "args": ["p"]}),
            "mvr" | "lww" => json!({"f": "write", "args": ["p", 1]}),
            _ => json!({"f": if set { "add" } else { "enable" }, "args": ["p"]}),
        };
        let seen = |seen: bool| {
            let ret = match kind {
                "counter" => json!(u8::from(seen)),
                "mvr" => json!(if seen { vec![1] } else { vec![] }),
                "lww" => {
                    if seen {
                        json!(1)
                    } else {
                        json!(null)
                    }
                }
                _ => json!(seen),
            };
            json!({"f": if set { "contains" } else { "read" }, "args": ["p"], "ret": ret})
        };
        for (before, until) in [(0, 3), (3, 6)] {
            for (reader, answer) in [(1, true), (1, false), (2, true), (2, false)] {
                let mut ops: Vec<Vec<Value>> =
                    marks.iter().map(|ops| ops[..until].to_vec()).collect();
                ops[0].insert(before, turn.clone());
                ops[reader].push(seen(answer));
                let found = hobgoblin_oracle::crdt::admits(&text(kind, &json!({}), &ops));
                assert_eq!(found, Ok(answer), "{kind} {before} {reader}");
            }
        }
    }
}

/// A clause that names a variable twice is written wrongly: it holds, and the round is refused.
#[test]
fn clauses_need_different_variables() {
    for kind in KINDS.into_iter().filter(|kind| *kind != "counter") {
        let round = rounds(&Formula { variables: 2, clauses: vec![[0, 0, 1]] }, kind).remove(0);
        let found = hobgoblin_oracle::crdt::admits(&text(kind, &initial(kind, 2, 0b10), &round));
        assert_eq!(found, Ok(false), "{kind}");
    }
}
