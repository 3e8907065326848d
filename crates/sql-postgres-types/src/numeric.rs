//! `numeric(precision, scale)`: how the modifier of a type says it.

use super::Numeric;
use crate::error::Result;

/// A value as a column with this modifier holds it. A modifier below 4 declares nothing.
pub fn with_typmod(numeric: Numeric, typmod: i32) -> Result<Numeric> {
    match precision_and_scale(typmod) {
        Some((precision, scale)) => Ok(numeric.fit(precision, scale)?),
        None => Ok(numeric),
    }
}

/// The modifier for a declared precision and scale.
pub fn typmod(precision: i32, scale: i32) -> i32 {
    ((precision << 16) | (scale & 0x7ff)) + 4
}

/// The precision and scale that a modifier declares.
pub fn precision_and_scale(typmod: i32) -> Option<(i32, i32)> {
    let packed = typmod.checked_sub(4).filter(|packed| *packed >= 0)?;
    let scale = ((packed & 0x7ff) ^ 1024) - 1024;
    Some(((packed >> 16) & 0xffff, scale))
}
