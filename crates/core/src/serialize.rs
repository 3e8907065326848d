//! Keys, values and levels for `serde`.
//!
//! A value is what its JSON is. Numbers beyond 64 bits become the nearest number with a fraction, which is what most
//! formats have; who needs every digit writes [`Value`] as text.

use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Error, Serialize, SerializeMap, Serializer};

use crate::json::Json;
use crate::level::Level;
use crate::value::{Key, Value};

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Key::Int(n) => serializer.serialize_i64(*n),
            Key::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::Int(n) => serializer.serialize_i64(*n),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Json(text) => match text.parse().map_err(S::Error::custom)? {
                Json::Scalar(_) => match (text.parse(), text.parse()) {
                    (Ok(n), _) => serializer.serialize_u64(n),
                    (_, Ok(n)) => serializer.serialize_f64(n),
                    _ => Err(S::Error::custom(format!("{text} is no number of 64 bits"))),
                },
                nested => nested.serialize(serializer),
            },
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Scalar(value) => value.serialize(serializer),
            Json::Array(items) => serializer.collect_seq(items),
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    map.serialize_entry(&**name, member)?;
                }
                map.end()
            }
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        let json = deserializer.deserialize_any(Tree)?;
        json.as_key().ok_or_else(|| de::Error::custom("a key is a string or an integer of 64 bits"))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Tree).map(Value::from)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

/// Takes anything that JSON has.
struct Tree;

/// Methods that take what is a value by itself.
macro_rules! scalars {
    ($($name:ident($ty:ty);)*) => {
        $(fn $name<E: de::Error>(self, value: $ty) -> Result<Json, E> {
            Ok(Json::Scalar(value.into()))
        })*
    };
}

impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what JSON can say")
    }

    scalars! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_str(&str);
        visit_string(String);
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Json, E> {
        match n.is_finite() {
            true => Ok(Json::Scalar(n.into())),
            false => Err(E::custom("JSON has no NaN and no infinity")),
        }
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Scalar(Value::Null))
    }

    fn visit_none<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Tree)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Tree)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some((name, member)) = map.next_entry::<String, Json>()? {
            members.push((name.into(), member));
        }
        Ok(Json::object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_comes_back() {
        for text in [
            "null",
            "true",
            "-7",
            "\"é\"",
            "1.5",
            "18446744073709551615",
            r#"{"a":[1,{"b":null}]}"#,
        ] {
            let value: Value = serde_json::from_str(text).expect(text);
            assert_eq!(value, Value::from(text.parse::<Json>().expect(text)), "{text}");
            assert_eq!(serde_json::to_string(&value).expect(text), text);
        }
        assert_eq!(serde_json::to_string(&Level::SI).expect("text"), "\"SI\"");
        assert_eq!(serde_json::from_str::<Level>("\"snapshot\"").expect("a level"), Level::SI);
        assert_eq!(serde_json::from_str::<Key>("7").expect("a key"), Key::Int(7));
        assert!(serde_json::from_str::<Key>("[]").is_err());
    }
}
