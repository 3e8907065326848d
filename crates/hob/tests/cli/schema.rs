//! What `--json` prints is what docs/check.schema.json says.

use hobgoblin_core::Anomaly;
use serde_json::Value;

use crate::run::{Scratch, hob_on, root};
use crate::valid::{schema, validate};

/// Runs `hob check --json` and validates every line.
fn check(args: &str, input: &[u8]) -> Vec<Value> {
    let lines = hob_on(&format!("check --json {args}"), input).reports("check");
    assert!(!lines.is_empty(), "{args}");
    lines
}

#[test]
fn every_kind_of_report_is_valid() {
    let litmus: Vec<String> = std::fs::read_dir(root().join("corpus/litmus"))
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txn"))
        .map(|path| path.display().to_string())
        .collect();
    let litmus = litmus.join(" ");
    for args in ["", "--verify", "--timing", "--mixed", "--level SSER", "--semantics state"] {
        assert!(check(&format!("{args} {litmus}"), b"").len() > 30);
    }
    check("--recursive corpus/formats", b"");
    check("--execution t1,t2 corpus/litmus/write-skew.txn corpus/litmus/lost-update.txn", b"");
    check("--execution t1,t9 corpus/litmus/write-skew.txn", b"");
    check("no-such-file corpus Cargo.toml", b"");
    check("--time-limit 0 corpus/litmus/long-fork.txn", b"");
    check("-", b"{\"session\": 0, \"ops\": [[\"r\", 7, {\"a\": [1.50, null]}]]}");
    check("-", b"{\"session\": 0, \"ops\": [[\"r\"]]}");
    let history = b"{\"session\":0,\"ops\":[[\"r\",\"x\",1]]}\n";
    assert_eq!(check("--follow -", history).len(), 4, "three violations, and the end");
    let scratch = Scratch::new("schema");
    check(&scratch.write("cut.bincode", &[0; 30]), b"");
}

#[test]
fn repeated_values_and_unserved_reads_are_valid() {
    let text = b"init x=0\ns1: t1 { w(x)=1 }\ns2: t2 { w(x)=1 }\ns3: t3 { r(x)=1 r(x)=0 }\n";
    let lines = check("--format txn -", text);
    assert_eq!(lines[0]["levels"]["RC"]["verdict"], "violated");
    let text = b"s1: t1 { r(x)=1 w(y)=1 }\ns2: t2 { r(y)=1 w(x)=1 }\n";
    let lines = check("--semantics state --format txn -", text);
    assert_eq!(lines[0]["levels"]["RC"]["witness"]["anomaly"], "unserved-read");
}

#[test]
fn the_schema_names_every_anomaly_and_every_level() {
    let schema = schema("check");
    let codes = schema.pointer("/$defs/witness/properties/anomaly/enum").expect("it is there");
    let codes: Vec<&str> = codes.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let all: Vec<&str> = Anomaly::ALL.iter().map(|anomaly| anomaly.code()).collect();
    assert_eq!(codes[..all.len()], all);
    let levels = schema.pointer("/$defs/level/enum").expect("it is there");
    let names: Vec<Value> = hobgoblin_core::LEVELS.iter().map(|row| row.name.into()).collect();
    assert_eq!(levels, &Value::Array(names));
}

#[test]
fn the_validator_finds_mistakes() {
    let schema = schema("check");
    for (line, wrong) in [
        (r#"{"levels": {}, "strongest": []}"#, "oneOf"),
        (r#"{"error": {"message": ""}, "strongest": []}"#, "oneOf"),
        (r#"{"file": 1, "levels": {}, "strongest": []}"#, "type"),
        (r#"{"file": "", "levels": {"XX": 1}, "strongest": []}"#, "additionalProperties"),
        (r#"{"file": "", "levels": {"RC": {"verdict": "ok"}}, "strongest": []}"#, "enum"),
        (r#"{"file": "", "levels": {}, "strongest": [], "events": -1}"#, "minimum"),
    ] {
        let line = serde_json::from_str(line).expect("JSON");
        let error = validate(&schema, schema.as_object().unwrap(), &line).expect_err("wrong");
        assert!(error.starts_with(wrong), "{error}");
    }
    assert_eq!(hob_on("check --json --quiet -", b"").code, 2);
}
