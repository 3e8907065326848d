//! Variances, standard deviations, correlation and regression.
//!
//! Exact numbers keep the exact sums of values and of squares, as PostgreSQL does; floats follow Youngs and
//! Cramer, which loses less to rounding.

use super::super::args::mismatch;
use super::super::table::*;
use super::super::{Accumulator, Aggregate, Context};
use crate::error::Result;
use crate::types::{Datum, Numeric, TypeId};

/// Which of the four is asked for.
#[derive(Clone, Copy)]
struct Spread {
    /// Divides by one less than the count.
    sample: bool,
    /// Takes the root.
    root: bool,
}

struct Exact {
    count: i64,
    sum: Numeric,
    squares: Numeric,
    spread: Spread,
}

impl Accumulator for Exact {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let value = match args.first() {
            None | Some(Datum::Null) => return Ok(()),
            Some(Datum::Int(value)) => Numeric::from(*value),
            Some(Datum::Numeric(value)) => value.clone(),
            Some(other) => return mismatch("a number", other),
        };
        self.count += 1;
        self.sum = self.sum.add(&value)?;
        self.squares = self.squares.add(&value.mul(&value)?)?;
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        if self.count == 0 || (self.spread.sample && self.count < 2) {
            return Ok(Datum::Null);
        }
        if !self.sum.is_finite() {
            return Ok(Datum::Numeric(Numeric::from_f64(f64::NAN)));
        }
        let count = Numeric::from(self.count);
        let spread = count.mul(&self.squares)?.sub(&self.sum.mul(&self.sum)?)?;
        if spread.signum() <= 0 {
            return Ok(Datum::Numeric(Numeric::from(0)));
        }
        let divisor = Numeric::from(self.count - i64::from(self.spread.sample)).mul(&count)?;
        let variance = spread.div(&divisor)?;
        if !self.spread.root {
            return Ok(Datum::Numeric(variance));
        }
        let scale = i32::from(variance.scale());
        Ok(Datum::Numeric(variance.sqrt()?.round(scale)))
    }
}

struct Float {
    count: f64,
    sum: f64,
    squares: f64,
    spread: Spread,
}

impl Accumulator for Float {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let value = match args.first() {
            None | Some(Datum::Null) => return Ok(()),
            Some(Datum::Float(value)) => *value,
            Some(other) => return mismatch("a float", other),
        };
        self.count += 1.0;
        self.sum += value;
        if self.count > 1.0 {
            let step = value * self.count - self.sum;
            self.squares += step * step / (self.count * (self.count - 1.0));
        } else if !value.is_finite() {
            self.squares = f64::NAN;
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let divisor = self.count - f64::from(u8::from(self.spread.sample));
        if divisor <= 0.0 {
            return Ok(Datum::Null);
        }
        let variance = self.squares / divisor;
        Ok(Datum::Float(if self.spread.root { variance.sqrt() } else { variance }))
    }
}

fn spread(types: &[TypeId], sample: bool, root: bool) -> Box<dyn Accumulator> {
    let spread = Spread { sample, root };
    match types.first() {
        Some(&FLOAT4 | &FLOAT8) => Box::new(Float { count: 0.0, sum: 0.0, squares: 0.0, spread }),
        _ => {
            let zero = Numeric::from(0);
            Box::new(Exact { count: 0, sum: zero.clone(), squares: zero, spread })
        }
    }
}

fn variance_sample(types: &[TypeId]) -> Box<dyn Accumulator> {
    spread(types, true, false)
}

fn variance_all(types: &[TypeId]) -> Box<dyn Accumulator> {
    spread(types, false, false)
}

fn deviation_sample(types: &[TypeId]) -> Box<dyn Accumulator> {
    spread(types, true, true)
}

fn deviation_all(types: &[TypeId]) -> Box<dyn Accumulator> {
    spread(types, false, true)
}

/// Sums over pairs, the dependent value first.
struct Pairs {
    n: f64,
    x: f64,
    xx: f64,
    y: f64,
    yy: f64,
    xy: f64,
    result: fn(&Pairs) -> Option<f64>,
}

impl Accumulator for Pairs {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let [Datum::Float(y), Datum::Float(x)] = args else { return Ok(()) };
        self.n += 1.0;
        self.x += x;
        self.y += y;
        if self.n > 1.0 {
            let (dx, dy) = (x * self.n - self.x, y * self.n - self.y);
            let scale = 1.0 / (self.n * (self.n - 1.0));
            self.xx += dx * dx * scale;
            self.yy += dy * dy * scale;
            self.xy += dx * dy * scale;
        } else if !x.is_finite() || !y.is_finite() {
            (self.xx, self.yy, self.xy) = (f64::NAN, f64::NAN, f64::NAN);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok((self.result)(self).map_or(Datum::Null, Datum::Float))
    }
}

macro_rules! pairs {
    ($($name:ident: $result:expr;)*) => { $(
        fn $name(_: &[TypeId]) -> Box<dyn Accumulator> {
            Box::new(Pairs { n: 0.0, x: 0.0, xx: 0.0, y: 0.0, yy: 0.0, xy: 0.0, result: $result })
        }
    )* };
}

pairs! {
    corr: |p| (p.n >= 1.0 && p.xx != 0.0 && p.yy != 0.0).then(|| p.xy / (p.xx * p.yy).sqrt());
    covar_pop: |p| (p.n >= 1.0).then(|| p.xy / p.n);
    covar_samp: |p| (p.n >= 2.0).then(|| p.xy / (p.n - 1.0));
    regr_avgx: |p| (p.n >= 1.0).then(|| p.x / p.n);
    regr_avgy: |p| (p.n >= 1.0).then(|| p.y / p.n);
    regr_sxx: |p| (p.n >= 1.0).then_some(p.xx);
    regr_syy: |p| (p.n >= 1.0).then_some(p.yy);
    regr_sxy: |p| (p.n >= 1.0).then_some(p.xy);
    regr_slope: |p| (p.n >= 1.0 && p.xx != 0.0).then(|| p.xy / p.xx);
    regr_intercept: |p| (p.n >= 1.0 && p.xx != 0.0).then(|| (p.y - p.x * p.xy / p.xx) / p.n);
    regr_r2: |p| (p.n >= 1.0 && p.xx != 0.0).then(|| {
        if p.yy == 0.0 { 1.0 } else { (p.xy * p.xy) / (p.xx * p.yy) }
    });
}

/// `regr_count`.
struct PairCount(i64);

impl Accumulator for PairCount {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        self.0 += i64::from(!args.iter().any(Datum::is_null));
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(Datum::Int(self.0))
    }
}

fn regr_count(_: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(PairCount(0))
}

macro_rules! spreads {
    ($($name:literal $start:ident;)*) => { &[$(
        aggregate($name, &[INT2], NUMERIC, $start),
        aggregate($name, &[INT4], NUMERIC, $start),
        aggregate($name, &[INT8], NUMERIC, $start),
        aggregate($name, &[NUMERIC], NUMERIC, $start),
        aggregate($name, &[FLOAT4], FLOAT8, $start),
        aggregate($name, &[FLOAT8], FLOAT8, $start),
    )*] };
}

static SPREADS: &[Aggregate] = spreads! {
    "variance" variance_sample;
    "var_samp" variance_sample;
    "var_pop" variance_all;
    "stddev" deviation_sample;
    "stddev_samp" deviation_sample;
    "stddev_pop" deviation_all;
};

static PAIRS: &[Aggregate] = &[
    aggregate("regr_count", &[FLOAT8, FLOAT8], INT8, regr_count),
    aggregate("corr", &[FLOAT8, FLOAT8], FLOAT8, corr),
    aggregate("covar_pop", &[FLOAT8, FLOAT8], FLOAT8, covar_pop),
    aggregate("covar_samp", &[FLOAT8, FLOAT8], FLOAT8, covar_samp),
    aggregate("regr_avgx", &[FLOAT8, FLOAT8], FLOAT8, regr_avgx),
    aggregate("regr_avgy", &[FLOAT8, FLOAT8], FLOAT8, regr_avgy),
    aggregate("regr_sxx", &[FLOAT8, FLOAT8], FLOAT8, regr_sxx),
    aggregate("regr_syy", &[FLOAT8, FLOAT8], FLOAT8, regr_syy),
    aggregate("regr_sxy", &[FLOAT8, FLOAT8], FLOAT8, regr_sxy),
    aggregate("regr_slope", &[FLOAT8, FLOAT8], FLOAT8, regr_slope),
    aggregate("regr_intercept", &[FLOAT8, FLOAT8], FLOAT8, regr_intercept),
    aggregate("regr_r2", &[FLOAT8, FLOAT8], FLOAT8, regr_r2),
];

pub(crate) static AGGREGATES: &[&[Aggregate]] = &[SPREADS, PAIRS];
