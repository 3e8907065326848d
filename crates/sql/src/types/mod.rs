//! PostgreSQL's types and values: what they are, how they read and print, how they compare and convert.
//!
//! A type is its PostgreSQL oid, so that it means the same here, on the wire and in `pg_catalog`. A value
//! is a [`Datum`]; it does not carry its type, whoever holds it knows it.

pub mod binary;
pub mod builtin;
pub mod cast;
pub mod datetime;
mod env;
pub mod interval;
pub mod numeric;
pub mod range;
pub mod record;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod text;

pub use env::{DateOrder, DateStyle, EnumType, Format, IntervalStyle, Names, NoNames, TypeEnv};
pub use hobgoblin_sql_value::{
    Array, Citext, Datum, Grouped, Hstore, Inet, Interval, Json, MAX_DIMENSIONS, Numeric, Oid,
    TypeId, compare_floats, hstore, json, unpadded,
};
