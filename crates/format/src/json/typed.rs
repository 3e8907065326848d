//! Types of a program as values, and back, by way of `serde`.
//!
//! What a type is as JSON is up to `serde_json`. Programs mostly read and write integers, truth values and strings,
//! for which no JSON is written; both ways give the same.

use std::fmt;

use hobgoblin_core::Value;
use hobgoblin_core::json::number;
use serde_core::de::value::{BoolDeserializer, Error, I64Deserializer, StrDeserializer};
use serde_core::de::{DeserializeOwned, IntoDeserializer};
use serde_core::ser::{Impossible, Serialize, Serializer};

use super::value_of;

/// Why something is no value, or a value is not of a type: what `serde_json` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError(String);

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TypeError {}

impl From<serde_json::Error> for TypeError {
    fn from(error: serde_json::Error) -> TypeError {
        let text = error.to_string();
        TypeError(text.split(" at line ").next().unwrap_or_default().to_owned())
    }
}

/// The value that something is. NaN and the infinities are none: null, which `serde_json` makes of them, deletes.
pub fn encode<T: Serialize + ?Sized>(of: &T) -> Result<Value, TypeError> {
    match of.serialize(Simple) {
        Ok(value) => Ok(value),
        Err(NotSimple::Odd) => Err(TypeError("it has no NaN and no infinity".to_owned())),
        Err(NotSimple::Other) => {
            let text = serde_json::to_string(of)?;
            value_of(&text).map_err(|error| TypeError(error.to_string()))
        }
    }
}

/// What a value is, as a type.
pub fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, TypeError> {
    let simple = match value {
        Value::Int(n) => {
            let n: I64Deserializer<Error> = n.into_deserializer();
            T::deserialize(n).ok()
        }
        Value::Bool(truth) => {
            let truth: BoolDeserializer<Error> = truth.into_deserializer();
            T::deserialize(truth).ok()
        }
        Value::Text(text) => {
            let text: StrDeserializer<'_, Error> = text.into_deserializer();
            T::deserialize(text).ok()
        }
        Value::Null | Value::Json(_) => None,
    };
    match simple {
        Some(simple) => Ok(simple),
        None => Ok(serde_json::from_str(&value.to_string())?),
    }
}

/// Takes what is simple.
struct Simple;

#[derive(Debug)]
enum NotSimple {
    /// A number that JSON does not have.
    Odd,
    Other,
}

impl fmt::Display for NotSimple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not as simple")
    }
}

impl std::error::Error for NotSimple {}

impl serde_core::ser::Error for NotSimple {
    fn custom<T: fmt::Display>(_: T) -> NotSimple {
        NotSimple::Other
    }
}

/// What methods with these names do not take.
macro_rules! not_simple {
    ($($name:ident($($arg:ty),*) -> $out:ty;)*) => {
        $(fn $name(self, $(_: $arg),*) -> Result<$out, NotSimple> {
            Err(NotSimple::Other)
        })*
    };
}

/// Integers that fit 64 bits.
macro_rules! integers {
    ($($name:ident($arg:ty);)*) => {
        $(fn $name(self, n: $arg) -> Result<Value, NotSimple> {
            i64::try_from(n).map(Value::Int).map_err(|_| NotSimple::Other)
        })*
    };
}

/// Numbers with a fraction, by their shortest notation.
macro_rules! floats {
    ($($name:ident($arg:ty);)*) => {
        $(fn $name(self, n: $arg) -> Result<Value, NotSimple> {
            match n.is_finite() {
                true => number::parse(&n.to_string()).ok_or(NotSimple::Other),
                false => Err(NotSimple::Odd),
            }
        })*
    };
}

type Never = Impossible<Value, NotSimple>;

impl Serializer for Simple {
    type Ok = Value;
    type Error = NotSimple;
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

    floats! {
        serialize_f32(f32);
        serialize_f64(f64);
    }

    fn serialize_bool(self, truth: bool) -> Result<Value, NotSimple> {
        Ok(Value::Bool(truth))
    }

    fn serialize_str(self, text: &str) -> Result<Value, NotSimple> {
        Ok(Value::Text(text.into()))
    }

    fn serialize_none(self) -> Result<Value, NotSimple> {
        Ok(Value::Null)
    }

    fn serialize_unit(self) -> Result<Value, NotSimple> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, some: &T) -> Result<Value, NotSimple> {
        some.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        inner: &T,
    ) -> Result<Value, NotSimple> {
        inner.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Value, NotSimple> {
        Err(NotSimple::Other)
    }

    not_simple! {
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
        let value = encode(&of).expect("a value");
        let text = serde_json::to_string(&of).expect("JSON");
        assert_eq!(Ok(value.clone()), value_of(&text));
        let long = serde_json::from_str(&value.to_string()).map_err(TypeError::from);
        assert_eq!(decode::<T>(&value), long);
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
        check(i128::MIN);
        check(true);
        check(());
        check(1.5);
        check(2.0);
        check(0.1_f32);
        check(0.1_f64);
        check(-0.0);
        check(f64::MAX);
        check(f64::MIN_POSITIVE);
        check(f32::MAX);
        check('x');
        check("text \" \\ \u{1} é".to_owned());
        check(Some(3));
        check(None::<i64>);
        check(Some(Cents(3)));
        check((1, "a".to_owned()));
        check(vec![Order::Paid, Order::Sent(2)]);
        check(Order::Paid);
        check(vec![f64::MAX, 0.1, 1e300]);
        check(serde_json::json!({"b": [1, 2.50], "a": null}));
        check(serde_json::json!(12));
    }

    #[test]
    fn what_does_not_fit_is_said_as_with_json() {
        for value in [Value::Int(256), Value::Bool(true), Value::Null, Value::Text("1".into())] {
            let long = serde_json::from_str::<u8>(&value.to_string()).map_err(TypeError::from);
            assert_eq!(decode::<u8>(&value), long);
            assert!(long.is_err(), "{value}");
        }
        assert_eq!(decode::<u8>(&Value::Int(255)), Ok(255));
    }

    #[test]
    fn numbers_that_json_lacks_are_no_values() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(encode(&odd).is_err());
            assert!(encode(&Some(odd)).is_err());
            assert!(encode(&(odd as f32)).is_err());
        }
    }
}
