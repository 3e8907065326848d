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

/// `text[]`.
pub const TEXTS: TypeId = TypeId(1009);
/// `name[]`.
pub const NAMES: TypeId = TypeId(1003);
/// `integer[]`.
pub const INT4S: TypeId = TypeId(1007);
/// `double precision[]`.
pub const FLOAT8S: TypeId = TypeId(1022);
/// `interval[]`.
pub const INTERVALS: TypeId = TypeId(1187);

/// A strict, immutable function; its methods change that.
pub const fn function(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    eval: fn(&mut Call<'_>) -> Result<Datum>,
) -> Function {
    Function::new(name, args, result, eval)
}

/// A strict function that gives rows.
pub const fn rows(
    name: &'static str,
    args: &'static [TypeId],
    columns: &'static [(&'static str, TypeId)],
    eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
) -> SetFunction {
    SetFunction::new(name, args, columns, eval)
}

/// An aggregate.
pub const fn aggregate(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    start: fn(&[TypeId]) -> Box<dyn Accumulator>,
) -> Aggregate {
    Aggregate { name, args, result, start }
}
