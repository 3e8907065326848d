//! `extract`, `date_part` and `date_trunc`: units by their names, and what is said of those a type does not have.

use super::{Unit, Zone, unit_of_field, unit_of_interval};
use crate::error::{Result, SqlError, SqlState};
use crate::{Interval, Numeric};
use hobgoblin_sql_value::datetime as value;

fn unknown(field: &str, ty: &str) -> SqlError {
    let field = field.to_ascii_lowercase();
    SqlError::new(
        SqlState::INVALID_PARAMETER_VALUE,
        format!("unit \"{field}\" not recognized for type {ty}"),
    )
}

fn unsupported(field: &str, ty: &str) -> SqlError {
    let field = field.to_ascii_lowercase();
    SqlError::new(
        SqlState::FEATURE_NOT_SUPPORTED,
        format!("unit \"{field}\" not supported for type {ty}"),
    )
}

fn timestamp_type(zone: Option<&Zone>) -> &'static str {
    match zone {
        Some(_) => "timestamp with time zone",
        None => "timestamp without time zone",
    }
}

/// A field by its name, of a type with the name `ty`.
fn extract(
    field: &str,
    ty: &str,
    of: impl Fn(Unit) -> Option<Option<Numeric>>,
) -> Result<Option<Numeric>> {
    let unit = unit_of_field(field).ok_or_else(|| unknown(field, ty))?;
    of(unit).ok_or_else(|| unsupported(field, ty))
}

/// A field of a `timestamp`, or, with a zone, of a `timestamptz`.
pub fn extract_timestamp(
    field: &str,
    timestamp: i64,
    zone: Option<&Zone>,
) -> Result<Option<Numeric>> {
    extract(field, timestamp_type(zone), |unit| value::extract_timestamp(unit, timestamp, zone))
}

/// A field of a `date`.
pub fn extract_date(field: &str, days: i32) -> Result<Option<Numeric>> {
    extract(field, "date", |unit| value::extract_date(unit, days))
}

/// A field of a `time`.
pub fn extract_time(field: &str, time: i64) -> Result<Option<Numeric>> {
    extract(field, "time without time zone", |unit| value::extract_time(unit, time))
}

/// A field of a `timetz`, whose zone is in seconds west.
pub fn extract_time_tz(field: &str, time: i64, west: i32) -> Result<Option<Numeric>> {
    extract(field, "time with time zone", |unit| value::extract_time_tz(unit, time, west))
}

/// A field of an `interval`.
pub fn extract_interval(field: &str, interval: &Interval) -> Result<Option<Numeric>> {
    extract(field, "interval", |unit| value::extract_interval(unit, interval))
}

/// A `timestamp` cut to a unit; with a zone, a `timestamptz` cut by that zone's clock.
pub fn trunc_timestamp(field: &str, timestamp: i64, zone: Option<&Zone>) -> Result<i64> {
    if value::is_infinite(timestamp) {
        return Ok(timestamp);
    }
    let ty = timestamp_type(zone);
    let unit = unit_of_interval(&field.to_ascii_lowercase()).ok_or_else(|| unknown(field, ty))?;
    value::trunc_timestamp(unit, timestamp, zone)?.ok_or_else(|| unsupported(field, ty))
}

/// An interval cut to a unit.
pub fn trunc_interval(field: &str, interval: &Interval) -> Result<Interval> {
    let ty = "interval";
    let unit = unit_of_interval(&field.to_ascii_lowercase()).ok_or_else(|| unknown(field, ty))?;
    value::trunc_interval(unit, interval).ok_or_else(|| match unit {
        Unit::Week => unsupported(field, ty).detail("Months usually have fractional weeks."),
        _ => unsupported(field, ty),
    })
}
