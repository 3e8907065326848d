//! Numbers that JSON does not have: `serde_json` writes null for them, as for a value that is absent.

use std::fmt::Display;

use serde::ser::{Impossible, Serialize, Serializer};

/// Whether a value is NaN or infinite, by itself or wrapped.
pub(crate) fn is_odd(value: &impl Serialize) -> bool {
    value.serialize(Odd).is_ok()
}

/// Takes such numbers, and nothing else.
struct Odd;

/// It is something else.
#[derive(Debug)]
struct Other;

impl Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this is no such number")
    }
}

impl std::error::Error for Other {}

impl serde::ser::Error for Other {
    fn custom<T: Display>(_: T) -> Other {
        Other
    }
}

/// What is refused, by name and argument.
macro_rules! refused {
    ($($name:ident($($ty:ty),*);)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<(), Other> {
            Err(Other)
        })*
    };
}

/// What is refused and would have parts.
macro_rules! refused_parts {
    ($($name:ident($($ty:ty),*) -> $part:ident;)*) => {
        $(fn $name(self, $(_: $ty),*) -> Result<Self::$part, Other> {
            Err(Other)
        })*
    };
}

impl Serializer for Odd {
    type Ok = ();
    type Error = Other;
    type SerializeSeq = Impossible<(), Other>;
    type SerializeTuple = Impossible<(), Other>;
    type SerializeTupleStruct = Impossible<(), Other>;
    type SerializeTupleVariant = Impossible<(), Other>;
    type SerializeMap = Impossible<(), Other>;
    type SerializeStruct = Impossible<(), Other>;
    type SerializeStructVariant = Impossible<(), Other>;

    fn serialize_f32(self, value: f32) -> Result<(), Other> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Other> {
        if value.is_finite() { Err(Other) } else { Ok(()) }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Other> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Other> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Other> {
        Err(Other)
    }

    refused! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    refused_parts! {
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }
}
