//! What a person is told of every anomaly, whole: a small example of each in `golden/tellings.txt`.
//!
//! After a change of words, `UPDATE_GOLDEN=1 cargo test -p hobgoblin-check --test tellings` writes it anew; then it is
//! read by somebody who is not a specialist.

use std::fmt::Write;
use std::path::Path;

use hobgoblin_check::state::{StateVerdict, check_state};
use hobgoblin_check::{Limits, check_levels, explain};
use hobgoblin_core::{Anomaly, History, Level, Verdict, Witness};

/// A history for every anomaly, and a few more for what the same anomaly can look like.
const EXAMPLES: &[&str] = &[
    "s1: reader { r(x)=7 }",
    "s1: payment aborted { w(balance)=50 }\ns2: reader { r(balance)=50 }",
    "s1: payment { w(balance)=50 w(balance)=70 }\ns2: reader { r(balance)=50 }",
    "s1: t1 { r(x)=1 w(x)=1 }",
    "init x=0\ns1: t1 { w(x)=1 r(x)=0 }",
    "s1: t1 { w(x)=1 r(y)=1 }\ns2: t2 { w(y)=1 r(x)=1 }",
    "init x=0\ns1: writer { w(x)=1 }\ns2: reader { r(x)=1 r(x)=0 }",
    "init balance=100\ns1: transfer { w(balance)=60 }\ns2: report { r(balance)=100 r(balance)=60 }",
    "init A=100 B=100\ns1: transfer { w(A)=60 w(B)=140 }\ns2: reader { r(A)=100 r(B)=140 }",
    "s1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { w(x)=2 w(y)=2 }\ns3: t3 { r(x)=1 r(y)=2 }",
    "init cart=\"full\"\nlaptop: empty { w(cart)=\"\" }\nlaptop: look { r(cart)=\"full\" }",
    "init x=0\ns1: t1 { w(x)=1 }\nphone: t2 { r(x)=1 }\nphone: t3 { r(x)=0 }",
    "s1: t1 { w(x)=1 }\ns2: t2 { w(x)=2 }\ns3: t3 { r(x)=1 }\ns3: t4 { r(x)=2 }\ns4: t5 { r(x)=2 }\ns4: t6 { r(x)=1 }",
    "alice: ask { w(question)=\"who?\" }\nbob: answer { r(question)=\"who?\" w(answer)=\"me\" }\n\
     carol: read { r(answer)=\"me\" r(question)=null }",
    "init x=0 y=0\ns1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { r(x)=0 w(y)=2 }\ns3: t3 { r(y)=2 r(x)=1 }",
    "init x=0 y=0\ns1: t1 { w(x)=1 }\ns2: t2 { w(y)=1 }\ns3: t3 { r(x)=1 r(y)=0 }\ns4: t4 { r(y)=1 r(x)=0 }",
    "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }",
    "init alice=\"on call\" bob=\"on call\"\ns1: alice-leaves { r(alice)=\"on call\" r(bob)=\"on call\" w(alice)=\"off\" }\n\
     s2: bob-leaves { r(alice)=\"on call\" r(bob)=\"on call\" w(bob)=\"off\" }",
    "s1: t1 { r(room3/9h)=null w(room3/10h)=\"t1\" }\ns2: t2 { r(room3/10h)=null w(room3/9h)=\"t2\" }",
    "init x=0 y=0 z=0\ns1: t1 { r(x)=0 w(y)=1 }\ns2: t2 { r(y)=0 w(z)=1 }\ns3: t3 { r(z)=0 w(x)=1 }",
    "init x=0 y=0\ns1: t1 { r(x)=0 w(y)=1 }\ns2: t2 { w(x)=1 }\ns3: t3 { r(x)=1 r(y)=0 }",
    "init x=0\ns1: write @0..1200 { w(x)=1 }\ns2: read @11200..11300 { r(x)=0 }",
    "s1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { w(x)=2 w(y)=2 }\norder x: t1 t2\norder y: t2 t1",
    "init x=0 y=0 z=0\ns1: t1 { r(x)=0 r(z)=1 w(q)=1 }\ns2: t2 { r(y)=0 w(x)=1 }\ns3: t3 { w(y)=1 w(z)=1 }",
    // SQL, with the log's order and the columns of tables.
    "table course(id, seats) key(id)\ninit \"course[7]\"=[7,1]\n\
     2: t2 @1..20 { [0] r(\"course[7]\")=[7,1]@2 [1] r!(\"course[7]\")=[7,1]@8 w(\"course[7]\")=[7,0]@9 } \
     \"SELECT seats FROM course WHERE id = 7\" \"UPDATE course SET seats = seats - 1 WHERE id = 7\"\n\
     3: t3 @1..30 { [0] r(\"course[7]\")=[7,1]@4 [1] r!(\"course[7]\")=[7,0]@22 w(\"course[7]\")=[7,-1]@23 } \
     \"SELECT seats FROM course WHERE id = 7\" \"UPDATE course SET seats = seats - 1 WHERE id = 7\"",
    "table account(id, owner, balance) key(id)\ninit \"account[1]\"=[1,\"ann\",100]\n\
     web-1: t2 @1..20 { [0] r(\"account[1]\")=[1,\"ann\",100]@2 [1] w(\"account[1]\")=[1,\"ann\",90]@9 } \
     \"-- name: get_account\\nSELECT * FROM account WHERE id = 1\" \"UPDATE account SET owner = 'ann', balance = 90 WHERE id = 1\"\n\
     web-2: t3 @1..30 { [0] r(\"account[1]\")=[1,\"ann\",100]@4 [1] w(\"account[1]\")=[1,\"ann\",70]@23 } \
     \"-- name: get_account\\nSELECT * FROM account WHERE id = 1\" \"UPDATE account SET owner = 'ann', balance = 70 WHERE id = 1\"",
    // Tables of one database, of which one was rewritten.
    "table \"shop.account#3\"(id, owner, balance) key(id)\ntable shop.audit(id) key(id)\ninit \"shop.account#3[1]\"=[1,\"ann\",100]\n\
     web-1: t2 @1..20 { [0] r(\"shop.account#3[1]\")=[1,\"ann\",100]@2 [1] w(\"shop.account#3[1]\")=[1,\"ann\",90]@9 } \
     \"-- name: get_account\\nSELECT * FROM account WHERE id = 1\" \"UPDATE account SET owner = 'ann', balance = 90 WHERE id = 1\"\n\
     web-2: t3 @1..30 { [0] r(\"shop.account#3[1]\")=[1,\"ann\",100]@4 [1] w(\"shop.account#3[1]\")=[1,\"ann\",70]@23 } \
     \"-- name: get_account\\nSELECT * FROM account WHERE id = 1\" \"UPDATE account SET owner = 'ann', balance = 70 WHERE id = 1\"",
];

fn weakest(history: &History) -> Option<Box<Witness>> {
    let answers = check_levels(history, &Level::ALL, &Limits::none(), |_| ());
    answers.into_iter().find_map(|answer| match answer.verdict {
        Verdict::Violation(witness) => Some(witness),
        _ => None,
    })
}

#[test]
fn every_anomaly_is_told_in_plain_words() {
    let mut missing: Vec<Anomaly> = Anomaly::ALL.to_vec();
    let mut told = String::new();
    for example in EXAMPLES {
        let history = hobgoblin_format::read(example.as_bytes(), "e.txn", None).expect(example);
        let witness = weakest(&history).unwrap_or_else(|| panic!("no anomaly: {example}"));
        missing.retain(|&anomaly| anomaly != witness.anomaly);
        let text = explain::text(&history, &witness);
        for symbol in ["so(", "wr(", "rw(", "co(", "ww(", " so ", "comes before", "itself:"] {
            assert!(!text.contains(symbol), "{symbol:?} in\n{text}");
        }
        writeln!(told, "## {}\n\n{example}\n\n{text}", witness.anomaly.code()).expect("memory");
    }
    assert_eq!(missing, [], "anomalies without an example");
    golden("tellings.txt", &told);
}

/// Who took the last seat twice reads it at a glance.
#[test]
fn the_seats_are_told_in_fifteen_lines() {
    let example = EXAMPLES.iter().find(|example| example.contains("UPDATE course")).expect("seats");
    let history = hobgoblin_format::read(example.as_bytes(), "e.txn", None).expect(example);
    let text = explain::text(&history, &weakest(&history).expect("a lost update"));
    assert!(text.trim_end().lines().count() <= 15, "{text}");
    assert_eq!(text.matches("UPDATE course SET seats = seats - 1").count(), 2, "{text}");
    assert_eq!(text.matches("→ seats = 1").count(), 2, "{text}");
    assert!(text.matches("         or: ").count() >= 2, "{text}");
}

fn golden(name: &str, told: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(golden.parent().expect("a folder")).expect("a folder");
        std::fs::write(&golden, told).expect("written");
    }
    let expected = std::fs::read_to_string(&golden).expect("UPDATE_GOLDEN=1 writes it");
    assert!(told == expected, "the words changed; UPDATE_GOLDEN=1 shows how:\n{told}");
}

/// What clients observe in states: the level that is named is the one that was asked, for they differ from the axioms'.
#[test]
fn what_no_state_explains_is_told_in_plain_words() {
    let examples = [
        (Level::RC, "s1: payment aborted { w(balance)=50 }\ns2: reader { r(balance)=50 }"),
        (Level::RC, "s1: reader { r(x)=7 }"),
        (
            Level::RC,
            "s1: t1 { r(r1)=1 w(r2)=1 }\ns2: t2 { r(r2)=1 w(r3)=1 }\ns3: t3 { r(r3)=1 w(r1)=1 }",
        ),
        (Level::SI, "init x=0 y=0\ns1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { r(x)=1 r(y)=0 }"),
        (Level::SI, "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }"),
        (Level::SER, "init x=0 y=0\ns1: t1 { r(x)=0 w(y)=1 }\ns2: t2 { r(y)=0 w(x)=1 }"),
        (Level::SSER, "init x=0\ns1: write @0..1200 { w(x)=1 }\ns2: read @11200..11300 { r(x)=0 }"),
    ];
    let mut told = String::new();
    for (level, example) in examples {
        let history = hobgoblin_format::read(example.as_bytes(), "e.txn", None).expect(example);
        let verdict =
            check_state(&history, level, &Limits::none()).expect("states have this level");
        let StateVerdict::Violation(violation) = verdict else {
            panic!("{level} holds: {example}")
        };
        let text = explain::state_text(&history, &violation);
        assert!(
            text.contains(&format!(
                "no execution passes the test of {} ({level})",
                level.info().title
            )),
            "{text}"
        );
        writeln!(told, "## {level}\n\n{example}\n\n{text}").expect("memory");
    }
    golden("states.txt", &told);
}

/// Whichever level is asked for, what is said to forbid an anomaly is the weakest that does.
#[test]
fn the_weakest_level_is_named_whichever_was_asked_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    let mut told = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "txn") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("it can be read");
        let name = path.display().to_string();
        let Ok(history) = hobgoblin_format::read(&bytes[..], &name, None) else { continue };
        let answers = check_levels(&history, &Level::ALL, &Limits::none(), |_| {});
        let violated = |answer: &&hobgoblin_check::LevelVerdict| {
            matches!(answer.verdict, Verdict::Violation(_))
        };
        let Some(weakest) = answers.iter().find(violated).map(|answer| answer.level) else {
            continue;
        };
        for &level in Level::ALL
            .iter()
            .filter(|level| answers.iter().filter(violated).any(|a| a.level == **level))
        {
            let Verdict::Violation(witness) =
                hobgoblin_check::check(&history, level, &Limits::none())
            else {
                panic!("{name}: {level} is violated")
            };
            let names = explain::tell(&history, &witness).names;
            let Some((_, from)) = names.split_once("forbidden from ") else { continue };
            assert!(from.contains(&format!("({weakest})")), "{name} at {level}: {names}");
            told += 1;
        }
    }
    assert!(told > 100, "{told}");
}
