//! Aggregates over an ordered set: `mode() WITHIN GROUP (ORDER BY x)`, `percentile_cont(0.5) …`.

use std::sync::Arc;

use super::super::args::{error, mismatch};
use super::super::datetime;
use super::super::table::*;
use super::super::{Accumulator, Aggregate, Context};
use crate::error::{Result, SqlState};
use crate::types::{Array, Datum, TypeId};

/// What is asked of the ordered values.
#[derive(Clone, Copy, PartialEq)]
enum Ask {
    Mode,
    /// A value at a fraction of the rows.
    Discrete,
    /// The same, between two values if need be.
    Continuous,
}

struct Ordered {
    ask: Ask,
    element: TypeId,
    /// A fraction or an array of them; the same with every row.
    fraction: Datum,
    values: Vec<Datum>,
}

impl Accumulator for Ordered {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        if let [fraction, _] = args {
            self.fraction = fraction.clone();
        }
        if let Some(value) = args.last()
            && !value.is_null()
        {
            self.values.push(value.clone());
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        self.values.sort_by(|a, b| a.compare(b));
        if self.ask == Ask::Mode {
            return Ok(self.mode());
        }
        match &self.fraction {
            Datum::Float(fraction) => self.at(*fraction),
            Datum::Array(fractions) if !self.values.is_empty() => {
                let at = |fraction: &Datum| match fraction {
                    Datum::Float(fraction) => self.at(*fraction),
                    _ => Ok(Datum::Null),
                };
                let items = fractions.items.iter().map(at).collect::<Result<_>>()?;
                let (element, dims) = (self.element, fractions.dims.clone());
                Ok(Datum::Array(Arc::new(Array { element, dims, items })))
            }
            _ => Ok(Datum::Null),
        }
    }
}

impl Ordered {
    /// The most frequent value; the first of several.
    fn mode(&self) -> Datum {
        let runs = self.values.chunk_by(|a, b| a.compare(b).is_eq());
        let best = runs.reduce(|best, run| if run.len() > best.len() { run } else { best });
        best.and_then(|run| run.first()).cloned().unwrap_or(Datum::Null)
    }

    fn at(&self, fraction: f64) -> Result<Datum> {
        if !(0.0..=1.0).contains(&fraction) {
            return error(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("percentile value {fraction} is not between 0 and 1"),
            );
        }
        let n = self.values.len();
        if n == 0 {
            return Ok(Datum::Null);
        }
        let get = |at: usize| self.values.get(at.min(n - 1)).cloned().unwrap_or(Datum::Null);
        if self.ask == Ask::Discrete {
            let rank = (fraction * n as f64).ceil() as usize;
            return Ok(get(rank.saturating_sub(1)));
        }
        let place = fraction * (n - 1) as f64;
        let (low, high) = (get(place.floor() as usize), get(place.ceil() as usize));
        let part = place - place.floor();
        match (low, high) {
            (low, _) if part == 0.0 => Ok(low),
            (Datum::Float(low), Datum::Float(high)) => Ok(Datum::Float(low + part * (high - low))),
            (Datum::Interval(low), Datum::Interval(high)) => {
                let step = datetime::multiply(&datetime::subtract(&high, &low)?, part)?;
                Ok(Datum::Interval(datetime::add(&step, &low)?))
            }
            (_, other) => mismatch("a float or an interval", &other),
        }
    }
}

fn ordered(types: &[TypeId], ask: Ask) -> Box<dyn Accumulator> {
    let element = types.last().copied().unwrap_or(TEXT);
    Box::new(Ordered { ask, element, fraction: Datum::Null, values: Vec::new() })
}

fn mode(types: &[TypeId]) -> Box<dyn Accumulator> {
    ordered(types, Ask::Mode)
}

fn discrete(types: &[TypeId]) -> Box<dyn Accumulator> {
    ordered(types, Ask::Discrete)
}

fn continuous(types: &[TypeId]) -> Box<dyn Accumulator> {
    ordered(types, Ask::Continuous)
}

pub(crate) static AGGREGATES: &[Aggregate] = &[
    aggregate("mode", &[ANYELEMENT], ANYELEMENT, mode),
    aggregate("percentile_disc", &[FLOAT8, ANYELEMENT], ANYELEMENT, discrete),
    aggregate("percentile_disc", &[FLOAT8S, ANYELEMENT], ANYARRAY, discrete),
    aggregate("percentile_cont", &[FLOAT8, FLOAT8], FLOAT8, continuous),
    aggregate("percentile_cont", &[FLOAT8, INTERVAL], INTERVAL, continuous),
    aggregate("percentile_cont", &[FLOAT8S, FLOAT8], FLOAT8S, continuous),
    aggregate("percentile_cont", &[FLOAT8S, INTERVAL], INTERVALS, continuous),
];
