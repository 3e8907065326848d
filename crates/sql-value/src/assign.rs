//! Arrays with an element or a slice assigned: `xs[2] = 5`, `xs[2:3] = '{5,6}'`.
//!
//! An array of one dimension grows to where it is assigned to, with NULLs between; one of more keeps its
//! shape. An empty array takes the shape of the subscripts.

use crate::{Array, Datum, Problem, Result};

/// The most elements that an assignment may make an array have.
const MAX_ITEMS: i64 = 16_000_000;

impl Array {
    /// The array with this element in the place of another. One of one dimension grows to reach it.
    pub fn with_element(&self, subscripts: &[i32], value: Datum) -> Result<Array> {
        if self.dims.is_empty() {
            let dims = subscripts.iter().map(|&lower| (1, lower)).collect();
            return Ok(Array { element: self.element, dims, items: vec![value] });
        }
        if subscripts.len() != self.dims.len() {
            return Err(Problem::SubscriptCount);
        }
        let mut array = self.clone();
        if let [only] = subscripts {
            array.reach(*only, *only)?;
        }
        let mut place = 0;
        for (&subscript, &(length, lower)) in subscripts.iter().zip(&array.dims) {
            let offset = i64::from(subscript) - i64::from(lower);
            match usize::try_from(offset) {
                Ok(offset) if offset < length => place = place * length + offset,
                _ => return Err(Problem::SubscriptOutOfRange),
            }
        }
        array.items[place] = value;
        Ok(array)
    }

    /// The array with this slice in the place of another. A bound that is not given is the array's
    /// own.
    pub fn with_slice(
        &self,
        bounds: &[(Option<i32>, Option<i32>)],
        source: &Array,
    ) -> Result<Array> {
        let small = || Problem::SliceTooShort;
        if self.dims.is_empty() {
            let mut dims = Vec::with_capacity(bounds.len());
            let mut count: i64 = 1;
            for bound in bounds {
                let (Some(low), Some(high)) = *bound else {
                    return Err(Problem::SliceWithoutBounds);
                };
                let length = (i64::from(high) - i64::from(low) + 1).max(0);
                count = count.saturating_mul(length);
                if count > MAX_ITEMS {
                    return Err(Problem::TooManyElements(MAX_ITEMS));
                }
                dims.push((length as usize, low));
            }
            let count = count as usize;
            let items = source.items.get(..count).ok_or_else(small)?.to_vec();
            let dims = if items.is_empty() { Vec::new() } else { dims };
            return Ok(Array { element: self.element, dims, items });
        }
        if bounds.len() > self.dims.len() {
            return Err(Problem::SubscriptCount);
        }
        let mut array = self.clone();
        let mut ranges: Vec<(i32, i32)> = Vec::with_capacity(self.dims.len());
        for (at, &(length, lower)) in self.dims.iter().enumerate() {
            let last = i64::from(lower) + length as i64 - 1;
            let (low, high) = bounds.get(at).copied().unwrap_or((None, None));
            let low = low.unwrap_or(lower);
            let high = high.unwrap_or_else(|| i32::try_from(last).unwrap_or(i32::MAX));
            if low > high {
                return Err(Problem::SliceOrder);
            }
            if self.dims.len() > 1 && (low < lower || i64::from(high) > last) {
                return Err(Problem::SubscriptOutOfRange);
            }
            ranges.push((low, high));
        }
        if let [(low, high)] = ranges.as_slice() {
            array.reach(*low, *high)?;
        }
        let mut at: Vec<i32> = ranges.iter().map(|(low, _)| *low).collect();
        let span: i64 = ranges.iter().map(|(l, h)| i64::from(*h) - i64::from(*l) + 1).product();
        let span = usize::try_from(span).map_err(|_| Problem::TooManyElements(MAX_ITEMS))?;
        let items = source.items.get(..span).ok_or_else(small)?;
        for item in items {
            let place = at
                .iter()
                .zip(&array.dims)
                .fold(0, |place, (at, (length, lower))| place * length + (at - lower) as usize);
            array.items[place] = item.clone();
            for dimension in (0..at.len()).rev() {
                at[dimension] += 1;
                if at[dimension] <= ranges[dimension].1 {
                    break;
                }
                at[dimension] = ranges[dimension].0;
            }
        }
        Ok(array)
    }

    /// Makes an array of one dimension reach from `low` to `high`, with NULLs where nothing was.
    fn reach(&mut self, low: i32, high: i32) -> Result<()> {
        let [(length, lower)] = self.dims.as_mut_slice() else { return Ok(()) };
        let before = (i64::from(*lower) - i64::from(low)).max(0);
        let after = (i64::from(high) - i64::from(*lower) + 1 - *length as i64).max(0);
        if before + after + *length as i64 > MAX_ITEMS {
            return Err(Problem::TooManyElements(MAX_ITEMS));
        }
        if before > 0 {
            let nulls = std::iter::repeat_n(Datum::Null, before as usize);
            self.items.splice(0..0, nulls);
            *lower = low;
        }
        self.items.extend(std::iter::repeat_n(Datum::Null, after as usize));
        *length = self.items.len();
        Ok(())
    }
}
