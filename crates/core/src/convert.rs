//! Values and keys of the types programs have, and back.

use std::borrow::Cow;
use std::fmt;

use crate::json::{Json, number};
use crate::value::{Key, Value};

/// Integers that always fit.
macro_rules! small {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Value {
            fn from(n: $ty) -> Value {
                Value::Int(n.into())
            }
        }

        impl From<$ty> for Key {
            fn from(n: $ty) -> Key {
                Key::Int(n.into())
            }
        }
    )*};
}

small!(i8 i16 i32 i64 u8 u16 u32);

/// Integers that may be past 64 bits: then a value is a number all the same, and a key its digits.
macro_rules! large {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Value {
            fn from(n: $ty) -> Value {
                i64::try_from(n).map_or_else(|_| Value::Json(n.to_string().into()), Value::Int)
            }
        }

        impl From<$ty> for Key {
            fn from(n: $ty) -> Key {
                i64::try_from(n).map_or_else(|_| Key::Text(n.to_string().into()), Key::Int)
            }
        }
    )*};
}

large!(isize usize u64 i128 u128);

/// Numbers with a fraction. What JSON lacks becomes a string: `"NaN"`, `"inf"`, `"-inf"`.
macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Value {
            fn from(n: $ty) -> Value {
                let text = n.to_string();
                number::parse(&text).unwrap_or_else(|| Value::Text(text.into()))
            }
        }
    )*};
}

floats!(f32 f64);

macro_rules! texts {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Value {
            fn from(text: $ty) -> Value {
                Value::Text(AsRef::<str>::as_ref(&text).into())
            }
        }

        impl From<$ty> for Key {
            fn from(text: $ty) -> Key {
                Key::Text(AsRef::<str>::as_ref(&text).into())
            }
        }
    )*};
}

texts!(&str &String Box<str> Cow<'_, str>);

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text.into())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Key {
        Key::Text(text.into())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<&Value> for Value {
    fn from(value: &Value) -> Value {
        value.clone()
    }
}

impl From<&Key> for Key {
    fn from(key: &Key) -> Key {
        key.clone()
    }
}

/// `None` is null, which is what an absent key holds.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(some: Option<T>) -> Value {
        some.map_or(Value::Null, Into::into)
    }
}

/// Lists are arrays of JSON.
impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Value {
        let items = list.into_iter().map(|item| item.into().to_string());
        let items: Vec<String> = items.collect();
        Value::Json(format!("[{}]", items.join(",")).into())
    }
}

impl<T: Into<Value> + Clone> From<&[T]> for Value {
    fn from(list: &[T]) -> Value {
        list.to_vec().into()
    }
}

impl<T: Into<Value> + Clone> From<&Vec<T>> for Value {
    fn from(list: &Vec<T>) -> Value {
        list.clone().into()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(list: [T; N]) -> Value {
        Vec::from(list).into()
    }
}

/// A value is of another type than was asked for.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Value;
///
/// let error = i64::try_from(Value::from("seven")).unwrap_err();
/// assert_eq!(error.to_string(), "\"seven\" is no i64");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongType {
    /// What was asked for.
    pub wanted: &'static str,
    /// What there is.
    pub value: Value,
}

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no {}", self.value, self.wanted)
    }
}

impl std::error::Error for WrongType {}

impl Value {
    /// Whether it is null, as an absent key.
    pub fn is_null(&self) -> bool {
        *self == Value::Null
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(truth) = self { Some(*truth) } else { None }
    }

    /// An integer of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Value::Int(n) = self { Some(*n) } else { None }
    }

    /// A number, as near as 64 bits get to it.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(n) => Some(*n as f64),
            Value::Json(text) => number::parse(text).and_then(|_| text.parse().ok()),
            _ => None,
        }
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }
}

impl Key {
    /// An integer.
    pub fn as_i64(&self) -> Option<i64> {
        if let Key::Int(n) = self { Some(*n) } else { None }
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Key::Text(text) = self { Some(text) } else { None }
    }
}

/// Integers of a value that are of 64 bits at most, which no value has as JSON.
macro_rules! integers_of {
    ($($ty:ty)*) => {$(
        impl TryFrom<Value> for $ty {
            type Error = WrongType;

            fn try_from(value: Value) -> Result<$ty, WrongType> {
                let found = value.as_i64().and_then(|n| n.try_into().ok());
                found.ok_or(WrongType { wanted: stringify!($ty), value })
            }
        }
    )*};
}

integers_of!(i8 i16 i32 i64 isize u8 u16 u32);

/// Integers of a value that may be past 64 bits.
macro_rules! large_of {
    ($($ty:ty)*) => {$(
        impl TryFrom<Value> for $ty {
            type Error = WrongType;

            fn try_from(value: Value) -> Result<$ty, WrongType> {
                let found = match &value {
                    Value::Int(n) => (*n).try_into().ok(),
                    Value::Json(text) => text.parse().ok(),
                    _ => None,
                };
                found.ok_or(WrongType { wanted: stringify!($ty), value })
            }
        }
    )*};
}

large_of!(i128 u64 u128 usize);

macro_rules! others_of {
    ($($ty:ident: $as:ident;)*) => {$(
        impl TryFrom<Value> for $ty {
            type Error = WrongType;

            fn try_from(value: Value) -> Result<$ty, WrongType> {
                let found = value.$as().map($ty::from);
                found.ok_or(WrongType { wanted: stringify!($ty), value })
            }
        }
    )*};
}

others_of! {
    bool: as_bool;
    f64: as_f64;
    String: as_str;
}

impl<T: TryFrom<Value, Error = WrongType>> TryFrom<Value> for Vec<T> {
    type Error = WrongType;

    fn try_from(value: Value) -> Result<Vec<T>, WrongType> {
        let json = match &value {
            Value::Json(text) => text.parse().ok(),
            _ => None,
        };
        match json {
            Some(Json::Array(items)) => {
                items.into_iter().map(|item| T::try_from(item.into())).collect()
            }
            _ => Err(WrongType { wanted: "list", value }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(u64::try_from(Value::from(u64::MAX)), Ok(u64::MAX));
        assert_eq!(i128::try_from(Value::from(i128::MIN)), Ok(i128::MIN));
        assert_eq!(i8::try_from(Value::from(-7_i8)), Ok(-7));
        assert_eq!(usize::try_from(Value::from(7_usize)), Ok(7));
        assert_eq!(f64::try_from(Value::from(0.1)), Ok(0.1));
        assert_eq!(f64::try_from(Value::from(f64::MAX)), Ok(f64::MAX));
        assert_eq!(f64::try_from(Value::from(2.0)), Ok(2.0));
        assert_eq!(bool::try_from(Value::from(true)), Ok(true));
        assert_eq!(String::try_from(Value::from(&"é".to_owned())), Ok("é".to_owned()));
        assert_eq!(Value::from(Some(1)), Value::Int(1));
        assert_eq!(Value::from(None::<i64>), Value::Null);
        assert_eq!(Key::from(u64::MAX), Key::from("18446744073709551615"));
    }

    #[test]
    fn lists() {
        let list = Value::from(["a \"b\"", "c"]);
        assert_eq!(list, Value::Json(r#"["a \"b\"","c"]"#.into()));
        assert_eq!(Vec::<String>::try_from(list.clone()), Ok(vec!["a \"b\"".into(), "c".into()]));
        let error = Vec::<i64>::try_from(list).expect_err("texts");
        assert_eq!(error.to_string(), r#""a \"b\"" is no i64"#);
        let error = Vec::<i64>::try_from(Value::Int(1)).expect_err("an integer");
        assert_eq!(error.to_string(), "1 is no list");
        let nested = vec![vec![1, 2], Vec::new()];
        assert_eq!(Value::from(&nested).to_string(), "[[1,2],[]]");
        assert_eq!(Vec::<Vec<i32>>::try_from(Value::from(&nested[..])), Ok(nested));
        assert_eq!(Value::from([Some(true), None]).to_string(), "[true,null]");
    }

    #[test]
    fn other_types_are_refused() {
        let error = u8::try_from(Value::Int(256)).expect_err("too large");
        assert_eq!(error.to_string(), "256 is no u8");
        assert!(i64::try_from(Value::from("1")).is_err());
        assert!(String::try_from(Value::Int(1)).is_err());
        assert!(f64::try_from(Value::from("1.5")).is_err());
        assert_eq!(Value::Json("[1.5]".into()).as_f64(), None);
    }

    #[test]
    fn numbers_that_json_lacks_are_no_nulls() {
        assert_eq!(Value::from(f64::NAN), Value::from("NaN"));
        assert_eq!(Value::from(f32::NEG_INFINITY), Value::from("-inf"));
        assert_eq!(Value::from(1.0), Value::Int(1));
        assert_eq!(Value::from(-0.0), Value::Int(0));
        assert_eq!(Value::from(0.1_f32).to_string(), "0.1");
    }
}
