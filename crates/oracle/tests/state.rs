//! The state-based semantics: the seed's examples, and equality with the axioms where they agree.

use std::path::PathBuf;

use hobgoblin_core::{EventId, History, Key, Level, TxnId, Value};
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::sample::{self, Shape};
use hobgoblin_oracle::{brute, state};
use serde_json::Value as Json;

fn crooks() -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/crooks-histories.json");
    let mut json: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let Json::Array(mut cases) = json["cases"].take() else { panic!("cases are a list") };
    // The cases of fixed executions leave out what they share with the case before them.
    for i in 1..cases.len() {
        for field in ["txns", "init"] {
            if cases[i][field].is_null() {
                cases[i][field] = cases[i - 1][field].clone();
            }
        }
    }
    cases
}

fn history_of(case: &Json) -> History {
    let init = case["init"].as_object().unwrap().iter();
    let mut text = init.fold(String::from("init"), |text, (k, v)| format!("{text} {k}={v}"));
    for (i, (name, events)) in case["txns"].as_object().unwrap().iter().enumerate() {
        let events = events.as_str().unwrap();
        let events: Vec<String> = events
            .split_whitespace()
            .map(|event| {
                let (key, value) = event.trim_end_matches(')').split_once(',').unwrap();
                format!("{key})={value}")
            })
            .collect();
        let times = &case["timestamps"][name];
        let times =
            if times.is_null() { String::new() } else { format!("@{}..{}", times[0], times[1]) };
        text += &format!("\ns{i}: {name} {times} {{ {} }}", events.join(" "));
    }
    parse(&text)
}

fn txn(history: &History, name: &str) -> TxnId {
    history.txns().find(|&t| history.name(t) == name).expect("the transaction is there")
}

fn execution(history: &History, names: &Json) -> Vec<TxnId> {
    names.as_array().unwrap().iter().map(|n| txn(history, n.as_str().unwrap())).collect()
}

fn levels(json: &Json) -> impl Iterator<Item = (Level, bool)> {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(level, holds)| (level.parse().unwrap(), holds.as_bool().unwrap()))
}

#[test]
fn levels_of_the_examples() {
    let mut checked = 0;
    for case in crooks() {
        let history = history_of(&case);
        let mut wanted: Vec<(Level, bool)> = levels(&case["levels"]).collect();
        // The quirk of the source: it counts equal transactions once.
        wanted.extend(levels(&case["levels_correct"]));
        for (level, holds) in wanted {
            assert_eq!(state::satisfies(&history, level), holds, "{} {level}", case["name"]);
            checked += 1;
        }
        for (level, holds) in levels(&case["levels_for_execution"]) {
            let execution = execution(&history, &case["execution"]);
            let passes = state::passes(&history, &execution, level);
            assert_eq!(passes, holds, "{} {level}", case["name"]);
            checked += 1;
        }
        if let Some(per_txn) = case["per_txn"].as_object() {
            for (order, answers) in per_txn {
                let order = order.strip_prefix("execution ").unwrap();
                let order: Vec<TxnId> = order.split(',').map(|t| txn(&history, t)).collect();
                for (name, holds) in answers.as_object().unwrap() {
                    let txn = txn(&history, name);
                    let passes = state::passes_txn(&history, &order, txn, Level::SER);
                    assert_eq!(passes, holds.as_bool().unwrap(), "{} {name}", case["name"]);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn read_states_of_the_example() {
    let case = &crooks()[1];
    let history = history_of(case);
    let execution = execution(&history, &case["execution"]);
    // The other quirk: states of equal content are one state there, and numbered so.
    let states = state::states(&history, &execution);
    let mut distinct: Vec<&Vec<Value>> = Vec::new();
    for state in &states {
        if !distinct.contains(&state) {
            distinct.push(state);
        }
    }
    let named = |numbers: Vec<usize>| {
        let place = |&s: &usize| distinct.iter().position(|d| **d == states[s]).unwrap();
        let mut names: Vec<usize> = numbers.iter().map(place).collect();
        names.dedup();
        names.iter().map(|n| format!("s{n}")).collect::<Vec<_>>()
    };
    let event = |name: &str, key: &str, value: i64| -> EventId {
        let is = |e: &EventId| {
            *history.key(history.event(*e).key()) == Key::from(key)
                && history.value(*e) == Value::Int(value)
        };
        history.event_ids(txn(&history, name)).find(is).unwrap()
    };
    for (label, event) in [
        ("r2 in tb", event("tb", "y", 1)),
        ("r3 in tb", event("tb", "z", 0)),
        ("r4 in te", event("te", "x", 0)),
        ("r5 in te", event("te", "z", 1)),
        ("w1 in ta", event("ta", "x", 1)),
    ] {
        let expected = case["read_states"][label].as_array().unwrap().iter();
        let expected: Vec<&str> = expected.map(|s| s.as_str().unwrap()).collect();
        assert_eq!(named(state::read_states(&history, &execution, event)), expected, "{label}");
    }
    for (name, answers) in case["complete"].as_object().unwrap() {
        let txn = txn(&history, name);
        let complete = named(state::complete_states(&history, &execution, txn));
        for (state, holds) in answers.as_object().unwrap() {
            assert_eq!(complete.contains(state), holds.as_bool().unwrap(), "{name} {state}");
        }
    }
}

#[test]
fn ser_and_si_equal_the_axioms_without_sessions_and_repeated_values() {
    let shape = Shape { sessions: 0, odd: 0, stray: 40, times: true, ..Shape::PLAIN };
    let (mut held, mut violated) = (0, 0);
    for seed in 0..1500 {
        let history = sample::history(&shape, seed);
        for level in [Level::SI, Level::SER, Level::SSER] {
            let axiomatic = brute::satisfies(&history, level.into());
            assert_eq!(state::satisfies(&history, level), axiomatic, "seed {seed} {level}");
            *if axiomatic { &mut held } else { &mut violated } += 1;
        }
    }
    assert!(held > 1000 && violated > 1000, "{held} {violated}");
}

#[test]
fn rc_is_weaker_than_the_axiomatic_one() {
    // Reads that go back in time are served by states, each by its own.
    let history = parse("init x=0\n s1: t1 { w(x)=1 }\n s2: t2 { r(x)=1 r(x)=0 }");
    assert!(state::satisfies(&history, Level::RC));
    assert!(!brute::satisfies(&history, Level::RC.into()));
    // A read of any own earlier write is fine here.
    let history = parse("init x=0\n s1: t1 { w(x)=1 w(x)=2 r(x)=1 }");
    assert!(state::satisfies(&history, Level::SER));
    assert!(!brute::satisfies(&history, Level::RU.into()));
}
