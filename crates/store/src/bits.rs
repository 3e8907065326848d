//! Sets of small numbers as bits, and square tables of them.

/// A set of small numbers. Words past the end count as empty, so sets of different lengths mix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    #[inline]
    pub(crate) fn insert(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (at % 64);
    }

    #[inline]
    pub(crate) fn remove(&mut self, at: u32) {
        if let Some(word) = self.words.get_mut(at as usize / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    #[inline]
    pub(crate) fn contains(&self, at: u32) -> bool {
        contains(&self.words, at)
    }

    #[inline]
    pub(crate) fn union(&mut self, other: &[u64]) {
        let used = other.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        if used > self.words.len() {
            self.words.resize(used, 0);
        }
        for (word, more) in self.words.iter_mut().zip(other) {
            *word |= more;
        }
    }

    #[inline]
    pub(crate) fn subtract(&mut self, other: &[u64]) {
        for (word, less) in self.words.iter_mut().zip(other) {
            *word &= !less;
        }
    }

    #[inline]
    pub(crate) fn intersect(&mut self, other: &[u64]) {
        let common = self.words.len().min(other.len());
        self.words.truncate(common);
        for (word, kept) in self.words.iter_mut().zip(other) {
            *word &= kept;
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Makes this a copy of `other`, in the memory it has.
    #[inline]
    pub(crate) fn copy(&mut self, other: &[u64]) {
        self.words.clear();
        self.words.extend_from_slice(other);
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn iter(&self) -> Members<'_> {
        members(&self.words)
    }
}

#[inline]
pub(crate) fn contains(words: &[u64], at: u32) -> bool {
    words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

/// The numbers in a set, in order.
#[inline]
pub(crate) fn members(words: &[u64]) -> Members<'_> {
    Members { words, at: 0, rest: words.first().copied().unwrap_or(0) }
}

/// The iterator of [`members`].
#[derive(Clone, Debug)]
pub(crate) struct Members<'w> {
    words: &'w [u64],
    /// The word that is looked at, and what is left of it.
    at: usize,
    rest: u64,
}

impl Iterator for Members<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.words.get(self.at)?;
        }
        let bit = self.rest.trailing_zeros();
        self.rest &= self.rest - 1;
        Some(self.at as u32 * 64 + bit)
    }
}

/// One set for each of some small numbers.
#[derive(Debug, Default)]
pub(crate) struct Table {
    words: usize,
    data: Vec<u64>,
}

impl Table {
    /// Makes place for numbers below `capacity`, which is a multiple of 64.
    pub(crate) fn grow(&mut self, capacity: usize) {
        let words = capacity / 64;
        let mut data = vec![0; capacity * words];
        if self.words > 0 {
            for (old, new) in self.data.chunks(self.words).zip(data.chunks_mut(words)) {
                new[..self.words].copy_from_slice(old);
            }
        }
        (self.words, self.data) = (words, data);
    }

    #[inline]
    pub(crate) fn row(&self, at: u32) -> &[u64] {
        &self.data[at as usize * self.words..][..self.words]
    }

    #[inline]
    fn row_mut(&mut self, at: u32) -> &mut [u64] {
        &mut self.data[at as usize * self.words..][..self.words]
    }

    #[inline]
    pub(crate) fn set(&mut self, at: u32, set: &[u64]) {
        let row = self.row_mut(at);
        row.fill(0);
        let common = row.len().min(set.len());
        row[..common].copy_from_slice(&set[..common]);
    }

    #[inline]
    pub(crate) fn union(&mut self, at: u32, set: &[u64]) {
        for (word, more) in self.row_mut(at).iter_mut().zip(set) {
            *word |= more;
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, at: u32, member: u32) {
        self.row_mut(at)[member as usize / 64] |= 1 << (member % 64);
    }

    /// Takes these numbers out of every set.
    pub(crate) fn subtract(&mut self, set: &[u64]) {
        for row in self.data.chunks_mut(self.words.max(1)) {
            for (word, less) in row.iter_mut().zip(set) {
                *word &= !less;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_lengths_mix() {
        let mut a = Bits::default();
        a.insert(3);
        let mut b = Bits::default();
        b.insert(200);
        a.union(b.words());
        assert_eq!(a.iter().collect::<Vec<_>>(), [3, 200]);
        assert!(a.contains(200) && !a.contains(199) && !a.contains(999));
        a.subtract(b.words());
        assert_eq!((a.len(), a.contains(3)), (1, true));
        b.intersect(a.words());
        assert!(b.is_empty());
    }

    #[test]
    fn a_table_keeps_its_rows_when_it_grows() {
        let mut table = Table::default();
        table.grow(64);
        table.insert(5, 63);
        table.grow(128);
        table.insert(5, 100);
        assert_eq!(members(table.row(5)).collect::<Vec<_>>(), [63, 100]);
        let mut gone = Bits::default();
        gone.insert(63);
        table.subtract(gone.words());
        assert_eq!(members(table.row(5)).collect::<Vec<_>>(), [100]);
    }
}
