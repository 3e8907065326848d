//! Days and times, those among them that are in no calendar.
//!
//! MySQL keeps `0000-00-00` and `2024-00-10`, which no count of days since an epoch can hold. So a day is packed, as InnoDB
//! does it: year, month and day side by side in one integer, which orders as the texts do. A day with a time is a packed day and
//! the microseconds since its midnight. Histories show the text.
//!
//! | type | datum | inside |
//! | --- | --- | --- |
//! | DATE | `Date` | (year · 16 + month) · 32 + day |
//! | DATETIME, and TIMESTAMP in UTC | `Timestamp` | that · microseconds of a day + microseconds |
//! | TIME | `Time` | microseconds, negative ones too, up to 838:59:59.999999 |

mod number;
mod read;
mod zone;

use std::fmt::Write;

use hobgoblin_sql_value::datetime::{DAY, HOUR, MINUTE, SECOND, days_in_month, days_of_civil};
use hobgoblin_sql_value::{Datum, datetime};

use crate::settings::{Settings, SqlMode};

pub use number::{day_of_number, moment_of_number, time_of_number};
pub use read::{Found, read_moment, read_time};
pub use zone::{from_utc, read_zone, to_utc};

/// The longest TIME.
pub const MAX_TIME: i64 = 838 * HOUR + 59 * MINUTE + 59 * SECOND + 999_999;

/// A day, or what stands in place of one: any part may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day {
    /// 0 to 9999.
    pub year: i64,
    /// 0 to 12.
    pub month: i64,
    /// 0 to 31.
    pub day: i64,
}

impl Day {
    /// From its parts.
    pub fn new(year: i64, month: i64, day: i64) -> Day {
        Day { year, month, day }
    }

    /// As a datum holds it.
    pub fn packed(self) -> i32 {
        ((self.year * 16 + self.month) * 32 + self.day) as i32
    }

    /// From that.
    pub fn unpacked(packed: i32) -> Day {
        let packed = i64::from(packed.max(0));
        Day { year: packed >> 9, month: packed >> 5 & 15, day: packed & 31 }
    }

    /// `0000-00-00`.
    pub fn is_zero(self) -> bool {
        self == Day::default()
    }

    /// Whether the calendar has it.
    pub fn is_real(self) -> bool {
        self.month > 0 && self.day > 0 && self.day <= days_in_month(self.year, self.month)
    }

    /// Whether its parts are within their bounds, and it is in a month or lacks parts that the mode lets it lack.
    pub fn is_allowed(self, mode: SqlMode) -> bool {
        if self.year > 9999 || self.month > 12 || self.day > 31 {
            return false;
        }
        if self.is_zero() {
            return !mode.has(SqlMode::NO_ZERO_DATE);
        }
        if self.month == 0 || self.day == 0 {
            return !mode.has(SqlMode::NO_ZERO_IN_DATE);
        }
        mode.has(SqlMode::ALLOW_INVALID_DATES) || self.is_real()
    }

    /// Days since 2000-01-01, as if it were in the calendar.
    pub fn number(self) -> i64 {
        days_of_civil(self.year, self.month.max(1), 1) + self.day
            - 1
            - if self.month == 0 { 31 } else { 0 }
    }

    /// The day of such a number, if it is from the year 0 to 9999.
    pub fn of_number(days: i64) -> Option<Day> {
        if !(-730_485..=2_921_939).contains(&days) {
            return None;
        }
        let (year, month, day) = datetime::civil_of_days(days);
        (0..=9999).contains(&year).then_some(Day { year, month, day })
    }
}

/// A day with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment {
    /// The day.
    pub day: Day,
    /// Microseconds since its midnight, less than a day.
    pub micros: i64,
}

impl Moment {
    /// Midnight.
    pub fn midnight(day: Day) -> Moment {
        Moment { day, micros: 0 }
    }

    /// As a datum holds it.
    pub fn packed(self) -> i64 {
        i64::from(self.day.packed()) * DAY + self.micros
    }

    /// From that.
    pub fn unpacked(packed: i64) -> Moment {
        let day = i32::try_from(packed.max(0) / DAY).unwrap_or(i32::MAX);
        Moment { day: Day::unpacked(day), micros: packed.max(0) % DAY }
    }

    /// Microseconds since 2000-01-01.
    pub fn number(self) -> i64 {
        self.day.number() * DAY + self.micros
    }

    /// The moment of such a number.
    pub fn of_number(micros: i64) -> Option<Moment> {
        let day = Day::of_number(micros.div_euclid(DAY))?;
        Some(Moment { day, micros: micros.rem_euclid(DAY) })
    }

    /// Hour, minute, second and microseconds.
    pub fn clock(self) -> (i64, i64, i64, i64) {
        clock(self.micros)
    }

    /// As a datum.
    pub fn datum(self) -> Datum {
        Datum::Timestamp(self.packed())
    }
}

/// Hours, minutes, seconds and microseconds of a span that is not negative.
pub fn clock(micros: i64) -> (i64, i64, i64, i64) {
    (micros / HOUR, micros / MINUTE % 60, micros / SECOND % 60, micros % SECOND)
}

/// Cuts digits of seconds, or rounds them where the mode says so. It may give a whole day.
pub fn with_digits(micros: i64, digits: u8, settings: &Settings) -> i64 {
    let Some(unit) = 10i64.checked_pow(6u32.saturating_sub(u32::from(digits))) else {
        return micros;
    };
    let cut = micros - micros % unit;
    let rounds = match settings.version.is_mysql() {
        true => !settings.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL),
        false => settings.mode.has(SqlMode::TIME_ROUND_FRACTIONAL),
    };
    match rounds && (micros % unit).abs() * 2 >= unit {
        true => cut + unit * micros.signum(),
        false => cut,
    }
}

fn print_fraction(out: &mut String, micros: i64, digits: u8) {
    if digits > 0 {
        let cut = micros / 10i64.pow(6 - u32::from(digits.min(6)));
        // Writing to a string cannot fail.
        let _ = write!(out, ".{cut:0width$}", width = usize::from(digits.min(6)));
    }
}

/// Appends `2024-01-05`.
pub fn print_day(out: &mut String, day: Day) {
    let _ = write!(out, "{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

/// Appends `2024-01-05 10:11:12.5`.
pub fn print_moment(out: &mut String, moment: Moment, digits: u8) {
    print_day(out, moment.day);
    out.push(' ');
    print_time(out, moment.micros, digits);
}

/// Appends `-10:11:12.5`.
pub fn print_time(out: &mut String, micros: i64, digits: u8) {
    if micros < 0 {
        out.push('-');
    }
    let (hours, minutes, seconds, fraction) = clock(micros.abs());
    let _ = write!(out, "{hours:02}:{minutes:02}:{seconds:02}");
    print_fraction(out, fraction, digits);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_orders_as_its_text() {
        let texts =
            ["0000-00-00", "0000-00-01", "0001-01-01", "2024-00-10", "2024-01-00", "9999-12-31"];
        let mut last = -1;
        for text in texts {
            let found = read_moment(text, false).expect("it is a date");
            let packed = found.moment.day.packed();
            assert!(packed > last, "{text}");
            last = packed;
            let mut printed = String::new();
            print_day(&mut printed, Day::unpacked(packed));
            assert_eq!(printed, text);
            let moment = Moment { day: found.moment.day, micros: DAY - 1 };
            assert_eq!(Moment::unpacked(moment.packed()), moment);
        }
        assert_eq!(Day::of_number(Day::new(2024, 2, 29).number()), Some(Day::new(2024, 2, 29)));
        assert_eq!(Day::of_number(i64::MAX), None);
    }
}
