//! Arithmetic of dates, times and intervals.

use super::{
    Civil, DATE_INFINITY, DATE_NEG_INFINITY, DAY, SECOND, TIMESTAMP_INFINITY,
    TIMESTAMP_NEG_INFINITY, Zone, date_in_range, date_out_of_range, days_in_month, in_range,
    interval_out_of_range, timestamp_out_of_range,
};
use crate::{Interval, Problem, Result};

/// Whether a timestamp is one of the infinities.
pub fn is_infinite(timestamp: i64) -> bool {
    timestamp == TIMESTAMP_INFINITY || timestamp == TIMESTAMP_NEG_INFINITY
}

/// Whether a date is one of the infinities.
pub fn is_infinite_date(days: i32) -> bool {
    days == DATE_INFINITY || days == DATE_NEG_INFINITY
}

fn checked(timestamp: Option<i64>) -> Result<i64> {
    timestamp.filter(|t| in_range(*t)).ok_or_else(timestamp_out_of_range)
}

/// The midnight at which a date begins, as a timestamp; an error if no timestamp can hold it.
pub fn date_to_timestamp(days: i32) -> Result<i64> {
    match days {
        DATE_INFINITY => Ok(TIMESTAMP_INFINITY),
        DATE_NEG_INFINITY => Ok(TIMESTAMP_NEG_INFINITY),
        _ => i64::from(days)
            .checked_mul(DAY)
            .filter(|t| in_range(*t))
            .ok_or(Problem::DateOutOfTimestamps),
    }
}

/// The midnight at which a date begins, to compare it with timestamps. It is infinite if no
/// timestamp can hold it.
pub fn date_to_timestamp_saturating(days: i32) -> i64 {
    date_to_timestamp(days).unwrap_or(TIMESTAMP_INFINITY)
}

/// The instant of a local time: `AT TIME ZONE` of a `timestamp`.
pub fn to_instant(local: i64, zone: &Zone) -> Result<i64> {
    if is_infinite(local) {
        return Ok(local);
    }
    checked(zone.to_utc(local))
}

/// The local time of an instant: `AT TIME ZONE` of a `timestamptz`.
pub fn to_local_time(utc: i64, zone: &Zone) -> Result<i64> {
    if is_infinite(utc) {
        return Ok(utc);
    }
    checked(Some(zone.to_local(utc).0))
}

/// A time of day in another zone: `AT TIME ZONE` of a `timetz`.
pub fn time_tz_at(time: i64, west: i32, new_west: i32) -> (i64, i32) {
    let moved = time + (i64::from(west) - i64::from(new_west)) * SECOND;
    (moved.rem_euclid(DAY), new_west)
}

/// The date so many days later.
pub fn date_add(days: i32, more: i64) -> Result<i32> {
    if is_infinite_date(days) {
        return Ok(days);
    }
    let sum = i64::from(days).checked_add(more).filter(|sum| date_in_range(*sum));
    sum.and_then(|sum| i32::try_from(sum).ok()).ok_or_else(date_out_of_range)
}

/// The number of days from one date to another.
pub fn date_sub(a: i32, b: i32) -> Result<i32> {
    if is_infinite_date(a) || is_infinite_date(b) {
        return Err(Problem::InfiniteDates);
    }
    a.checked_sub(b).ok_or_else(date_out_of_range)
}

/// A timestamp and an interval: months first, where a day that the month lacks becomes its last, then
/// days, then time.
pub fn timestamp_add(timestamp: i64, interval: &Interval) -> Result<i64> {
    if is_infinite(timestamp) {
        return Ok(timestamp);
    }
    let moved = add_months_and_days(timestamp, interval)?;
    checked(moved.checked_add(interval.micros))
}

fn add_months_and_days(timestamp: i64, interval: &Interval) -> Result<i64> {
    let mut moved = timestamp;
    if interval.months != 0 {
        let mut civil = Civil::of(moved);
        let months = civil.month - 1 + i64::from(interval.months);
        civil.year += months.div_euclid(12);
        civil.month = months.rem_euclid(12) + 1;
        civil.day = civil.day.min(days_in_month(civil.year, civil.month));
        moved = civil.timestamp().ok_or_else(timestamp_out_of_range)?;
    }
    if interval.days != 0 {
        moved =
            checked(i64::from(interval.days).checked_mul(DAY).and_then(|d| moved.checked_add(d)))?;
    }
    Ok(moved)
}

/// The same of a `timestamptz`: months and days keep the local time of day.
pub fn timestamp_tz_add(utc: i64, interval: &Interval, zone: &Zone) -> Result<i64> {
    if is_infinite(utc) {
        return Ok(utc);
    }
    let mut moved = utc;
    for step in [Interval::new(interval.months, 0, 0), Interval::new(0, interval.days, 0)] {
        if step.months != 0 || step.days != 0 {
            let (local, _) = zone.to_local(moved);
            moved = checked(zone.to_utc(add_months_and_days(local, &step)?))?;
        }
    }
    checked(moved.checked_add(interval.micros))
}

/// The time between two timestamps, in days of 24 hours and the rest.
pub fn timestamp_sub(a: i64, b: i64) -> Result<Interval> {
    if is_infinite(a) || is_infinite(b) {
        return Err(Problem::InfiniteTimestamps);
    }
    let micros = a.checked_sub(b).ok_or_else(interval_out_of_range)?;
    Interval::new(0, 0, micros).justify_hours()
}

/// A time of day and an interval, of which only the time counts; it wraps at midnight.
pub fn time_add(time: i64, interval: &Interval) -> i64 {
    (i128::from(time) + i128::from(interval.micros)).rem_euclid(i128::from(DAY)) as i64
}

/// The years, months, days and time from `b` to `a`, counted by the calendar; of `timestamptz` values
/// give the local times.
pub fn age(a: i64, b: i64) -> Result<Interval> {
    if is_infinite(a) || is_infinite(b) {
        return Err(timestamp_out_of_range());
    }
    let (later, earlier, negative) = if a >= b { (a, b, false) } else { (b, a, true) };
    let (to, from) = (Civil::of(later), Civil::of(earlier));
    let mut micros = to.time() - from.time();
    let mut days = to.day - from.day;
    let mut months = (to.year - from.year) * 12 + to.month - from.month;
    if micros < 0 {
        micros += DAY;
        days -= 1;
    }
    while days < 0 {
        // A month is borrowed, as long as the earlier date's.
        days += days_in_month(from.year, from.month);
        months -= 1;
    }
    let months = i32::try_from(months).map_err(|_| interval_out_of_range())?;
    let age = Interval::new(months, days as i32, micros);
    if negative { age.neg() } else { Ok(age) }
}

/// Whether two periods of time overlap, as `OVERLAPS` has it; ends may come in either order. The
/// ordering is given, so that it serves every type.
pub fn overlaps<T: PartialOrd>(first: (T, T), second: (T, T)) -> bool {
    let ordered = |(a, b): (T, T)| if a <= b { (a, b) } else { (b, a) };
    let ((start, end), (other_start, other_end)) = (ordered(first), ordered(second));
    if start > other_start {
        start < other_end
    } else if start < other_start {
        other_start < end
    } else {
        true
    }
}
