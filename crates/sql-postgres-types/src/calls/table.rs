//! How the tables of functions are written down: short names for types, and constructors.

use hobgoblin_sql_schema::function::{Accumulator, Aggregate, Call, Function, SetFunction};

use crate::error::Result;
use crate::{Datum, PgType, TypeId};

macro_rules! short {
    ($($name:ident)*) => { $(#[allow(missing_docs)] pub const $name: TypeId = TypeId::$name;)* };
}

short! {
    BOOL BYTEA CHAR NAME INT8 INT2 INT4 TEXT OID XID XID8 TID OIDVECTOR JSON FLOAT4 FLOAT8
    UNKNOWN INET BPCHAR VARCHAR DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL TIMETZ NUMERIC REGCLASS REGTYPE
    RECORD ANY ANYARRAY VOID ANYELEMENT ANYNONARRAY UUID ANYENUM JSONB
    ANYCOMPATIBLE ANYCOMPATIBLEARRAY ANYRANGE
}

/// The type `text[]`, for signatures.
pub const TEXTS: TypeId = TypeId(1009);
/// The type `name[]`, for signatures.
pub const NAMES: TypeId = TypeId(1003);
/// The type `integer[]`, for signatures.
pub const INT4S: TypeId = TypeId(1007);
/// The type `double precision[]`, for signatures.
pub const FLOAT8S: TypeId = TypeId(1022);
/// The type `interval[]`, for signatures.
pub const INTERVALS: TypeId = TypeId(1187);

/// A row of the tables: a strict, immutable function. Its methods change that.
pub const fn function(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    eval: fn(&mut Call<'_>) -> Result<Datum>,
) -> Function {
    Function::new(name, args, result, eval)
}

/// A row of the tables: a strict function that gives rows.
pub const fn rows(
    name: &'static str,
    args: &'static [TypeId],
    columns: &'static [(&'static str, TypeId)],
    eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
) -> SetFunction {
    SetFunction::new(name, args, columns, eval)
}

/// A row of the tables: an aggregate.
pub const fn aggregate(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    start: fn(&[TypeId]) -> Box<dyn Accumulator>,
) -> Aggregate {
    Aggregate { name, args, result, start }
}
