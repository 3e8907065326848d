//! JSON values as data: two values are equal when they are the same *value*.
//!
//! Object members have no order and numbers are compared by value, so `1` and `1.0` are one key.
//! The reader writes every value in one canonical text and compares the texts. The rest are the
//! small steps into a JSON document that either succeed or say what was expected.

use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// The canonical text of a value: equal values, and only those, have equal texts.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(n), _, _) => n.to_string(),
            (None, Some(n), _) => n.to_string(),
            (None, None, Some(0.0)) => "0".to_string(),
            (None, None, Some(n)) if n.fract() == 0.0 => format!("{n:.0}"),
            (None, None, Some(n)) => n.to_string(),
            (None, None, None) => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}

/// The integer a value stands for, if it is one (`3` and `3.0` are, `3.5` and `"3"` are not).
pub fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(_) => canonical(value).parse().ok(),
        _ => None,
    }
}

/// A member that is true or false; missing means false.
pub fn truth(map: &Object, name: &str) -> Result<bool, String> {
    map.get(name).map_or(Ok(false), |value| value.as_bool().ok_or(format!("{name} is a bool")))
}

/// The value as an object.
pub fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Object, String> {
    value.as_object().ok_or_else(|| format!("{what} is an object"))
}

/// The value as an array.
pub fn array<'a>(value: Option<&'a Value>, what: &str) -> Result<&'a Vec<Value>, String> {
    value.and_then(Value::as_array).ok_or_else(|| format!("{what} is an array"))
}
