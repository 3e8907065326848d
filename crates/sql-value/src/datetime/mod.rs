//! Dates and times: the calendar, time zones, arithmetic.
//!
//! Instants are microseconds since 2000-01-01, dates are days since then, as PostgreSQL keeps them. The
//! calendar is the Gregorian one, extended to all years; year 0 is 1 BC.

mod arith;
mod fields;
mod trunc;
mod unit;
mod zone;

pub use arith::{
    age, date_add, date_sub, date_to_timestamp, date_to_timestamp_saturating, is_infinite,
    is_infinite_date, overlaps, time_add, time_tz_at, timestamp_add, timestamp_sub,
    timestamp_tz_add, to_instant, to_local_time,
};
pub use fields::{
    Field, extract_date, extract_interval, extract_time, extract_time_tz, extract_timestamp,
};
pub use trunc::{date_bin, trunc_interval, trunc_timestamp};
pub use unit::Unit;
pub use zone::Zone;

use crate::{Moment, Problem};

/// The number of microseconds in a second.
pub const SECOND: i64 = 1_000_000;
/// The number of microseconds in a minute.
pub const MINUTE: i64 = 60 * SECOND;
/// The number of microseconds in an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// The number of microseconds in a day of 24 hours.
pub const DAY: i64 = 24 * HOUR;
/// The English names of months, from January.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// The English names of the days of the week, from Sunday.
pub const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// The timestamp `-infinity`.
pub const TIMESTAMP_NEG_INFINITY: i64 = i64::MIN;
/// The timestamp `infinity`.
pub const TIMESTAMP_INFINITY: i64 = i64::MAX;
/// The date `-infinity`.
pub const DATE_NEG_INFINITY: i32 = i32::MIN;
/// The date `infinity`.
pub const DATE_INFINITY: i32 = i32::MAX;
/// The Unix epoch as a timestamp.
pub const UNIX_EPOCH: i64 = -10_957 * DAY;

/// The Julian day of 2000-01-01.
pub const JULIAN_2000: i64 = 2_451_545;
const MIN_TIMESTAMP: i64 = -211_813_488_000_000_000;
const END_TIMESTAMP: i64 = 9_223_371_331_200_000_000;
const END_DATE: i64 = 2_147_483_494 - JULIAN_2000;
/// The number of days in 400 years, after which the calendar repeats.
const CYCLE_DAYS: i64 = 146_097;

/// A date and time of the Gregorian calendar, in no particular zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Civil {
    /// The year; 0 is 1 BC, and -1 is 2 BC.
    pub year: i64,
    /// The month of the year, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The hour of the day; 24 only in `24:00:00`.
    pub hour: i64,
    /// The minute of the hour, from 0.
    pub minute: i64,
    /// The second of the minute, from 0.
    pub second: i64,
    /// The microsecond of the second, from 0.
    pub micro: i64,
}

impl Civil {
    /// The date and time of a finite timestamp.
    pub fn of(timestamp: i64) -> Civil {
        let mut civil = Civil::of_time(timestamp.rem_euclid(DAY));
        (civil.year, civil.month, civil.day) = civil_of_days(timestamp.div_euclid(DAY));
        civil
    }

    /// The time of day that is so many microseconds after midnight, on no date.
    pub fn of_time(time: i64) -> Civil {
        Civil {
            hour: time / HOUR,
            minute: time / MINUTE % 60,
            second: time / SECOND % 60,
            micro: time % SECOND,
            ..Civil::default()
        }
    }

    /// The date as days since 2000-01-01.
    pub fn days(&self) -> i64 {
        days_of_civil(self.year, self.month, self.day)
    }

    /// The time of day in microseconds since midnight.
    pub fn time(&self) -> i64 {
        self.hour * HOUR + self.minute * MINUTE + self.second * SECOND + self.micro
    }

    /// The date and time as a timestamp; `None` if PostgreSQL cannot hold it.
    pub fn timestamp(&self) -> Option<i64> {
        let micros = i128::from(self.days()) * i128::from(DAY) + i128::from(self.time());
        i64::try_from(micros).ok().filter(|t| in_range(*t))
    }
}

/// Whether a finite timestamp is one PostgreSQL can hold.
pub fn in_range(timestamp: i64) -> bool {
    (MIN_TIMESTAMP..END_TIMESTAMP).contains(&timestamp)
}

/// Whether a finite date is one PostgreSQL can hold.
pub fn date_in_range(days: i64) -> bool {
    (-JULIAN_2000..END_DATE).contains(&days)
}

/// The days from 2000-01-01 to a day of the calendar. A month beyond 12 is one of a later year.
pub fn days_of_civil(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    // Years that begin in March put the leap day last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (cycle, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    cycle * CYCLE_DAYS + year * 365 + year / 4 - year / 100 + day_of_year - 730_425
}

/// The year, month and day that is so many days after 2000-01-01.
pub fn civil_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + 730_425;
    let (cycle, day) = (days.div_euclid(CYCLE_DAYS), days.rem_euclid(CYCLE_DAYS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = cycle * 400 + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// Whether a year has a 29 February.
pub fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week, where Sunday is 0.
pub fn day_of_week(days: i64) -> i64 {
    (days + 6).rem_euclid(7)
}

/// The year and the week in which ISO 8601 counts a day.
pub fn iso_week(days: i64) -> (i64, i64) {
    // The week belongs to the year its Thursday is in.
    let thursday = days - (day_of_week(days) + 6) % 7 + 3;
    let (year, _, _) = civil_of_days(thursday);
    (year, (thursday - days_of_civil(year, 1, 1)) / 7 + 1)
}

/// The Monday of the first ISO week of a year.
pub fn iso_year_start(year: i64) -> i64 {
    let fourth = days_of_civil(year, 1, 4);
    fourth - (day_of_week(fourth) + 6) % 7
}

/// No timestamp holds it.
pub fn timestamp_out_of_range() -> Problem {
    Problem::OutOfRange(Moment::Timestamp)
}

/// No date holds it.
pub fn date_out_of_range() -> Problem {
    Problem::OutOfRange(Moment::Date)
}

/// No interval holds it.
pub fn interval_out_of_range() -> Problem {
    Problem::OutOfRange(Moment::Interval)
}

/// Rounded to so many digits of a second, as a typmod of 0 to 6 asks for; others leave it.
pub fn round_to(micros: i64, typmod: i32) -> i64 {
    if !(0..6).contains(&typmod) || micros == i64::MIN || micros == i64::MAX {
        return micros;
    }
    let unit = 10i64.pow(6 - typmod as u32);
    let half = unit / 2;
    if micros >= 0 {
        micros.saturating_add(half) / unit * unit
    } else {
        -(micros.saturating_neg().saturating_add(half) / unit * unit)
    }
}
