//! Ranges: all values of a type between two bounds, `[1,5)`.
//!
//! Integers and dates have a next value, so their ranges have one form, `[low,high)`; of the other types
//! both kinds of bounds stay as they are. A range without values is `empty`, however it came about.

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::datetime::{DATE_INFINITY, DATE_NEG_INFINITY, date_out_of_range};
use crate::{Datum, Problem, Result, TypeId};

/// A range of values of one type.
#[derive(Clone, Debug)]
pub struct Range {
    /// The type of the values.
    pub element: TypeId,
    /// The two ends; `None` if the range is empty.
    pub bounds: Option<(Bound, Bound)>,
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value at this end; `None` if the range has no end on this side.
    pub value: Option<Datum>,
    /// Whether the value itself belongs to the range.
    pub inclusive: bool,
    /// Whether it is the lower end.
    pub lower: bool,
}

impl Bound {
    /// The lower end.
    pub fn lower(value: Option<Datum>, inclusive: bool) -> Bound {
        Bound { inclusive: inclusive && value.is_some(), value, lower: true }
    }

    /// The upper end.
    pub fn upper(value: Option<Datum>, inclusive: bool) -> Bound {
        Bound { inclusive: inclusive && value.is_some(), value, lower: false }
    }

    /// The end of the neighbouring range that begins just where this one stops.
    fn flipped(&self) -> Bound {
        Bound { value: self.value.clone(), inclusive: !self.inclusive, lower: !self.lower }
    }

    /// The order of two ends, whichever sides of ranges they are.
    pub fn compare(&self, other: &Bound) -> Ordering {
        let outward = |lower: bool| if lower { Ordering::Less } else { Ordering::Greater };
        match (&self.value, &other.value) {
            (None, None) if self.lower == other.lower => Ordering::Equal,
            (None, _) => outward(self.lower),
            (_, None) => outward(other.lower).reverse(),
            (Some(a), Some(b)) => {
                a.compare(b).then_with(|| match (self.inclusive, other.inclusive) {
                    (true, true) => Ordering::Equal,
                    (false, false) if self.lower == other.lower => Ordering::Equal,
                    (false, _) => outward(self.lower).reverse(),
                    (true, false) => outward(other.lower),
                })
            }
        }
    }

    /// Whether the lower end `other` begins just where this upper end stops.
    fn adjoins(&self, other: &Bound) -> bool {
        match (&self.value, &other.value) {
            (Some(a), Some(b)) => a.equal(b) && self.inclusive != other.inclusive,
            _ => false,
        }
    }
}

impl Range {
    /// The range that has no values.
    pub fn empty(element: TypeId) -> Range {
        Range { element, bounds: None }
    }

    /// The range between two ends, in its one form. The integers of its type go up to `most`.
    pub fn new(element: TypeId, lower: Bound, upper: Bound, most: i64) -> Result<Range> {
        if let (Some(low), Some(high)) = (&lower.value, &upper.value) {
            match low.compare(high) {
                Ordering::Greater => {
                    return Err(Problem::RangeOrder);
                }
                Ordering::Equal if !(lower.inclusive && upper.inclusive) => {
                    return Ok(Range::empty(element));
                }
                _ => {}
            }
        }
        let lower = match lower.inclusive || lower.value.is_none() {
            true => lower,
            false => following(lower, most, true)?,
        };
        let upper = match upper.inclusive {
            true => following(upper, most, false)?,
            false => upper,
        };
        if let (Some(low), Some(high)) = (&lower.value, &upper.value)
            && low.equal(high)
            && !(lower.inclusive && upper.inclusive)
        {
            return Ok(Range::empty(element));
        }
        Ok(Range { element, bounds: Some((lower, upper)) })
    }

    /// The range between two ends that are in their one form already.
    fn between(&self, lower: Bound, upper: Bound) -> Result<Range> {
        Range::new(self.element, lower, upper, i64::MAX)
    }

    /// Whether a value is in it.
    pub fn has(&self, value: &Datum) -> bool {
        let Some((lower, upper)) = &self.bounds else { return false };
        let above = lower.value.as_ref().is_none_or(|low| match low.compare(value) {
            Ordering::Equal => lower.inclusive,
            order => order.is_lt(),
        });
        above
            && upper.value.as_ref().is_none_or(|high| match high.compare(value) {
                Ordering::Equal => upper.inclusive,
                order => order.is_gt(),
            })
    }

    /// Whether all values of another range are in it.
    pub fn contains(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (_, None) => true,
            (None, _) => false,
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(l2).is_le() && u1.compare(u2).is_ge(),
        }
    }

    /// Whether the two ranges have a value in common.
    pub fn overlaps(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(u2).is_le() && l2.compare(u1).is_le(),
            _ => false,
        }
    }

    /// Whether one of the ranges begins just where the other stops.
    pub fn adjacent(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => u1.adjoins(l2) || u2.adjoins(l1),
            _ => false,
        }
    }

    /// Whether the ends of two ranges fit as `fit` says; false if one of them is empty.
    pub fn ends(&self, other: &Range, fit: impl Fn(&[&Bound; 4]) -> bool) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => fit(&[l1, u1, l2, u2]),
            _ => false,
        }
    }

    /// The smallest range that has the values of both. Unless `gaps` are allowed, it is an error if
    /// it has more values than these.
    pub fn union(&self, other: &Range, gaps: bool) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(if self.bounds.is_none() { other.clone() } else { self.clone() });
        };
        if !gaps && !self.overlaps(other) && !self.adjacent(other) {
            return Err(Problem::RangeUnionGap);
        }
        let lower = if l1.compare(l2).is_lt() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_gt() { u1 } else { u2 };
        self.between(lower.clone(), upper.clone())
    }

    /// The range of the values that both have.
    pub fn intersection(&self, other: &Range) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(Range::empty(self.element));
        };
        if !self.overlaps(other) {
            return Ok(Range::empty(self.element));
        }
        let lower = if l1.compare(l2).is_ge() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_le() { u1 } else { u2 };
        self.between(lower.clone(), upper.clone())
    }

    /// The range of the values that it has and another has not; an error if these would be two
    /// ranges.
    pub fn difference(&self, other: &Range) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(self.clone());
        };
        if l1.compare(l2).is_lt() && u1.compare(u2).is_gt() {
            return Err(Problem::RangeDifferenceGap);
        }
        if l1.compare(u2).is_gt() || u1.compare(l2).is_lt() {
            return Ok(self.clone());
        }
        if l1.compare(l2).is_ge() && u1.compare(u2).is_le() {
            return Ok(Range::empty(self.element));
        }
        if l1.compare(l2).is_lt() {
            return self.between(l1.clone(), l2.flipped());
        }
        self.between(u2.flipped(), u1.clone())
    }

    /// The order of ranges: the empty one first, then by lower ends, then by upper ends.
    pub fn compare(&self, other: &Range) -> Ordering {
        match (&self.bounds, &other.bounds) {
            (None, None) => Ordering::Equal,
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(l2).then_with(|| u1.compare(u2)),
        }
    }

    pub(crate) fn hash_into<H: Hasher>(&self, state: &mut H) {
        let Some((lower, upper)) = &self.bounds else { return state.write_u8(0) };
        for bound in [lower, upper] {
            state.write_u8(1 + u8::from(bound.inclusive));
            if let Some(value) = &bound.value {
                value.hash_into(state);
            }
        }
    }
}

/// A bound moved to the next value of its type if it is an exclusive lower or an inclusive upper
/// one; so `[1,4]` becomes `[1,5)`.
fn following(bound: Bound, most: i64, inclusive: bool) -> Result<Bound> {
    let value = match &bound.value {
        Some(Datum::Int(value)) if *value < most => Datum::Int(value + 1),
        Some(Datum::Int(_)) if most < i64::MAX => return Err(Problem::IntegerOutOfRange),
        Some(Datum::Int(_)) => return Err(Problem::BigintOutOfRange),
        Some(Datum::Date(DATE_INFINITY | DATE_NEG_INFINITY)) => return Ok(bound),
        Some(Datum::Date(day)) => match day.checked_add(1).filter(|day| *day != DATE_INFINITY) {
            Some(next) => Datum::Date(next),
            None => return Err(date_out_of_range()),
        },
        _ => return Ok(bound),
    };
    Ok(Bound { value: Some(value), inclusive, lower: bound.lower })
}
