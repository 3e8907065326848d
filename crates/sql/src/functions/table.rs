//! How the tables of functions are written down: short names for types, and constructors.

use super::{Accumulator, Aggregate, Call, Function, SetFunction};
use crate::error::Result;
use crate::types::{Datum, PgType, TypeId};

macro_rules! short {
    ($($name:ident)*) => { $(pub(super) const $name: TypeId = TypeId::$name;)* };
}

short! {
    BOOL BYTEA CHAR NAME INT8 INT2 INT4 TEXT OID XID XID8 TID OIDVECTOR JSON FLOAT4 FLOAT8
    UNKNOWN INET BPCHAR VARCHAR DATE TIME TIMESTAMP TIMESTAMPTZ INTERVAL TIMETZ NUMERIC REGCLASS REGTYPE
    RECORD ANY ANYARRAY VOID ANYELEMENT ANYNONARRAY UUID ANYENUM JSONB
    ANYCOMPATIBLE ANYCOMPATIBLEARRAY ANYRANGE
}

/// `text[]`.
pub(super) const TEXTS: TypeId = TypeId(1009);
/// `name[]`.
pub(super) const NAMES: TypeId = TypeId(1003);
pub(super) const INTS: TypeId = TypeId(1007);
/// `integer[]`.
pub(super) const INT4S: TypeId = TypeId(1007);
/// `double precision[]`.
pub(super) const FLOAT8S: TypeId = TypeId(1022);
/// `interval[]`.
pub(super) const INTERVALS: TypeId = TypeId(1187);

/// A strict, immutable function; its methods change that.
pub(super) const fn function(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    eval: fn(&mut Call<'_>) -> Result<Datum>,
) -> Function {
    Function::new(name, args, result, eval)
}

/// A strict function that gives rows.
pub(super) const fn rows(
    name: &'static str,
    args: &'static [TypeId],
    columns: &'static [(&'static str, TypeId)],
    eval: fn(&mut Call<'_>) -> Result<Vec<Vec<Datum>>>,
) -> SetFunction {
    SetFunction::new(name, args, columns, eval)
}

/// An aggregate.
pub(super) const fn aggregate(
    name: &'static str,
    args: &'static [TypeId],
    result: TypeId,
    start: fn(&[TypeId]) -> Box<dyn Accumulator>,
) -> Aggregate {
    Aggregate { name, args, result, start }
}
