//! Counting, sums, averages, extremes, and the logical ones.
//!
//! The type of a sum is wider than that of its values, as in PostgreSQL: integers are summed in 128
//! bits and become `bigint` or `numeric`, and an average of integers is an exact decimal. Without a
//! row, or with NULLs only, all but the counts are NULL.

use std::cmp::Ordering;

use super::super::args::{mismatch, out_of_range};
use super::super::arithmetic::float;
use super::super::table::*;
use super::super::{Accumulator, Aggregate, Context};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Datum, Interval, Numeric, TypeId};

/// `count(*)` counts rows, `count(x)` those where `x` is not NULL.
struct Count(i64);

impl Accumulator for Count {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        if !args.iter().any(Datum::is_null) {
            self.0 += 1;
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(Datum::Int(self.0))
    }
}

/// The running sum of each kind.
#[derive(Default)]
enum Sum {
    #[default]
    Nothing,
    Int(i128),
    Float(f64),
    Numeric(Numeric),
    Interval(Interval),
}

/// What a sum becomes at the end.
#[derive(Clone, Copy, PartialEq)]
enum Total {
    Bigint,
    Numeric,
    Same,
    Real,
    Average,
}

struct Summing {
    sum: Sum,
    count: i64,
    total: Total,
}

fn interval_out_of_range() -> SqlError {
    SqlError::new(SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range")
}

fn add_intervals(a: &Interval, b: &Interval) -> Result<Interval> {
    let months = a.months.checked_add(b.months);
    let days = a.days.checked_add(b.days);
    match (months, days, a.micros.checked_add(b.micros)) {
        (Some(months), Some(days), Some(micros)) => Ok(Interval::new(months, days, micros)),
        _ => Err(interval_out_of_range()),
    }
}

impl Accumulator for Summing {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let value = match args.first() {
            None | Some(Datum::Null) => return Ok(()),
            Some(value) => value,
        };
        self.count += 1;
        self.sum = match (std::mem::take(&mut self.sum), value) {
            (Sum::Nothing, Datum::Int(value)) => Sum::Int(i128::from(*value)),
            (Sum::Int(sum), Datum::Int(value)) => Sum::Int(sum + i128::from(*value)),
            (Sum::Nothing, Datum::Float(value)) => Sum::Float(*value),
            (Sum::Float(sum), Datum::Float(value)) => {
                let ty = if self.total == Total::Real { FLOAT4 } else { FLOAT8 };
                let infinite = sum.is_infinite() || value.is_infinite();
                match float(ty, sum + value, infinite, true)? {
                    Datum::Float(sum) => Sum::Float(sum),
                    _ => Sum::Float(sum + value),
                }
            }
            (Sum::Nothing, Datum::Numeric(value)) => Sum::Numeric(value.clone()),
            (Sum::Numeric(sum), Datum::Numeric(value)) => Sum::Numeric(sum.add(value)?),
            (Sum::Nothing, Datum::Interval(value)) => Sum::Interval(*value),
            (Sum::Interval(sum), Datum::Interval(value)) => {
                Sum::Interval(add_intervals(&sum, value)?)
            }
            (_, other) => return mismatch("a number", other),
        };
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let average = self.total == Total::Average;
        Ok(match &self.sum {
            Sum::Nothing => Datum::Null,
            Sum::Int(sum) if average => {
                Datum::Numeric(Numeric::from_units(*sum, 0).div(&Numeric::from(self.count))?)
            }
            Sum::Int(sum) if self.total == Total::Numeric => {
                Datum::Numeric(Numeric::from_units(*sum, 0))
            }
            Sum::Int(sum) => match i64::try_from(*sum) {
                Ok(sum) => Datum::Int(sum),
                Err(_) => return out_of_range("bigint"),
            },
            Sum::Float(sum) if average => Datum::Float(sum / self.count as f64),
            Sum::Float(sum) => Datum::Float(*sum),
            Sum::Numeric(sum) if average => Datum::Numeric(sum.div(&Numeric::from(self.count))?),
            Sum::Numeric(sum) => Datum::Numeric(sum.clone()),
            Sum::Interval(sum) if average => {
                Datum::Interval(super::super::datetime::divide(sum, self.count as f64)?)
            }
            Sum::Interval(sum) => Datum::Interval(*sum),
        })
    }
}

fn summing(total: Total) -> Box<dyn Accumulator> {
    Box::new(Summing { sum: Sum::Nothing, count: 0, total })
}

fn count(_: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(Count(0))
}

fn sum_bigint(_: &[TypeId]) -> Box<dyn Accumulator> {
    summing(Total::Bigint)
}

fn sum_numeric(_: &[TypeId]) -> Box<dyn Accumulator> {
    summing(Total::Numeric)
}

fn sum_same(_: &[TypeId]) -> Box<dyn Accumulator> {
    summing(Total::Same)
}

fn sum_real(_: &[TypeId]) -> Box<dyn Accumulator> {
    summing(Total::Real)
}

fn average(_: &[TypeId]) -> Box<dyn Accumulator> {
    summing(Total::Average)
}

/// One value that every next one is folded into.
struct Fold {
    value: Datum,
    step: fn(&Datum, &Datum) -> Result<Datum>,
}

impl Accumulator for Fold {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        match args.first() {
            None | Some(Datum::Null) => {}
            Some(value) if self.value.is_null() => self.value = value.clone(),
            Some(value) => self.value = (self.step)(&self.value, value)?,
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(self.value.clone())
    }
}

fn folding(step: fn(&Datum, &Datum) -> Result<Datum>) -> Box<dyn Accumulator> {
    Box::new(Fold { value: Datum::Null, step })
}

// Of equal values that print differently, such as 1.0 and 1.00, the last is taken, but of char(n) the first.

pub(crate) fn minimum(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| Ok(if keeps(a, a.compare(b)) { a } else { b }.clone()))
}

pub(crate) fn maximum(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| Ok(if keeps(a, b.compare(a)) { a } else { b }.clone()))
}

fn keeps(value: &Datum, order: Ordering) -> bool {
    order.is_lt() || order.is_eq() && matches!(value, Datum::Char(_))
}

fn logical(a: &Datum, b: &Datum, of: fn(bool, bool) -> bool) -> Result<Datum> {
    match (a, b) {
        (Datum::Bool(a), Datum::Bool(b)) => Ok(Datum::Bool(of(*a, *b))),
        (_, other) => mismatch("a boolean", other),
    }
}

fn bitwise(a: &Datum, b: &Datum, of: fn(i64, i64) -> i64) -> Result<Datum> {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => Ok(Datum::Int(of(*a, *b))),
        (_, other) => mismatch("an integer", other),
    }
}

fn all(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| logical(a, b, |a, b| a && b))
}

fn any(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| logical(a, b, |a, b| a || b))
}

fn bit_and(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| bitwise(a, b, |a, b| a & b))
}

fn bit_or(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| bitwise(a, b, |a, b| a | b))
}

fn bit_xor(_: &[TypeId]) -> Box<dyn Accumulator> {
    folding(|a, b| bitwise(a, b, |a, b| a ^ b))
}

macro_rules! extremes {
    ($($ty:ident)*) => { &[$(
        aggregate("min", &[$ty], $ty, minimum),
        aggregate("max", &[$ty], $ty, maximum),
    )*] };
}

static EXTREMES: &[Aggregate] = extremes! {
    INT4 INT8 TEXT NUMERIC INT2 FLOAT8 FLOAT4 BPCHAR DATE TIME TIMETZ TIMESTAMP TIMESTAMPTZ INTERVAL OID
    INET ANYARRAY ANYENUM TID
};

static OTHERS: &[Aggregate] = &[
    aggregate("count", &[], INT8, count),
    aggregate("count", &[ANY], INT8, count),
    aggregate("sum", &[INT2], INT8, sum_bigint),
    aggregate("sum", &[INT4], INT8, sum_bigint),
    aggregate("sum", &[INT8], NUMERIC, sum_numeric),
    aggregate("sum", &[FLOAT4], FLOAT4, sum_real),
    aggregate("sum", &[FLOAT8], FLOAT8, sum_same),
    aggregate("sum", &[NUMERIC], NUMERIC, sum_same),
    aggregate("sum", &[INTERVAL], INTERVAL, sum_same),
    aggregate("avg", &[INT2], NUMERIC, average),
    aggregate("avg", &[INT4], NUMERIC, average),
    aggregate("avg", &[INT8], NUMERIC, average),
    aggregate("avg", &[FLOAT4], FLOAT8, average),
    aggregate("avg", &[FLOAT8], FLOAT8, average),
    aggregate("avg", &[NUMERIC], NUMERIC, average),
    aggregate("avg", &[INTERVAL], INTERVAL, average),
    aggregate("bool_and", &[BOOL], BOOL, all),
    aggregate("every", &[BOOL], BOOL, all),
    aggregate("bool_or", &[BOOL], BOOL, any),
    aggregate("bit_and", &[INT2], INT2, bit_and),
    aggregate("bit_and", &[INT4], INT4, bit_and),
    aggregate("bit_and", &[INT8], INT8, bit_and),
    aggregate("bit_or", &[INT2], INT2, bit_or),
    aggregate("bit_or", &[INT4], INT4, bit_or),
    aggregate("bit_or", &[INT8], INT8, bit_or),
    aggregate("bit_xor", &[INT2], INT2, bit_xor),
    aggregate("bit_xor", &[INT4], INT4, bit_xor),
    aggregate("bit_xor", &[INT8], INT8, bit_xor),
];

pub(crate) static AGGREGATES: &[&[Aggregate]] = &[OTHERS, EXTREMES];
