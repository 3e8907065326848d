//! The types and values of MySQL and MariaDB: what they are, how they read and print, how they convert and compare.
//!
//! A type is a [`MyType`]: all of it, digits and collation included, is in its number ([`my_type`]). There are
//! TINYINT to BIGINT with and without sign, BOOL, DECIMAL, FLOAT, DOUBLE, BIT, YEAR, DATE, DATETIME, TIMESTAMP, TIME,
//! CHAR, VARCHAR, BINARY, VARBINARY, the families of TEXT and BLOB, ENUM, SET and JSON. Values are
//! [`Datum`]s:
//!
//! | types | datum |
//! | --- | --- |
//! | integers, BIT, YEAR, SET | `Int`, above 2⁶³ − 1 `Numeric` ([`number`]) |
//! | DECIMAL | `Numeric` |
//! | FLOAT, DOUBLE | `Float` |
//! | DATE; DATETIME and TIMESTAMP; TIME | `Date`, `Timestamp`, `Time`, packed ([`temporal`]) |
//! | texts with letters; bytes and keys of collations | `Text`; `Bytes` |
//! | ENUM | `Enum`, its place and its text ([`members`]) |
//! | conditions | `Bool`, which is shown as 1 or 0 |
//!
//! What goes wrong in an expression is a warning in the session's [`Settings`]; what a column has no room for is an error in
//! strict mode ([`mod@assign`]). Nothing here knows functions.

pub mod assign;
pub mod cast;
mod charset;
pub mod client;
pub mod collation;
pub mod common;
pub mod convert;
mod cp1252;
pub mod error;
mod facts;
pub mod literal;
pub mod members;
pub mod my_type;
pub mod names;
pub mod number;
mod settings;
mod speaker;
pub mod temporal;
pub mod text;
mod users;
mod words;

pub use cast::{cast, cast_context};
pub use charset::Charset;
pub use collation::Collation;
pub use common::common_type;
pub use facts::facts;
pub use hobgoblin_sql_value::TypeId;
pub use my_type::{Coercibility, Kind, MyType};
pub use names::{type_name, type_named};
pub use settings::{Settings, Severity, SqlMode, Version, Warning, Warnings};
pub use speaker::Speaker;
pub use text::{parse_stored, print, print_stored};
pub use users::{UserValue, UserVariables};
pub use words::worded;

use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

/// A text as a value of a type, as a column takes it.
pub fn parse(text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
    let from = MyType::text(0, Collation::DEFAULT);
    assign::assign(&Datum::text(text), from, MyType::of(ty), &assign::Place::default(), env)
}
