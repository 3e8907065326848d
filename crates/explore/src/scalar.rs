//! Values that are no lists or objects, from and to Rust without a detour through JSON.
//!
//! Bodies read and write in every run, mostly integers. What is not as simple takes the detour, so both
//! ways give the same.

use std::fmt;

use hobgoblin_core::Value;
use hobgoblin_format::json;
use serde::de::value::{BoolDeserializer, Error, I64Deserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::ser::{Impossible, Serialize, Serializer};

/// The value that something is.
pub(crate) fn value_of<T: Serialize + ?Sized>(of: &T) -> Result<Value, serde_json::Error> {
    match of.serialize(Scalar) {
        Ok(value) => Ok(value),
        Err(NotScalar) => serde_json::to_value(of).map(json::value_of),
    }
}

/// What a value is, as a type.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    let simple = match value {
        Value::Int(n) => {
            let n: I64Deserializer<Error> = n.into_deserializer();
            T::deserialize(n).ok()
        }
        Value::Bool(b) => {
            let b: BoolDeserializer<Error> = b.into_deserializer();
            T::deserialize(b).ok()
        }
        _ => None,
    };
    simple.map_or_else(|| serde_json::from_value(json::json_of(value)), Ok)
}

/// Takes what is simple.
struct Scalar;

#[derive(Debug)]
struct NotScalar;

impl fmt::Display for NotScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not as simple")
    }
}

impl std::error::Error for NotScalar {}

impl serde::ser::Error for NotScalar {
    fn custom<T: fmt::Display>(_: T) -> NotScalar {
        NotScalar
    }
}

/// What methods with these names do not take.
macro_rules! not_simple {
    ($($name:ident($($arg:ty),*) -> $out:ty;)*) => {
        $(fn $name(self, $(_: $arg),*) -> Result<$out, NotScalar> {
            Err(NotScalar)
        })*
    };
}

/// Integers that fit 64 bits.
macro_rules! integers {
    ($($name:ident($arg:ty);)*) => {
        $(fn $name(self, n: $arg) -> Result<Value, NotScalar> {
            i64::try_from(n).map(Value::Int).map_err(|_| NotScalar)
        })*
    };
}

type Never = Impossible<Value, NotScalar>;

impl Serializer for Scalar {
    type Ok = Value;
    type Error = NotScalar;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    integers! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
    }

    fn serialize_bool(self, b: bool) -> Result<Value, NotScalar> {
        Ok(Value::Bool(b))
    }

    fn serialize_str(self, text: &str) -> Result<Value, NotScalar> {
        Ok(Value::Text(text.into()))
    }

    fn serialize_none(self) -> Result<Value, NotScalar> {
        Ok(Value::Null)
    }

    fn serialize_unit(self) -> Result<Value, NotScalar> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, some: &T) -> Result<Value, NotScalar> {
        some.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        inner: &T,
    ) -> Result<Value, NotScalar> {
        inner.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Value, NotScalar> {
        Err(NotScalar)
    }

    not_simple! {
        serialize_f32(f32) -> Value;
        serialize_f64(f64) -> Value;
        serialize_char(char) -> Value;
        serialize_bytes(&[u8]) -> Value;
        serialize_unit_struct(&'static str) -> Value;
        serialize_unit_variant(&'static str, u32, &'static str) -> Value;
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_map(Option<usize>) -> Never;
        serialize_struct(&'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T>(of: T)
    where
        T: Serialize + DeserializeOwned + PartialEq + fmt::Debug,
    {
        let value = value_of(&of).expect("a value");
        assert_eq!(value, json::value_of(serde_json::to_value(&of).expect("JSON")));
        let long = serde_json::from_value(json::json_of(&value)).map_err(|e| e.to_string());
        assert_eq!(from_value::<T>(&value).map_err(|e| e.to_string()), long);
    }

    #[test]
    fn as_with_json() {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        struct Cents(u64);
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        enum Order {
            Paid,
            Sent(i64),
        }
        check(7);
        check(-7_i8);
        check(u64::MAX);
        check(i64::MIN);
        check(u128::MAX);
        check(true);
        check(());
        check(1.5);
        check(2.0);
        check('x');
        check("text".to_owned());
        check(Some(3));
        check(None::<i64>);
        check(Some(Cents(3)));
        check((1, "a".to_owned()));
        check(vec![Order::Paid, Order::Sent(2)]);
        check(Order::Paid);
        check(serde_json::json!({"b": [1, 2.50], "a": null}));
        check(serde_json::json!(12));
    }

    #[test]
    fn what_does_not_fit_is_said_as_with_json() {
        let said = |value: Value| from_value::<u8>(&value).map_err(|e| e.to_string());
        assert_eq!(said(Value::Int(255)), Ok(255));
        for value in [Value::Int(256), Value::Bool(true), Value::Null, Value::Text("1".into())] {
            let long = serde_json::from_value::<u8>(json::json_of(&value));
            assert_eq!(said(value), long.map_err(|e| e.to_string()));
        }
    }
}
