//! PostgreSQL's types and values: what they are, how they read and print, how they compare and convert.
//!
//! A type is its PostgreSQL oid, so that it means the same here, on the wire and in `pg_catalog`. A value
//! is a [`Datum`]; it does not carry its type, whoever holds it knows it.

pub mod binary;
pub mod builtin;
pub mod calls;
pub mod cast;
pub mod datetime;
pub mod error;
mod facts;
mod format;
pub mod interval;
pub mod numeric;
pub mod range;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod text;
mod type_id;
mod words;

pub use facts::facts;
pub use format::{DateOrder, DateStyle, Format, IntervalStyle};
pub use hobgoblin_sql_schema::names::{EnumType, Names, NoNames, TypeEnv};
pub use hobgoblin_sql_value::{
    Array, Citext, Datum, Grouped, Hstore, Inet, Interval, Json, MAX_DIMENSIONS, Numeric, Oid,
    TypeId, compare_floats, hstore, json, unpadded,
};
pub use type_id::PgType;
pub use words::worded;

/// The type modifier that clients are told: the numbers of shapes mean nothing to them.
pub fn sent_typmod(ty: TypeId, typmod: i32) -> i32 {
    if ty == TypeId::RECORD || ty == TypeId::RECORD_ARRAY { -1 } else { typmod }
}
