//! Reports for machines: JSON by its schema, JUnit.

use hobgoblin_core::{Anomaly, LEVELS};
use serde_json::Value;

use crate::support::{Scratch, counter};
use crate::valid::{schema, validate};

/// What is wrong with a report, by the part of the schema that describes its kind.
fn mistake(kind: &str, report: &Value) -> Option<String> {
    let schema = schema("test");
    let whole = validate(&schema, schema.as_object().expect("a schema"), report);
    let part = schema.pointer(&format!("/$defs/{kind}")).and_then(Value::as_object);
    validate(&schema, part.expect("it is there"), report).and(whole).err()
}

#[test]
fn every_kind_of_report_is_valid() {
    let scratch = Scratch::new("schema");
    let log = scratch.failing_log();
    let fails = ["sh", "-c", "exit 1"];
    let hangs = ["sh", "-c", "test $HOB_BASELINE || sleep 9"];
    let counter = counter();
    for (kind, args, command) in [
        ("report", "--runs 12 --level RC,SI".to_owned(), &[counter.as_str()][..]),
        ("report", "--runs 3 --find-level".to_owned(), &["true"]),
        ("report", "--runs 3".to_owned(), &fails),
        ("report", "--runs 1 --timeout 100ms".to_owned(), &hangs),
        ("report", "--runs 0".to_owned(), &["true"]),
        ("report", "--runs 2".to_owned(), &[counter.as_str(), "together"]),
        ("report", "--runs 2 --setup true --setup-cache cache".to_owned(), &["true"]),
        ("report", "--runs 2 --setup : --setup-cache cache".to_owned(), &["true"]),
        ("replay", format!("--yes --replay {log}"), &[]),
        ("replay", format!("--replay {log}"), &["true"]),
    ] {
        let (_, report) = scratch.json(&args, command);
        assert_eq!(mistake(kind, &report), None, "{args}: {report}");
    }
}

#[test]
fn the_validator_finds_mistakes() {
    let scratch = Scratch::new("mistaken");
    let (_, report) = scratch.json("--runs 2", &["true"]);
    let wrong = |pointer: &str, value: Value| {
        let mut report = report.clone();
        *report.pointer_mut(pointer).expect("it is there") = value;
        mistake("report", &report).unwrap_or_else(|| panic!("{pointer} may be wrong"))
    };
    assert!(wrong("/levels/0/level", "XX".into()).starts_with("enum"));
    assert!(wrong("/levels/0/rate/high", 1.5.into()).starts_with("maximum"));
    assert!(wrong("/levels/0/runs", (-1).into()).starts_with("minimum"));
    assert!(wrong("/command", Value::Array(Vec::new())).starts_with("minItems"));
    assert!(wrong("/baseline", serde_json::json!({"runs": 1})).starts_with("required"));
    assert!(wrong("/interrupted", "no".into()).starts_with("type"));
}

#[test]
fn the_schema_names_every_anomaly_and_every_level() {
    let schema = schema("test");
    let names = |pointer: &str| schema.pointer(pointer).expect("it is there").clone();
    let mut codes: Vec<&str> = Anomaly::ALL.iter().map(|anomaly| anomaly.code()).collect();
    codes.extend(["none", "undecided"]);
    assert_eq!(names("/$defs/anomaly/enum"), serde_json::json!(codes));
    let levels: Vec<&str> = LEVELS.iter().map(|row| row.name).collect();
    assert_eq!(names("/$defs/level/enum"), serde_json::json!(levels));
}

#[test]
fn junit_has_a_case_a_level() {
    let scratch = Scratch::new("junit");
    let run = scratch.test("--junit out.xml --runs 20 --level RC,SER --quiet", &[&counter()]);
    assert_eq!(run.code, 1, "{run:?}");
    let xml = scratch.read("out.xml");
    for part in [
        "tests=\"3\" failures=\"1\" errors=\"0\"",
        "name=\"baseline\" time=\"",
        "name=\"read committed (RC)\" time=\"",
        "name=\"serializability (SER)\" time=\"",
        "runs failed: lost update\" type=\"lost-update\">",
        "hob test --replay hob-failures/RC-seed",
        "0 + 2 should not be 1",
    ] {
        assert!(xml.contains(part), "{part}:\n{xml}");
    }
    let times: Vec<f64> = xml
        .split(" time=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap_or_default().parse().expect("seconds"))
        .collect();
    let [all, parts @ ..] = times.as_slice() else { panic!("no times:\n{xml}") };
    assert!(parts.len() == 3 && parts.iter().all(|&time| time > 0.0), "{times:?}");
    assert!((all - parts.iter().sum::<f64>()).abs() < 0.01, "{times:?}");
    // A later report replaces it, but nothing else.
    assert_eq!(scratch.test("--junit out.xml --runs 1 --quiet", &["true"]).err, "");
    scratch.write("notes.txt", "precious");
    let run = scratch.test("--junit notes.txt --runs 1", &["true"]);
    assert_eq!((run.code, scratch.read("notes.txt").as_str()), (2, "precious"), "{run:?}");
    let run = scratch.test("--junit unused.xml --quiet --runs 3 --level RC,SI", &["true"]);
    assert_eq!(run.code, 3);
    let xml = scratch.read("unused.xml");
    for part in [
        "failures=\"0\" errors=\"2\"",
        "<error message=\"none of the 3 runs used its store\" type=\"unused\">HOB_HTTP_URL, DATABASE_URL",
    ] {
        assert!(xml.contains(part), "{part}:\n{xml}");
    }
    let run = scratch.test("--junit alone.xml --quiet --runs 3", &[&counter(), "alone"]);
    assert_eq!(run.code, 0);
    let xml = scratch.read("alone.xml");
    assert!(xml.contains("<system-out>No two transactions overlapped in any run"), "{xml}");
    let run =
        scratch.test("--junit fails.xml --quiet", &["sh", "-c", "echo '<no & \"no\">'; exit 1"]);
    assert_eq!(run.code, 3);
    let xml = scratch.read("fails.xml");
    assert!(
        xml.contains("errors=\"1\"") && xml.contains("<error message=\"the test fails without")
    );
    assert!(xml.contains("&lt;no &amp; &quot;no&quot;&gt;"), "{xml}");
}

/// A failing run of a seed does not replace that of another test, nor does the same run come twice.
#[test]
fn failing_runs_are_added() {
    let scratch = Scratch::new("added");
    let log = |script: &str| {
        let (code, report) =
            scratch.json("--baseline-runs 0 --runs 1 --seed 5", &["sh", "-c", script]);
        assert_eq!(code, 1, "{report}");
        report["levels"][0]["failure"]["log"].as_str().expect("it was saved").to_owned()
    };
    let first = log("exit 1");
    let text = scratch.read(&first);
    assert_eq!(first, "hob-failures/RC-seed5.log.jsonl");
    assert_eq!(log("exit 2"), "hob-failures/RC-seed5-2.log.jsonl");
    assert_eq!(log("exit 1"), first);
    assert_eq!(log("exit 2"), "hob-failures/RC-seed5-2.log.jsonl");
    assert_eq!(log("exit 3"), "hob-failures/RC-seed5-3.log.jsonl");
    assert_eq!(scratch.read(&first), text);
    for name in ["RC-seed5", "RC-seed5-2", "RC-seed5-3"] {
        assert!(scratch.0.join(format!("hob-failures/{name}.history.jsonl")).exists(), "{name}");
    }
}
