//! Comparisons: `=`, `<`, `<=>` and their like.
//!
//! | operands | compared as |
//! | --- | --- |
//! | two texts | the keys of the collation that counts: each is converted to a sort key, and those are bytes |
//! | a text and bytes | bytes |
//! | two numbers | numbers, exactly unless one is a float |
//! | an integer and a text | decimals |
//! | another number and a text | decimals if the number is exact and the text a constant, else DOUBLEs |
//! | a day or time and anything | days and times; a text that is none is told of |
//!
//! The first two and most numbers are compared as they are, so that an index finds them.

use std::cmp::Ordering;

use hobgoblin_sql_mysql_types::collation::Collation;
use hobgoblin_sql_mysql_types::{Coercibility, Kind, MyType, common, convert};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::{Call, Candidate, Function};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::datetime::DAY;
use hobgoblin_sql_value::{Datum, TypeId, compare_floats};

use crate::entry::Read;
use crate::json::unquoted;

/// How two operands are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As they are.
    Direct,
    /// As keys of a collation.
    Keys(Collation),
    /// As bytes.
    Bytes,
    /// As whatever their types ask for.
    Mixed,
}

/// What a condition or a text counts as beside others.
fn way(a: MyType, b: MyType) -> Result<Way> {
    let text = |ty: MyType| ty.is_text() || matches!(ty.kind, Kind::Enum | Kind::Set);
    let document = |ty: MyType| ty.kind == Kind::Json && ty.held_loosely();
    if document(a) != document(b) && text(a) && text(b) {
        return Ok(Way::Mixed);
    }
    if a.kind == Kind::SortKey && b.kind == Kind::SortKey {
        return Ok(Way::Direct);
    }
    if a.kind == b.kind && matches!(a.kind, Kind::Enum | Kind::Set) && a.length == b.length {
        return Ok(Way::Direct);
    }
    let either = |kind: Kind| a.kind == kind || b.kind == kind;
    let texts = |ty: MyType| text(ty) || matches!(ty.kind, Kind::Hex | Kind::Null);
    if texts(a) && texts(b) && (text(a) || text(b) || either(Kind::Hex)) {
        let (collation, _) = common::collation_of(&[a, b], "=")?;
        return Ok(match collation == Collation::BINARY {
            true => Way::Bytes,
            false => Way::Keys(collation),
        });
    }
    if (a.kind == Kind::Year) != (b.kind == Kind::Year) {
        return Ok(Way::Mixed);
    }
    let exact = |ty: MyType| {
        ty.is_integer() && ty.kind != Kind::Truth || ty.kind == Kind::Decimal || ty.is_float()
    };
    if exact(a) && exact(b) && !(a.is_float() != b.is_float() && either(Kind::Decimal)) {
        return Ok(Way::Direct);
    }
    Ok(match a.kind == b.kind && (a.is_moment() || a.kind == Kind::Truth) {
        true => Way::Direct,
        false => Way::Mixed,
    })
}

/// The order of two values of any types; nothing if there is none.
pub(crate) fn order(
    a: &Datum,
    b: &Datum,
    types: (MyType, MyType),
    env: &TypeEnv<'_>,
) -> Option<Ordering> {
    if a.is_null() || b.is_null() {
        return None;
    }
    let (x, y) = types;
    match way(x, y) {
        Ok(Way::Direct) => return Some(a.compare(b)),
        Ok(Way::Keys(collation)) => {
            let (a, b) = (convert::to_text(a, x, env), convert::to_text(b, y, env));
            return Some(collation.compare(&a, &b));
        }
        Ok(Way::Bytes) | Err(_) => {
            return Some(convert::to_bytes(a, x, env).cmp(&convert::to_bytes(b, y, env)));
        }
        Ok(Way::Mixed) => {}
    }
    if x.is_text() && y.is_text() {
        // A string of a document is compared without its quotes.
        let read = |value: &Datum, ty: MyType| {
            let text = convert::to_text(value, ty, env);
            if ty.kind == Kind::Json { unquoted(&text) } else { text.into_owned() }
        };
        let collation = if x.kind == Kind::Json { y.collation } else { x.collation };
        return Some(collation.compare(&read(a, x), &read(b, y)));
    }
    if x.is_moment() || y.is_moment() {
        return moments(a, b, types, env);
    }
    if x.kind == Kind::Year || y.kind == Kind::Year {
        // Years of two digits are of this century or the last one.
        let year = |value: &Datum, ty: MyType| match convert::to_integer(value, ty, env) {
            short @ 1..70 => short + 2000,
            short @ 70..100 => short + 1900,
            year => year,
        };
        if (x.is_integer() || x.is_text()) && (y.is_integer() || y.is_text()) {
            return Some(year(a, x).cmp(&year(b, y)));
        }
    }
    let literal = |ty: MyType| ty.is_text() && ty.coercibility >= Coercibility::Literal;
    let exact = |ty: MyType| ty.is_integer() || ty.kind == Kind::Decimal || ty.kind == Kind::Hex;
    let whole = x.is_text() && y.is_integer() || x.is_integer() && y.is_text();
    let decimals = whole || (exact(x) || literal(x)) && (exact(y) || literal(y));
    Some(match decimals {
        true => convert::to_numeric(a, x, env).cmp(&convert::to_numeric(b, y, env)),
        false => compare_floats(convert::to_double(a, x, env), convert::to_double(b, y, env)),
    })
}

/// Days and times with each other, and with what is taken for them.
fn moments(a: &Datum, b: &Datum, (x, y): (MyType, MyType), env: &TypeEnv<'_>) -> Option<Ordering> {
    if x.kind == Kind::Time && !y.has_date() || y.kind == Kind::Time && !x.has_date() {
        let span = |value: &Datum, ty: MyType| convert::to_time(value, ty, env).unwrap_or(0);
        return Some(span(a, x).cmp(&span(b, y)));
    }
    let packed = |value: &Datum, ty: MyType| -> i64 {
        convert::to_moment(value, ty, env).map_or(-DAY, |moment| moment.packed())
    };
    Some(packed(a, x).cmp(&packed(b, y)))
}

fn ordered(call: &Call<'_>) -> Option<Ordering> {
    order(call.arg(0), call.arg(1), (call.my(0), call.my(1)), &call.env())
}

fn truth(call: &Call<'_>, of: fn(Ordering) -> bool) -> Result<Datum> {
    Ok(ordered(call).map_or(Datum::Null, |order| Datum::Bool(of(order))))
}

const fn comparison(name: &'static str, eval: fn(&mut Call<'_>) -> Result<Datum>) -> Function {
    Function::new(name, &[], TypeId::BOOLEAN, eval).variadic()
}

fn null_safe(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(match (call.null(0), call.null(1)) {
        (true, true) => true,
        (false, false) => ordered(call) == Some(Ordering::Equal),
        _ => false,
    }))
}

static OPERATORS: &[Function] = &[
    comparison("=", |call| truth(call, Ordering::is_eq)),
    comparison("<>", |call| truth(call, Ordering::is_ne)),
    comparison("<", |call| truth(call, Ordering::is_lt)),
    comparison("<=", |call| truth(call, Ordering::is_le)),
    comparison(">", |call| truth(call, Ordering::is_gt)),
    comparison(">=", |call| truth(call, Ordering::is_ge)),
    comparison("<=>", null_safe).with_nulls(),
];

/// The comparison that an operator means, and what its operands are converted to.
pub(crate) fn find(op: &str, a: MyType, b: MyType) -> Result<Option<Candidate<Function>>> {
    let op = if op == "!=" { "<>" } else { op };
    let Some(function) = OPERATORS.iter().find(|function| function.name == op) else {
        return Ok(None);
    };
    let args = match way(a, b)? {
        Way::Keys(collation) => {
            let key = MyType::key(collation).id();
            vec![key, key]
        }
        Way::Direct | Way::Bytes | Way::Mixed => vec![a.id(), b.id()],
    };
    Ok(Some(Candidate { function, args, result: TypeId::BOOLEAN }))
}
