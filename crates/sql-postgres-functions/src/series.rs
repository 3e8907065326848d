//! `generate_series`.

use super::args::invalid;
use super::table::*;
use super::{Call, Context, SetFunction};
use crate::error::{Result, SqlError};
use crate::types::datetime;
use crate::types::{Datum, Format, Interval, Numeric};

type Rows = Result<Vec<Vec<Datum>>>;

/// Rows are kept in memory, so a series has a limit.
const LONGEST: usize = 10_000_000;

fn push(cx: &dyn Context, rows: &mut Vec<Vec<Datum>>, value: Datum) -> Result<()> {
    if rows.len().is_multiple_of(4096) {
        cx.check_interrupts()?;
    }
    if rows.len() >= LONGEST {
        return Err(SqlError::unsupported(format!("a series of more than {LONGEST} rows")));
    }
    rows.push(vec![value]);
    Ok(())
}

fn no_step<T>() -> Result<T> {
    invalid("step size cannot equal zero")
}

fn integers(call: &mut Call<'_>) -> Rows {
    let (mut at, end) = (call.int(0)?, call.int(1)?);
    let step = if call.args.len() > 2 { call.int(2)? } else { 1 };
    if step == 0 {
        return no_step();
    }
    let mut rows = Vec::new();
    while if step > 0 { at <= end } else { at >= end } {
        push(call.cx, &mut rows, Datum::Int(at))?;
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(rows)
}

fn numerics(call: &mut Call<'_>) -> Rows {
    let (start, end) = (call.numeric(0)?, call.numeric(1)?);
    let step = if call.args.len() > 2 { call.numeric(2)?.clone() } else { Numeric::from(1) };
    for (value, noun) in [(start, "start value"), (end, "stop value"), (&step, "step size")] {
        if value.is_nan() {
            return invalid(format!("{noun} cannot be NaN"));
        }
        if value.is_infinite() {
            return invalid(format!("{noun} cannot be infinity"));
        }
    }
    if step.is_zero() {
        return no_step();
    }
    let mut rows = Vec::new();
    let mut at = start.clone();
    while if step.signum() > 0 { at <= *end } else { at >= *end } {
        push(call.cx, &mut rows, Datum::Numeric(at.clone()))?;
        at = at.add(&step)?;
    }
    Ok(rows)
}

fn timestamps(call: &mut Call<'_>) -> Rows {
    let (mut at, end, step) = (call.timestamp(0)?, call.timestamp(1)?, call.interval(2)?);
    let way = step.cmp(&Interval::new(0, 0, 0));
    if way.is_eq() {
        return no_step();
    }
    let zone = (call.ty(0) == TIMESTAMPTZ).then(|| Format::of(&call.cx.types()).time_zone.clone());
    let mut rows = Vec::new();
    while if way.is_gt() { at <= end } else { at >= end } {
        push(call.cx, &mut rows, Datum::Timestamp(at))?;
        if datetime::is_infinite(at) {
            break;
        }
        at = match &zone {
            Some(zone) => datetime::timestamp_tz_add(at, step, zone)?,
            None => datetime::timestamp_add(at, step)?,
        };
    }
    Ok(rows)
}

pub(super) static SETS: &[SetFunction] = &[
    rows("generate_series", &[INT4, INT4], &[("", INT4)], integers),
    rows("generate_series", &[INT4, INT4, INT4], &[("", INT4)], integers),
    rows("generate_series", &[INT8, INT8], &[("", INT8)], integers),
    rows("generate_series", &[INT8, INT8, INT8], &[("", INT8)], integers),
    rows("generate_series", &[NUMERIC, NUMERIC], &[("", NUMERIC)], numerics),
    rows("generate_series", &[NUMERIC, NUMERIC, NUMERIC], &[("", NUMERIC)], numerics),
    rows("generate_series", &[TIMESTAMP, TIMESTAMP, INTERVAL], &[("", TIMESTAMP)], timestamps),
    rows(
        "generate_series",
        &[TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL],
        &[("", TIMESTAMPTZ)],
        timestamps,
    ),
];
