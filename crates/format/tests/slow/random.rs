//! Random choices of a seed.

/// Random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x1234_5678_9abc_def0)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// White space that a text format skips, or none.
    pub(crate) fn blank(&mut self) -> &'static str {
        self.pick(&["", "", "", " ", "  ", "\t"])
    }

    /// The end of a line, as people end them.
    pub(crate) fn line_end(&mut self) -> &'static str {
        self.pick(&["\n", "\n", "\n", "\r\n", "\n\n", " \n"])
    }

    /// A natural number: mostly small, sometimes past 63 bits.
    pub(crate) fn natural(&mut self, small: usize) -> u64 {
        match self.below(20) {
            0 => u64::MAX - self.below(3) as u64,
            1 => (1 << 62) + self.below(2) as u64,
            2 => i64::MAX as u64 + self.below(2) as u64,
            _ => self.below(small) as u64,
        }
    }
}
