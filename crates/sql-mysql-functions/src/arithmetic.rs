//! `+`, `-`, `*`, `/`, DIV, `%`, and the operators on bits.
//!
//! Two integers give an integer, which is BIGINT at most: what is beyond is error 1690. An unsigned one makes it unsigned. A
//! decimal makes it a decimal, whose digits after the point follow from those of the operands; a float or a text makes it a
//! DOUBLE. `/` never gives an integer. What is divided by zero is NULL.
//!
//! A quotient is computed with more digits than it shows: in groups of nine, as the server keeps decimals. So `1/3*3` is 1.0000
//! though `1/3` shows 0.3333.

use hobgoblin_sql_mysql_types::error::out_of_range;
use hobgoblin_sql_mysql_types::my_type::NOT_FIXED;
use hobgoblin_sql_mysql_types::{Kind, MyType, SqlMode, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::{Datum, Numeric};

use crate::entry::{Entry, Read, an_unsigned, row};

/// What an operand counts as.
fn as_number(ty: MyType) -> MyType {
    match ty.kind {
        Kind::Null => MyType { scale: 0, ..MyType::DOUBLE },
        _ if ty.is_bytes() => MyType { scale: 0, ..MyType::DOUBLE },
        Kind::Truth => MyType { length: 2, ..MyType::new(Kind::Int) },
        Kind::Hex => MyType { length: ty.length * 3, ..MyType::UNSIGNED },
        Kind::Enum => MyType { length: 2, ..MyType::new(Kind::Int) },
        Kind::Set => MyType::BIGINT,
        Kind::Bit | Kind::Year => MyType { kind: Kind::BigInt, unsigned: true, ..ty },
        Kind::Decimal | Kind::Float | Kind::Double => ty,
        _ if ty.is_integer() => ty,
        _ if ty.is_moment() && ty.scale == 0 => {
            MyType { length: ty.whole_digits() + 1, ..MyType::new(Kind::BigInt) }
        }
        _ if ty.is_moment() => {
            let scale = u32::from(ty.scale);
            MyType::decimal(ty.whole_digits() + scale, scale)
        }
        _ => MyType::DOUBLE,
    }
}

fn operands(types: &[MyType]) -> (MyType, MyType) {
    let at = |i: usize| as_number(types.get(i).copied().unwrap_or(MyType::NULL));
    (at(0), at(1))
}

fn sign_width(unsigned: bool) -> u32 {
    u32::from(!unsigned)
}

fn sum(types: &[MyType]) -> Result<MyType> {
    let (a, b) = operands(types);
    if a.is_float() || b.is_float() {
        return Ok(double(a, b));
    }
    let whole = a.whole_digits().max(b.whole_digits()) + 1;
    if a.is_integer() && b.is_integer() {
        // Days and times are signed numbers, and make all of it signed.
        let signed = types.iter().any(|ty| ty.is_moment());
        let unsigned = (a.unsigned || b.unsigned) && !signed;
        return Ok(MyType::integer((whole + sign_width(unsigned)).min(21), unsigned));
    }
    let scale = a.fraction_digits().max(b.fraction_digits());
    Ok(exact(a, b, MyType::decimal(whole + scale, scale)))
}

fn product(types: &[MyType]) -> Result<MyType> {
    let (a, b) = operands(types);
    if a.is_float() || b.is_float() {
        return Ok(double(a, b));
    }
    let whole = a.whole_digits() + b.whole_digits();
    if a.is_integer() && b.is_integer() {
        // Days and times are signed numbers, and make all of it signed.
        let signed = types.iter().any(|ty| ty.is_moment());
        let unsigned = (a.unsigned || b.unsigned) && !signed;
        return Ok(MyType::integer((whole + sign_width(unsigned)).min(21), unsigned));
    }
    let scale = a.fraction_digits() + b.fraction_digits();
    Ok(exact(a, b, MyType::decimal(whole + scale, scale.min(38))))
}

/// The DECIMAL of two operands: without a sign if neither has one.
fn exact(a: MyType, b: MyType, decimal: MyType) -> MyType {
    MyType { unsigned: a.unsigned && b.unsigned, ..decimal }
}

/// The DOUBLE of two operands; fixed digits stay fixed if both have them.
fn double(a: MyType, b: MyType) -> MyType {
    let scale = |ty: MyType| if ty.is_float() { ty.scale } else { ty.fraction_digits() as u8 };
    let scale = scale(a).max(scale(b));
    MyType { scale: scale.min(NOT_FIXED), ..MyType::DOUBLE }
}

/// The digits that a quotient has more than the dividend.
const MORE_DIGITS: u32 = 4;

fn quotient(types: &[MyType]) -> Result<MyType> {
    let (a, b) = operands(types);
    if a.is_float() || b.is_float() {
        let joined = double(a, b);
        let more = if joined.scale < NOT_FIXED { MORE_DIGITS as u8 } else { 0 };
        return Ok(MyType { scale: joined.scale + more, ..joined });
    }
    let scale = a.fraction_digits() + MORE_DIGITS;
    let whole = a.whole_digits() + b.fraction_digits();
    Ok(exact(a, b, MyType::decimal(whole + scale, scale.min(38))))
}

fn whole_quotient(types: &[MyType]) -> Result<MyType> {
    let (a, b) = operands(types);
    let width = match types.first() {
        Some(text) if text.is_text() => text.length,
        Some(null) if null.kind == Kind::Null => 1,
        _ => a.whole_digits(),
    };
    Ok(MyType::integer(width.clamp(1, 20), a.unsigned || b.unsigned))
}

fn remainder(types: &[MyType]) -> Result<MyType> {
    let (a, b) = operands(types);
    if a.is_float() || b.is_float() {
        return Ok(MyType { unsigned: a.unsigned, ..double(a, b) });
    }
    let whole = a.whole_digits().max(b.whole_digits());
    if a.is_integer() && b.is_integer() {
        return Ok(MyType::integer(whole + sign_width(a.unsigned), a.unsigned));
    }
    let scale = a.fraction_digits().max(b.fraction_digits());
    Ok(MyType { unsigned: a.unsigned, ..MyType::decimal(whole + scale, scale) })
}

fn negative(types: &[MyType]) -> Result<MyType> {
    let (a, _) = operands(types);
    let moment = types.first().is_some_and(|ty| ty.is_moment());
    Ok(match a.is_integer() {
        true if moment => MyType::decimal(a.whole_digits(), 0),
        true => MyType::integer((a.whole_digits() + 1).min(21), false),
        false => MyType { unsigned: false, ..a },
    })
}

/// An integer in the range of the result.
fn within(value: Option<i128>, out: MyType, of: &str) -> Result<Datum> {
    let (least, most, name) = match out.unsigned {
        true => (0, i128::from(u64::MAX), "BIGINT UNSIGNED"),
        false => (i128::from(i64::MIN), i128::from(i64::MAX), "BIGINT"),
    };
    match value.filter(|value| (least..=most).contains(value)) {
        Some(value) => Ok(number::integer(value)),
        None => Err(out_of_range(name, of)),
    }
}

fn finite(value: f64, of: &str) -> Result<Datum> {
    match value.is_finite() {
        true => Ok(Datum::Float(value)),
        false => Err(out_of_range("DOUBLE", of)),
    }
}

/// The most digits of a decimal while it is computed: nine groups of nine.
const MOST_DIGITS: u32 = 81;

/// A decimal that a computation has room for, with at most 38 digits after the point.
fn bounded(value: Numeric, of: &str) -> Result<Datum> {
    let value = if value.scale() > 38 { value.round(38) } else { value };
    match value.abs() > number::greatest(MOST_DIGITS, 0) {
        true => Err(out_of_range("DECIMAL", of)),
        false => Ok(Datum::Numeric(value)),
    }
}

type OfInts = fn(i128, i128) -> Option<i128>;
type OfFloats = fn(f64, f64) -> f64;
type OfDecimals = fn(&Numeric, &Numeric) -> hobgoblin_sql_value::Result<Numeric>;

fn compute(call: &Call<'_>, ints: OfInts, floats: OfFloats, decimals: OfDecimals) -> Result<Datum> {
    let out = call.out();
    const OF: &str = "the expression";
    if out.is_float() {
        return finite(floats(call.as_double(0), call.as_double(1)), OF);
    }
    if out.kind == Kind::Decimal {
        return bounded(decimals(&call.as_numeric(0), &call.as_numeric(1))?, OF);
    }
    within(ints(call.as_integer(0), call.as_integer(1)), out, OF)
}

fn plus(call: &mut Call<'_>) -> Result<Datum> {
    compute(call, i128::checked_add, |a, b| a + b, Numeric::add)
}

fn minus(call: &mut Call<'_>) -> Result<Datum> {
    let signed = call.settings().mode.has(SqlMode::NO_UNSIGNED_SUBTRACTION);
    if signed && call.out().is_integer() {
        let difference = call.as_integer(0).checked_sub(call.as_integer(1));
        return within(difference, MyType::BIGINT, "the expression");
    }
    compute(call, i128::checked_sub, |a, b| a - b, Numeric::sub)
}

fn times(call: &mut Call<'_>) -> Result<Datum> {
    compute(call, i128::checked_mul, |a, b| a * b, Numeric::mul)
}

/// How many digits after the point, counted in whole groups of nine.
fn grouped(digits: i64) -> i64 {
    (digits + 8) / 9 * 9
}

/// A quotient with the digits that the server computes.
pub(crate) fn divide(a: &Numeric, b: &Numeric) -> Result<Numeric> {
    let (s, t) = (i64::from(a.scale()), i64::from(b.scale()));
    let (own, other) = (grouped(s), grouped(t));
    let more = (i64::from(MORE_DIGITS) - (own - s) - (other - t)).max(0);
    let scale = grouped(own + other + more).min(72);
    // A dividend with more digits than are wanted makes the division exact enough to be cut.
    let dividend = a.round((scale + t + 2) as i32);
    let units = |value: &Numeric, shift: i64| -> Result<Numeric> {
        let power: Numeric =
            format!("1{}", "0".repeat(shift.max(0) as usize)).parse().unwrap_or(Numeric::ONE);
        Ok(value.mul(&power)?.trunc(0))
    };
    let whole = units(&dividend, scale + t)?.div_trunc(&units(b, t)?)?;
    let unit: Numeric =
        format!("0.{}1", "0".repeat((scale - 1).max(0) as usize)).parse().unwrap_or(Numeric::ONE);
    Ok(match scale {
        0 => whole,
        _ => whole.mul(&unit)?,
    })
}

fn over(call: &mut Call<'_>) -> Result<Datum> {
    let out = call.out();
    if out.is_float() {
        let (a, b) = (call.as_double(0), call.as_double(1));
        if b == 0.0 {
            call.settings().divided_by_zero();
            return Ok(Datum::Null);
        }
        return finite(a / b, "the expression");
    }
    let (a, b) = (call.as_numeric(0), call.as_numeric(1));
    if b.is_zero() {
        call.settings().divided_by_zero();
        return Ok(Datum::Null);
    }
    let quotient = divide(&a, &b)?;
    // More digits than a decimal shows are kept for whatever is computed with it.
    match quotient.abs() > number::greatest(MOST_DIGITS, 0) {
        true => Err(out_of_range("DECIMAL", "the expression")),
        false => Ok(Datum::Numeric(quotient)),
    }
}

fn int_over(call: &mut Call<'_>) -> Result<Datum> {
    let out = call.out();
    let integers = |i: usize| as_number(call.my(i)).is_integer();
    if integers(0) && integers(1) {
        let (a, b) = (call.as_integer(0), call.as_integer(1));
        if b == 0 {
            call.settings().divided_by_zero();
            return Ok(Datum::Null);
        }
        return within(a.checked_div(b), out, "the expression");
    }
    let (a, b) = (call.as_numeric(0), call.as_numeric(1));
    if b.is_zero() {
        call.settings().divided_by_zero();
        return Ok(Datum::Null);
    }
    let whole = a.div_trunc(&b)?;
    within(number::integer_of_numeric(&whole), out, "the expression")
}

fn modulo(call: &mut Call<'_>) -> Result<Datum> {
    let out = call.out();
    if out.is_float() {
        let (a, b) = (call.as_double(0), call.as_double(1));
        if b == 0.0 {
            call.settings().divided_by_zero();
            return Ok(Datum::Null);
        }
        return finite(a % b, "the expression");
    }
    if call.as_numeric(1).is_zero() {
        call.settings().divided_by_zero();
        return Ok(Datum::Null);
    }
    compute(call, i128::checked_rem, |a, b| a % b, Numeric::rem)
}

fn negate(call: &mut Call<'_>) -> Result<Datum> {
    let out = call.out();
    if out.is_float() {
        return Ok(Datum::Float(0.0 - call.as_double(0)));
    }
    if out.kind == Kind::Decimal {
        return Ok(Datum::Numeric(call.as_numeric(0).neg()));
    }
    within(call.as_integer(0).checked_neg(), out, "the expression")
}

fn same(call: &mut Call<'_>) -> Result<Datum> {
    Ok(call.arg(0).clone())
}

fn first(types: &[MyType]) -> Result<MyType> {
    Ok(types.first().copied().unwrap_or(MyType::NULL))
}

/// The 64 bits of an operand.
pub(crate) fn bits(call: &Call<'_>, i: usize) -> u64 {
    let exact = match call.arg(i) {
        Datum::Int(value) => return *value as u64,
        Datum::Float(value) => number::integer_of_float(*value),
        _ => number::integer_of_numeric(&call.as_numeric(i)).unwrap_or(0),
    };
    exact.clamp(i128::from(i64::MIN), i128::from(u64::MAX)) as u64
}

fn of_bits(call: &mut Call<'_>, of: fn(u64, u64) -> u64) -> Result<Datum> {
    Ok(number::integer(i128::from(of(bits(call, 0), bits(call, 1)))))
}

fn bit_count(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(i64::from(bits(call, 0).count_ones())))
}

fn complement(call: &mut Call<'_>) -> Result<Datum> {
    Ok(number::integer(i128::from(!bits(call, 0))))
}

/// A shift by 64 bits or more leaves nothing. By how many is an integer, also where a text says it.
fn shift(call: &mut Call<'_>, of: fn(u64, u32) -> Option<u64>) -> Result<Datum> {
    let value = bits(call, 0);
    let by = u32::try_from(call.as_integer(1)).ok();
    Ok(number::integer(i128::from(by.and_then(|by| of(value, by)).unwrap_or(0))))
}

pub(crate) static OPERATORS: &[Entry] = &[
    row("+", 2..=2, sum, plus),
    row("-", 2..=2, sum, minus),
    row("*", 2..=2, product, times),
    row("/", 2..=2, quotient, over),
    row("DIV", 2..=2, whole_quotient, int_over),
    row("%", 2..=2, remainder, modulo),
    row("&", 2..=2, an_unsigned, |call| of_bits(call, |a, b| a & b)),
    row("|", 2..=2, an_unsigned, |call| of_bits(call, |a, b| a | b)),
    row("^", 2..=2, an_unsigned, |call| of_bits(call, |a, b| a ^ b)),
    row("<<", 2..=2, an_unsigned, |call| shift(call, u64::checked_shl)),
    row(">>", 2..=2, an_unsigned, |call| shift(call, u64::checked_shr)),
];

pub(crate) static PREFIXES: &[Entry] = &[
    row("-", 1..=1, negative, negate),
    row("+", 1..=1, first, same),
    row("~", 1..=1, an_unsigned, complement),
];

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("mod", 2..=2, remainder, modulo),
    row("bit_count", 1..=1, |_| Ok(crate::entry::int(2)), bit_count),
];
