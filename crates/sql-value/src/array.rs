//! Arrays of any number of dimensions.

use crate::{Datum, Problem, Result, TypeId};

/// The most dimensions an array can have.
pub const MAX_DIMENSIONS: usize = 6;

/// An array of any number of dimensions.
#[derive(Clone, Debug)]
pub struct Array {
    /// The type of its elements.
    pub element: TypeId,
    /// The length and the lower bound of each dimension; empty for the array without elements.
    pub dims: Vec<(usize, i32)>,
    /// The elements, the last dimension running fastest.
    pub items: Vec<Datum>,
}

impl Array {
    /// Refuses more dimensions than an array can have.
    pub fn check_dimensions(count: usize) -> Result<()> {
        match count > MAX_DIMENSIONS {
            true => Err(Problem::TooManyDimensions(count)),
            false => Ok(()),
        }
    }

    /// An array of one dimension that begins at 1.
    pub fn of(element: TypeId, items: Vec<Datum>) -> Array {
        let dims = if items.is_empty() { Vec::new() } else { vec![(items.len(), 1)] };
        Array { element, dims, items }
    }

    /// The element at these subscripts; `None` if they are outside the array.
    pub fn get(&self, subscripts: &[i64]) -> Option<&Datum> {
        if subscripts.len() != self.dims.len() || self.dims.is_empty() {
            return None;
        }
        let mut place = 0usize;
        for (subscript, (length, lower)) in subscripts.iter().zip(&self.dims) {
            let offset = usize::try_from(subscript.checked_sub(i64::from(*lower))?).ok()?;
            if offset >= *length {
                return None;
            }
            place = place * length + offset;
        }
        self.items.get(place)
    }
}
