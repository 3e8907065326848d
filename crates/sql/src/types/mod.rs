//! PostgreSQL's types and values: what they are, how they read and print, how they compare and convert.
//!
//! A type is its PostgreSQL oid, so that it means the same here, on the wire and in `pg_catalog`. A value
//! is a [`Datum`]; it does not carry its type, whoever holds it knows it.

mod array;
mod assign;
pub mod binary;
pub mod builtin;
pub mod cast;
mod citext;
mod compare;
pub mod datetime;
mod datum;
mod env;
pub mod hstore;
mod inet;
pub mod interval;
pub mod json;
mod numeric;
mod oid;
pub mod range;
pub mod record;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod text;

pub use array::{Array, parse_array};
pub(crate) use array::{MAX_DIMENSIONS, too_many_dimensions};
pub use citext::Citext;
pub use compare::{Grouped, compare_floats};
pub use datum::Datum;
pub(crate) use datum::unpadded;
pub use env::{DateOrder, DateStyle, EnumType, Format, IntervalStyle, Names, NoNames, TypeEnv};
pub use hstore::Hstore;
pub use inet::Inet;
pub use interval::Interval;
pub use json::Json;
pub use numeric::Numeric;
pub use oid::{Oid, TypeId};
