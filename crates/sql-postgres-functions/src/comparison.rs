//! Comparison operators, and the functions behind sort orders.
//!
//! Values of one type compare by [`Datum::compare`]; so do integers of any width, and the two floats. Dates
//! and the two timestamps are brought to one clock first.

use std::cmp::Ordering;

use super::args::mismatch;
use super::table::*;
use super::{Call, Function};
use crate::error::Result;
use crate::types::{Datum, datetime};

fn order(call: &mut Call<'_>) -> Result<Ordering> {
    Ok(call.arg(0).compare(call.arg(1)))
}

/// A date or timestamp of either kind as microseconds of UTC; what has no zone is local.
fn instant(call: &Call<'_>, i: usize, zoned: bool) -> Result<i64> {
    let local = match call.arg(i) {
        Datum::Date(day) => datetime::date_to_timestamp_saturating(*day),
        Datum::Timestamp(at) => *at,
        other => return mismatch("a date or a timestamp", other),
    };
    if zoned && call.ty(i) != TIMESTAMPTZ {
        return datetime::local_to_utc(local, &call.cx.types());
    }
    Ok(local)
}

fn order_instants(call: &mut Call<'_>) -> Result<Ordering> {
    let zoned = call.ty(0) == TIMESTAMPTZ || call.ty(1) == TIMESTAMPTZ;
    Ok(instant(call, 0, zoned)?.cmp(&instant(call, 1, zoned)?))
}

macro_rules! comparisons {
    ($order:ident: $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident) => {
        fn $eq(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_eq()))
        }
        fn $ne(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_ne()))
        }
        fn $lt(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_lt()))
        }
        fn $le(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_le()))
        }
        fn $gt(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_gt()))
        }
        fn $ge(call: &mut Call<'_>) -> Result<Datum> {
            Ok(Datum::Bool($order(call)?.is_ge()))
        }
    };
}

comparisons!(order: eq ne lt le gt ge);
comparisons!(order_instants: eq_instant ne_instant lt_instant le_instant gt_instant ge_instant);

/// The six operators on each pair of types that compare as they are.
macro_rules! same {
    ($(($left:ident, $right:ident))*) => { &[$(
        function("=", &[$left, $right], BOOL, eq),
        function("<>", &[$left, $right], BOOL, ne),
        function("<", &[$left, $right], BOOL, lt),
        function("<=", &[$left, $right], BOOL, le),
        function(">", &[$left, $right], BOOL, gt),
        function(">=", &[$left, $right], BOOL, ge),
    )*] };
}

/// The six operators on pairs of dates and timestamps.
macro_rules! instants {
    ($(($left:ident, $right:ident))*) => { &[$(
        function("=", &[$left, $right], BOOL, eq_instant).stable(),
        function("<>", &[$left, $right], BOOL, ne_instant).stable(),
        function("<", &[$left, $right], BOOL, lt_instant).stable(),
        function("<=", &[$left, $right], BOOL, le_instant).stable(),
        function(">", &[$left, $right], BOOL, gt_instant).stable(),
        function(">=", &[$left, $right], BOOL, ge_instant).stable(),
    )*] };
}

pub(super) static SAME: &[Function] = same! {
    (INT4, INT4) (INT8, INT8) (TEXT, TEXT) (INT8, INT4) (INT4, INT8) (BOOL, BOOL) (NUMERIC, NUMERIC)
    (UUID, UUID) (INET, INET) (TIMESTAMPTZ, TIMESTAMPTZ) (TIMESTAMP, TIMESTAMP) (DATE, DATE) (INT2, INT2) (INT2, INT4)
    (INT4, INT2) (INT2, INT8) (INT8, INT2) (FLOAT8, FLOAT8) (FLOAT4, FLOAT4) (FLOAT4, FLOAT8)
    (FLOAT8, FLOAT4) (BPCHAR, BPCHAR) (CHAR, CHAR) (NAME, NAME) (NAME, TEXT) (TEXT, NAME) (OID, OID)
    (BYTEA, BYTEA) (TIME, TIME) (TIMETZ, TIMETZ) (INTERVAL, INTERVAL) (JSONB, JSONB)
    (OIDVECTOR, OIDVECTOR) (ANYARRAY, ANYARRAY) (ANYENUM, ANYENUM) (RECORD, RECORD)
    (ANYRANGE, ANYRANGE) (TID, TID) (XID8, XID8)
};

pub(super) static INSTANTS: &[Function] = instants! {
    (DATE, TIMESTAMP) (DATE, TIMESTAMPTZ) (TIMESTAMP, DATE) (TIMESTAMP, TIMESTAMPTZ) (TIMESTAMPTZ, DATE)
    (TIMESTAMPTZ, TIMESTAMP)
};

pub(super) static OTHERS: &[Function] = &[
    function("=", &[XID, XID], BOOL, eq),
    function("<>", &[XID, XID], BOOL, ne),
    function("=", &[XID, INT4], BOOL, eq),
    function("<>", &[XID, INT4], BOOL, ne),
    function("^@", &[TEXT, TEXT], BOOL, starts_with),
    function("starts_with", &[TEXT, TEXT], BOOL, starts_with),
];

fn starts_with(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(call.text(0)?.starts_with(call.text(1)?)))
}
