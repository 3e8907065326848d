//! Sets of characters, as sorted ranges.

/// The last code point.
pub(crate) const LAST: u32 = 0x10_ffff;

/// A set of code points: ranges in order that neither touch nor overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CharSet(Vec<(u32, u32)>);

impl CharSet {
    pub(crate) fn range(low: u32, high: u32) -> CharSet {
        CharSet(vec![(low, high)])
    }

    pub(crate) fn one(c: u32) -> CharSet {
        CharSet::range(c, c)
    }

    pub(crate) fn all() -> CharSet {
        CharSet::range(0, LAST)
    }

    pub(crate) fn from_ranges(mut ranges: Vec<(u32, u32)>) -> CharSet {
        ranges.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match out.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => out.push((low, high)),
            }
        }
        CharSet(out)
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(crate) fn contains(&self, c: u32) -> bool {
        let at = self.0.partition_point(|&(low, _)| low <= c);
        at > 0 && self.0.get(at - 1).is_some_and(|&(_, high)| c <= high)
    }

    /// The only member, if there is one only.
    pub(crate) fn single(&self) -> Option<char> {
        match *self.0 {
            [(low, high)] if low == high => char::from_u32(low),
            _ => None,
        }
    }

    pub(crate) fn union(&self, other: &CharSet) -> CharSet {
        CharSet::from_ranges(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(crate) fn complement(&self) -> CharSet {
        let mut out = Vec::with_capacity(self.0.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.0 {
            if low > LAST {
                break;
            }
            if low > next {
                out.push((next, low - 1));
            }
            next = high.saturating_add(1);
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        CharSet(out)
    }

    pub(crate) fn minus(&self, other: &CharSet) -> CharSet {
        self.complement().union(other).complement()
    }
}
