//! `numeric`: exact decimals of any precision, with NaN and the infinities.
//!
//! A finite value is an integer of units and a scale: 12.50 is 1250 units at scale 2. The scale is what
//! PostgreSQL calls the display scale, so `1.0` and `1.00` are equal yet print differently. Units that
//! fit 64 bits, nearly all, are kept in place; sums and products of those go through 128 bits, and only
//! what does not fit becomes a big integer.

mod arith;
mod functions;
mod round;
mod text;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use crate::{Problem, Result};

/// The most digits after the point a value can have.
const MAX_SCALE: i64 = 16_383;
/// The most digits before the point a value can have.
const MAX_WHOLE_DIGITS: i64 = 131_072;

/// An exact decimal, NaN, or an infinity.
#[derive(Clone, Debug)]
pub struct Numeric(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Small(i64, u16),
    /// Units that do not fit 64 bits.
    Big(Arc<BigInt>, u16),
    NaN,
    Infinity,
    NegInfinity,
}

/// Ten to a power as a big integer.
fn pow10(n: u32) -> BigInt {
    BigInt::from(10).pow(n)
}

/// Ten to a power that fits 128 bits.
fn small_pow10(n: u32) -> Option<i128> {
    10i128.checked_pow(n)
}

/// How many decimal digits a magnitude has; none for zero.
fn digits_of(units: &BigInt) -> i64 {
    if units.sign() == Sign::NoSign {
        return 0;
    }
    let bits = units.bits();
    let low = ((bits - 1) as f64 * std::f64::consts::LOG10_2 - 1e-6).floor() as i64;
    let high = (bits as f64 * std::f64::consts::LOG10_2 + 1e-6).floor() as i64;
    if low == high {
        return low + 1;
    }
    if units.magnitude() >= pow10(high.max(0) as u32).magnitude() { high + 1 } else { high }
}

impl Numeric {
    /// The number 0, without digits after the point.
    pub const ZERO: Numeric = Numeric(Repr::Small(0, 0));
    /// The number 1, without digits after the point.
    pub const ONE: Numeric = Numeric(Repr::Small(1, 0));
    /// Not a number; it is equal to itself and above all else.
    pub const NAN: Numeric = Numeric(Repr::NaN);
    /// Infinity, which is above all numbers but NaN.
    pub const INFINITY: Numeric = Numeric(Repr::Infinity);
    /// Minus infinity, which is below all numbers.
    pub const NEG_INFINITY: Numeric = Numeric(Repr::NegInfinity);

    /// A value of so many units at a scale.
    pub fn from_units(units: i128, scale: u16) -> Numeric {
        match i64::try_from(units) {
            Ok(units) => Numeric(Repr::Small(units, scale)),
            Err(_) => Numeric(Repr::Big(Arc::new(BigInt::from(units)), scale)),
        }
    }

    /// The same of a big integer, which must not overflow the format.
    fn from_big(units: BigInt, scale: i64) -> Result<Numeric> {
        let scale = u16::try_from(scale).ok().filter(|s| i64::from(*s) <= MAX_SCALE);
        let scale = scale.ok_or(Problem::NumericOverflow)?;
        if let Ok(small) = i64::try_from(&units) {
            return Ok(Numeric(Repr::Small(small, scale)));
        }
        if units.bits() > 400_000 && digits_of(&units) - i64::from(scale) > MAX_WHOLE_DIGITS {
            return Err(Problem::NumericOverflow);
        }
        Ok(Numeric(Repr::Big(Arc::new(units), scale)))
    }

    /// Units and scale of a finite value.
    fn to_big(&self) -> Option<(BigInt, i64)> {
        match &self.0 {
            Repr::Small(units, scale) => Some((BigInt::from(*units), i64::from(*scale))),
            Repr::Big(units, scale) => Some(((**units).clone(), i64::from(*scale))),
            _ => None,
        }
    }

    /// Whether it is not a number.
    pub fn is_nan(&self) -> bool {
        matches!(self.0, Repr::NaN)
    }

    /// Whether it is one of the infinities.
    pub fn is_infinite(&self) -> bool {
        matches!(self.0, Repr::Infinity | Repr::NegInfinity)
    }

    /// Whether it is neither NaN nor infinite.
    pub fn is_finite(&self) -> bool {
        matches!(self.0, Repr::Small(..) | Repr::Big(..))
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// -1, 0 or 1; 1 for NaN.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(units, _) => units.signum() as i32,
            Repr::Big(units, _) if units.sign() == Sign::Minus => -1,
            Repr::NegInfinity => -1,
            _ => 1,
        }
    }

    /// How many digits after the point it shows; 0 for what is not finite.
    pub fn scale(&self) -> u16 {
        match self.0 {
            Repr::Small(_, scale) | Repr::Big(_, scale) => scale,
            _ => 0,
        }
    }

    /// Whether it has no fraction.
    pub fn is_integer(&self) -> bool {
        self.is_finite() && self.min_scale() == 0
    }

    /// The place of the first digit that is not zero: 2 for 123, -2 for 0.05; `None` for zero.
    fn magnitude(&self) -> Option<i64> {
        let digits = match &self.0 {
            Repr::Small(0, _) => return None,
            Repr::Small(units, _) => i64::from(units.unsigned_abs().ilog10()) + 1,
            Repr::Big(units, _) => digits_of(units),
            _ => return None,
        };
        Some(digits - 1 - i64::from(self.scale()))
    }

    /// The nearest double. A value that is too large becomes an infinity.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::NaN => f64::NAN,
            Repr::Infinity => f64::INFINITY,
            Repr::NegInfinity => f64::NEG_INFINITY,
            Repr::Small(units, 0) => *units as f64,
            Repr::Small(units, scale) if *scale <= 22 && units.unsigned_abs() < 1 << 53 => {
                *units as f64 / 10f64.powi(i32::from(*scale))
            }
            _ => self.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// The nearest single. A value that is too large becomes an infinity.
    pub fn to_f32(&self) -> f32 {
        match &self.0 {
            Repr::NaN => f32::NAN,
            Repr::Infinity => f32::INFINITY,
            Repr::NegInfinity => f32::NEG_INFINITY,
            _ => self.to_string().parse().unwrap_or(f32::NAN),
        }
    }

    /// The decimal that a double becomes by a cast: it has 15 significant digits.
    pub fn from_f64(value: f64) -> Numeric {
        Numeric::from_float(value, 14)
    }

    /// The decimal that a single becomes by a cast: it has 6 significant digits.
    pub fn from_f32(value: f32) -> Numeric {
        Numeric::from_float(f64::from(value), 5)
    }

    fn from_float(value: f64, decimals: usize) -> Numeric {
        if value.is_nan() {
            return Numeric::NAN;
        }
        if value.is_infinite() {
            return if value > 0.0 { Numeric::INFINITY } else { Numeric::NEG_INFINITY };
        }
        let printed = format!("{value:.decimals$e}");
        let (mantissa, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        format!("{mantissa}e{exponent}").parse().unwrap_or(Numeric::NAN)
    }

    /// The value as a `bigint`, rounded half away from zero; `None` if it does not fit or is not
    /// finite.
    pub fn to_i64(&self) -> Option<i64> {
        match self.round(0).0 {
            Repr::Small(units, _) => Some(units),
            _ => None,
        }
    }

    /// The value as an `integer`, in the same way.
    pub fn to_i32(&self) -> Option<i32> {
        self.to_i64().and_then(|n| n.try_into().ok())
    }

    /// The value as a `smallint`, in the same way.
    pub fn to_i16(&self) -> Option<i16> {
        self.to_i64().and_then(|n| n.try_into().ok())
    }

    /// Units without trailing zeros and the scale that goes with them, which equal values share.
    fn canonical(&self) -> Option<(BigInt, i64)> {
        let (mut units, mut scale) = self.to_big()?;
        if units.sign() == Sign::NoSign {
            return Some((units, 0));
        }
        let text = units.to_string();
        let zeros = text.len() - text.trim_end_matches('0').len();
        units /= pow10(zeros as u32);
        scale -= zeros as i64;
        Some((units, scale))
    }
}

impl From<i64> for Numeric {
    fn from(value: i64) -> Numeric {
        Numeric(Repr::Small(value, 0))
    }
}

impl From<i32> for Numeric {
    fn from(value: i32) -> Numeric {
        Numeric::from(i64::from(value))
    }
}

impl PartialEq for Numeric {
    fn eq(&self, other: &Numeric) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Numeric {}

impl PartialOrd for Numeric {
    fn partial_cmp(&self, other: &Numeric) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Numeric {
    fn cmp(&self, other: &Numeric) -> Ordering {
        use Repr::{Infinity, NaN, NegInfinity, Small};
        let rank = |n: &Numeric| match n.0 {
            NegInfinity => 0,
            Infinity => 2,
            NaN => 3,
            _ => 1,
        };
        match (&self.0, &other.0) {
            (Small(a, s), Small(b, t)) if s == t => return a.cmp(b),
            (Small(a, s), Small(b, t)) if s.abs_diff(*t) <= 18 => {
                let (a, b) = (i128::from(*a), i128::from(*b));
                let factor = small_pow10(u32::from(s.abs_diff(*t))).unwrap_or(1);
                return if s < t { (a * factor).cmp(&b) } else { a.cmp(&(b * factor)) };
            }
            _ => {}
        }
        let ranks = rank(self).cmp(&rank(other));
        if ranks != Ordering::Equal || !self.is_finite() {
            return ranks;
        }
        let signs = self.signum().cmp(&other.signum());
        if signs != Ordering::Equal {
            return signs;
        }
        let places = self.magnitude().cmp(&other.magnitude());
        if places != Ordering::Equal {
            return if self.signum() < 0 { places.reverse() } else { places };
        }
        let (Some((a, s)), Some((b, t))) = (self.to_big(), other.to_big()) else {
            return Ordering::Equal;
        };
        if s < t {
            (a * pow10((t - s) as u32)).cmp(&b)
        } else {
            a.cmp(&(b * pow10((s - t) as u32)))
        }
    }
}

impl Hash for Numeric {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small(units, scale) => {
                let (mut units, mut scale) = (*units, i64::from(*scale));
                if units == 0 {
                    scale = 0;
                }
                while units != 0 && units % 10 == 0 {
                    units /= 10;
                    scale -= 1;
                }
                (units, scale).hash(state);
            }
            Repr::Big(..) => {
                let Some((units, scale)) = self.canonical() else { return };
                match i64::try_from(&units) {
                    Ok(units) => (units, scale).hash(state),
                    Err(_) => (units, scale).hash(state),
                }
            }
            Repr::NaN => 1u8.hash(state),
            Repr::Infinity => 2u8.hash(state),
            Repr::NegInfinity => 3u8.hash(state),
        }
    }
}
