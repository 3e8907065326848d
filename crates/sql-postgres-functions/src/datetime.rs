//! Functions of dates and times: `extract`, `date_trunc`, `age`, `make_*`, zones, overlaps, bins.
//!
//! Values are counts (days, microseconds; see `sql-value`), so arithmetic is integer arithmetic with the calendar where a
//! field asks for it. Zones come from the session's settings through the call's context; `now()` and its kin are the
//! transaction's time, which a replay gives again.

use super::args::{error, invalid};
use super::table::*;
use super::{Call, Clock, Function};
use crate::error::{Result, SqlError, SqlState};
use crate::types::datetime::{self, Civil, DAY, SECOND, Zone};
use crate::types::{Datum, Format, Interval, Numeric, TypeId};

type Done = Result<Datum>;

/// The sum of two intervals.
pub(super) fn add(a: &Interval, b: &Interval) -> Result<Interval> {
    Ok(a.add(b)?)
}

/// The difference of two intervals.
pub(super) fn subtract(a: &Interval, b: &Interval) -> Result<Interval> {
    Ok(a.sub(b)?)
}

/// An interval so many times.
pub(super) fn multiply(a: &Interval, by: f64) -> Result<Interval> {
    Ok(a.mul(by)?)
}

/// A part of an interval.
pub(super) fn divide(a: &Interval, by: f64) -> Result<Interval> {
    Ok(a.div(by)?)
}

fn interval(value: Interval) -> Done {
    Ok(Datum::Interval(value))
}

fn timestamp(value: i64) -> Done {
    Ok(Datum::Timestamp(value))
}

/// The session's zone.
fn zone(call: &Call<'_>) -> Zone {
    Format::of(&call.cx.types()).time_zone.clone()
}

fn interval_add(call: &mut Call<'_>) -> Done {
    interval(add(call.interval(0)?, call.interval(1)?)?)
}

fn interval_subtract(call: &mut Call<'_>) -> Done {
    interval(subtract(call.interval(0)?, call.interval(1)?)?)
}

fn interval_negate(call: &mut Call<'_>) -> Done {
    interval(call.interval(0)?.neg()?)
}

fn interval_times(call: &mut Call<'_>) -> Done {
    interval(multiply(call.interval(0)?, call.float(1)?)?)
}

fn times_interval(call: &mut Call<'_>) -> Done {
    interval(multiply(call.interval(1)?, call.float(0)?)?)
}

fn interval_divide(call: &mut Call<'_>) -> Done {
    if call.float(1)? == 0.0 {
        return error(SqlState::DIVISION_BY_ZERO, "division by zero");
    }
    interval(divide(call.interval(0)?, call.float(1)?)?)
}

/// A timestamp of either kind and an interval.
fn moved(call: &Call<'_>, i: usize, span: &Interval) -> Done {
    if call.ty(i) == TIMESTAMPTZ {
        return timestamp(datetime::timestamp_tz_add(call.timestamp(i)?, span, &zone(call))?);
    }
    let at = match call.arg(i) {
        Datum::Date(day) => datetime::date_to_timestamp(*day)?,
        _ => call.timestamp(i)?,
    };
    timestamp(datetime::timestamp_add(at, span)?)
}

fn timestamp_plus(call: &mut Call<'_>) -> Done {
    moved(call, 0, call.interval(1)?)
}

fn plus_timestamp(call: &mut Call<'_>) -> Done {
    moved(call, 1, call.interval(0)?)
}

fn timestamp_minus(call: &mut Call<'_>) -> Done {
    moved(call, 0, &call.interval(1)?.neg()?)
}

fn timestamp_difference(call: &mut Call<'_>) -> Done {
    interval(datetime::timestamp_sub(call.timestamp(0)?, call.timestamp(1)?)?)
}

fn date_plus(call: &mut Call<'_>) -> Done {
    Ok(Datum::Date(datetime::date_add(call.date(0)?, call.int(1)?)?))
}

fn plus_date(call: &mut Call<'_>) -> Done {
    Ok(Datum::Date(datetime::date_add(call.date(1)?, call.int(0)?)?))
}

fn date_minus(call: &mut Call<'_>) -> Done {
    Ok(Datum::Date(datetime::date_add(call.date(0)?, -call.int(1)?)?))
}

fn date_difference(call: &mut Call<'_>) -> Done {
    Ok(Datum::Int(i64::from(datetime::date_sub(call.date(0)?, call.date(1)?)?)))
}

fn out_of_range() -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range")
}

fn day_and_time(day: i32, time: i64) -> Result<i64> {
    let midnight = datetime::date_to_timestamp(day)?;
    if datetime::is_infinite(midnight) {
        return Ok(midnight);
    }
    midnight.checked_add(time).filter(|&at| datetime::in_range(at)).ok_or_else(out_of_range)
}

fn date_time(call: &mut Call<'_>) -> Done {
    timestamp(day_and_time(call.date(0)?, call.time(1)?)?)
}

fn time_date(call: &mut Call<'_>) -> Done {
    timestamp(day_and_time(call.date(1)?, call.time(0)?)?)
}

fn zoned_day(day: i32, (time, west): (i64, i32)) -> Done {
    timestamp(day_and_time(day, time + i64::from(west) * SECOND)?)
}

fn date_timetz(call: &mut Call<'_>) -> Done {
    zoned_day(call.date(0)?, call.timetz(1)?)
}

fn timetz_date(call: &mut Call<'_>) -> Done {
    zoned_day(call.date(1)?, call.timetz(0)?)
}

fn time_plus(call: &mut Call<'_>) -> Done {
    Ok(Datum::Time(datetime::time_add(call.time(0)?, call.interval(1)?)))
}

fn plus_time(call: &mut Call<'_>) -> Done {
    Ok(Datum::Time(datetime::time_add(call.time(1)?, call.interval(0)?)))
}

fn time_minus(call: &mut Call<'_>) -> Done {
    Ok(Datum::Time(datetime::time_add(call.time(0)?, &call.interval(1)?.neg()?)))
}

fn time_difference(call: &mut Call<'_>) -> Done {
    interval(Interval::new(0, 0, call.time(0)? - call.time(1)?))
}

fn timetz_plus(call: &mut Call<'_>) -> Done {
    let (time, west) = call.timetz(0)?;
    Ok(Datum::TimeTz(datetime::time_add(time, call.interval(1)?), west))
}

fn timetz_minus(call: &mut Call<'_>) -> Done {
    let (time, west) = call.timetz(0)?;
    Ok(Datum::TimeTz(datetime::time_add(time, &call.interval(1)?.neg()?), west))
}

fn now(call: &mut Call<'_>) -> Done {
    timestamp(call.cx.clock(Clock::Transaction)?)
}

fn statement_now(call: &mut Call<'_>) -> Done {
    timestamp(call.cx.clock(Clock::Statement)?)
}

fn clock_now(call: &mut Call<'_>) -> Done {
    timestamp(call.cx.clock(Clock::Wall)?)
}

/// The start of the transaction in the session's zone.
fn local_now(call: &mut Call<'_>) -> Result<(i64, i32)> {
    let at = call.cx.clock(Clock::Transaction)?;
    Ok(zone(call).to_local(at))
}

fn current_date(call: &mut Call<'_>) -> Done {
    let (local, _) = local_now(call)?;
    Ok(Datum::Date(local.div_euclid(DAY) as i32))
}

/// A number of digits after the second's point, if the call has one.
fn digits(call: &Call<'_>, value: i64) -> Result<i64> {
    if call.args.is_empty() {
        return Ok(value);
    }
    Ok(datetime::round_to(value, call.int(0)?.clamp(0, 6) as i32))
}

fn current_timestamp(call: &mut Call<'_>) -> Done {
    let at = call.cx.clock(Clock::Transaction)?;
    timestamp(digits(call, at)?)
}

fn local_timestamp(call: &mut Call<'_>) -> Done {
    let (local, _) = local_now(call)?;
    timestamp(digits(call, local)?)
}

fn local_time(call: &mut Call<'_>) -> Done {
    let (local, _) = local_now(call)?;
    Ok(Datum::Time(digits(call, local.rem_euclid(DAY))?))
}

fn current_time(call: &mut Call<'_>) -> Done {
    let (local, east) = local_now(call)?;
    Ok(Datum::TimeTz(digits(call, local.rem_euclid(DAY))?, -east))
}

fn time_of_day(call: &mut Call<'_>) -> Done {
    let at = call.cx.clock(Clock::Wall)?;
    let zone = zone(call);
    let (local, _) = zone.to_local(at);
    let c = Civil::of(local);
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let day = DAYS.get(datetime::day_of_week(c.days()) as usize).copied().unwrap_or_default();
    let month = MONTHS.get((c.month - 1) as usize).copied().unwrap_or_default();
    super::args::text(format!(
        "{day} {month} {:02} {:02}:{:02}:{:02}.{:06} {:04} {}",
        c.day,
        c.hour,
        c.minute,
        c.second,
        c.micro,
        c.year,
        zone.abbreviation_at(at)
    ))
}

/// A field of any of the types.
fn field(call: &Call<'_>) -> Result<Option<Numeric>> {
    let name = call.text(0)?;
    match call.arg(1) {
        Datum::Date(day) => datetime::extract_date(name, *day),
        Datum::Time(time) => datetime::extract_time(name, *time),
        Datum::TimeTz(time, west) => datetime::extract_time_tz(name, *time, *west),
        Datum::Interval(span) => datetime::extract_interval(name, span),
        _ if call.ty(1) == TIMESTAMPTZ => {
            datetime::extract_timestamp(name, call.timestamp(1)?, Some(&zone(call)))
        }
        _ => datetime::extract_timestamp(name, call.timestamp(1)?, None),
    }
}

/// `extract` gives numeric, `date_part` the same as a float.
fn extract(call: &mut Call<'_>) -> Done {
    Ok(field(call)?.map_or(Datum::Null, Datum::Numeric))
}

/// Of a date it is that of its midnight.
fn date_part(call: &mut Call<'_>) -> Done {
    let found = match call.arg(1) {
        Datum::Date(day) => {
            datetime::extract_timestamp(call.text(0)?, datetime::date_to_timestamp(*day)?, None)?
        }
        _ => field(call)?,
    };
    Ok(found.map_or(Datum::Null, |value| Datum::Float(value.to_f64())))
}

fn date_trunc(call: &mut Call<'_>) -> Done {
    let unit = call.text(0)?;
    match call.arg(1) {
        Datum::Interval(span) => interval(datetime::trunc_interval(unit, span)?),
        _ if call.ty(1) == TIMESTAMPTZ => {
            let zone = if call.args.len() > 2 { named_zone(call.text(2)?)? } else { zone(call) };
            timestamp(datetime::trunc_timestamp(unit, call.timestamp(1)?, Some(&zone))?)
        }
        _ => timestamp(datetime::trunc_timestamp(unit, call.timestamp(1)?, None)?),
    }
}

/// The start of the bin a timestamp falls into.
fn date_bin(call: &mut Call<'_>) -> Done {
    timestamp(datetime::date_bin(call.interval(0)?, call.timestamp(1)?, call.timestamp(2)?)?)
}

fn age(call: &mut Call<'_>) -> Done {
    let zoned = call.ty(0) == TIMESTAMPTZ;
    let local = |call: &Call<'_>, at: i64| if zoned { zone(call).to_local(at).0 } else { at };
    let (later, earlier) = if call.args.len() > 1 {
        (local(call, call.timestamp(0)?), local(call, call.timestamp(1)?))
    } else {
        let (now, _) = local_now(call)?;
        (now - now.rem_euclid(DAY), local(call, call.timestamp(0)?))
    };
    interval(datetime::age(later, earlier)?)
}

fn age_of_transaction(_: &mut Call<'_>) -> Done {
    Err(SqlError::unsupported("age(xid)"))
}

fn justify_days(call: &mut Call<'_>) -> Done {
    interval(call.interval(0)?.justify_days()?)
}

fn justify_hours(call: &mut Call<'_>) -> Done {
    interval(call.interval(0)?.justify_hours()?)
}

fn justify_interval(call: &mut Call<'_>) -> Done {
    interval(call.interval(0)?.justify_interval()?)
}

fn is_finite(call: &mut Call<'_>) -> Done {
    Ok(Datum::Bool(match call.arg(0) {
        Datum::Date(day) => !datetime::is_infinite_date(*day),
        Datum::Timestamp(at) => !datetime::is_infinite(*at),
        _ => true,
    }))
}

fn field_error(message: String) -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
}

/// A day from its parts; years before 1 are BC, and there is no year 0.
fn made_day(call: &Call<'_>) -> Result<i64> {
    let (year, month, day) = (call.int(0)?, call.int(1)?, call.int(2)?);
    let bad = || field_error(format!("date field value out of range: {year}-{month:02}-{day:02}"));
    let civil = if year < 0 { year + 1 } else { year };
    if year == 0
        || !(1..=12).contains(&month)
        || day < 1
        || day > datetime::days_in_month(civil, month)
    {
        return Err(bad());
    }
    let days = datetime::days_of_civil(civil, month, day);
    if datetime::date_in_range(days) {
        Ok(days)
    } else {
        Err(field_error(format!("date out of range: {year}-{month:02}-{day:02}")))
    }
}

fn made_time(call: &Call<'_>, from: usize) -> Result<i64> {
    let (hour, minute, second) = (call.int(from)?, call.int(from + 1)?, call.float(from + 2)?);
    let end = hour == 24 && minute == 0 && second == 0.0;
    let fits =
        (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..=60.0).contains(&second);
    if !end && !fits {
        return Err(field_error(format!(
            "time field value out of range: {hour}:{minute:02}:{second:02}"
        )));
    }
    Ok((hour * 60 + minute) * 60 * SECOND + (second * SECOND as f64).round_ties_even() as i64)
}

fn make_date(call: &mut Call<'_>) -> Done {
    Ok(Datum::Date(made_day(call)? as i32))
}

fn make_time(call: &mut Call<'_>) -> Done {
    Ok(Datum::Time(made_time(call, 0)?))
}

fn made_timestamp(call: &Call<'_>) -> Result<i64> {
    day_and_time(made_day(call)? as i32, made_time(call, 3)?)
}

fn make_timestamp(call: &mut Call<'_>) -> Done {
    timestamp(made_timestamp(call)?)
}

fn make_timestamptz(call: &mut Call<'_>) -> Done {
    let zone = if call.args.len() > 6 { named_zone(call.text(6)?)? } else { zone(call) };
    timestamp(datetime::to_instant(made_timestamp(call)?, &zone)?)
}

/// The arguments are years, months, weeks, days, hours, minutes, seconds; missing ones are 0.
fn make_interval(call: &mut Call<'_>) -> Done {
    let part = |i: usize| if call.args.len() > i { call.int(i) } else { Ok(0) };
    let seconds = if call.args.len() > 6 { call.float(6)? } else { 0.0 };
    let bad = || field_error("interval out of range".to_owned());
    if !seconds.is_finite() {
        return Err(bad());
    }
    let months = i32::try_from(part(0)? * 12 + part(1)?).map_err(|_| bad())?;
    let days = i32::try_from(part(2)? * 7 + part(3)?).map_err(|_| bad())?;
    let micros = (seconds * SECOND as f64).round_ties_even();
    let clock = (i128::from(part(4)?) * 60 + i128::from(part(5)?)) * 60 * i128::from(SECOND);
    let micros = i64::try_from(clock + micros as i128).map_err(|_| bad())?;
    interval(Interval::new(months, days, micros))
}

/// A zone by name.
fn named_zone(name: &str) -> Result<Zone> {
    datetime::zone_called(name).ok_or_else(|| {
        SqlError::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("time zone \"{name}\" not recognized"),
        )
    })
}

/// The zone of `timezone(zone, …)`: a name, or an offset as an interval.
fn asked_zone(call: &Call<'_>) -> Result<Zone> {
    match call.arg(0) {
        Datum::Interval(offset) if offset.months != 0 || offset.days != 0 => {
            invalid("interval time zone must not include months or days")
        }
        Datum::Interval(offset) => Ok(Zone::fixed((offset.micros / SECOND) as i32)),
        _ => named_zone(call.text(0)?),
    }
}

fn at_zone(call: &mut Call<'_>) -> Done {
    let zone = asked_zone(call)?;
    match call.arg(1) {
        Datum::TimeTz(time, west) => {
            let now = call.cx.clock(Clock::Transaction)?;
            let (time, west) = datetime::time_tz_at(*time, *west, -zone.offset_at(now));
            Ok(Datum::TimeTz(time, west))
        }
        _ if call.ty(1) == TIMESTAMPTZ => {
            timestamp(datetime::to_local_time(call.timestamp(1)?, &zone)?)
        }
        _ => timestamp(datetime::to_instant(call.timestamp(1)?, &zone)?),
    }
}

/// The four ends of `(a, b) OVERLAPS (c, d)`, where `b` and `d` may be spans.
fn overlaps(call: &mut Call<'_>) -> Done {
    let end = |i: usize| -> Result<Datum> {
        match call.arg(i) {
            Datum::Interval(_) if call.null(i - 1) => Ok(Datum::Null),
            Datum::Interval(span) => match call.arg(i - 1) {
                Datum::Time(time) => Ok(Datum::Time(datetime::time_add(*time, span))),
                Datum::TimeTz(time, west) => {
                    Ok(Datum::TimeTz(datetime::time_add(*time, span), *west))
                }
                _ => moved(call, i - 1, span),
            },
            other => Ok(other.clone()),
        }
    };
    let first = (call.arg(0).clone(), end(1)?);
    let second = (call.arg(2).clone(), end(3)?);
    Ok(overlap(first, second).map_or(Datum::Null, Datum::Bool))
}

/// SQL's rule, NULLs included: the earlier end starts, a missing one is unknown.
fn overlap(first: (Datum, Datum), second: (Datum, Datum)) -> Option<bool> {
    let order = |(a, b): (Datum, Datum)| match (a.is_null(), b.is_null()) {
        (true, true) => None,
        (true, false) => Some((b, Datum::Null)),
        (false, true) => Some((a, Datum::Null)),
        (false, false) if a.compare(&b).is_gt() => Some((b, a)),
        (false, false) => Some((a, b)),
    };
    let ((s1, e1), (s2, e2)) = (order(first)?, order(second)?);
    match s1.compare(&s2) {
        std::cmp::Ordering::Greater => {
            if e2.is_null() {
                None
            } else if s1.compare(&e2).is_lt() {
                Some(true)
            } else if e1.is_null() {
                None
            } else {
                Some(false)
            }
        }
        std::cmp::Ordering::Less => {
            if e1.is_null() {
                None
            } else if s2.compare(&e1).is_lt() {
                Some(true)
            } else if e2.is_null() {
                None
            } else {
                Some(false)
            }
        }
        std::cmp::Ordering::Equal if e1.is_null() || e2.is_null() => None,
        std::cmp::Ordering::Equal => Some(true),
    }
}

const fn part(ty: &'static [TypeId]) -> [Function; 2] {
    [
        function("extract", ty, NUMERIC, extract).stable(),
        function("date_part", ty, FLOAT8, date_part).stable(),
    ]
}

pub(super) static PARTS: &[[Function; 2]] = &[
    part(&[TEXT, TIMESTAMPTZ]),
    part(&[TEXT, TIMESTAMP]),
    part(&[TEXT, DATE]),
    part(&[TEXT, INTERVAL]),
    part(&[TEXT, TIME]),
    part(&[TEXT, TIMETZ]),
];

pub(super) static OPERATORS: &[Function] = &[
    function("+", &[INTERVAL, INTERVAL], INTERVAL, interval_add),
    function("-", &[INTERVAL, INTERVAL], INTERVAL, interval_subtract),
    function("-", &[INTERVAL], INTERVAL, interval_negate),
    function("*", &[INTERVAL, FLOAT8], INTERVAL, interval_times),
    function("*", &[FLOAT8, INTERVAL], INTERVAL, times_interval),
    function("/", &[INTERVAL, FLOAT8], INTERVAL, interval_divide),
    function("+", &[TIMESTAMP, INTERVAL], TIMESTAMP, timestamp_plus),
    function("+", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, timestamp_plus).stable(),
    function("+", &[DATE, INTERVAL], TIMESTAMP, timestamp_plus),
    function("+", &[INTERVAL, TIMESTAMP], TIMESTAMP, plus_timestamp),
    function("+", &[INTERVAL, TIMESTAMPTZ], TIMESTAMPTZ, plus_timestamp).stable(),
    function("+", &[INTERVAL, DATE], TIMESTAMP, plus_timestamp),
    function("-", &[TIMESTAMP, INTERVAL], TIMESTAMP, timestamp_minus),
    function("-", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, timestamp_minus).stable(),
    function("-", &[DATE, INTERVAL], TIMESTAMP, timestamp_minus),
    function("-", &[TIMESTAMP, TIMESTAMP], INTERVAL, timestamp_difference),
    function("-", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, timestamp_difference),
    function("+", &[DATE, INT4], DATE, date_plus),
    function("+", &[INT4, DATE], DATE, plus_date),
    function("-", &[DATE, INT4], DATE, date_minus),
    function("-", &[DATE, DATE], INT4, date_difference),
    function("+", &[DATE, TIME], TIMESTAMP, date_time),
    function("+", &[TIME, DATE], TIMESTAMP, time_date),
    function("+", &[DATE, TIMETZ], TIMESTAMPTZ, date_timetz),
    function("+", &[TIMETZ, DATE], TIMESTAMPTZ, timetz_date),
    function("+", &[TIME, INTERVAL], TIME, time_plus),
    function("+", &[INTERVAL, TIME], TIME, plus_time),
    function("-", &[TIME, INTERVAL], TIME, time_minus),
    function("-", &[TIME, TIME], INTERVAL, time_difference),
    function("+", &[TIMETZ, INTERVAL], TIMETZ, timetz_plus),
    function("-", &[TIMETZ, INTERVAL], TIMETZ, timetz_minus),
];

pub(super) static FUNCTIONS: &[Function] = &[
    function("now", &[], TIMESTAMPTZ, now).stable(),
    function("transaction_timestamp", &[], TIMESTAMPTZ, now).stable(),
    function("statement_timestamp", &[], TIMESTAMPTZ, statement_now).stable(),
    function("clock_timestamp", &[], TIMESTAMPTZ, clock_now).volatile(),
    function("timeofday", &[], TEXT, time_of_day).volatile(),
    function("current_date", &[], DATE, current_date).stable(),
    function("current_timestamp", &[], TIMESTAMPTZ, current_timestamp).stable(),
    function("current_timestamp", &[INT4], TIMESTAMPTZ, current_timestamp).stable(),
    function("localtimestamp", &[], TIMESTAMP, local_timestamp).stable(),
    function("localtimestamp", &[INT4], TIMESTAMP, local_timestamp).stable(),
    function("current_time", &[], TIMETZ, current_time).stable(),
    function("current_time", &[INT4], TIMETZ, current_time).stable(),
    function("localtime", &[], TIME, local_time).stable(),
    function("localtime", &[INT4], TIME, local_time).stable(),
    function("date_trunc", &[TEXT, TIMESTAMPTZ], TIMESTAMPTZ, date_trunc).stable(),
    function("date_trunc", &[TEXT, TIMESTAMPTZ, TEXT], TIMESTAMPTZ, date_trunc).stable(),
    function("date_trunc", &[TEXT, TIMESTAMP], TIMESTAMP, date_trunc),
    function("date_trunc", &[TEXT, INTERVAL], INTERVAL, date_trunc),
    function("date_bin", &[INTERVAL, TIMESTAMP, TIMESTAMP], TIMESTAMP, date_bin),
    function("date_bin", &[INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], TIMESTAMPTZ, date_bin),
    function("age", &[XID], INT4, age_of_transaction).stable(),
    function("age", &[TIMESTAMP], INTERVAL, age).stable(),
    function("age", &[TIMESTAMPTZ], INTERVAL, age).stable(),
    function("age", &[TIMESTAMP, TIMESTAMP], INTERVAL, age),
    function("age", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, age).stable(),
    function("justify_days", &[INTERVAL], INTERVAL, justify_days),
    function("justify_hours", &[INTERVAL], INTERVAL, justify_hours),
    function("justify_interval", &[INTERVAL], INTERVAL, justify_interval),
    function("isfinite", &[DATE], BOOL, is_finite),
    function("isfinite", &[TIMESTAMP], BOOL, is_finite),
    function("isfinite", &[TIMESTAMPTZ], BOOL, is_finite),
    function("isfinite", &[INTERVAL], BOOL, is_finite),
    function("make_date", &[INT4, INT4, INT4], DATE, make_date),
    function("make_time", &[INT4, INT4, FLOAT8], TIME, make_time),
    function("make_timestamp", &[INT4, INT4, INT4, INT4, INT4, FLOAT8], TIMESTAMP, make_timestamp),
    function(
        "make_timestamptz",
        &[INT4, INT4, INT4, INT4, INT4, FLOAT8],
        TIMESTAMPTZ,
        make_timestamptz,
    )
    .stable(),
    function(
        "make_timestamptz",
        &[INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT],
        TIMESTAMPTZ,
        make_timestamptz,
    )
    .stable(),
    function("make_interval", &[], INTERVAL, make_interval),
    function("make_interval", &[INT4], INTERVAL, make_interval),
    function("make_interval", &[INT4, INT4], INTERVAL, make_interval),
    function("make_interval", &[INT4, INT4, INT4], INTERVAL, make_interval),
    function("make_interval", &[INT4, INT4, INT4, INT4], INTERVAL, make_interval),
    function("make_interval", &[INT4, INT4, INT4, INT4, INT4], INTERVAL, make_interval),
    function("make_interval", &[INT4, INT4, INT4, INT4, INT4, INT4], INTERVAL, make_interval),
    function(
        "make_interval",
        &[INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8],
        INTERVAL,
        make_interval,
    ),
    function("timezone", &[TEXT, TIMESTAMPTZ], TIMESTAMP, at_zone),
    function("timezone", &[TEXT, TIMESTAMP], TIMESTAMPTZ, at_zone),
    function("timezone", &[TEXT, TIMETZ], TIMETZ, at_zone).volatile(),
    function("timezone", &[INTERVAL, TIMESTAMPTZ], TIMESTAMP, at_zone),
    function("timezone", &[INTERVAL, TIMESTAMP], TIMESTAMPTZ, at_zone),
    function("timezone", &[INTERVAL, TIMETZ], TIMETZ, at_zone),
    function("overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, TIMESTAMP], BOOL, overlaps)
        .with_nulls(),
    function("overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, INTERVAL], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, INTERVAL], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, TIMESTAMP], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps)
        .with_nulls(),
    function("overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, INTERVAL], BOOL, overlaps)
        .with_nulls()
        .stable(),
    function("overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL], BOOL, overlaps)
        .with_nulls()
        .stable(),
    function("overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps)
        .with_nulls()
        .stable(),
    function("overlaps", &[TIME, TIME, TIME, TIME], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIME, INTERVAL, TIME, INTERVAL], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIME, TIME, TIME, INTERVAL], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIME, INTERVAL, TIME, TIME], BOOL, overlaps).with_nulls(),
    function("overlaps", &[TIMETZ, TIMETZ, TIMETZ, TIMETZ], BOOL, overlaps).with_nulls(),
];
