//! Dates and times as PostgreSQL reads and prints them, and the words it has for units and zones.

mod abbreviations;
mod decode;
mod fields;
pub mod print;
mod read;
mod scan;
mod words;

pub use fields::{
    extract_date, extract_interval, extract_time, extract_time_tz, extract_timestamp,
    trunc_interval, trunc_timestamp,
};
pub use hobgoblin_sql_value::datetime::{
    Civil, DATE_INFINITY, DATE_NEG_INFINITY, DAY, HOUR, JULIAN_2000, MINUTE, MONTHS, SECOND,
    TIMESTAMP_INFINITY, TIMESTAMP_NEG_INFINITY, UNIX_EPOCH, Unit, WEEKDAYS, Zone, age,
    civil_of_days, date_add, date_bin, date_in_range, date_out_of_range, date_sub,
    date_to_timestamp, date_to_timestamp_saturating, day_of_week, days_in_month, days_of_civil,
    in_range, interval_out_of_range, is_infinite, is_infinite_date, is_leap, iso_week,
    iso_year_start, overlaps, round_to, time_add, time_tz_at, timestamp_add,
    timestamp_out_of_range, timestamp_sub, timestamp_tz_add, to_instant, to_local_time,
};
pub use read::{read_date, read_time, read_time_tz, read_timestamp, read_timestamp_tz};
pub use words::{unit_of_field, unit_of_interval};

pub(super) use decode::{Wrong, clock, clock_micros};
pub(super) use read::wrong;
pub(super) use scan::{Kind, fraction, leading_int, leading_long, scan};
pub(super) use words::word;

use abbreviations::{Meaning, meaning};

use super::TypeEnv;
use crate::Format;
use crate::error::Result;

/// A zone by what a statement may call it: an abbreviation, a name, a POSIX rule.
pub fn zone_called(text: &str) -> Option<Zone> {
    zone_abbreviated(text).or_else(|| Zone::by_name(text))
}

/// A zone by an abbreviation.
pub fn zone_abbreviated(text: &str) -> Option<Zone> {
    let lower = text.to_ascii_lowercase();
    let name = lower.to_ascii_uppercase();
    match meaning(&lower)? {
        Meaning::Offset(east) => Some(Zone::named_offset(&name, east)),
        Meaning::In(zone) => Zone::abbreviated(&name, zone),
    }
}

/// The instant of a local time in the session's zone.
pub fn local_to_utc(local: i64, env: &TypeEnv<'_>) -> Result<i64> {
    Ok(to_instant(local, &Format::of(env).time_zone)?)
}

/// The local time of an instant in the session's zone.
pub fn utc_to_local(utc: i64, env: &TypeEnv<'_>) -> Result<i64> {
    Ok(to_local_time(utc, &Format::of(env).time_zone)?)
}
