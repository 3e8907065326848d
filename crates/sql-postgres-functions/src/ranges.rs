//! Ranges: their constructors, their ends, and how they lie to each other.

use std::sync::Arc;

use super::args::mismatch;
use super::table::*;
use super::{Call, Function};
use crate::error::{Code, Result, SqlError};
use crate::types::range::{Bound, Range, between, subtype_of};
use crate::types::{Datum, TypeId};

const INT4RANGE: TypeId = TypeId(3904);
const NUMRANGE: TypeId = TypeId(3906);
const TSRANGE: TypeId = TypeId(3908);
const TSTZRANGE: TypeId = TypeId(3910);
const DATERANGE: TypeId = TypeId(3912);
const INT8RANGE: TypeId = TypeId(3926);

fn range<'a>(call: &Call<'a>, at: usize) -> Result<&'a Range> {
    match call.arg(at) {
        Datum::Range(range) => Ok(range),
        other => mismatch("a range", other),
    }
}

fn done(range: Range) -> Result<Datum> {
    Ok(Datum::Range(Arc::new(range)))
}

/// `int4range(1, 5, '[]')`: NULL is no end.
fn construct(call: &mut Call<'_>) -> Result<Datum> {
    let (mut lower, mut upper) = (true, false);
    if call.args.len() > 2 {
        if call.null(2) {
            let text = "range constructor flags argument must not be null";
            return Err(SqlError::new(Code("22000"), text));
        }
        (lower, upper) = match call.text(2)? {
            "[]" => (true, true),
            "[)" => (true, false),
            "(]" => (false, true),
            "()" => (false, false),
            _ => {
                return Err(SqlError::syntax("invalid range bound flags")
                    .hint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\"."));
            }
        };
    }
    let element = subtype_of(call.result).unwrap_or(call.ty(0));
    let value = |at: usize| Some(call.arg(at).clone()).filter(|value| !value.is_null());
    done(between(element, Bound::lower(value(0), lower), Bound::upper(value(1), upper))?)
}

fn lower(call: &mut Call<'_>) -> Result<Datum> {
    let bounds = range(call, 0)?.bounds.as_ref();
    Ok(bounds.and_then(|(lower, _)| lower.value.clone()).unwrap_or(Datum::Null))
}

fn upper(call: &mut Call<'_>) -> Result<Datum> {
    let bounds = range(call, 0)?.bounds.as_ref();
    Ok(bounds.and_then(|(_, upper)| upper.value.clone()).unwrap_or(Datum::Null))
}

fn is_empty(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 0)?.bounds.is_none()))
}

fn of_bounds(call: &Call<'_>, test: fn(&Bound, &Bound) -> bool) -> Result<Datum> {
    let bounds = &range(call, 0)?.bounds;
    Ok(Datum::Bool(bounds.as_ref().is_some_and(|(lower, upper)| test(lower, upper))))
}

fn lower_inc(call: &mut Call<'_>) -> Result<Datum> {
    of_bounds(call, |lower, _| lower.inclusive)
}

fn upper_inc(call: &mut Call<'_>) -> Result<Datum> {
    of_bounds(call, |_, upper| upper.inclusive)
}

fn lower_inf(call: &mut Call<'_>) -> Result<Datum> {
    of_bounds(call, |lower, _| lower.value.is_none())
}

fn upper_inf(call: &mut Call<'_>) -> Result<Datum> {
    of_bounds(call, |_, upper| upper.value.is_none())
}

fn contains(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 0)?.contains(range(call, 1)?)))
}

fn contained(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 1)?.contains(range(call, 0)?)))
}

fn has(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 0)?.has(call.arg(1))))
}

fn within(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 1)?.has(call.arg(0))))
}

fn overlaps(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 0)?.overlaps(range(call, 1)?)))
}

fn adjacent(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(range(call, 0)?.adjacent(range(call, 1)?)))
}

fn before(call: &mut Call<'_>) -> Result<Datum> {
    let fit = |[_, u1, l2, _]: &[&Bound; 4]| u1.compare(l2).is_lt();
    Ok(Datum::Bool(range(call, 0)?.ends(range(call, 1)?, fit)))
}

fn after(call: &mut Call<'_>) -> Result<Datum> {
    let fit = |[l1, _, _, u2]: &[&Bound; 4]| l1.compare(u2).is_gt();
    Ok(Datum::Bool(range(call, 0)?.ends(range(call, 1)?, fit)))
}

fn not_right(call: &mut Call<'_>) -> Result<Datum> {
    let fit = |[_, u1, _, u2]: &[&Bound; 4]| u1.compare(u2).is_le();
    Ok(Datum::Bool(range(call, 0)?.ends(range(call, 1)?, fit)))
}

fn not_left(call: &mut Call<'_>) -> Result<Datum> {
    let fit = |[l1, _, l2, _]: &[&Bound; 4]| l1.compare(l2).is_ge();
    Ok(Datum::Bool(range(call, 0)?.ends(range(call, 1)?, fit)))
}

fn union(call: &mut Call<'_>) -> Result<Datum> {
    done(range(call, 0)?.union(range(call, 1)?, false)?)
}

fn merge(call: &mut Call<'_>) -> Result<Datum> {
    done(range(call, 0)?.union(range(call, 1)?, true)?)
}

fn intersection(call: &mut Call<'_>) -> Result<Datum> {
    done(range(call, 0)?.intersection(range(call, 1)?)?)
}

fn difference(call: &mut Call<'_>) -> Result<Datum> {
    done(range(call, 0)?.difference(range(call, 1)?)?)
}

macro_rules! constructors {
    ($(($name:literal, $range:ident, $element:ident))*) => { &[$(
        function($name, &[$element, $element], $range, construct).with_nulls(),
        function($name, &[$element, $element, TEXT], $range, construct).with_nulls(),
    )*] };
}

pub(super) static CONSTRUCTORS: &[Function] = constructors! {
    ("int4range", INT4RANGE, INT4) ("numrange", NUMRANGE, NUMERIC) ("tsrange", TSRANGE, TIMESTAMP)
    ("tstzrange", TSTZRANGE, TIMESTAMPTZ) ("daterange", DATERANGE, DATE) ("int8range", INT8RANGE, INT8)
};

pub(super) static FUNCTIONS: &[Function] = &[
    function("lower", &[ANYRANGE], ANYELEMENT, lower),
    function("upper", &[ANYRANGE], ANYELEMENT, upper),
    function("isempty", &[ANYRANGE], BOOL, is_empty),
    function("lower_inc", &[ANYRANGE], BOOL, lower_inc),
    function("upper_inc", &[ANYRANGE], BOOL, upper_inc),
    function("lower_inf", &[ANYRANGE], BOOL, lower_inf),
    function("upper_inf", &[ANYRANGE], BOOL, upper_inf),
    function("range_merge", &[ANYRANGE, ANYRANGE], ANYRANGE, merge),
    function("@>", &[ANYRANGE, ANYRANGE], BOOL, contains),
    function("@>", &[ANYRANGE, ANYELEMENT], BOOL, has),
    function("<@", &[ANYRANGE, ANYRANGE], BOOL, contained),
    function("<@", &[ANYELEMENT, ANYRANGE], BOOL, within),
    function("&&", &[ANYRANGE, ANYRANGE], BOOL, overlaps),
    function("-|-", &[ANYRANGE, ANYRANGE], BOOL, adjacent),
    function("<<", &[ANYRANGE, ANYRANGE], BOOL, before),
    function(">>", &[ANYRANGE, ANYRANGE], BOOL, after),
    function("&<", &[ANYRANGE, ANYRANGE], BOOL, not_right),
    function("&>", &[ANYRANGE, ANYRANGE], BOOL, not_left),
    function("+", &[ANYRANGE, ANYRANGE], ANYRANGE, union),
    function("*", &[ANYRANGE, ANYRANGE], ANYRANGE, intersection),
    function("-", &[ANYRANGE, ANYRANGE], ANYRANGE, difference),
];
