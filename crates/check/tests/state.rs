//! The state-based levels: the seed's examples, equality with the definition on random histories, and
//! equality with the axioms where the two agree.

use std::path::PathBuf;

use hobgoblin_check::state::{
    STATE_LEVELS, StateCause, StateError, StateVerdict, check_state, passes,
};
use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Anomaly, History, Level, StopReason, TxnId, Value, Verdict};
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::sample::{self, Shape};
use hobgoblin_oracle::state as oracle;
use serde_json::Value as Json;

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// Decides a level, and looks at what the answer rests on.
fn holds(history: &History, level: Level, label: &str) -> bool {
    match check_state(history, level, &Limits::none()).expect("the level is defined") {
        StateVerdict::Consistent(execution) => {
            assert!(oracle::passes(history, &execution, level), "{label} {level} {execution:?}");
            let report = passes(history, &execution, level).expect("it is an execution");
            assert!(report.passes() && report.left_out.is_empty(), "{label} {level} {report:?}");
            true
        }
        StateVerdict::Violation(violation) => {
            assert!(
                !violation.txns.is_empty() && violation.level == level,
                "{label} {violation:?}"
            );
            assert!(!violation.explain(history).is_empty());
            if let StateCause::Axioms { history, witness } = violation.cause {
                let verdict = Verdict::Violation(witness);
                verify(&history, level, &verdict).expect("the witness is right");
            }
            false
        }
        StateVerdict::Unknown(reason) => panic!("{label} {level}: {reason} without a limit"),
    }
}

fn compare(shape: &Shape, seeds: u64, label: &str) {
    let (mut held, mut violated) = ([0u64; 5], [0u64; 5]);
    for seed in 0..seeds * scale() {
        let history = sample::history(shape, seed);
        for (i, level) in STATE_LEVELS.into_iter().enumerate() {
            let expected = oracle::satisfies(&history, level);
            let label = format!("{label} {seed}");
            assert_eq!(holds(&history, level, &label), expected, "{label} {level}");
            *if expected { &mut held[i] } else { &mut violated[i] } += 1;
        }
    }
    let some = |counts: &[u64]| counts[1..].iter().all(|&n| n > seeds / 50);
    assert!(some(&held) && some(&violated), "{label} is no test: {held:?} {violated:?}");
}

#[test]
fn random_histories_with_repeated_values() {
    let shape = Shape { repeated: 60, stray: 40, odd: 4, times: true, ..Shape::PLAIN };
    compare(&shape, 1500, "repeated");
    compare(&Shape { repeated: 100, keys: 2, ..shape }, 1500, "few values");
}

#[test]
fn random_histories_with_everything() {
    compare(&Shape { stray: 40, odd: 4, ..Shape::WILD }, 1500, "wild");
    compare(&Shape { repeated: 100, unsettled: 30, keys: 2, ..Shape::WILD }, 1000, "unsettled");
}

#[test]
fn the_axioms_agree_without_sessions_and_repeated_values() {
    let shape = Shape { sessions: 0, odd: 0, stray: 40, txns: 9, times: true, ..Shape::PLAIN };
    for seed in 0..3000 * scale() {
        let history = sample::history(&shape, seed);
        for level in [Level::SI, Level::SER, Level::SSER] {
            let verdict = check(&history, level, &Limits::none());
            let axioms = matches!(verdict, Verdict::Consistent(_));
            assert_eq!(holds(&history, level, "axioms"), axioms, "{seed} {level}");
        }
    }
}

#[test]
fn reports_equal_the_definition() {
    let shape = Shape { repeated: 70, stray: 40, odd: 4, times: true, ..Shape::PLAIN };
    for seed in 0..400 * scale() {
        let history = sample::history(&shape, seed);
        let mut execution: Vec<TxnId> = history.txns().collect();
        sample::Random(seed).shuffle(&mut execution);
        let states = oracle::states(&history, &execution);
        for level in STATE_LEVELS {
            let report = passes(&history, &execution, level).expect("it is an execution");
            assert_eq!(report.passes(), oracle::passes(&history, &execution, level), "{seed}");
            for txn in &report.txns {
                let passes = oracle::passes_txn(&history, &execution, txn.txn, level);
                assert_eq!(txn.passes, passes, "{seed} {level}");
                let complete = oracle::complete_states(&history, &execution, txn.txn);
                assert_eq!(txn.complete.iter().collect::<Vec<_>>(), complete);
                assert!(complete.iter().all(|&s| txn.complete.contains(s)));
                for (event, served) in &txn.reads {
                    let expected = oracle::read_states(&history, &execution, *event);
                    assert_eq!(served.iter().collect::<Vec<_>>(), expected, "{seed}");
                }
            }
            for (number, state) in states.iter().enumerate() {
                assert_eq!(report.state(&history, number), *state);
            }
        }
    }
}

fn crooks() -> Vec<(String, Json, History)> {
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
    let named = cases.into_iter().map(|case| (case["name"].to_string(), history_of(&case), case));
    named.map(|(name, history, case)| (name, case, history)).collect()
}

fn history_of(case: &Json) -> History {
    let init = case["init"].as_object().unwrap().iter();
    let mut text = init.fold(String::from("init"), |text, (k, v)| format!("{text} {k}={v}"));
    for (i, (name, events)) in case["txns"].as_object().unwrap().iter().enumerate() {
        let event = |event: &str| event.replace(',', ")=").trim_end_matches(')').to_owned();
        let events = events.as_str().unwrap().split_whitespace().map(event);
        let times = match &case["timestamps"][name] {
            Json::Null => String::new(),
            times => format!("@{}..{}", times[0], times[1]),
        };
        text += &format!("\ns{i}: {name} {times} {{ {} }}", events.collect::<Vec<_>>().join(" "));
    }
    parse(&text)
}

fn execution(history: &History, names: &[&str]) -> Vec<TxnId> {
    let txn =
        |name: &&str| history.txns().find(|&t| history.name(t) == *name).expect("it is there");
    names.iter().map(txn).collect()
}

fn levels(json: &Json) -> impl Iterator<Item = (Level, bool)> {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(level, holds)| (level.parse().unwrap(), holds.as_bool().unwrap()))
}

#[test]
fn the_examples_of_the_paper() {
    let mut checked = 0;
    for (name, case, history) in crooks() {
        // The quirk of the source: it counts equal transactions once.
        for (level, expected) in levels(&case["levels"]).chain(levels(&case["levels_correct"])) {
            assert_eq!(holds(&history, level, &name), expected, "{name} {level}");
            checked += 1;
        }
        for (level, expected) in levels(&case["levels_for_execution"]) {
            let names = case["execution"].as_array().unwrap().iter().map(|n| n.as_str().unwrap());
            let execution = execution(&history, &names.collect::<Vec<_>>());
            let report = passes(&history, &execution, level).unwrap();
            assert_eq!(report.passes(), expected, "{name} {level}");
            checked += 1;
        }
        for (order, answers) in case["per_txn"].as_object().into_iter().flatten() {
            let order = order.strip_prefix("execution ").unwrap();
            let execution = execution(&history, &order.split(',').collect::<Vec<_>>());
            let report = passes(&history, &execution, Level::SER).unwrap();
            for txn in &report.txns {
                let expected = answers[&*history.name(txn.txn)].as_bool().unwrap();
                assert_eq!(txn.passes, expected, "{name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn the_read_states_of_the_paper() {
    let (_, case, history) = &crooks()[1];
    let execution = execution(history, &["ta", "tc", "tb", "td", "te"]);
    let report = passes(history, &execution, Level::SER).unwrap();
    // The other quirk: states of equal content are one state there, and numbered so.
    let mut distinct: Vec<Vec<Value>> = Vec::new();
    let mut name_of = Vec::new();
    for number in 0..=execution.len() {
        let state = report.state(history, number);
        let place = distinct.iter().position(|d| *d == state).unwrap_or_else(|| {
            distinct.push(state);
            distinct.len() - 1
        });
        name_of.push(format!("s{place}"));
    }
    let of = |at: usize, event: usize| {
        let states = &report.txns[at].reads[event].1;
        let mut names: Vec<Json> = states.iter().map(|s| name_of[s].as_str().into()).collect();
        names.dedup();
        Json::from(names)
    };
    let expected = &case["read_states"];
    assert_eq!(of(0, 0), expected["w1 in ta"]);
    assert_eq!(of(2, 0), expected["r2 in tb"]);
    assert_eq!(of(2, 1), expected["r3 in tb"]);
    assert_eq!(of(4, 0), expected["r4 in te"]);
    assert_eq!(of(4, 1), expected["r5 in te"]);
    assert!(report.txns[4].complete.is_empty());
    assert!(!report.txns[4].passes);
}

fn violation(text: &str, level: Level) -> (Vec<String>, String, StateCause) {
    let history = parse(text);
    match check_state(&history, level, &Limits::none()).expect("the level is defined") {
        StateVerdict::Violation(violation) => {
            let names = violation.txns.iter().map(|&t| history.name(t).into_owned()).collect();
            (names, violation.explain(&history), violation.cause)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn violations_are_small_and_explained() {
    let circle = "init x=0 y=0 z=0
        s1: t1 { w(z)=1 }
        s2: t2 { r(y)=1 r(z)=1 w(x)=1 }
        s3: t3 { r(x)=1 w(y)=1 }
        s4: t4 { r(x)=1 }";
    let (txns, why, _) = violation(circle, Level::RC);
    assert_eq!(txns, ["t2", "t3"]);
    assert_eq!(
        why,
        "t2 read y=1; t3 read x=1: only these transactions leave those values, so none of them can be \
         the first"
    );
    let (txns, why, _) = violation("s1: t1 { w(x)=1 }\n s2: t2 { r(x)=7 }", Level::RC);
    assert_eq!(
        (txns, &*why),
        (vec!["t2".to_owned()], "t2 read x=7, and no state can have that value")
    );
    let skew = "init x=0 y=0
        s1: t1 { r(x)=0 w(y)=1 }
        s1: t2 { r(y)=0 w(x)=1 }
        s2: t3 { w(z)=1 }";
    let (txns, why, cause) = violation(skew, Level::SER);
    assert_eq!(txns, ["t1", "t2"]);
    assert!(why.contains("write skew"), "{why}");
    let StateCause::Axioms { witness, .. } = cause else { panic!("{cause:?}") };
    assert_eq!(witness.anomaly, Anomaly::WriteSkew);
    // Values repeat, so the search decides; the reader of z and the one who only reads x do not matter.
    let lost = "init x=0 y=0
        s1: t1 { r(x)=0 w(x)=1 }
        s2: t2 { r(x)=0 w(x)=1 }
        s3: t3 { r(x)=1 }
        s4: t4 { w(z)=1 }";
    let (txns, _, _) = violation(lost, Level::SI);
    assert_eq!(txns, ["t1", "t2"]);
}

#[test]
fn a_change_and_back_is_no_conflict() {
    let history = parse(
        "init x=0 y=0
         s1: t1 { w(x)=1 w(y)=1 }
         s2: t2 { r(x)=1 w(x)=0 }
         s3: t3 { r(x)=0 r(y)=0 w(x)=5 }
         s4: t4 { r(y)=1 r(x)=0 r(x)=0 }
         s5: t5 { r(x)=5 r(y)=1 }",
    );
    assert!(oracle::satisfies(&history, Level::SI));
    assert!(holds(&history, Level::SI, "aba"));
    assert_eq!(holds(&history, Level::SER, "aba"), oracle::satisfies(&history, Level::SER));
}

#[test]
fn questions_without_an_answer() {
    let history = parse("s1: t1 { w(x)=1 }\n s1: t2 aborted { w(x)=2 }");
    let undefined = check_state(&history, Level::CC, &Limits::none());
    assert_eq!(undefined.unwrap_err(), StateError::Undefined { level: Level::CC });
    let (t1, t2) = (TxnId::new(1), TxnId::new(2));
    let error = |execution: &[TxnId]| passes(&history, execution, Level::SER).unwrap_err();
    assert_eq!(error(&[t1, t1]), StateError::Twice { txn: t1 });
    assert_eq!(error(&[t1, t2]), StateError::NotCommitted { txn: t2 });
    assert_eq!(error(&[TxnId::INIT]), StateError::NotCommitted { txn: TxnId::INIT });
    assert_eq!(error(&[TxnId::new(9)]), StateError::NotCommitted { txn: TxnId::new(9) });
    let report = passes(&history, &[], Level::SER).unwrap();
    assert_eq!(report.left_out, [t1]);
}

#[test]
fn a_limit_is_unknown() {
    // Thirty increments modulo two, all of the same value: no execution, and many to try.
    let mut text = String::from("init x=0 y=0");
    for i in 0..30 {
        text += &format!("\ns{i}: t{i} {{ r(x)=0 w(x)=1 w(y)={} }}", i % 7);
    }
    let history = parse(&text);
    let limits = Limits::new(|| Some(StopReason::Time));
    for level in [Level::SI, Level::SER] {
        let verdict = check_state(&history, level, &limits).expect("the level is defined");
        assert!(!matches!(verdict, StateVerdict::Consistent(_)), "{level}");
    }
}
