//! `interval`: months, days and microseconds, which are kept apart.

mod arith;

use std::cmp::Ordering;

/// A span of time.
///
/// A month is not a number of days and a day is not always 24 hours, so the three parts only meet where
/// intervals are compared, with 30 days to a month and 24 hours to a day.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// The number of months; a year is twelve of them.
    pub months: i32,
    /// The number of days, which are not always 24 hours long.
    pub days: i32,
    /// The number of microseconds, which may be more than a day.
    pub micros: i64,
}

impl Interval {
    /// An interval of its three parts.
    pub fn new(months: i32, days: i32, micros: i64) -> Interval {
        Interval { months, days, micros }
    }

    /// The length by which intervals compare, in microseconds.
    pub fn span(&self) -> i128 {
        let days = i128::from(self.months) * 30 + i128::from(self.days);
        days * i128::from(crate::datetime::DAY) + i128::from(self.micros)
    }
}

impl PartialEq for Interval {
    fn eq(&self, other: &Interval) -> bool {
        self.span() == other.span()
    }
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Interval) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    fn cmp(&self, other: &Interval) -> Ordering {
        self.span().cmp(&other.span())
    }
}

impl std::hash::Hash for Interval {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.span().hash(state);
    }
}
