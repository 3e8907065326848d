//! Roots, powers and logarithms of `numeric`.
//!
//! They are computed with integers that stand for decimals of a fixed number of places, a dozen more than
//! asked for, and rounded once at the end. How many digits a result shows is PostgreSQL's choice: at
//! least 16 significant ones, never fewer places than the arguments have.

use std::f64::consts::LOG10_E;

use num_bigint::{BigInt, Sign};

use super::arith::{MAX_RESULT_SCALE, MIN_SIGNIFICANT, infinity};
use super::round::{Way, divide_big};
use super::{Numeric, digits_of, pow10};
use crate::{Problem, Result};

/// More places than asked for, so that errors of the last ones do not show.
const GUARD: i64 = 16;

/// Decimals of a fixed number of places.
#[derive(Clone)]
struct Fixed {
    units: BigInt,
    places: i64,
}

impl Fixed {
    fn of(value: &Numeric) -> Fixed {
        let (units, places) = value.to_big().unwrap_or_default();
        Fixed { units, places }
    }

    /// The same number with other places after the point; `places` may be negative.
    fn at(&self, places: i64) -> Fixed {
        let units = if places >= self.places {
            &self.units * pow10((places - self.places) as u32)
        } else {
            divide_big(&self.units, &pow10((self.places - places) as u32), Way::HalfAway)
        };
        Fixed { units, places }
    }

    fn to_f64(&self) -> f64 {
        format!("{}e{}", self.units, -self.places).parse().unwrap_or(f64::NAN)
    }
}

/// The natural logarithm of a positive value.
fn ln(value: &Fixed, places: i64) -> Fixed {
    let places = places.max(0) + GUARD;
    let one = pow10(value.places as u32);
    let doublings = value.units.bits() as i64 - one.bits() as i64;
    // value = mantissa * 2^doublings with the mantissa between a half and two.
    let (mut top, mut bottom) = (value.units.clone(), one);
    if doublings >= 0 {
        bottom <<= doublings as u64;
    } else {
        top <<= doublings.unsigned_abs();
    }
    let unit = pow10(places as u32);
    // ln m = 2 artanh((m - 1) / (m + 1)).
    let small = (&top - &bottom) * &unit / (&top + &bottom);
    let mut units = artanh(small, &unit) * 2;
    if doublings != 0 {
        let extra = pow10(6);
        let wide = &unit * &extra;
        let ln2: BigInt = artanh(&wide / 3, &wide) * 2;
        units += ln2 * doublings / extra;
    }
    Fixed { units, places }
}

/// The series of artanh at `small / unit`, which is at most a third.
fn artanh(small: BigInt, unit: &BigInt) -> BigInt {
    let square = &small * &small / unit;
    let (mut sum, mut power, mut odd) = (small.clone(), small, 1u32);
    while power.sign() != Sign::NoSign {
        power = power * &square / unit;
        odd += 2;
        sum += &power / odd;
    }
    sum
}

/// e to a power, rounded to a scale; the caller knows that the result is not out of range.
fn exp(power: &Fixed, scale: i64) -> Result<Numeric> {
    // e^x = 10^tens * e^rest with a small rest.
    let tens = (power.to_f64() * LOG10_E).floor() as i64;
    let places = (scale + tens).max(0) + GUARD;
    let ln10 = ln(&Fixed { units: BigInt::from(10), places: 0 }, places + 8);
    let rest =
        Fixed { units: power.at(ln10.places).units - ln10.units * tens, places: ln10.places };
    let halvings = 8u32;
    let places = places + 8;
    let unit = pow10(places as u32);
    let small = rest.at(places).units >> halvings;
    let (mut sum, mut term, mut n) = (unit.clone(), unit.clone(), 0u32);
    while term.sign() != Sign::NoSign {
        n += 1;
        term = term * &small / &unit / n;
        if term == BigInt::from(-1) {
            break;
        }
        sum += &term;
    }
    for _ in 0..halvings {
        sum = &sum * &sum / &unit;
    }
    let result = Fixed { units: sum, places: places - tens };
    Numeric::from_big(result.at(scale).units, scale)
}

impl Numeric {
    /// A guess where the first digit of the logarithm is. It is made as PostgreSQL makes it, since
    /// the scale of the results depends on it.
    fn ln_magnitude(&self) -> i64 {
        let near = Numeric::from_units(9, 1) <= *self && *self <= Numeric::from_units(11, 1);
        if near {
            let Ok(off) = self.sub(&Numeric::ONE) else { return 0 };
            if off.is_zero() {
                return 0;
            }
            let (weight, first) = off.first_digit();
            return weight * 4 + (first as f64).log10() as i64;
        }
        if self.is_zero() {
            return 0;
        }
        let logarithm = self.log10_estimate() * std::f64::consts::LN_10;
        logarithm.abs().log10() as i64
    }

    /// The decimal logarithm of the magnitude, as far as a double goes.
    fn log10_estimate(&self) -> f64 {
        let Some(place) = self.magnitude() else { return f64::NEG_INFINITY };
        let Some((units, _)) = self.to_big() else { return 0.0 };
        let drop = (digits_of(&units) - 17).max(0);
        let first = units.magnitude() / pow10(drop as u32).magnitude();
        let digits = digits_of(&units) - drop;
        let first: f64 = first.to_string().parse().unwrap_or(1.0);
        first.log10() + (place + 1 - digits) as f64
    }

    fn result_scale(&self, magnitude: i64) -> i64 {
        (MIN_SIGNIFICANT - magnitude).max(i64::from(self.scale())).clamp(0, MAX_RESULT_SCALE)
    }

    /// The square root.
    pub fn sqrt(&self) -> Result<Numeric> {
        if self.signum() < 0 {
            return Err(Problem::NegativeRoot);
        }
        let Some((units, places)) = self.to_big() else { return Ok(self.clone()) };
        let (weight, _) = self.first_digit();
        let scale = self.result_scale(weight * 2 + 1);
        let wide = Fixed { units, places }.at(scale * 2 + 2).units;
        Numeric::from_big(divide_big(&wide.sqrt(), &BigInt::from(10), Way::HalfAway), scale)
    }

    /// e to this power.
    pub fn exp(&self) -> Result<Numeric> {
        if self.is_nan() {
            return Ok(Numeric::NAN);
        }
        if self.is_infinite() {
            return Ok(if self.signum() < 0 { Numeric::ZERO } else { Numeric::INFINITY });
        }
        let value = self.to_f64();
        let magnitude = (value * LOG10_E).clamp(-2000.0, 2000.0) as i64;
        let scale = self.result_scale(magnitude);
        if value.abs() >= 6000.0 {
            return if value > 0.0 {
                Err(Problem::NumericOverflow)
            } else {
                Numeric::from_big(BigInt::ZERO, scale)
            };
        }
        exp(&Fixed::of(self), scale)
    }

    /// Refuses what has no logarithm; `Some` is the answer for what is not finite.
    fn check_logarithm(&self) -> Result<Option<Numeric>> {
        if self.is_nan() {
            return Ok(Some(Numeric::NAN));
        }
        match self.signum() {
            0 => Err(Problem::LogarithmOfZero),
            ..0 => Err(Problem::LogarithmOfNegative),
            _ if self.is_infinite() => Ok(Some(Numeric::INFINITY)),
            _ => Ok(None),
        }
    }

    /// The natural logarithm.
    pub fn ln(&self) -> Result<Numeric> {
        if let Some(special) = self.check_logarithm()? {
            return Ok(special);
        }
        let scale = self.result_scale(self.ln_magnitude());
        Numeric::from_big(ln(&Fixed::of(self), scale).at(scale).units, scale)
    }

    /// The logarithm of `self` to a base.
    pub fn log(&self, base: &Numeric) -> Result<Numeric> {
        if self.is_nan() || base.is_nan() {
            return Ok(Numeric::NAN);
        }
        let (base_special, special) = (base.check_logarithm()?, self.check_logarithm()?);
        if special.is_some() {
            return Ok(if base_special.is_some() { Numeric::NAN } else { Numeric::INFINITY });
        }
        if base_special.is_some() {
            return Ok(Numeric::ZERO);
        }
        let magnitude = self.ln_magnitude() - base.ln_magnitude();
        let scale = self.result_scale(magnitude).max(i64::from(base.scale())).min(MAX_RESULT_SCALE);
        let places = scale + GUARD - self.ln_magnitude().min(0) - 2 * base.ln_magnitude().min(0)
            + self.ln_magnitude().max(0);
        let (top, bottom) = (ln(&Fixed::of(self), places), ln(&Fixed::of(base), places));
        if bottom.units.sign() == Sign::NoSign {
            return Err(Problem::DivisionByZero);
        }
        let (mut top, mut bottom) = (top.units * pow10(scale as u32), bottom.units);
        if bottom.sign() == Sign::Minus {
            (top, bottom) = (-top, -bottom);
        }
        Numeric::from_big(divide_big(&top, &bottom, Way::HalfAway), scale)
    }

    /// The logarithm to the base ten.
    pub fn log10(&self) -> Result<Numeric> {
        self.log(&Numeric::from(10))
    }

    /// The value to a power.
    pub fn power(&self, exponent: &Numeric) -> Result<Numeric> {
        if !self.is_finite() || !exponent.is_finite() {
            return self.power_special(exponent);
        }
        if self.is_zero() && exponent.signum() < 0 {
            return Err(Problem::ZeroToNegativePower);
        }
        if exponent.is_integer() {
            if let Some(n) = exponent.to_i32() {
                return self.power_int(n);
            }
        } else if self.signum() < 0 {
            return Err(Problem::ComplexPower);
        }
        if self.is_zero() {
            return Numeric::from_big(BigInt::ZERO, MIN_SIGNIFICANT);
        }
        let negative = self.signum() < 0
            && !exponent.rem(&Numeric::from(2)).unwrap_or(Numeric::ZERO).is_zero();
        let base = self.abs();
        let power = Fixed::of(exponent);
        let rough = ln(&Fixed::of(&base), 8 - base.ln_magnitude());
        let value = rough.to_f64() * exponent.to_f64();
        if value.abs() > 2000.0 * 3.01 {
            return if value > 0.0 {
                Err(Problem::NumericOverflow)
            } else {
                Numeric::from_big(BigInt::ZERO, MAX_RESULT_SCALE)
            };
        }
        let magnitude = (value * LOG10_E) as i64;
        let scale = self.result_scale(magnitude).max(i64::from(exponent.scale()));
        let scale = scale.min(MAX_RESULT_SCALE);
        let places = (scale + magnitude).max(0) + GUARD + digits_of(&power.units);
        let logarithm = ln(&Fixed::of(&base), places);
        let product = Fixed {
            units: logarithm.units * &power.units,
            places: logarithm.places + power.places,
        };
        let result = exp(&product, scale)?;
        Ok(if negative { result.neg() } else { result })
    }

    fn power_int(&self, n: i32) -> Result<Numeric> {
        let scale = MIN_SIGNIFICANT.max(i64::from(self.scale())).min(MAX_RESULT_SCALE);
        let estimate = if self.is_zero() { 0.0 } else { self.log10_estimate() * f64::from(n) };
        if estimate > (131_072 + 4) as f64 {
            return Err(Problem::NumericOverflow);
        }
        if estimate + 1.0 < -(scale as f64) {
            return Numeric::from_big(BigInt::ZERO, scale);
        }
        // Digits that are kept on the way.
        let keep = (scale + estimate.ceil() as i64).max(0) + GUARD + 12;
        let trim = |value: Fixed| {
            let spare = digits_of(&value.units) - keep;
            if spare > 0 { value.at(value.places - spare) } else { value }
        };
        let mut result = Fixed { units: BigInt::from(1), places: 0 };
        let mut square = Fixed::of(self);
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = trim(Fixed {
                    units: &result.units * &square.units,
                    places: result.places + square.places,
                });
            }
            left >>= 1;
            if left > 0 {
                square =
                    trim(Fixed { units: &square.units * &square.units, places: square.places * 2 });
            }
        }
        if n < 0 {
            let places = keep + digits_of(&result.units);
            let negative = result.units.sign() == Sign::Minus;
            let size = BigInt::from(result.units.magnitude().clone());
            let units = pow10(places as u32) / size;
            let units = if negative { -units } else { units };
            result = Fixed { units, places: places - result.places };
        }
        Numeric::from_big(result.at(scale).units, scale)
    }

    /// Powers where either side is NaN or infinite, by the rules of POSIX's `pow`.
    fn power_special(&self, exponent: &Numeric) -> Result<Numeric> {
        if self.is_nan() {
            return Ok(if exponent.is_zero() { Numeric::ONE } else { Numeric::NAN });
        }
        if exponent.is_nan() {
            return Ok(if *self == Numeric::ONE { Numeric::ONE } else { Numeric::NAN });
        }
        if self.is_zero() && exponent.signum() < 0 {
            return Err(Problem::ZeroToNegativePower);
        }
        if self.signum() < 0 && exponent.is_finite() && !exponent.is_integer() {
            return Err(Problem::ComplexPower);
        }
        if *self == Numeric::ONE || exponent.is_zero() {
            return Ok(Numeric::ONE);
        }
        if self.is_zero() && exponent.signum() > 0 {
            return Ok(Numeric::ZERO);
        }
        if exponent.is_infinite() {
            let one = self.abs().cmp(&Numeric::ONE);
            return Ok(match (one, exponent.signum() > 0) {
                (std::cmp::Ordering::Equal, _) => Numeric::ONE,
                (std::cmp::Ordering::Greater, true) | (std::cmp::Ordering::Less, false) => {
                    Numeric::INFINITY
                }
                _ => Numeric::ZERO,
            });
        }
        if exponent.signum() < 0 {
            return Ok(Numeric::ZERO);
        }
        let odd = !exponent.rem(&Numeric::from(2))?.is_zero();
        Ok(infinity(if self.signum() < 0 && odd { -1 } else { 1 }))
    }
}
