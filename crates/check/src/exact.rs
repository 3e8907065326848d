//! Keys and values in JSON reports, with every digit of their numbers: what `#[serde(serialize_with)]` names.

use hobgoblin_core::{Key, Value};
use serde::ser::{Error, Serialize, Serializer};
use serde_json::value::RawValue;

/// A value.
pub fn value<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

/// A value that is there.
pub fn some_value<S: Serializer>(some: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    value(some.as_ref().unwrap_or(&Value::Null), serializer)
}

/// A key.
pub fn key<S: Serializer>(key: &Key, serializer: S) -> Result<S::Ok, S::Error> {
    match key {
        Key::Int(n) => serializer.serialize_i64(*n),
        Key::Text(text) => serializer.serialize_str(text),
    }
}

/// A key that is there.
pub fn some_key<S: Serializer>(some: &Option<Key>, serializer: S) -> Result<S::Ok, S::Error> {
    match some {
        Some(name) => key(name, serializer),
        None => serializer.serialize_none(),
    }
}
