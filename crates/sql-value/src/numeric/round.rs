//! Rounding `numeric` to a scale, and what a declared precision and scale do to it.

use num_bigint::{BigInt, Sign};

use super::{Numeric, Repr, digits_of, pow10, small_pow10};
use crate::{Problem, Result};

/// Which way the digits that are dropped go.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    HalfAway,
    Zero,
    Up,
    Down,
}

/// The quotient by a positive divisor, rounded.
fn divide_small(units: i128, divisor: i128, way: Way) -> i128 {
    let (quotient, rest) = (units / divisor, units % divisor);
    quotient
        + match way {
            Way::HalfAway if rest.abs() >= divisor - rest.abs() => units.signum(),
            Way::Up if rest > 0 => 1,
            Way::Down if rest < 0 => -1,
            _ => 0,
        }
}

/// The same of big integers.
pub(super) fn divide_big(units: &BigInt, divisor: &BigInt, way: Way) -> BigInt {
    let (quotient, rest) = (units / divisor, units % divisor);
    let up = match way {
        Way::HalfAway => (rest.magnitude() * 2u32) >= *divisor.magnitude(),
        Way::Up => rest.sign() == Sign::Plus,
        Way::Down => rest.sign() == Sign::Minus,
        Way::Zero => false,
    };
    match (up, units.sign()) {
        (true, Sign::Minus) => quotient - 1,
        (true, _) => quotient + 1,
        _ => quotient,
    }
}

impl Numeric {
    /// The value with so many digits after the point: zeros are added, or digits dropped. A
    /// negative scale drops digits before the point.
    fn rescale(&self, scale: i32, way: Way) -> Numeric {
        let scale = scale.clamp(-200_000, 16_383);
        let shown = scale.max(0) as u16;
        let drop = i32::from(self.scale()) - scale;
        match &self.0 {
            Repr::Small(units, _) if (-18..=18).contains(&drop) => {
                let factor = small_pow10(drop.unsigned_abs()).unwrap_or(1);
                let units = i128::from(*units);
                if drop <= 0 {
                    return Numeric::from_units(units * factor, shown);
                }
                let kept = divide_small(units, factor, way);
                let back = small_pow10(scale.min(0).unsigned_abs()).unwrap_or(1);
                Numeric::from_units(kept * back, shown)
            }
            Repr::Small(..) | Repr::Big(..) => {
                let Some((units, _)) = self.to_big() else { return self.clone() };
                let units = if drop <= 0 {
                    units * pow10(drop.unsigned_abs())
                } else if i64::from(drop) > digits_of(&units) + 1
                    && way != Way::Up
                    && way != Way::Down
                {
                    BigInt::ZERO
                } else {
                    divide_big(&units, &pow10(drop.unsigned_abs()), way)
                        * pow10(scale.min(0).unsigned_abs())
                };
                Numeric::from_big(units, i64::from(shown)).unwrap_or(Numeric::NAN)
            }
            _ => self.clone(),
        }
    }

    /// Rounded half away from zero to a scale.
    pub fn round(&self, scale: i32) -> Numeric {
        self.rescale(scale, Way::HalfAway)
    }

    /// Cut to a scale.
    pub fn trunc(&self, scale: i32) -> Numeric {
        self.rescale(scale, Way::Zero)
    }

    /// The least integer not below.
    pub fn ceil(&self) -> Numeric {
        self.rescale(0, Way::Up)
    }

    /// The greatest integer not above.
    pub fn floor(&self) -> Numeric {
        self.rescale(0, Way::Down)
    }

    /// The least scale that shows the value exactly.
    pub fn min_scale(&self) -> u16 {
        match &self.0 {
            Repr::Small(0, _) => 0,
            Repr::Small(units, scale) => {
                let (mut units, mut scale) = (*units, *scale);
                while scale > 0 && units % 10 == 0 {
                    units /= 10;
                    scale -= 1;
                }
                scale
            }
            Repr::Big(units, scale) => {
                let text = units.to_string();
                let zeros = text.len() - text.trim_end_matches('0').len();
                scale.saturating_sub(zeros as u16)
            }
            _ => 0,
        }
    }

    /// The value with the smallest scale that shows it exactly.
    pub fn trim_scale(&self) -> Numeric {
        self.trunc(i32::from(self.min_scale()))
    }

    /// The value as a column of this precision and scale holds it; an error if it has too many
    /// digits before the point.
    pub fn fit(self, precision: i32, scale: i32) -> Result<Numeric> {
        let overflow = |infinite| Problem::FieldOverflow { precision, scale, infinite };
        if self.is_infinite() {
            return Err(overflow(true));
        }
        if self.is_nan() {
            return Ok(self);
        }
        let rounded = self.round(scale);
        let whole = i64::from(precision - scale);
        match rounded.magnitude() {
            Some(place) if place >= whole => Err(overflow(false)),
            _ => Ok(rounded),
        }
    }
}
