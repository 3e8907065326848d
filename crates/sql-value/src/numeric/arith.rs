//! The four operations of `numeric`, the remainder, and the scales of their results.

use num_bigint::BigInt;

use super::round::{Way, divide_big};
use super::{MAX_SCALE, Numeric, Repr, pow10, small_pow10};
use crate::{Problem, Result};

/// A quotient, and the result of a function, has at least so many significant digits.
pub(super) const MIN_SIGNIFICANT: i64 = 16;
/// A quotient, and the result of a function, has at most so many digits after the point.
pub(super) const MAX_RESULT_SCALE: i64 = 1000;

impl Numeric {
    /// The exact sum, with the larger scale of the two.
    pub fn add(&self, other: &Numeric) -> Result<Numeric> {
        match (&self.0, &other.0) {
            (Repr::Small(a, s), Repr::Small(b, t)) if s.abs_diff(*t) <= 18 => {
                let (a, b) = (i128::from(*a), i128::from(*b));
                let factor = small_pow10(u32::from(s.abs_diff(*t))).unwrap_or(1);
                let units = if s < t { a * factor + b } else { a + b * factor };
                Ok(Numeric::from_units(units, *s.max(t)))
            }
            (Repr::NaN, _) | (_, Repr::NaN) => Ok(Numeric::NAN),
            (Repr::Infinity, Repr::NegInfinity) | (Repr::NegInfinity, Repr::Infinity) => {
                Ok(Numeric::NAN)
            }
            (Repr::Infinity | Repr::NegInfinity, _) => Ok(self.clone()),
            (_, Repr::Infinity | Repr::NegInfinity) => Ok(other.clone()),
            _ => {
                let (a, b, scale) = self.aligned(other);
                Numeric::from_big(a + b, scale)
            }
        }
    }

    /// The exact difference, with the larger scale of the two.
    pub fn sub(&self, other: &Numeric) -> Result<Numeric> {
        self.add(&other.neg())
    }

    /// The exact product, with the scales added, unless that is more than a value can have.
    pub fn mul(&self, other: &Numeric) -> Result<Numeric> {
        match (&self.0, &other.0) {
            (Repr::Small(a, s), Repr::Small(b, t)) if s + t <= MAX_SCALE as u16 => {
                return Ok(Numeric::from_units(i128::from(*a) * i128::from(*b), s + t));
            }
            _ => {}
        }
        if let (Some((a, s)), Some((b, t))) = (self.to_big(), other.to_big()) {
            let (mut units, mut scale) = (a * b, s + t);
            if scale > MAX_SCALE {
                units = divide_big(&units, &pow10((scale - MAX_SCALE) as u32), Way::HalfAway);
                scale = MAX_SCALE;
            }
            return Numeric::from_big(units, scale);
        }
        if self.is_nan() || other.is_nan() || self.is_zero() || other.is_zero() {
            return Ok(Numeric::NAN);
        }
        Ok(infinity(self.signum() * other.signum()))
    }

    /// The quotient, rounded to as many digits as PostgreSQL gives.
    pub fn div(&self, other: &Numeric) -> Result<Numeric> {
        if self.is_nan() || other.is_nan() {
            return Ok(Numeric::NAN);
        }
        if other.is_zero() {
            return Err(Problem::DivisionByZero);
        }
        if self.is_infinite() {
            return Ok(match other.is_infinite() {
                true => Numeric::NAN,
                false => infinity(self.signum() * other.signum()),
            });
        }
        if other.is_infinite() {
            return Ok(Numeric::ZERO);
        }
        self.div_to_scale(other, self.div_scale(other))
    }

    /// The quotient of two finite values, rounded to a scale. The divisor is not zero.
    pub(super) fn div_to_scale(&self, other: &Numeric, scale: i64) -> Result<Numeric> {
        let shift = scale + i64::from(other.scale()) - i64::from(self.scale());
        if let (Repr::Small(a, _), Repr::Small(b, _)) = (&self.0, &other.0) {
            let factor = u32::try_from(shift.abs()).ok().and_then(small_pow10);
            let parts = factor.and_then(|factor| match shift >= 0 {
                true => Some((i128::from(*a).checked_mul(factor)?, i128::from(*b))),
                false => Some((i128::from(*a), i128::from(*b).checked_mul(factor)?)),
            });
            if let (Some((a, b)), Ok(scale)) = (parts, u16::try_from(scale)) {
                let (quotient, rest) = (a / b, (a % b).unsigned_abs());
                let up = i128::from(rest >= b.unsigned_abs() - rest);
                let sign = a.signum() * b.signum();
                return Ok(Numeric::from_units(quotient + up * sign, scale));
            }
        }
        let (Some((mut a, _)), Some((mut b, _))) = (self.to_big(), other.to_big()) else {
            return Ok(Numeric::NAN);
        };
        if shift >= 0 {
            a *= pow10(shift as u32);
        } else {
            b *= pow10(shift.unsigned_abs() as u32);
        }
        if b.sign() == num_bigint::Sign::Minus {
            (a, b) = (-a, -b);
        }
        Numeric::from_big(divide_big(&a, &b, Way::HalfAway), scale)
    }

    /// The quotient cut to an integer, as `div(a, b)` gives it.
    pub fn div_trunc(&self, other: &Numeric) -> Result<Numeric> {
        if !self.is_finite() || !other.is_finite() || other.is_zero() {
            return self.div(other);
        }
        let (a, b, _) = self.aligned(other);
        Numeric::from_big(a / b, 0)
    }

    /// The remainder, with the sign of the dividend.
    pub fn rem(&self, other: &Numeric) -> Result<Numeric> {
        if self.is_nan() || other.is_nan() {
            return Ok(Numeric::NAN);
        }
        if other.is_zero() {
            return Err(Problem::DivisionByZero);
        }
        if self.is_infinite() {
            return Ok(Numeric::NAN);
        }
        if other.is_infinite() {
            return Ok(self.clone());
        }
        let (a, b, scale) = self.aligned(other);
        Numeric::from_big(a % b, scale)
    }

    /// The value with the other sign.
    pub fn neg(&self) -> Numeric {
        match &self.0 {
            Repr::Small(units, scale) => Numeric::from_units(-i128::from(*units), *scale),
            Repr::Big(units, scale) => {
                Numeric::from_big(-(**units).clone(), i64::from(*scale)).unwrap_or(Numeric::NAN)
            }
            Repr::NaN => Numeric::NAN,
            Repr::Infinity => Numeric::NEG_INFINITY,
            Repr::NegInfinity => Numeric::INFINITY,
        }
    }

    /// The value without its sign.
    pub fn abs(&self) -> Numeric {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// -1, 0, 1 or NaN, as `sign()` gives it.
    pub fn sign(&self) -> Numeric {
        if self.is_nan() { Numeric::NAN } else { Numeric::from(self.signum()) }
    }

    /// Units of both finite values at the greater scale.
    fn aligned(&self, other: &Numeric) -> (BigInt, BigInt, i64) {
        let (Some((mut a, s)), Some((mut b, t))) = (self.to_big(), other.to_big()) else {
            return (BigInt::ZERO, BigInt::ZERO, 0);
        };
        if s < t {
            a *= pow10((t - s) as u32);
        } else {
            b *= pow10((s - t) as u32);
        }
        (a, b, s.max(t))
    }

    /// The place and value of the first digit in base 10,000, the base PostgreSQL computes in; the
    /// scales of its results depend on it.
    pub(super) fn first_digit(&self) -> (i64, i64) {
        let Some(place) = self.magnitude() else { return (0, 0) };
        let (weight, keep) = (place.div_euclid(4), place.rem_euclid(4) as usize + 1);
        let text = match &self.0 {
            Repr::Small(units, _) => units.unsigned_abs().to_string(),
            Repr::Big(units, _) => units.magnitude().to_string(),
            _ => String::new(),
        };
        let first = text.bytes().chain(std::iter::repeat(b'0')).take(keep);
        (weight, first.fold(0, |n, b| n * 10 + i64::from(b - b'0')))
    }

    fn div_scale(&self, other: &Numeric) -> i64 {
        let ((weight, first), (other_weight, other_first)) =
            (self.first_digit(), other.first_digit());
        let weight = weight - other_weight - i64::from(first <= other_first);
        (MIN_SIGNIFICANT - weight * 4)
            .max(i64::from(self.scale()))
            .max(i64::from(other.scale()))
            .clamp(0, MAX_RESULT_SCALE)
    }
}

/// The infinity with this sign.
pub(super) fn infinity(sign: i32) -> Numeric {
    if sign < 0 { Numeric::NEG_INFINITY } else { Numeric::INFINITY }
}
