//! What `--json` prints is what docs/check.schema.json says.
//!
//! The validator below knows the keywords that the schema uses and no others, and fails on those. A
//! crate for all of JSON Schema would be larger than the rest of the command line.

use hobgoblin_core::Anomaly;
use serde_json::{Map, Value};

use crate::run::{Scratch, hob_on, json, root};

fn schema() -> Value {
    let path = root().join("docs/check.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there"))
        .expect("the schema is JSON")
}

/// What is wrong with a value.
pub(crate) fn validate(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{what}: {value}"));
    for (keyword, rule) in schema {
        let right = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|r| r.strip_prefix('#')).expect("a local ref");
                let target = root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
                validate(root, target.as_object().expect("a schema"), value)?;
                true
            }
            "const" => value == rule,
            "oneOf" => {
                let rules = rule.as_array().expect("a list").iter();
                let rules = rules.map(|rule| rule.as_object().expect("a schema"));
                rules.filter(|rule| validate(root, rule, value).is_ok()).count() == 1
            }
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => {
                let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                names.iter().any(|name| is_a(name.as_str().expect("a name"), value))
            }
            "minimum" => value.as_f64().is_none_or(|n| n >= rule.as_f64().expect("a number")),
            "minItems" => value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap()),
            "required" => {
                let names = rule.as_array().expect("a list").iter();
                names.map(|name| name.as_str().expect("a name")).all(|n| value.get(n).is_some())
            }
            "items" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let rule = rule.as_object().expect("a schema");
                items.iter().try_for_each(|item| validate(root, rule, item))?;
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("schemas") {
                    if let Some(member) = value.get(name) {
                        validate(root, rule.as_object().expect("a schema"), member)?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(rule, &Value::Bool(false));
                let known = schema["properties"].as_object().expect("schemas");
                value.as_object().is_none_or(|o| o.keys().all(|name| known.contains_key(name)))
            }
            other => panic!("the validator does not know {other}"),
        };
        if !right {
            return fail(keyword);
        }
    }
    Ok(())
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the validator does not know the type {other}"),
    }
}

/// Runs `hob check --json` and validates every line.
fn check(args: &str, input: &[u8]) -> Vec<Value> {
    let (_, lines) = json(&format!("check --json {args}"), input);
    assert!(!lines.is_empty(), "{args}");
    let schema = schema();
    for line in &lines {
        validate(&schema, schema.as_object().expect("a schema"), line)
            .unwrap_or_else(|error| panic!("{args}: {error}"));
    }
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
    let schema = schema();
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
    let schema = schema();
    for (line, wrong) in [
        (r#"{"levels": {}, "strongest": []}"#, "required"),
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
