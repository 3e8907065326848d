//! IF, IFNULL and their like; truths.

use std::cmp::Ordering;

use hobgoblin_sql_mysql_types::my_type::NOT_FIXED;
use hobgoblin_sql_mysql_types::temporal::{read_moment, read_time};
use hobgoblin_sql_mysql_types::{Kind, MyType, cast, common, literal};
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

/// A branch that is NULL does not count here, not even for the sign.
fn branches(types: &[MyType]) -> Result<MyType> {
    let branches = types.get(1..).unwrap_or_default().iter().copied();
    let known: Vec<MyType> = branches.filter(|ty| ty.kind != Kind::Null).collect();
    common::common(&known)
}

fn if_then(call: &mut Call<'_>) -> Result<Datum> {
    match call.as_truth(0) {
        Some(true) => chosen(call, 1),
        _ => chosen(call, 2),
    }
}

/// The second of three if the first is not NULL, else the third.
fn known_then(call: &mut Call<'_>) -> Result<Datum> {
    chosen(call, if call.null(0) { 2 } else { 1 })
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

/// What GREATEST and LEAST compare as: a time if one is among them, a number if a text meets one.
fn extreme_type(types: &[MyType]) -> Result<MyType> {
    let known: Vec<MyType> = types.iter().copied().filter(|ty| *ty != MyType::NULL).collect();
    let has = |of: fn(&MyType) -> bool| known.iter().any(of);
    let (texts, numbers) = (has(|ty| ty.is_text()), has(|ty| ty.is_number()));
    if has(|ty| ty.is_moment()) {
        let moments: Vec<MyType> = known.iter().copied().filter(|ty| ty.is_moment()).collect();
        let moment = common::common(&moments)?;
        let digits = |ty: &MyType| match ty.is_float() || ty.is_text() {
            true => 6,
            false => ty.fraction_digits().min(6) as u8,
        };
        let scale = known.iter().map(digits).max().unwrap_or(0);
        return Ok(match moment.kind {
            Kind::Date => moment,
            _ => MyType { scale, ..moment },
        });
    }
    let hex = has(|ty| ty.kind == Kind::Hex);
    if numbers && (known.len() < types.len() || hex) {
        let exact = known.iter().all(|ty| !ty.is_text() && !ty.is_float());
        let scale = known.iter().map(|ty| ty.fraction_digits()).max().unwrap_or(0) as u8;
        return Ok(MyType { scale: if exact { scale } else { NOT_FIXED }, ..MyType::DOUBLE });
    }
    match texts && numbers {
        true => Ok(MyType::DOUBLE),
        false => common::common(types),
    }
}

/// A constant beside times has as many digits of a second as are written.
fn extreme_of(types: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let is_moment = |text: &str| match out.kind {
        Kind::Time => read_time(text).is_some(),
        _ => read_moment(text, false).is_some_and(|found| !found.cut),
    };
    let written = |(ty, constant): (&MyType, &Option<&Datum>)| match constant {
        Some(Datum::Text(text)) if is_moment(text) => u32::from(literal::written_digits(text)),
        _ if ty.is_float() || ty.is_text() => 6,
        _ => ty.fraction_digits().min(6),
    };
    match out.kind {
        Kind::Time | Kind::DateTime => {
            let scale = types.iter().zip(constants).map(written).max().unwrap_or(0) as u8;
            MyType { scale, ..out }
        }
        _ => out,
    }
}

fn extreme(call: &mut Call<'_>, wanted: Ordering) -> Result<Datum> {
    let mut best = Datum::Null;
    let env = call.env();
    let out = call.out();
    for i in 0..call.args.len() {
        let mut value = chosen(call, i)?;
        if value.is_null() {
            // What is no day is the earliest one.
            value = match out.kind {
                Kind::Date => Datum::Date(0),
                Kind::Time => return Ok(Datum::Null),
                _ => Datum::Timestamp(0),
            };
        }
        if best.is_null() || order(&value, &best, (out, out), &env) == Some(wanted) {
            best = value;
        }
    }
    Ok(best)
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
    row("nvl2", 3..=3, branches, known_then).with_nulls(),
    row("ifnull", 2..=2, common::common, first_known).with_nulls(),
    row("nvl", 2..=2, common::common, first_known).with_nulls(),
    row("coalesce", 1..=255, common::common, first_known).with_nulls(),
    row("nullif", 2..=2, first_type, null_if).with_nulls(),
    row("greatest", 2..=255, extreme_type, |call| extreme(call, Ordering::Greater))
        .refined(extreme_of),
    row("least", 2..=255, extreme_type, |call| extreme(call, Ordering::Less)).refined(extreme_of),
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
