//! Parts of days and times.

use hobgoblin_sql_mysql_types::error::{TRUNCATED_WRONG_VALUE, error};
use hobgoblin_sql_mysql_types::temporal::{
    Day, MAX_TIME, Moment, clock, from_utc, read_zone, to_utc,
};
use hobgoblin_sql_mysql_types::{Kind, MyType};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::datetime::{DAY, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, days_in_month};
use hobgoblin_sql_value::{Datum, Numeric};

use super::weeks::week_in_mode;
use crate::entry::{Entry, Read, a_bigint, a_date, a_text, int, or_null, row};

/// A part of a day that need not be in the calendar.
fn of_day(call: &Call<'_>, of: fn(Day) -> i64) -> Result<Datum> {
    or_null(call.as_day(0).map(|day| Datum::Int(of(day))))
}

/// A part that only days of the calendar have.
fn of_real_day(call: &Call<'_>, of: impl Fn(Day) -> i64) -> Result<Datum> {
    or_null(real_day(call).map(|day| Datum::Int(of(day))))
}

/// The day, if the calendar has it; else something is told.
fn real_day(call: &Call<'_>) -> Option<Day> {
    let day = call.as_day(0)?;
    if !day.is_real() {
        let message = format!("Incorrect datetime value: '{}'", call.as_text(0));
        call.settings().warn(TRUNCATED_WRONG_VALUE, message);
    }
    day.is_real().then_some(day)
}

/// A part of the time; texts and numbers are times first.
fn of_time(call: &Call<'_>, of: fn((i64, i64, i64, i64)) -> i64) -> Result<Datum> {
    or_null(call.as_time(0).map(|span| Datum::Int(of(clock(span.abs())))))
}

/// Sunday is 0.
fn weekday(day: Day) -> i64 {
    (day.number() + 6).rem_euclid(7)
}

fn day_of_year(day: Day) -> i64 {
    day.number() - Day::new(day.year, 1, 1).number() + 1
}

/// The name of a month from 1.
pub(super) fn month_name(month: i64) -> Option<&'static str> {
    MONTHS.get(usize::try_from(month - 1).ok()?).copied()
}

/// The name of the weekday.
pub(super) fn weekday_name(day: Day) -> &'static str {
    WEEKDAYS[weekday(day).rem_euclid(7) as usize]
}

/// Whether a text begins with one of the names, and which.
pub(super) fn named(text: &str, weekdays: bool, letters: Option<usize>) -> Option<(usize, usize)> {
    let names: &[&str] = if weekdays { &WEEKDAYS } else { &MONTHS };
    names.iter().enumerate().find_map(|(at, name)| {
        let name = letters.map_or(*name, |letters| &name[..letters]);
        let head = text.get(..name.len())?;
        head.eq_ignore_ascii_case(name).then_some((at, name.len()))
    })
}

fn names(call: &Call<'_>, of: fn(Day) -> Option<&'static str>) -> Result<Datum> {
    or_null(call.as_day(0).and_then(of).map(Datum::text))
}

fn week(call: &mut Call<'_>, mode: Option<i128>) -> Result<Datum> {
    let mode = match (mode, call.args.len()) {
        (Some(mode), _) => mode,
        (None, 2) => call.as_integer(1),
        (None, _) => i128::from(call.settings().week),
    };
    of_real_day(call, |day| week_in_mode(day, mode).1)
}

fn year_week(call: &mut Call<'_>) -> Result<Datum> {
    let mode = if call.args.len() == 2 { call.as_integer(1) } else { 0 };
    of_real_day(call, |day| {
        let (year, week) = week_in_mode(day, mode | 2);
        year * 100 + week
    })
}

fn extract(call: &mut Call<'_>) -> Result<Datum> {
    let unit = call.as_text(0).to_ascii_lowercase();
    let value = call.arg(1);
    let of_days = ["year", "quarter", "month", "week", "day", "year_month"].contains(&&*unit);
    let dated = call.my(1).has_date() || of_days && call.my(1).kind != Kind::Time;
    let text_with_day = call.my(1).is_text() && call.as_text(1).len() >= 12;
    let (day, micros) = match value {
        _ if dated || text_with_day => match call.as_moment(1) {
            Some(moment) => (moment.day, moment.micros),
            None => return Ok(Datum::Null),
        },
        _ => match call.as_time(1) {
            Some(span) => (Day::default(), span),
            None => return Ok(Datum::Null),
        },
    };
    let (hours, minutes, seconds, fraction) = clock(micros.abs());
    // A span has no days of its own: its hours go beyond 24.
    let days = match call.my(1).kind {
        Kind::Time => 0,
        _ => day.day,
    };
    let with_day = |rest: i64, digits: i64| days * digits + rest;
    let found = match &*unit {
        "year" => day.year,
        "quarter" => (day.month + 2) / 3,
        "month" => day.month,
        "week" if !day.is_real() => return Ok(Datum::Null),
        "week" => week_in_mode(day, i128::from(call.settings().week)).1,
        "day" if call.my(1).kind == Kind::Time => hours / 24,
        "day" => day.day,
        "hour" => hours,
        "minute" => minutes,
        "second" => seconds,
        "microsecond" => fraction,
        "year_month" => day.year * 100 + day.month,
        "day_hour" => with_day(hours, 100),
        "day_minute" => with_day(hours * 100 + minutes, 10_000),
        "day_second" => with_day(hours * 10_000 + minutes * 100 + seconds, 1_000_000),
        "day_microsecond" => with_day(
            (hours * 10_000 + minutes * 100 + seconds) * SECOND + fraction,
            1_000_000 * SECOND,
        ),
        "hour_minute" => hours * 100 + minutes,
        "hour_second" => hours * 10_000 + minutes * 100 + seconds,
        "hour_microsecond" => (hours * 10_000 + minutes * 100 + seconds) * SECOND + fraction,
        "minute_second" => minutes * 100 + seconds,
        "minute_microsecond" => (minutes * 100 + seconds) * SECOND + fraction,
        "second_microsecond" => seconds * SECOND + fraction,
        other => return Err(error(1064, format!("unknown unit {other}"))),
    };
    Ok(Datum::Int(if micros < 0 { -found } else { found }))
}

fn last_day(call: &mut Call<'_>) -> Result<Datum> {
    let day = call.as_day(0).filter(|day| day.month > 0);
    or_null(day.map(|day| {
        let last = Day { day: days_in_month(day.year, day.month), ..day };
        Datum::Date(last.packed())
    }))
}

fn to_days(call: &mut Call<'_>) -> Result<Datum> {
    of_real_day(call, |day| day.number() + 730_485)
}

fn from_days(call: &mut Call<'_>) -> Result<Datum> {
    let days = call.as_integer(0);
    let day = i64::try_from(days).ok().filter(|days| *days > 365);
    let day = day.and_then(|days| Day::of_number(days - 730_485)).unwrap_or_default();
    Ok(Datum::Date(day.packed()))
}

fn to_seconds(call: &mut Call<'_>) -> Result<Datum> {
    let moment = call.as_moment(0).filter(|moment| moment.day.is_real());
    or_null(moment.map(|moment| Datum::Int((moment.number() + 730_485 * DAY) / SECOND)))
}

fn make_date(call: &mut Call<'_>) -> Result<Datum> {
    let (year, days) = (call.as_integer(0), call.as_integer(1));
    let year = match i64::try_from(year).unwrap_or(-1) {
        year @ 0..70 => year + 2000,
        year @ 70..100 => year + 1900,
        year => year,
    };
    if !(0..=9999).contains(&year) || !(1..=4_000_000).contains(&days) {
        return Ok(Datum::Null);
    }
    let day = Day::of_number(Day::new(year, 1, 1).number() + days as i64 - 1);
    or_null(day.map(|day| Datum::Date(day.packed())))
}

fn make_time(call: &mut Call<'_>) -> Result<Datum> {
    // So many hours are too many whatever follows them.
    const MOST: i128 = 1_000_000_000;
    let (hours, minutes) = (call.as_integer(0).clamp(-MOST, MOST), call.as_integer(1));
    let seconds = call.as_numeric(2);
    let micros = seconds.mul(&Numeric::from(SECOND))?.trunc(0).to_i64().unwrap_or(-1);
    if !(0..60).contains(&minutes) || !(0..60 * SECOND).contains(&micros) {
        return Ok(Datum::Null);
    }
    let span = (hours.abs() * i128::from(HOUR))
        .saturating_add(minutes * i128::from(MINUTE) + i128::from(micros));
    let clipped = match i64::try_from(span) {
        Ok(span) if span <= MAX_TIME => span,
        _ => {
            let shown = format!("{hours}:{minutes:02}:{:02}", micros / SECOND);
            call.settings().truncated("time", &shown);
            MAX_TIME - 999_999
        }
    };
    Ok(Datum::Time(if hours < 0 { -clipped } else { clipped }))
}

fn make_time_type(types: &[MyType]) -> Result<MyType> {
    let seconds = types.get(2).copied().unwrap_or(MyType::NULL);
    let digits = if seconds.is_text() { 6 } else { seconds.fraction_digits().min(6) as u8 };
    Ok(MyType::moment(Kind::Time, digits))
}

fn sec_to_time(call: &mut Call<'_>) -> Result<Datum> {
    let exact = call.as_numeric(0).mul(&Numeric::from(SECOND))?.trunc(0);
    let span = exact.to_i64().unwrap_or(i64::MAX);
    let clipped = span.clamp(-MAX_TIME + 999_999, MAX_TIME - 999_999);
    if clipped / SECOND != span / SECOND {
        call.settings().truncated("time", &call.as_text(0));
    }
    Ok(Datum::Time(clipped))
}

fn sec_to_time_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let digits = match first.kind {
        Kind::Double | Kind::Float => 6,
        _ if first.is_text() => 6,
        _ => first.fraction_digits().min(6) as u8,
    };
    Ok(MyType::moment(Kind::Time, digits))
}

fn time_to_sec(call: &mut Call<'_>) -> Result<Datum> {
    let Some(span) = call.as_time(0) else { return Ok(Datum::Null) };
    Ok(match call.out().kind {
        Kind::Decimal => Datum::Numeric(Numeric::from_units(i128::from(span), 6)),
        _ => Datum::Int(span / SECOND),
    })
}

fn time_to_sec_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    Ok(match if first.is_text() { 6 } else { first.fraction_digits().min(6) } {
        0 => MyType { length: 17, ..MyType::BIGINT },
        digits => MyType::decimal(10 + digits, digits),
    })
}

fn microsecond(call: &mut Call<'_>) -> Result<Datum> {
    of_time(call, |(_, _, _, micros)| micros)
}

fn date(call: &mut Call<'_>) -> Result<Datum> {
    or_null(call.as_day(0).map(|day| Datum::Date(day.packed())))
}

fn time(call: &mut Call<'_>) -> Result<Datum> {
    or_null(call.as_time(0).map(Datum::Time))
}

fn time_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let digits = if first.is_text() { 6 } else { first.fraction_digits().min(6) as u8 };
    Ok(MyType::moment(Kind::Time, digits))
}

fn convert_tz(call: &mut Call<'_>) -> Result<Datum> {
    let zone = |i: usize| match call.as_text(i).eq_ignore_ascii_case("system") {
        true => Some(call.settings().zone.clone()),
        false => read_zone(&call.as_text(i)),
    };
    let Some(moment) = call.as_moment(0).filter(|moment| moment.day.is_real()) else {
        return Ok(Datum::Null);
    };
    let (Some(from), Some(to)) = (zone(1), zone(2)) else { return Ok(Datum::Null) };
    or_null(to_utc(moment, &from).map(|utc| from_utc(utc, &to).datum()))
}

/// The moment in microseconds since 1970.
fn unix_micros(moment: Moment, call: &Call<'_>) -> Option<i64> {
    let utc = to_utc(Some(moment).filter(|moment| moment.day.is_real())?, &call.settings().zone)?;
    Some(utc.number() - hobgoblin_sql_value::datetime::UNIX_EPOCH)
}

fn unix_timestamp(call: &mut Call<'_>) -> Result<Datum> {
    if call.args.is_empty() {
        let now = call.cx.clock(hobgoblin_sql_schema::context::Clock::Statement)?;
        let since = now - hobgoblin_sql_value::datetime::UNIX_EPOCH;
        return Ok(Datum::Int(since / SECOND));
    }
    let Some(moment) = call.as_moment(0) else { return Ok(Datum::Null) };
    let most = (1i64 << 31) * SECOND;
    let micros = unix_micros(moment, call).filter(|micros| (0..most).contains(micros)).unwrap_or(0);
    Ok(match call.out().kind {
        Kind::Decimal => Datum::Numeric(Numeric::from_units(i128::from(micros), 6)),
        _ => Datum::Int(micros / SECOND),
    })
}

fn unix_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    Ok(match if first.is_text() { 6 } else { first.fraction_digits().min(6) } {
        0 => MyType { length: 17, ..MyType::BIGINT },
        digits => MyType::decimal(11 + digits, digits),
    })
}

fn width(digits: u32) -> MyType {
    int(digits)
}

fn two(_: &[MyType]) -> Result<MyType> {
    Ok(width(3))
}

fn four(_: &[MyType]) -> Result<MyType> {
    Ok(width(5))
}

fn six(_: &[MyType]) -> Result<MyType> {
    Ok(width(7))
}

fn year_type(_: &[MyType]) -> Result<MyType> {
    Ok(width(4))
}

fn days_type(_: &[MyType]) -> Result<MyType> {
    Ok(width(7))
}

fn zoned(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let digits = if first.is_text() { 6 } else { first.fraction_digits().min(6) as u8 };
    Ok(MyType::moment(Kind::DateTime, digits))
}

/// Units of several parts have more digits than others.
fn of_unit(_: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let Some(Some(Datum::Text(unit))) = constants.first() else { return out };
    let unit = unit.to_ascii_lowercase();
    let large = unit.starts_with("day_") && unit != "day_hour"
        || unit.contains('_') && unit.ends_with("microsecond");
    if large { MyType::integer(12, false) } else { out }
}

/// The digits of a second that constants are written with, where the types of the others have no more.
pub(super) fn of_constant(types: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let mut digits = 0;
    for (ty, constant) in types.iter().zip(constants) {
        digits = digits.max(match constant {
            Some(Datum::Text(text)) => {
                u32::from(hobgoblin_sql_mysql_types::literal::written_digits(text))
            }
            _ if ty.is_text() => 6,
            _ => ty.fraction_digits().min(6),
        });
    }
    // A constant that is no moment has all digits that one may have.
    let absent = |constant: &Option<&Datum>| match constant {
        Some(Datum::Text(text)) => {
            !text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
        }
        _ => false,
    };
    if constants.first().is_some_and(absent) {
        digits = 6;
    }
    match (out.kind, digits) {
        (Kind::Decimal, 0) => MyType { length: 17, ..MyType::BIGINT },
        (Kind::Decimal, _) => MyType::decimal(11 + digits, digits),
        _ => MyType { scale: digits as u8, ..out },
    }
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("year", 1..=1, year_type, |call| of_day(call, |day| day.year)),
    row("month", 1..=1, two, |call| of_day(call, |day| day.month)),
    row("day", 1..=1, two, |call| of_day(call, |day| day.day)),
    row("dayofmonth", 1..=1, two, |call| of_day(call, |day| day.day)),
    row("quarter", 1..=1, two, |call| of_day(call, |day| (day.month + 2) / 3)),
    row("dayofweek", 1..=1, two, |call| of_real_day(call, |day| weekday(day) + 1)),
    row("weekday", 1..=1, two, |call| of_real_day(call, |day| (weekday(day) + 6) % 7)),
    row("dayofyear", 1..=1, two, |call| of_real_day(call, day_of_year)),
    row("dayname", 1..=1, a_text, |call| {
        or_null(real_day(call).map(|day| Datum::text(weekday_name(day))))
    }),
    row("monthname", 1..=1, a_text, |call| names(call, |day| month_name(day.month))),
    row("week", 1..=2, two, |call| week(call, None)),
    row("weekofyear", 1..=1, two, |call| week(call, Some(3))),
    row("yearweek", 1..=2, six, year_week),
    row("hour", 1..=1, two, |call| of_time(call, |(hours, ..)| hours)),
    row("minute", 1..=1, two, |call| of_time(call, |(_, minutes, ..)| minutes)),
    row("second", 1..=1, two, |call| of_time(call, |(_, _, seconds, _)| seconds)),
    row("microsecond", 1..=1, six, microsecond),
    row("extract", 2..=2, four, extract).refined(of_unit),
    row("last_day", 1..=1, a_date, last_day),
    row("to_days", 1..=1, days_type, to_days),
    row("from_days", 1..=1, a_date, from_days),
    row("to_seconds", 1..=1, a_bigint, to_seconds),
    row("makedate", 2..=2, a_date, make_date),
    row("maketime", 3..=3, make_time_type, make_time),
    row("sec_to_time", 1..=1, sec_to_time_type, sec_to_time),
    row("time_to_sec", 1..=1, time_to_sec_type, time_to_sec).refined(of_constant),
    row("date", 1..=1, a_date, date),
    row("time", 1..=1, time_type, time).refined(of_constant),
    row("convert_tz", 3..=3, zoned, convert_tz).refined(of_constant),
    row("unix_timestamp", 0..=1, unix_type, unix_timestamp).stable().refined(of_constant),
];
