//! Numbers: rounding, powers, logarithms, angles, random ones.

use std::f64::consts::PI;

use hobgoblin_sql_mysql_types::error::{VALUE_OUT_OF_RANGE, error, out_of_range};
use hobgoblin_sql_mysql_types::temporal::{MAX_TIME, Moment};
use hobgoblin_sql_mysql_types::{Kind, MyType, number};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;
use hobgoblin_sql_value::datetime::{DAY, SECOND};

use crate::entry::{Entry, Read, a_double, a_text, int, or_null, row};

/// What an argument counts as: an integer, a decimal or a float.
fn kept(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    Ok(match first.kind {
        Kind::Decimal => first,
        Kind::Double => MyType { scale: first.scale, ..MyType::DOUBLE },
        Kind::Float => MyType::DOUBLE,
        Kind::Null => MyType { scale: 0, ..MyType::DOUBLE },
        Kind::Bit => MyType { kind: Kind::BigInt, unsigned: true, ..first },
        _ if first.is_integer() => {
            MyType { kind: first.kind.max(Kind::Int), zerofill: false, ..first }
        }
        Kind::Hex => MyType::UNSIGNED,
        _ if first.is_moment() && first.scale == 0 => MyType::decimal(first.whole_digits(), 0),
        _ if first.is_moment() => {
            let scale = u32::from(first.scale);
            MyType::decimal(first.whole_digits() + scale, scale)
        }
        _ => MyType::DOUBLE,
    })
}

/// An integer without its sign is as wide as with it.
fn magnitude(types: &[MyType]) -> Result<MyType> {
    let kept = kept(types)?;
    Ok(match kept.is_integer() {
        true => MyType::integer(kept.length, kept.unsigned),
        false => kept,
    })
}

fn abs(call: &mut Call<'_>) -> Result<Datum> {
    Ok(match call.out().kind {
        Kind::Decimal => Datum::Numeric(call.as_numeric(0).abs()),
        Kind::Double => Datum::Float(call.as_double(0).abs()),
        _ => {
            let value = call.as_integer(0).abs();
            if !call.out().unsigned && value > i128::from(i64::MAX) {
                return Err(out_of_range("BIGINT", "abs"));
            }
            number::integer(value)
        }
    })
}

fn sign(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.as_double(0);
    Ok(Datum::Int(if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }))
}

/// Times stay times, without the digits that are rounded away; days are their digits.
fn of_moment(types: &[MyType]) -> Option<MyType> {
    let first = types.first()?;
    match first.kind {
        Kind::Time => Some(MyType::moment(Kind::Time, 0)),
        Kind::DateTime | Kind::Timestamp => Some(MyType::moment(Kind::DateTime, 0)),
        Kind::Date => Some(MyType::integer(8, true)),
        _ => None,
    }
}

/// A time moved to a whole multiple of a unit of microseconds.
fn at_multiple(call: &Call<'_>, unit: i64, way: fn(i64, i64) -> i64) -> Datum {
    match call.arg(0) {
        Datum::Time(span) => Datum::Time(way(*span, unit).clamp(-MAX_TIME, MAX_TIME)),
        _ => {
            let moment = call.as_moment(0).unwrap_or_default();
            let moved = Moment { micros: way(moment.micros, unit), ..moment };
            match moved.micros < DAY {
                true => moved.datum(),
                false => Moment::of_number(moved.number()).unwrap_or(moment).datum(),
            }
        }
    }
}

fn whole(types: &[MyType]) -> Result<MyType> {
    if let Some(moment) = of_moment(types) {
        return Ok(moment);
    }
    let kept = kept(types)?;
    Ok(match kept.kind {
        Kind::Decimal if kept.whole_digits() + 2 > 20 => MyType::decimal(kept.whole_digits(), 0),
        Kind::Decimal => MyType::integer(kept.whole_digits() + 2, kept.unsigned),
        Kind::Double => MyType { scale: 0, ..MyType::DOUBLE },
        _ => kept,
    })
}

fn up_or_down(call: &mut Call<'_>, up: bool) -> Result<Datum> {
    let kept = MyType::of(call.ty(0));
    if call.out().is_moment() {
        let way: fn(i64, i64) -> i64 = match up {
            true => |span, unit| -(-span).div_euclid(unit) * unit,
            false => |span, unit| span.div_euclid(unit) * unit,
        };
        return Ok(at_multiple(call, SECOND, way));
    }
    Ok(match (kept.kind, call.out().kind) {
        (_, Kind::Double) => {
            let value = call.as_double(0);
            Datum::Float(if up { value.ceil() } else { value.floor() })
        }
        (Kind::Decimal, out) => {
            let exact = call.as_numeric(0);
            let whole = if up { exact.ceil() } else { exact.floor() };
            match out == Kind::Decimal {
                true => Datum::Numeric(whole),
                false => number::integer(number::integer_of_numeric(&whole).unwrap_or(0)),
            }
        }
        _ => number::integer(call.as_integer(0)),
    })
}

/// With the second argument unknown, a decimal has as many digits as it had.
fn rounded(types: &[MyType]) -> Result<MyType> {
    if let Some(moment) = of_moment(types) {
        return Ok(moment);
    }
    let kept = kept(types)?;
    Ok(match (kept.kind, types.len()) {
        (Kind::Decimal, 1) => match whole(types)? {
            integer if integer.is_integer() => MyType::decimal(kept.whole_digits() + 1, 0),
            other => other,
        },
        (Kind::Decimal, _) => MyType { length: (kept.length + 1).min(65), ..kept },
        (Kind::Double, 1) => MyType { scale: 0, ..kept },
        _ => kept,
    })
}

/// A constant says how many digits there are.
fn rounded_by(types: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let (Some(first), Some(Some(digits))) = (types.first(), constants.get(1)) else { return out };
    let Some(digits) = number::integer_of(digits) else { return out };
    let digits = digits.clamp(0, 30) as u32;
    match out.kind {
        Kind::Decimal => MyType::decimal(first.whole_digits() + 1 + digits, digits),
        Kind::Double => MyType { scale: digits as u8, ..out },
        Kind::Time | Kind::DateTime => MyType { scale: digits.min(6) as u8, ..out },
        _ => out,
    }
}

fn round_to(call: &mut Call<'_>, cut: bool) -> Result<Datum> {
    let digits = match call.args.len() {
        1 => 0,
        _ => call.as_integer(1).clamp(-1000, 1000) as i32,
    };
    let out = call.out();
    if out.is_moment() {
        let unit = SECOND / 10i64.pow(digits.clamp(0, 6) as u32);
        let way: fn(i64, i64) -> i64 = match cut {
            true => |span, unit| span / unit * unit,
            false => |span, unit| (span + span.signum() * (unit / 2)) / unit * unit,
        };
        return Ok(at_multiple(call, unit, way));
    }
    if out.is_float() {
        return Ok(Datum::Float(round_float(call.as_double(0), digits, cut)));
    }
    let exact = call.as_numeric(0);
    let digits = digits.min(38);
    let value = if cut { exact.trunc(digits) } else { exact.round(digits) };
    if out.kind == Kind::Decimal {
        return Ok(Datum::Numeric(value));
    }
    let value = number::integer_of_numeric(&value).unwrap_or(0);
    let (least, most) = match out.unsigned {
        true => (0, i128::from(u64::MAX)),
        false => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    match (least..=most).contains(&value) {
        true => Ok(number::integer(value)),
        false => {
            Err(out_of_range(if out.unsigned { "BIGINT UNSIGNED" } else { "BIGINT" }, "round"))
        }
    }
}

fn round_float(value: f64, digits: i32, cut: bool) -> f64 {
    let power = 10f64.powi(digits.abs());
    let whole = |scaled: f64| if cut { scaled.trunc() } else { scaled.round_ties_even() };
    let scaled = if digits < 0 { value / power } else { value * power };
    if power.is_infinite() && digits < 0 {
        return 0.0;
    }
    if !scaled.is_finite() || power.is_infinite() {
        return value;
    }
    if digits < 0 { whole(scaled) * power } else { whole(scaled) / power }
}

fn finite(value: f64, of: &str) -> Result<Datum> {
    match value.is_finite() {
        true => Ok(Datum::Float(value)),
        false => Err(out_of_range("DOUBLE", of)),
    }
}

/// A value that a function has only for some arguments; else NULL.
fn defined(value: f64) -> Result<Datum> {
    or_null(value.is_finite().then_some(Datum::Float(value)))
}

/// A logarithm of what has none is NULL, and told of.
fn logarithm(call: &Call<'_>, value: f64) -> Result<Datum> {
    if value.is_finite() {
        return Ok(Datum::Float(value));
    }
    call.settings().divided_by_zero();
    Ok(Datum::Null)
}

fn positive(value: f64, of: fn(f64) -> f64) -> f64 {
    if value > 0.0 { of(value) } else { f64::NAN }
}

fn log(call: &mut Call<'_>) -> Result<Datum> {
    let value = match call.args.len() {
        1 => positive(call.as_double(0), f64::ln),
        _ => {
            let (base, value) = (call.as_double(0), call.as_double(1));
            match base > 0.0 && base != 1.0 {
                true => positive(value, f64::ln) / base.ln(),
                false => f64::NAN,
            }
        }
    };
    logarithm(call, value)
}

fn power(call: &mut Call<'_>) -> Result<Datum> {
    finite(call.as_double(0).powf(call.as_double(1)), "pow")
}

fn arc(call: &mut Call<'_>) -> Result<Datum> {
    match call.args.len() {
        1 => defined(call.as_double(0).atan()),
        _ => defined(call.as_double(0).atan2(call.as_double(1))),
    }
}

fn cot(call: &mut Call<'_>) -> Result<Datum> {
    let tangent = call.as_double(0).tan();
    match tangent == 0.0 {
        true => Err(out_of_range("DOUBLE", "cot")),
        false => finite(1.0 / tangent, "cot"),
    }
}

/// The server's generator: two numbers below 2³⁰ that feed each other.
fn rand(call: &mut Call<'_>) -> Result<Datum> {
    const MOST: u64 = 0x3fff_ffff;
    if call.args.is_empty() {
        return Ok(Datum::Float((call.cx.random()? >> 11) as f64 / (1u64 << 53) as f64));
    }
    let seed = if call.null(0) { 0 } else { call.as_integer(0) as u32 };
    let first = u64::from(seed.wrapping_mul(0x10001).wrapping_add(55_555_555)) % MOST;
    let second = u64::from(seed.wrapping_mul(0x1000_0001)) % MOST;
    let first = (first * 3 + second) % MOST;
    Ok(Datum::Float(first as f64 / MOST as f64))
}

/// The checksum by a polynomial, its bits the other way round; with two arguments it goes on from the first.
fn crc(call: &mut Call<'_>, polynomial: u32) -> Result<Datum> {
    let (before, bytes) = match call.args.len() {
        1 => (0, call.as_bytes(0)),
        _ => (call.as_integer(0) as u32, call.as_bytes(1)),
    };
    let mut crc = !before;
    for byte in bytes.iter() {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (polynomial & (crc & 1).wrapping_neg());
        }
    }
    Ok(Datum::Int(i64::from(!crc)))
}

/// A number in another base; the digits after it do not count.
fn conv(call: &mut Call<'_>) -> Result<Datum> {
    let (from, to) = (call.as_integer(1), call.as_integer(2));
    let good = |base: i128| (2..=36).contains(&base.abs());
    if !good(from) || !good(to) {
        return Ok(Datum::Null);
    }
    other_base(call, from.unsigned_abs() as u32, to)
}

/// The number at the beginning of a text in a base, as 64 bits.
fn digits_in(text: &str, base: u32) -> u64 {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value: u64 = 0;
    for digit in digits.chars().map_while(|letter| letter.to_digit(base)) {
        let next = value.checked_mul(u64::from(base));
        value = next.and_then(|next| next.checked_add(u64::from(digit))).unwrap_or(u64::MAX);
    }
    if negative { value.wrapping_neg() } else { value }
}

fn in_base(value: u64, base: i128) -> String {
    let radix = base.unsigned_abs() as u64;
    let (negative, mut rest) = match base < 0 && (value as i64) < 0 {
        true => (true, (value as i64).unsigned_abs()),
        false => (false, value),
    };
    let mut digits = Vec::new();
    loop {
        let digit = char::from_digit((rest % radix) as u32, radix as u32).unwrap_or('0');
        digits.push(digit.to_ascii_uppercase());
        rest /= radix;
        if rest == 0 {
            break;
        }
    }
    if negative {
        digits.push('-');
    }
    digits.into_iter().rev().collect()
}

/// The first argument, digits in one base, in another: what is behind the digits does not count, and an empty text is no number.
fn other_base(call: &mut Call<'_>, from: u32, to: i128) -> Result<Datum> {
    // A BIT is a number, and its bytes are no digits.
    if call.my(0).kind == Kind::Bit {
        return Ok(call.texts(in_base(call.as_integer(0) as u64, to)));
    }
    let text = call.as_text(0);
    if text.is_empty() {
        return Ok(Datum::Null);
    }
    Ok(call.texts(in_base(digits_in(&text, from), to)))
}

fn pi(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Float(PI))
}

fn an_angle(_: &[MyType]) -> Result<MyType> {
    Ok(MyType { scale: 6, ..MyType::DOUBLE })
}

fn a_sign(_: &[MyType]) -> Result<MyType> {
    Ok(int(2))
}

fn checksum(_: &[MyType]) -> Result<MyType> {
    Ok(MyType { length: 10, unsigned: true, ..MyType::new(Kind::Int) })
}

fn exp(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.as_double(0).exp();
    match value.is_finite() {
        true => Ok(Datum::Float(value)),
        false => Err(error(VALUE_OUT_OF_RANGE, "DOUBLE value is out of range in 'exp'")),
    }
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("abs", 1..=1, magnitude, abs),
    row("sign", 1..=1, a_sign, sign),
    row("floor", 1..=1, whole, |call| up_or_down(call, false)),
    row("ceil", 1..=1, whole, |call| up_or_down(call, true)),
    row("ceiling", 1..=1, whole, |call| up_or_down(call, true)),
    row("round", 1..=2, rounded, |call| round_to(call, false)).refined(rounded_by),
    row("truncate", 2..=2, rounded, |call| round_to(call, true)).refined(rounded_by),
    row("pow", 2..=2, a_double, power),
    row("power", 2..=2, a_double, power),
    row("sqrt", 1..=1, a_double, |call| defined(call.as_double(0).sqrt())),
    row("exp", 1..=1, a_double, exp),
    row("ln", 1..=1, a_double, log),
    row("log", 1..=2, a_double, log),
    row("log2", 1..=1, a_double, |call| logarithm(call, positive(call.as_double(0), f64::log2))),
    row("log10", 1..=1, a_double, |call| logarithm(call, positive(call.as_double(0), f64::log10))),
    row("sin", 1..=1, a_double, |call| defined(call.as_double(0).sin())),
    row("cos", 1..=1, a_double, |call| defined(call.as_double(0).cos())),
    row("tan", 1..=1, a_double, |call| defined(call.as_double(0).tan())),
    row("asin", 1..=1, a_double, |call| defined(call.as_double(0).asin())),
    row("acos", 1..=1, a_double, |call| defined(call.as_double(0).acos())),
    row("atan", 1..=2, a_double, arc),
    row("atan2", 2..=2, a_double, arc),
    row("cot", 1..=1, a_double, cot),
    row("radians", 1..=1, a_double, |call| defined(call.as_double(0) * (PI / 180.0))),
    row("degrees", 1..=1, a_double, |call| defined(call.as_double(0) * (180.0 / PI))),
    row("pi", 0..=0, an_angle, pi),
    row("rand", 0..=1, a_double, rand).with_nulls().volatile(),
    row("crc32", 1..=2, checksum, |call| crc(call, 0xedb8_8320)),
    row("crc32c", 1..=2, checksum, |call| crc(call, 0x82f6_3b78)),
    row("conv", 3..=3, a_text, conv),
    row("bin", 1..=1, a_text, |call| other_base(call, 10, 2)),
    row("oct", 1..=1, a_text, |call| other_base(call, 10, 8)),
];
