//! `hob explore`, over counters whose numbers of histories are known.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hobgoblin_core::{Anomaly, LEVELS};
use serde_json::{Value, json};

use crate::run::{Run, Scratch, hob, hob_on};
use crate::valid::{schema, validate};

/// Sessions of one transaction each, which increments x. With n of them there are (n+1)^(n-1) histories
/// at causal consistency, and n! at snapshot isolation and above.
fn counters(n: usize) -> String {
    let session =
        |s| format!("session s{s} {{ txn add {{ n = read x; write x n + 1; return n }} }}\n");
    let sessions: String = (1..=n).map(session).collect();
    format!("init x = 0\n{sessions}assert never same: s1.add.result == s2.add.result\n")
}

/// `hob explore` with arguments, on a program.
fn explore(program: &str, args: &str) -> Run {
    hob_on(&format!("explore - {args}"), program.as_bytes())
}

/// With `--json`: the exit code and the report.
fn report(program: &str, args: &str) -> (i32, Value) {
    let run = explore(program, &format!("--json {args}"));
    let report = serde_json::from_str(&run.out);
    (run.code, report.unwrap_or_else(|e| panic!("{args}: {e}: {} {}", run.out, run.err)))
}

fn number(report: &Value, pointer: &str) -> u64 {
    let found = report.pointer(pointer).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no {pointer} in {report}"))
}

#[test]
fn histories_are_as_many_as_there_are() {
    for (n, level, histories, broken) in
        [(2, "causal", 3, 1), (3, "CC", 16, 4), (3, "snapshot", 6, 0), (4, "SER", 24, 0)]
    {
        let (code, report) = report(&counters(n), &format!("--level {level}"));
        assert_eq!(number(&report, "/histories"), histories, "{n} {level}");
        assert_eq!(number(&report, "/assertions/0/histories"), broken, "{n} {level}");
        assert_eq!(code, i32::from(broken > 0), "{n} {level}");
        assert_eq!(report["complete"], true);
    }
}

#[test]
fn every_kind_of_report_is_valid() {
    let schema = schema("explore");
    let rules = schema.as_object().expect("a schema");
    let token = report(&counters(2), "--level CC").1;
    let token = token["violations"][0]["token"].as_str().expect("it is broken").to_owned();
    let program = counters(2) + "assert exists high: s1.add.result == 7\n";
    for (kind, args) in [
        ("report", "--level CC"),
        ("report", "--level SER --base RC --no-prune --timing --threads 2"),
        ("report", "--max 1"),
        ("report", "--level CC --mode state"),
        ("report", "--level CC --mode dfs"),
        ("replay", &format!("--replay {token}")),
        ("levels", "--find-level"),
        ("comparison", "--compare CC,SER"),
        ("comparison", "--compare PC,PSI"),
    ] {
        let (_, report) = report(&program, args);
        validate(&schema, rules, &report).unwrap_or_else(|e| panic!("{args}: {e}"));
        let part = schema.pointer(&format!("/$defs/{kind}")).and_then(Value::as_object);
        validate(&schema, part.expect("it is there"), &report)
            .unwrap_or_else(|e| panic!("{args}: {e}"));
    }
    let mut wrong = report(&program, "--level CC").1;
    wrong["violations"][0]["token"] = 1.into();
    assert!(validate(&schema, rules, &wrong).is_err());
    let mut codes: Vec<&str> = Anomaly::ALL.iter().map(|anomaly| anomaly.code()).collect();
    codes.extend(["none", "undecided"]);
    assert_eq!(schema.pointer("/$defs/anomaly/enum"), Some(&json!(codes)));
    let levels: Vec<&str> = LEVELS.iter().map(|row| row.name).collect();
    assert_eq!(schema.pointer("/$defs/level/enum"), Some(&json!(levels)));
}

#[test]
fn threads_change_nothing() {
    for level in ["RC", "CC", "SER"] {
        let one = report(&counters(4), &format!("--level {level} --threads 1"));
        assert_eq!(one, report(&counters(4), &format!("--level {level} --threads 4")), "{level}");
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    let scratch = Scratch::new("explore-parts");
    let left = scratch.file("left");
    for (level, max) in [("CC", 100), ("RC", 500), ("SER", 20)] {
        let level = format!("--threads 1 --level {level}");
        let (_, whole) = report(&counters(5), &level);
        let (code, first) =
            report(&counters(5), &format!("{level} --max {max} --force --save {left}"));
        assert_eq!(code, if whole["violations"] == json!([]) { 3 } else { code });
        assert_eq!((&first["stopped"], &first["complete"]), (&json!("max"), &json!(false)));
        assert_eq!(number(&first, "/histories"), max);
        let mut last = first;
        let mut parts = 1;
        while last["complete"] == false {
            let args = format!("--threads 1 --max {max} --resume {left}");
            last = report(&counters(5), &args).1;
            parts += 1;
            assert!(parts < 100, "it goes on forever");
        }
        assert!(parts > 2, "{parts} parts");
        assert_eq!(last, whole, "{level}");
    }
}

#[test]
fn what_is_left_of_another_program_is_refused() {
    let scratch = Scratch::new("explore-refused");
    let left = scratch.file("left");
    explore(&counters(4), &format!("--level CC --max 10 --save {left}"));
    let text = std::fs::read_to_string(&left).expect("it was saved");
    for (program, args, why) in [
        (counters(5), "--level CC", "has changed since this was saved"),
        (counters(4), "--level RC", "this was saved with level CC"),
        (counters(4), "--base RC", "this was saved with no base"),
        (counters(4), "--no-prune", "this was saved with pruning"),
        (counters(4) + "# not a change that matters\n", "--level CC", "has changed"),
    ] {
        let run = explore(&program, &format!("{args} --resume {left}"));
        assert_eq!(run.code, 2, "{why}");
        assert!(run.err.contains(why), "{}", run.err);
    }
    for (name, text, why) in [
        ("cut", text[..text.len() / 2].to_owned(), "this is no saved exploration"),
        ("empty", String::new(), "this is no saved exploration"),
        ("new", text.replace("\"hobgoblin_explore\":1", "\"hobgoblin_explore\":2"), "version 2"),
    ] {
        let file = scratch.write(name, text.as_bytes());
        let run = explore(&counters(4), &format!("--level CC --resume {file}"));
        assert_eq!(run.code, 2, "{name}");
        assert!(run.err.contains(why), "{name}: {}", run.err);
    }
    // What is left may be nonsense too; whatever happens, it is not taken for an answer.
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["left"] = "nonsense".into();
    let file = scratch.write("nonsense", value.to_string().as_bytes());
    assert_eq!(explore(&counters(4), &format!("--level CC --resume {file}")).code, 2);
}

#[test]
fn all_histories_are_written() {
    let scratch = Scratch::new("explore-all");
    let file = scratch.file("all.jsonl");
    let run = explore(&counters(4), &format!("--level CC --quiet --all {file}"));
    assert_eq!(run.code, 1, "{}", run.err);
    let text = std::fs::read_to_string(&file).expect("it was written");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let headers: Vec<Value> = lines.filter(|line| line.get("hobgoblin").is_some()).collect();
    assert_eq!(headers.len(), 125);
    let token = headers[7]["meta"]["token"].as_str().expect("it has one");
    assert!(explore(&counters(4), &format!("--replay {token}")).code < 2);
    let again = scratch.file("again.jsonl");
    explore(&counters(4), &format!("--level CC --quiet --all {again}"));
    assert_eq!(text, std::fs::read_to_string(&again).expect("it was written"), "in another order");

    let directory = scratch.file("each/");
    explore(&counters(4), &format!("--level CC --quiet --all {directory}"));
    let run = hob(&format!("check --level CC --recursive {directory}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.ends_with("total                   125\n"), "{}", run.out);
}

#[test]
fn tokens_show_the_end_again() {
    let (_, found) = report(&counters(3), "--level CC");
    let violation = &found["violations"][0];
    let token = violation["token"].as_str().expect("it is broken");
    let (code, again) = report(&counters(3), &format!("--replay {token}"));
    assert_eq!(code, 1);
    for part in ["token", "transactions", "diagnosis"] {
        assert_eq!(again[part], violation[part], "{part}");
    }
    assert_eq!(again["assertions"][0]["broken"], true);
    for wrong in ["", "x", "zzzzzzzzzzzzzzzzzzzzzzz", "🦀"] {
        let mut hob = Command::new(env!("CARGO_BIN_EXE_hob"));
        let file = Scratch::new("explore-token");
        let program = file.write("program.hob", counters(3).as_bytes());
        let output = hob.args(["explore", &program, "--replay", wrong]).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn levels_are_found() {
    for (program, weakest, code) in [
        (counters(3), json!(["PSI"]), 0),
        (
            "init x = 0\nsession s { txn t { write x 1 } }\nassert always one: last x == 1".into(),
            json!(["RC"]),
            0,
        ),
        (counters(2) + "assert always no: s1.add.result == 5\n", json!([]), 1),
        (counters(2) + "assert exists same2: s1.add.result == s2.add.result\n", json!([]), 1),
    ] {
        let (exit, report) = report(&program, "--find-level");
        assert_eq!((&report["weakest"], exit), (&weakest, code), "{program}");
    }
    let (code, report) = report(&counters(6), "--find-level --max 30");
    assert_eq!((code, &report["complete"]), (3, &json!(false)), "{report}");
}

#[test]
fn levels_are_compared() {
    let (code, report) = report(&counters(3), "--compare SER,CC");
    let added = &report["compared"][0];
    assert_eq!((code, &added["level"], &added["against"]), (1, &json!("CC"), &json!("SER")));
    assert_eq!((number(added, "/histories"), number(added, "/added")), (16, 10));
    let sum = added["anomalies"].as_array().expect("a list");
    assert_eq!(sum.iter().map(|group| number(group, "/histories")).sum::<u64>(), 10);
    assert_eq!(sum[0]["anomaly"], "lost-update");
    let token = sum[0]["token"].as_str().expect("it has one");
    assert!(explore(&counters(3), &format!("--replay {token}")).out.contains("lost update"));
    assert_eq!(explore(&counters(3), "--compare SI,SER").code, 0);
    assert_eq!(explore(&counters(3), "--compare CC,CC").code, 2);
    assert_eq!(explore(&counters(3), "--compare CC").code, 2);
}

/// The checker forbids just those histories of the weaker level that the explorer does not find at the
/// stronger one; also where transactions abort or have levels of their own.
#[test]
fn what_is_added_is_what_the_stronger_level_lacks() {
    let aborts = "init x = 0, y = 0\n\
        session w { txn both { write x 1; write y 1 } }\n\
        session r { txn look { a = read x; b = read y; if a != b { abort } } }\n";
    let mixed = "init x = 0, y = 0\n\
        session a { txn t(SER) { n = read x; write y n + 1 } }\n\
        session b { txn t { n = read y; write x n + 1 }\n txn u(RC) { n = read x; m = read y } }\n\
        session c { txn t { n = read x; if n > 1 { abort }\n write x n + 1 } }\n\
        assert never high: last x > 5\n";
    for (program, pairs) in [
        (aborts, &[("RC", "RA"), ("RC", "CC"), ("RA", "SER")][..]),
        (
            mixed,
            &[("RC", "RA"), ("RC", "CC"), ("RA", "PC"), ("CC", "PSI"), ("CC", "SI"), ("PC", "SER")],
        ),
    ] {
        for (weaker, stronger) in pairs {
            let added = report(program, &format!("--compare {weaker},{stronger}")).1;
            let histories =
                |level| number(&report(program, &format!("--level {level}")).1, "/histories");
            let more = histories(weaker) - histories(stronger);
            assert_eq!(number(&added, "/compared/0/added"), more, "{weaker} {stronger} {program}");
            assert_eq!(number(&added, "/compared/0/undecided"), 0);
        }
    }
    let (_, report) = report(aborts, "--compare RC,RA");
    assert_eq!(report["compared"][0]["anomalies"][0]["anomaly"], "fractured-read", "{report}");
}

#[test]
fn limits_end_in_unknown() {
    for args in ["--level SER --max 5", "--level SER --time 100ms"] {
        let run = explore(&counters(9), args);
        assert_eq!(run.code, 3, "{args}: {}", run.err);
        assert!(run.out.contains("nothing was broken until then"), "{}", run.out);
    }
    let run = explore(&counters(4), "--level SER --max 5 --save /nowhere/left");
    assert_eq!(run.code, 2);
    assert!(run.out.contains("5 histories") && run.err.contains("/nowhere/left"), "{}", run.err);
    let run = explore(&counters(6), "--level CC --max 2000");
    assert_eq!(run.code, 1, "what is broken is broken");
}

#[test]
fn an_interrupted_exploration_tells_what_it_found() {
    let scratch = Scratch::new("explore-interrupted");
    let program = scratch.write("program.hob", counters(9).as_bytes());
    for signal in ["-INT", "-TERM", "-HUP"] {
        let left = scratch.file(&format!("left{signal}"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(["explore", &program, "--level", "CC", "--json", "--save", &left])
            .stdout(Stdio::piped())
            .spawn()
            .expect("hob starts");
        std::thread::sleep(Duration::from_millis(500));
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        let mut out = String::new();
        child.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(1));
        let report: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(report["stopped"], "interrupted");
        assert_eq!(report["saved"], left);
        assert!(number(&report, "/histories") > 0);
        let args = format!("explore {program} --max 10 --json --resume {left}");
        let later: Value = serde_json::from_str(&hob(&args).out).expect("JSON");
        assert_eq!(number(&later, "/histories"), number(&report, "/histories") + 10);
    }
}

#[test]
fn the_cart_is_broken_in_under_a_second() {
    let start = Instant::now();
    let run = hob("explore examples/explore/cart.hob --level causal");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(hob("explore examples/explore/cart.hob --level serializable").code, 0);
}

#[test]
fn errors_name_the_transaction_and_the_place() {
    for (body, what, line) in [
        ("a = read z", "z", 3),
        ("a = 1 / (read x)", "divide", 3),
        ("while true { a = read x }", "loop", 3),
        ("write x 9223372036854775807 + 1", "overflow", 3),
    ] {
        let program = format!("init x = 0\nsession one {{\n  txn bad {{ {body} }}\n}}\n");
        let run = explore(&program, "");
        assert_eq!(run.code, 2, "{body}");
        assert!(run.err.contains(what), "{body}: {}", run.err);
        assert!(run.err.contains(&format!("<stdin>:{line}:")), "{body}: {}", run.err);
    }
}
