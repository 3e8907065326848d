//! Printing dates and times in every `DateStyle`.

use std::fmt::Write;

use super::{
    Civil, DATE_INFINITY, DATE_NEG_INFINITY, TIMESTAMP_INFINITY, TIMESTAMP_NEG_INFINITY,
    civil_of_days, day_of_week,
};
use crate::{DateOrder, DateStyle, Format};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

fn two(out: &mut String, number: i64) {
    out.push((b'0' + (number / 10 % 10) as u8) as char);
    out.push((b'0' + (number % 10) as u8) as char);
}

/// Appends seconds of two digits, and their fraction without the zeros at its end.
pub(crate) fn seconds(out: &mut String, second: i64, micro: i64) {
    two(out, second);
    fraction(out, micro);
}

/// Appends a point and the digits of the fraction, if there is one.
pub(crate) fn fraction(out: &mut String, micro: i64) {
    if micro != 0 {
        let digits = format!("{micro:06}");
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
}

fn clock(out: &mut String, civil: &Civil) {
    two(out, civil.hour);
    out.push(':');
    two(out, civil.minute);
    out.push(':');
    seconds(out, civil.second, civil.micro);
}

/// Appends an offset from UTC, in seconds east: `+02`, `-03:30`, `+00:19:32`.
pub(crate) fn offset(out: &mut String, east: i32) {
    out.push(if east < 0 { '-' } else { '+' });
    let size = i64::from(east.unsigned_abs());
    two(out, size / 3600);
    if size % 3600 != 0 {
        out.push(':');
        two(out, size / 60 % 60);
    }
    if size % 60 != 0 {
        out.push(':');
        two(out, size % 60);
    }
}

/// The year as people count it, and whether it is before Christ.
fn shown_year(year: i64) -> (i64, bool) {
    if year > 0 { (year, false) } else { (1 - year, true) }
}

fn four(out: &mut String, year: i64) {
    if year > 9999 {
        let _ = write!(out, "{year}");
    } else {
        two(out, year / 100);
        two(out, year % 100);
    }
}

fn day_month(out: &mut String, civil: &Civil, mark: char, day_first: bool) {
    let (first, second) =
        if day_first { (civil.day, civil.month) } else { (civil.month, civil.day) };
    two(out, first);
    out.push(mark);
    two(out, second);
}

/// Appends a date, by `DateStyle`.
pub fn print_date(out: &mut String, days: i32, format: &Format) {
    match days {
        DATE_INFINITY => return out.push_str("infinity"),
        DATE_NEG_INFINITY => return out.push_str("-infinity"),
        _ => {}
    }
    let (year, month, day) = civil_of_days(i64::from(days));
    let civil = Civil { year, month, day, ..Civil::default() };
    let bc = print_day(out, &civil, format);
    if bc {
        out.push_str(" BC");
    }
}

fn print_day(out: &mut String, civil: &Civil, format: &Format) -> bool {
    let (year, bc) = shown_year(civil.year);
    let day_first = format.date_order == DateOrder::Dmy;
    match format.date_style {
        DateStyle::Iso => {
            four(out, year);
            out.push('-');
            day_month(out, civil, '-', false);
            return bc;
        }
        DateStyle::Sql => day_month(out, civil, '/', day_first),
        DateStyle::German => day_month(out, civil, '.', true),
        DateStyle::Postgres => day_month(out, civil, '-', day_first),
    }
    out.push(match format.date_style {
        DateStyle::Sql => '/',
        DateStyle::German => '.',
        _ => '-',
    });
    four(out, year);
    bc
}

/// Appends a time of day.
pub fn print_time(out: &mut String, time: i64) {
    clock(out, &Civil::of_time(time));
}

/// Appends a time of day and its offset, given in seconds west of UTC.
pub fn print_time_tz(out: &mut String, time: i64, west: i32) {
    print_time(out, time);
    offset(out, west.saturating_neg());
}

/// Appends a timestamp. A `timestamptz` is shown by the session's zone, with the zone behind it.
pub fn print_timestamp(out: &mut String, timestamp: i64, with_zone: bool, format: &Format) {
    match timestamp {
        TIMESTAMP_INFINITY => return out.push_str("infinity"),
        TIMESTAMP_NEG_INFINITY => return out.push_str("-infinity"),
        _ => {}
    }
    let (local, east) =
        if with_zone { format.time_zone.to_local(timestamp) } else { (timestamp, 0) };
    let civil = Civil::of(local);
    let (year, bc) = shown_year(civil.year);
    if format.date_style == DateStyle::Postgres {
        let weekday = day_of_week(local.div_euclid(super::DAY)) as usize;
        let month = MONTHS.get(civil.month as usize - 1).unwrap_or(&"");
        let _ = write!(out, "{} ", WEEKDAYS.get(weekday).unwrap_or(&""));
        let _ = match format.date_order {
            DateOrder::Dmy => write!(out, "{:02} {month} ", civil.day),
            _ => write!(out, "{month} {:02} ", civil.day),
        };
        clock(out, &civil);
        out.push(' ');
        four(out, year);
    } else {
        print_day(out, &civil, format);
        out.push(' ');
        clock(out, &civil);
    }
    if with_zone {
        if format.date_style == DateStyle::Iso {
            offset(out, east);
        } else {
            out.push(' ');
            out.push_str(&format.time_zone.abbreviation_at(timestamp));
        }
    }
    if bc {
        out.push_str(" BC");
    }
}
