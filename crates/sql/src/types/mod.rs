//! PostgreSQL's types and values: what they are, how they read and print, how they compare and convert.
//!
//! A type is its PostgreSQL oid, so that it means the same here, on the wire and in `pg_catalog`. A value
//! is a [`Datum`]; it does not carry its type, whoever holds it knows it.

mod array;
pub mod cast;
mod datum;
mod env;
mod interval;
mod json;
mod numeric;
mod oid;

pub use array::Array;
pub use datum::Datum;
pub use env::{EnumType, Format, Names, TypeEnv};
pub use interval::Interval;
pub use json::Json;
pub use numeric::Numeric;
pub use oid::{Oid, TypeId};
