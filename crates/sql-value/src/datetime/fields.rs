//! One field of a date, time or interval: its month, its minutes, its seconds since 1970.
//!
//! The value is exact, and has the scale of its unit. A field of an infinite moment is infinite when it grows with time,
//! else NULL. Of a unit that such a value does not have there is nothing at all.

use super::arith::{is_infinite, is_infinite_date};
use super::unit::Unit;
use super::{
    Civil, DAY, JULIAN_2000, SECOND, UNIX_EPOCH, Zone, civil_of_days, day_of_week, days_of_civil,
    iso_week,
};
use crate::{Interval, Numeric};

/// Seconds of microseconds, with six digits.
fn seconds(micros: i128) -> Numeric {
    Numeric::from_units(micros, 6)
}

/// Years have no zero: 1 BC is -1.
fn counted_year(year: i64) -> i64 {
    if year > 0 { year } else { year - 1 }
}

/// What a field of the calendar is on a day.
fn of_day(unit: Unit, days: i64) -> Option<i64> {
    let (year, month, day) = civil_of_days(days);
    Some(match unit {
        Unit::Day => day,
        Unit::Month => month,
        Unit::Quarter => (month - 1) / 3 + 1,
        Unit::Week => iso_week(days).1,
        Unit::Year => counted_year(year),
        Unit::Decade if year >= 0 => year / 10,
        Unit::Decade => -((8 - (year - 1)) / 10),
        Unit::Century if year > 0 => (year + 99) / 100,
        Unit::Century => -((99 - (year - 1)) / 100),
        Unit::Millennium if year > 0 => (year + 999) / 1000,
        Unit::Millennium => -((999 - (year - 1)) / 1000),
        Unit::IsoYear => counted_year(iso_week(days).0),
        Unit::Dow => day_of_week(days),
        Unit::IsoDow => (day_of_week(days) + 6) % 7 + 1,
        Unit::Doy => days - days_of_civil(year, 1, 1) + 1,
        Unit::Julian => days + JULIAN_2000,
        _ => return None,
    })
}

/// What a field of the clock is.
fn of_clock(unit: Unit, civil: &Civil) -> Option<Numeric> {
    let micros = i128::from(civil.second * SECOND + civil.micro);
    Some(match unit {
        Unit::Microsecond => Numeric::from_units(micros, 0),
        Unit::Millisecond => Numeric::from_units(micros, 3),
        Unit::Second => seconds(micros),
        Unit::Minute => Numeric::from(civil.minute),
        Unit::Hour => Numeric::from(civil.hour),
        _ => return None,
    })
}

fn grows(unit: Unit) -> bool {
    matches!(
        unit,
        Unit::Year
            | Unit::Decade
            | Unit::Century
            | Unit::Millennium
            | Unit::Julian
            | Unit::IsoYear
            | Unit::Epoch
    )
}

fn infinite(unit: Unit, positive: bool) -> Option<Numeric> {
    grows(unit).then_some(if positive { Numeric::INFINITY } else { Numeric::NEG_INFINITY })
}

/// What a value has where a unit is asked for: nothing where it has no such unit, else the field, which may be NULL.
pub type Field = Option<Option<Numeric>>;

/// A field of a moment, or, with a zone, of an instant by that zone's clock.
pub fn extract_timestamp(unit: Unit, timestamp: i64, zone: Option<&Zone>) -> Field {
    let zone_field = matches!(unit, Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute);
    if is_infinite(timestamp) {
        return Some(infinite(unit, timestamp > 0));
    }
    if zone_field && zone.is_none() {
        return None;
    }
    if unit == Unit::Epoch {
        return Some(Some(seconds(i128::from(timestamp) - i128::from(UNIX_EPOCH))));
    }
    let (local, east) = zone.map_or((timestamp, 0), |zone| zone.to_local(timestamp));
    if zone_field {
        return Some(Some(of_offset(unit, east)));
    }
    let days = local.div_euclid(DAY);
    if unit == Unit::Julian {
        let part = Numeric::from(local.rem_euclid(DAY)).div(&Numeric::from(DAY)).ok()?;
        return Numeric::from(days + JULIAN_2000).add(&part).ok().map(Some);
    }
    let value = of_day(unit, days).map(Numeric::from).or_else(|| of_clock(unit, &Civil::of(local)));
    value.map(Some)
}

fn of_offset(unit: Unit, east: i32) -> Numeric {
    Numeric::from(match unit {
        Unit::Timezone => east,
        Unit::TimezoneHour => east / 3600,
        _ => east / 60 % 60,
    })
}

/// A field of a day.
pub fn extract_date(unit: Unit, days: i32) -> Field {
    let value = match unit {
        Unit::Epoch => (i64::from(days) - UNIX_EPOCH / DAY) * (DAY / SECOND),
        _ => of_day(unit, i64::from(days))?,
    };
    Some(match is_infinite_date(days) {
        true => infinite(unit, days > 0),
        false => Some(Numeric::from(value)),
    })
}

/// A field of a time of day.
pub fn extract_time(unit: Unit, time: i64) -> Field {
    let value = match unit {
        Unit::Epoch => Some(seconds(i128::from(time))),
        _ => of_clock(unit, &Civil::of_time(time)),
    };
    value.map(Some)
}

/// A field of a time of day with its zone, in seconds west.
pub fn extract_time_tz(unit: Unit, time: i64, west: i32) -> Field {
    let value = match unit {
        Unit::Epoch => Some(seconds(i128::from(time) + i128::from(west) * i128::from(SECOND))),
        Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute => Some(of_offset(unit, -west)),
        _ => of_clock(unit, &Civil::of_time(time)),
    };
    value.map(Some)
}

/// A field of an interval.
pub fn extract_interval(unit: Unit, interval: &Interval) -> Field {
    let years = interval.months / 12;
    let months = interval.months % 12;
    let whole = match unit {
        Unit::Day => interval.days,
        Unit::Month => months,
        Unit::Quarter => months / 3 + 1,
        Unit::Year => years,
        Unit::Decade => years / 10,
        Unit::Century => years / 100,
        Unit::Millennium => years / 1000,
        Unit::Epoch => {
            // A year of 365.25 days and a month of 30, in quarters of a day.
            let quarters =
                i128::from(years) * 1461 + i128::from(months) * 120 + i128::from(interval.days) * 4;
            let micros = quarters * i128::from(DAY / 4) + i128::from(interval.micros);
            return Some(Some(seconds(micros)));
        }
        _ => return of_clock(unit, &Civil::of_time(interval.micros)).map(Some),
    };
    Some(Some(Numeric::from(whole)))
}
