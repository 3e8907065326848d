//! Moments and intervals cut to a unit, or to a multiple of a stride.

use super::arith::is_infinite;
use super::unit::Unit;
use super::{
    Civil, DAY, HOUR, MINUTE, SECOND, Zone, in_range, interval_out_of_range, iso_week,
    iso_year_start, timestamp_out_of_range,
};
use crate::{Interval, Problem, Result};

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

/// A moment cut to a unit; with a zone, an instant cut by that zone's clock. Nothing for units that do not cut.
pub fn trunc_timestamp(unit: Unit, timestamp: i64, zone: Option<&Zone>) -> Result<Option<i64>> {
    if is_infinite(timestamp) {
        return Ok(Some(timestamp));
    }
    let (local, east) = zone.map_or((timestamp, 0), |zone| zone.to_local(timestamp));
    let Some(cut) = cut(unit, local) else { return Ok(None) };
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
    instant.filter(|t| in_range(*t)).map(Some).ok_or_else(timestamp_out_of_range)
}

/// An interval cut to a unit; nothing for units that do not cut.
pub fn trunc_interval(unit: Unit, interval: &Interval) -> Option<Interval> {
    let years = |count: i32| Interval::new(interval.months / 12 / count * count * 12, 0, 0);
    let clock = |size: i64| Interval { micros: interval.micros / size * size, ..*interval };
    Some(match unit {
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
        _ => return None,
    })
}

/// A timestamp cut to a multiple of a stride, counted from an origin.
pub fn date_bin(stride: &Interval, timestamp: i64, origin: i64) -> Result<i64> {
    if is_infinite(timestamp) {
        return Ok(timestamp);
    }
    if is_infinite(origin) {
        return Err(Problem::InfiniteOrigin);
    }
    if stride.months != 0 {
        return Err(Problem::BinsOfMonths);
    }
    let size = i128::from(stride.days) * i128::from(DAY) + i128::from(stride.micros);
    let size = i64::try_from(size).map_err(|_| interval_out_of_range())?;
    if size <= 0 {
        return Err(Problem::EmptyBins);
    }
    let from = i128::from(timestamp) - i128::from(origin);
    let bins = from.div_euclid(i128::from(size));
    let cut = i128::from(origin) + bins * i128::from(size);
    i64::try_from(cut).ok().filter(|t| in_range(*t)).ok_or_else(timestamp_out_of_range)
}
