//! `date_trunc` and `date_bin`: moments cut to a unit.

use super::arith::is_infinite;
use super::fields::{unknown, unsupported};
use super::words::Unit;
use super::{
    Civil, DAY, HOUR, MINUTE, SECOND, Zone, in_range, iso_week, iso_year_start,
    timestamp_out_of_range,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Interval;

/// A moment cut to a unit; `None` for units that do not cut.
fn cut(unit: Unit, local: i64) -> Option<Option<i64>> {
    let clock = |size: i64| Some(Some(local.div_euclid(size) * size));
    let civil = Civil::of(local);
    let year = civil.year;
    let (year, month) = match unit {
        Unit::Microsecond => return clock(1),
        Unit::Millisecond => return clock(1000),
        Unit::Second => return clock(SECOND),
        Unit::Minute => return clock(MINUTE),
        Unit::Hour => return clock(HOUR),
        Unit::Day => return clock(DAY),
        Unit::Week => {
            let (year, week) = iso_week(local.div_euclid(DAY));
            let days = iso_year_start(year) + (week - 1) * 7;
            return Some(days.checked_mul(DAY));
        }
        Unit::Month => (year, civil.month),
        Unit::Quarter => (year, (civil.month - 1) / 3 * 3 + 1),
        Unit::Year => (year, 1),
        Unit::Decade if year > 0 => (year / 10 * 10, 1),
        Unit::Decade => (-((8 - (year - 1)) / 10) * 10, 1),
        Unit::Century if year > 0 => ((year + 99) / 100 * 100 - 99, 1),
        Unit::Century => (-((99 - (year - 1)) / 100) * 100 + 1, 1),
        Unit::Millennium if year > 0 => ((year + 999) / 1000 * 1000 - 999, 1),
        Unit::Millennium => (-((999 - (year - 1)) / 1000) * 1000 + 1, 1),
        _ => return None,
    };
    Some(Civil { year, month, day: 1, ..Civil::default() }.timestamp())
}

/// A `timestamp` cut to a unit; with a zone, a `timestamptz` cut by that zone's clock.
pub fn trunc_timestamp(field: &str, timestamp: i64, zone: Option<&Zone>) -> Result<i64> {
    let ty = match zone {
        Some(_) => "timestamp with time zone",
        None => "timestamp without time zone",
    };
    if is_infinite(timestamp) {
        return Ok(timestamp);
    }
    let unit = Unit::of_interval(&field.to_ascii_lowercase()).ok_or_else(|| unknown(field, ty))?;
    let (local, east) = zone.map_or((timestamp, 0), |zone| zone.to_local(timestamp));
    let cut = cut(unit, local).ok_or_else(|| unsupported(field, ty))?;
    let cut = cut.ok_or_else(timestamp_out_of_range)?;
    // Below the day the offset stays; above, midnight may have another.
    let fine = matches!(
        unit,
        Unit::Microsecond | Unit::Millisecond | Unit::Second | Unit::Minute | Unit::Hour
    );
    let instant = match zone {
        Some(zone) if !fine => zone.to_utc(cut),
        _ => cut.checked_sub(i64::from(east) * SECOND),
    };
    instant.filter(|t| in_range(*t)).ok_or_else(timestamp_out_of_range)
}

/// An interval cut to a unit.
pub fn trunc_interval(field: &str, interval: &Interval) -> Result<Interval> {
    let unit =
        Unit::of_interval(&field.to_ascii_lowercase()).ok_or_else(|| unknown(field, "interval"))?;
    let years = |count: i32| Interval::new(interval.months / 12 / count * count * 12, 0, 0);
    let clock = |size: i64| Interval { micros: interval.micros / size * size, ..*interval };
    Ok(match unit {
        Unit::Millennium => years(1000),
        Unit::Century => years(100),
        Unit::Decade => years(10),
        Unit::Year => years(1),
        Unit::Quarter => {
            Interval::new(interval.months / 12 * 12 + interval.months % 12 / 3 * 3, 0, 0)
        }
        Unit::Month => Interval::new(interval.months, 0, 0),
        Unit::Day => Interval { micros: 0, ..*interval },
        Unit::Hour => clock(HOUR),
        Unit::Minute => clock(MINUTE),
        Unit::Second => clock(SECOND),
        Unit::Millisecond => clock(1000),
        Unit::Microsecond => *interval,
        Unit::Week => {
            return Err(
                unsupported(field, "interval").detail("Months usually have fractional weeks.")
            );
        }
        _ => return Err(unsupported(field, "interval")),
    })
}

/// A timestamp cut to a multiple of a stride, counted from an origin.
pub fn date_bin(stride: &Interval, timestamp: i64, origin: i64) -> Result<i64> {
    if is_infinite(timestamp) {
        return Ok(timestamp);
    }
    let error = |state: SqlState, text: &str| Err(SqlError::new(state, text));
    if is_infinite(origin) {
        return error(SqlState::DATETIME_FIELD_OVERFLOW, "origin out of range");
    }
    if stride.months != 0 {
        return error(
            SqlState::FEATURE_NOT_SUPPORTED,
            "timestamps cannot be binned into intervals containing months or years",
        );
    }
    let size = i128::from(stride.days) * i128::from(DAY) + i128::from(stride.micros);
    let Ok(size) = i64::try_from(size) else {
        return error(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range");
    };
    if size <= 0 {
        return error(SqlState::DATETIME_FIELD_OVERFLOW, "stride must be greater than zero");
    }
    let from = i128::from(timestamp) - i128::from(origin);
    let bins = from.div_euclid(i128::from(size));
    let cut = i128::from(origin) + bins * i128::from(size);
    i64::try_from(cut).ok().filter(|t| in_range(*t)).ok_or_else(timestamp_out_of_range)
}
