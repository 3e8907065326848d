//! Reports for machines: JSON by its schema, JUnit.

use hobgoblin_core::{Anomaly, LEVELS};
use serde_json::{Map, Value};

use crate::support::{Scratch, counter};

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/test.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there"))
        .expect("the schema is JSON")
}

/// What is wrong with a value. Knows the keywords of the schema and no others.
fn validate(root: &Value, schema: &Map<String, Value>, value: &Value) -> Result<(), String> {
    let of =
        |rule: &Value, value: &Value| validate(root, rule.as_object().expect("a schema"), value);
    let number = |rule: &Value| rule.as_f64().expect("a number");
    for (keyword, rule) in schema {
        let right = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|r| r.strip_prefix('#')).expect("a local ref");
                of(root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}")), value)?;
                true
            }
            "oneOf" => {
                let rules = rule.as_array().expect("a list");
                rules.iter().filter(|rule| of(rule, value).is_ok()).count() == 1
            }
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => {
                let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                names.iter().any(|name| is_a(name.as_str().expect("a name"), value))
            }
            "minimum" => value.as_f64().is_none_or(|n| n >= number(rule)),
            "maximum" => value.as_f64().is_none_or(|n| n <= number(rule)),
            "minItems" => value.as_array().is_none_or(|a| a.len() as f64 >= number(rule)),
            "required" => {
                let names = rule.as_array().expect("a list").iter();
                names.map(|name| name.as_str().expect("a name")).all(|n| value.get(n).is_some())
            }
            "items" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                items.iter().try_for_each(|item| of(rule, item))?;
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("schemas") {
                    value.get(name).map_or(Ok(()), |member| of(rule, member))?;
                }
                true
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().expect("schemas");
                value.as_object().is_none_or(|o| o.keys().all(|name| known.contains_key(name)))
            }
            other => panic!("the validator does not know {other}"),
        };
        if !right {
            return Err(format!("{keyword}: {value}"));
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
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the validator does not know the type {other}"),
    }
}

/// What is wrong with a report, by the part of the schema that describes its kind.
fn mistake(kind: &str, report: &Value) -> Option<String> {
    let schema = schema();
    let whole = validate(&schema, schema.as_object().expect("a schema"), report);
    let part = schema.pointer(&format!("/$defs/{kind}")).and_then(Value::as_object);
    validate(&schema, part.expect("it is there"), report).and(whole).err()
}

#[test]
fn every_kind_of_report_is_valid() {
    let scratch = Scratch::new("schema");
    let log = scratch.failing_log();
    let fails = ["sh", "-c", "exit 1"];
    let hangs = ["sh", "-c", "test $HOB_LEVEL = SER || sleep 9"];
    let counter = counter();
    for (kind, args, command) in [
        ("report", "--runs 12 --level RC,SI".to_owned(), &[counter.as_str()][..]),
        ("report", "--runs 3 --find-level".to_owned(), &["true"]),
        ("report", "--runs 3".to_owned(), &fails),
        ("report", "--runs 1 --timeout 100ms".to_owned(), &hangs),
        ("report", "--runs 0".to_owned(), &["true"]),
        ("replay", format!("--replay {log}"), &[]),
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
    let schema = schema();
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
        "name=\"baseline (SER)\"/>",
        "name=\"read committed (RC)\">",
        "name=\"serializability (SER)\"/>",
        "runs failed: lost update\" type=\"lost-update\">",
        "hob test --replay hob-failures/RC-seed",
        "0 + 2 should not be 1",
    ] {
        assert!(xml.contains(part), "{part}:\n{xml}");
    }
    let run =
        scratch.test("--junit fails.xml --quiet", &["sh", "-c", "echo '<no & \"no\">'; exit 1"]);
    assert_eq!(run.code, 3);
    let xml = scratch.read("fails.xml");
    assert!(
        xml.contains("errors=\"1\"") && xml.contains("<error message=\"the test fails without")
    );
    assert!(xml.contains("&lt;no &amp; &quot;no&quot;&gt;"), "{xml}");
}
