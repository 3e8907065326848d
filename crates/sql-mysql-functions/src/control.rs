//! IF, IFNULL and their like; truths.

use std::cmp::Ordering;

use hobgoblin_sql_mysql_types::{MyType, cast, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::{Datum, TypeId};

use crate::compare::order;
use crate::entry::{Entry, Read, a_truth, an_int, row};

/// An argument as the result has it.
fn chosen(call: &Call<'_>, i: usize) -> Result<Datum> {
    let (from, to) = (call.ty(i), call.result);
    if from == to || call.null(i) {
        return Ok(call.arg(i).clone());
    }
    if call.my(i).is_text() && call.out().is_text() && !call.out().is_bytes() {
        return Ok(call.arg(i).clone());
    }
    let loose = MyType { length: 0, ..call.out() };
    let to = if loose.is_text() { loose.id() } else { to };
    cast(call.arg(i).clone(), from, to, true, &call.env())
}

fn branches(types: &[MyType]) -> Result<MyType> {
    common::common(types.get(1..).unwrap_or_default())
}

fn if_then(call: &mut Call<'_>) -> Result<Datum> {
    match call.as_truth(0) {
        Some(true) => chosen(call, 1),
        _ => chosen(call, 2),
    }
}

fn first_known(call: &mut Call<'_>) -> Result<Datum> {
    match (0..call.args.len()).find(|&i| !call.null(i)) {
        Some(i) => chosen(call, i),
        None => Ok(Datum::Null),
    }
}

fn first_type(types: &[MyType]) -> Result<MyType> {
    Ok(types.first().copied().unwrap_or(MyType::NULL))
}

fn null_if(call: &mut Call<'_>) -> Result<Datum> {
    let types = (call.my(0), call.my(1));
    let same = order(call.arg(0), call.arg(1), types, &call.env()) == Some(Ordering::Equal);
    Ok(if same { Datum::Null } else { call.arg(0).clone() })
}

/// What GREATEST and LEAST compare as: a text beside a number is a number.
fn extreme_type(types: &[MyType]) -> Result<MyType> {
    let known: Vec<MyType> = types.iter().copied().filter(|ty| *ty != MyType::NULL).collect();
    let texts = known.iter().filter(|ty| ty.is_text()).count();
    let numbers = known.iter().any(|ty| ty.is_number());
    if texts > 0 && numbers {
        return Ok(MyType::DOUBLE);
    }
    let moment = known.iter().find(|ty| ty.is_moment());
    match moment {
        Some(moment) if texts > 0 => Ok(*moment),
        _ => common::common(types),
    }
}

fn extreme(call: &mut Call<'_>, wanted: Ordering) -> Result<Datum> {
    let mut best: Option<usize> = None;
    let env = call.env();
    for i in 0..call.args.len() {
        let better = match best {
            None => true,
            Some(at) => {
                let types = (call.my(i), call.my(at));
                order(call.arg(i), call.arg(at), types, &env) == Some(wanted)
            }
        };
        best = if better { Some(i) } else { best };
    }
    best.map_or(Ok(Datum::Null), |i| chosen(call, i))
}

fn exclusive(call: &mut Call<'_>) -> Result<Datum> {
    Ok(match (call.as_truth(0), call.as_truth(1)) {
        (Some(a), Some(b)) => Datum::Bool(a != b),
        _ => Datum::Null,
    })
}

fn not(call: &mut Call<'_>) -> Result<Datum> {
    Ok(call.as_truth(0).map_or(Datum::Null, |truth| Datum::Bool(!truth)))
}

fn is_true(call: &mut Call<'_>) -> Result<Datum> {
    Ok(call.as_truth(0).map_or(Datum::Null, Datum::Bool))
}

fn interval(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Int(-1));
    }
    let value = call.as_numeric(0);
    let below = |i: &usize| call.null(*i) || call.as_numeric(*i) <= value;
    Ok(Datum::Int((1..call.args.len()).take_while(below).count() as i64))
}

fn is_null(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(call.null(0)))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("if", 3..=3, branches, if_then).with_nulls(),
    row("ifnull", 2..=2, common::common, first_known).with_nulls(),
    row("nvl", 2..=2, common::common, first_known).with_nulls(),
    row("coalesce", 1..=255, common::common, first_known).with_nulls(),
    row("nullif", 2..=2, first_type, null_if).with_nulls(),
    row("greatest", 2..=255, extreme_type, |call| extreme(call, Ordering::Greater)),
    row("least", 2..=255, extreme_type, |call| extreme(call, Ordering::Less)),
    row("interval", 2..=255, an_int, interval).with_nulls(),
    row("isnull", 1..=1, a_truth, is_null).with_nulls(),
];

pub(crate) static OPERATORS: &[Entry] = &[row("XOR", 2..=2, a_truth, exclusive)];

pub(crate) static PREFIXES: &[Entry] =
    &[row("!", 1..=1, a_truth, not), row("is_true", 1..=1, a_truth, is_true)];

/// The function that makes a condition of any value: `x <> 0` with all that a text is told of.
pub(crate) fn condition(ty: TypeId) -> Option<&'static Entry> {
    (ty != TypeId::BOOLEAN).then(|| &PREFIXES[1])
}
