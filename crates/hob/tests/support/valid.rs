//! JSON by its schema.
//!
//! The validator knows the keywords that our schemas use and no others, and fails on those. A crate for all of
//! JSON Schema would be larger than the rest of the command line.

use serde_json::{Map, Value};

/// One of the schemas in docs.
pub(crate) fn schema(name: &str) -> Value {
    let path = format!("{}/../../docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there"))
        .expect("the schema is JSON")
}

/// What is wrong with a value.
pub(crate) fn validate(
    root: &Value,
    schema: &Map<String, Value>,
    value: &Value,
) -> Result<(), String> {
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
            "const" => value == rule,
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
            "maxItems" => value.as_array().is_none_or(|a| a.len() as f64 <= number(rule)),
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
                let known = schema.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                let members = value.as_object().into_iter().flatten();
                let mut others = members.filter(|(name, _)| !is_known(name));
                match rule {
                    Value::Bool(false) => others.next().is_none(),
                    rule => {
                        others.try_for_each(|(_, member)| of(rule, member))?;
                        true
                    }
                }
            }
            "propertyNames" => {
                let names = value.as_object().into_iter().flat_map(|members| members.keys());
                names
                    .map(|name| Value::from(name.as_str()))
                    .try_for_each(|name| of(rule, &name))?;
                true
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
