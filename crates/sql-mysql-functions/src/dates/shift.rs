//! Days and times moved by an interval, and the distances between them.
//!
//! What comes out depends on the unit: a day moved by months stays a day, moved by hours it gets a time. A unit is a word of the
//! statement, so that there is a function for each kind of them ([`interval_function`]): `date_add_days` and so on, which take what
//! is moved, the amount, and the unit as a text.

use hobgoblin_sql_mysql_types::error::DATETIME_OVERFLOW;
use hobgoblin_sql_mysql_types::temporal::{Day, MAX_TIME, Moment};
use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;
use hobgoblin_sql_value::datetime::{DAY, SECOND, days_in_month};

use super::interval::{Distance, Unit};
use crate::entry::{Entry, Read, a_bigint, an_int, or_null, row, text_of};

/// The function that moves by an interval of a unit, back if `back`; nothing if there is no such unit.
pub fn interval_function(unit: &str, back: bool) -> Option<&'static str> {
    let unit = Unit::named(unit)?;
    Some(match (unit.is_of_days(), unit.has_fraction(), back) {
        (true, _, false) => "date_add_days",
        (true, _, true) => "date_sub_days",
        (false, false, false) => "date_add_time",
        (false, false, true) => "date_sub_time",
        (false, true, false) => "date_add_fraction",
        (false, true, true) => "date_sub_fraction",
    })
}

fn moved_type(types: &[MyType], days: bool, fraction: bool) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let by = types.get(1).copied().unwrap_or(MyType::NULL);
    // Seconds may come with a fraction.
    let more = match (fraction, days) {
        (true, _) => 6,
        (false, true) => 0,
        (false, false) => by.fraction_digits().min(6) as u8,
    };
    let scale = first.fraction_digits().max(u32::from(more)).min(6) as u8;
    Ok(match first.kind {
        Kind::Date if days => MyType::DATE,
        Kind::Date => MyType::moment(Kind::DateTime, more),
        Kind::DateTime | Kind::Timestamp => MyType::moment(Kind::DateTime, scale),
        Kind::Time if days => MyType::moment(Kind::Time, scale),
        Kind::Time => MyType::moment(Kind::Time, scale),
        _ => MyType { kind: Kind::Char, ..text_of(26, Collation::DEFAULT, Coercibility::Literal) },
    })
}

/// A moment so much later; a day beyond the end of its month is the last of it.
pub(crate) fn moved(from: Moment, by: Distance) -> Option<Moment> {
    let mut moment = from;
    if by.months != 0 {
        let months = (from.day.year * 12 + from.day.month - 1).checked_add(by.months)?;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        if !(0..=9999).contains(&year) {
            return None;
        }
        let day = from.day.day.min(days_in_month(year, month));
        moment.day = Day { year, month, day };
    }
    match by.micros {
        0 => Some(moment),
        micros => Moment::of_number(moment.number().checked_add(micros)?),
    }
}

fn shifted(call: &mut Call<'_>, back: bool) -> Result<Datum> {
    let Some(unit) = Unit::named(&call.as_text(2)) else { return Ok(Datum::Null) };
    let Some(mut by) = unit.amount(call.arg(1), call.my(1), &call.env()) else {
        return Ok(Datum::Null);
    };
    if back {
        by = Distance { months: by.months.saturating_neg(), micros: by.micros.saturating_neg() };
    }
    if let Datum::Time(span) = call.arg(0) {
        let sum = span.checked_add(by.micros).filter(|sum| sum.abs() <= MAX_TIME);
        let sum = sum.filter(|_| by.months == 0);
        if sum.is_none() {
            overflow(call, "time");
        }
        return or_null(sum.map(Datum::Time));
    }
    let Some(from) = call.as_moment(0) else { return Ok(Datum::Null) };
    let written = call.my(0).is_text() || call.my(0).is_number();
    let timed = written && call.as_text(0).contains([':', ' ']) && call.my(0).is_text();
    if !from.day.is_real() && (by.micros != 0 || from.day.month == 0) {
        return Ok(Datum::Null);
    }
    let Some(to) = moved(from, by) else {
        overflow(call, "datetime");
        return Ok(Datum::Null);
    };
    Ok(match call.out().kind {
        Kind::Date => Datum::Date(to.day.packed()),
        Kind::DateTime => to.datum(),
        _ => {
            let mut text = String::new();
            let time = timed || from.micros != 0 || !unit.is_of_days();
            match time {
                false => hobgoblin_sql_mysql_types::temporal::print_day(&mut text, to.day),
                true => {
                    let digits = if to.micros % SECOND == 0 { 0 } else { 6 };
                    hobgoblin_sql_mysql_types::temporal::print_moment(&mut text, to, digits);
                }
            }
            call.texts(text)
        }
    })
}

fn overflow(call: &Call<'_>, kind: &str) {
    let message = format!("Datetime function: {kind} field overflow");
    call.settings().warn(DATETIME_OVERFLOW, message);
}

/// ADDDATE and SUBDATE with a number count days.
fn by_days(call: &mut Call<'_>, back: bool) -> Result<Datum> {
    by_unit(call, "day", back)
}

/// Moves a moment by so many of a unit.
fn by_unit(call: &mut Call<'_>, unit: &str, back: bool) -> Result<Datum> {
    let args = [call.arg(0).clone(), call.arg(1).clone(), Datum::text(unit)];
    let types = [call.ty(0), call.ty(1), hobgoblin_sql_value::TypeId::TEXT];
    let inner = &mut Call { cx: &mut *call.cx, args: &args, types: &types, result: call.result };
    shifted(inner, back)
}

fn date_diff(call: &mut Call<'_>) -> Result<Datum> {
    let days = |i: usize| call.as_day(i).filter(|day| !day.is_zero()).map(Day::number);
    or_null(days(0).zip(days(1)).map(|(a, b)| Datum::Int(a - b)))
}

fn timestamp_diff(call: &mut Call<'_>) -> Result<Datum> {
    let unit = Unit::named(&call.as_text(0));
    let (Some(from), Some(to)) = (call.as_moment(1), call.as_moment(2)) else {
        return Ok(Datum::Null);
    };
    if from.day.is_zero() || to.day.is_zero() {
        return Ok(Datum::Null);
    }
    or_null(match unit {
        Some(Unit::Micros(size)) => Some(Datum::Int((to.number() - from.number()) / size)),
        Some(Unit::Months(size)) => Some(Datum::Int(months_between(from, to) / size)),
        _ => None,
    })
}

/// Whole months from one moment to another.
fn months_between(from: Moment, to: Moment) -> i64 {
    if to < from {
        return -months_between(to, from);
    }
    let months = |day: Day| day.year * 12 + day.month;
    let rest = |moment: Moment| (moment.day.day, moment.micros);
    months(to.day) - months(from.day) - i64::from(rest(to) < rest(from))
}

fn period(months: i64) -> Datum {
    Datum::Int(months / 12 * 100 + months % 12 + 1)
}

/// `YYYYMM` as months.
fn months_of(call: &Call<'_>, i: usize) -> i64 {
    let period = call.as_integer(i).clamp(0, 999_999) as i64;
    let year = match period / 100 {
        year @ 0..70 => year + 2000,
        year @ 70..100 => year + 1900,
        year => year,
    };
    year * 12 + period % 100 - 1
}

fn period_add(call: &mut Call<'_>) -> Result<Datum> {
    let more = call.as_integer(1).clamp(-999_999, 999_999) as i64;
    Ok(period((months_of(call, 0) + more).max(0)))
}

fn period_diff(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(months_of(call, 0) - months_of(call, 1)))
}

/// ADDTIME and SUBTIME.
fn add_time(call: &mut Call<'_>, back: bool) -> Result<Datum> {
    let Some(by) = call.as_time(1) else { return Ok(Datum::Null) };
    let by = if back { -by } else { by };
    let text = call.my(0).is_text();
    let whole = text && call.as_text(0).trim_start().get(4..5).is_some_and(|sign| sign == "-");
    if call.my(0).has_date() || whole {
        let Some(from) = call.as_moment(0) else { return Ok(Datum::Null) };
        let to = Moment::of_number(from.number() + by);
        return or_null(to.map(|to| match call.out().kind {
            Kind::DateTime => to.datum(),
            _ => {
                let digits = if to.micros % SECOND == 0 { 0 } else { 6 };
                let mut out = String::new();
                hobgoblin_sql_mysql_types::temporal::print_moment(&mut out, to, digits);
                call.texts(out)
            }
        }));
    }
    let Some(from) = call.as_time(0) else { return Ok(Datum::Null) };
    let to = (from + by).clamp(-MAX_TIME, MAX_TIME);
    Ok(match call.out().kind {
        Kind::Time => Datum::Time(to),
        _ => {
            let digits = if to % SECOND == 0 { 0 } else { 6 };
            let mut out = String::new();
            hobgoblin_sql_mysql_types::temporal::print_time(&mut out, to, digits);
            call.texts(out)
        }
    })
}

fn add_time_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let scale = types.iter().map(|ty| ty.fraction_digits()).max().unwrap_or(0).min(6) as u8;
    Ok(match first.kind {
        Kind::Time => MyType::moment(Kind::Time, scale),
        Kind::Date | Kind::DateTime | Kind::Timestamp => MyType::moment(Kind::DateTime, scale),
        _ => MyType { kind: Kind::Char, ..text_of(26, Collation::DEFAULT, Coercibility::Literal) },
    })
}

fn time_diff(call: &mut Call<'_>) -> Result<Datum> {
    let dated = |i: usize| {
        let my = call.my(i);
        my.has_date() || my.is_text() && call.as_text(i).get(4..5) == Some("-")
    };
    let span = match (dated(0), dated(1)) {
        (true, true) => {
            let numbers = call.as_moment(0).zip(call.as_moment(1));
            numbers.map(|(a, b)| a.number() - b.number())
        }
        (false, false) => call.as_time(0).zip(call.as_time(1)).map(|(a, b)| a - b),
        _ => None,
    };
    or_null(span.map(|span| {
        let clipped = span.clamp(-MAX_TIME + 999_999, MAX_TIME - 999_999);
        if clipped != span {
            let mut text = String::new();
            hobgoblin_sql_mysql_types::temporal::print_time(&mut text, span, 0);
            call.settings().truncated("time", &text);
        }
        Datum::Time(clipped)
    }))
}

fn time_diff_type(types: &[MyType]) -> Result<MyType> {
    let digits = |ty: &MyType| if ty.is_text() { 6 } else { ty.fraction_digits() };
    let scale = types.iter().map(digits).max().unwrap_or(0).min(6) as u8;
    Ok(MyType::moment(Kind::Time, scale))
}

fn small(_: &[MyType]) -> Result<MyType> {
    Ok(crate::entry::int(7))
}

fn is_day(micros: i64) -> bool {
    micros % DAY == 0
}

/// TIMESTAMP with a second argument adds a time.
fn timestamp(call: &mut Call<'_>) -> Result<Datum> {
    let Some(from) = call.as_moment(0) else { return Ok(Datum::Null) };
    if call.args.len() < 2 {
        return Ok(from.datum());
    }
    let Some(by) = call.as_time(1) else { return Ok(Datum::Null) };
    let to = Moment::of_number(from.number() + by).filter(|_| !is_day(by) || by.abs() <= MAX_TIME);
    or_null(to.map(Moment::datum))
}

fn timestamp_type(types: &[MyType]) -> Result<MyType> {
    let digits = |ty: &MyType| if ty.is_text() { 6 } else { ty.fraction_digits() };
    let scale = types.iter().map(digits).max().unwrap_or(0).min(6) as u8;
    Ok(MyType::moment(Kind::DateTime, scale))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("date_add_days", 3..=3, |types| moved_type(types, true, false), |c| shifted(c, false)),
    row("date_sub_days", 3..=3, |types| moved_type(types, true, false), |c| shifted(c, true)),
    row("date_add_time", 3..=3, |types| moved_type(types, false, false), |c| shifted(c, false)),
    row("date_sub_time", 3..=3, |types| moved_type(types, false, false), |c| shifted(c, true)),
    row("date_add_fraction", 3..=3, |types| moved_type(types, false, true), |c| shifted(c, false)),
    row("date_sub_fraction", 3..=3, |types| moved_type(types, false, true), |c| shifted(c, true)),
    row("adddate", 2..=2, |types| moved_type(types, true, false), |call| by_days(call, false)),
    row("subdate", 2..=2, |types| moved_type(types, true, false), |call| by_days(call, true)),
    row(
        "add_months",
        2..=2,
        |types| moved_type(types, true, false),
        |call| by_unit(call, "month", false),
    ),
    row("datediff", 2..=2, small, date_diff),
    row("timestampdiff", 3..=3, a_bigint, timestamp_diff),
    row("period_add", 2..=2, an_int, period_add),
    row("period_diff", 2..=2, an_int, period_diff),
    row("addtime", 2..=2, add_time_type, |call| add_time(call, false)),
    row("subtime", 2..=2, add_time_type, |call| add_time(call, true)),
    row("timediff", 2..=2, time_diff_type, time_diff).refined(super::parts::of_constant),
    row("timestamp", 1..=2, timestamp_type, timestamp).refined(super::parts::of_constant),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_distance_is_too_far_to_be_refused() {
        let from = Moment::midnight(Day::new(2024, 2, 29));
        for extreme in [i64::MIN, i64::MAX] {
            assert_eq!(moved(from, Distance { months: extreme, micros: 0 }), None);
            assert_eq!(moved(from, Distance { months: 0, micros: extreme }), None);
        }
        let later = moved(from, Distance { months: 12, micros: 0 });
        assert_eq!(later.map(|moment| moment.day), Some(Day::new(2025, 2, 28)));
    }
}
