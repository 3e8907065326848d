//! The one source of chance: xoshiro256++, seeded through SplitMix64.
//!
//! A seed must give the same bytes on every machine and in every release, so the generator is ours and
//! uses integer arithmetic only. Changing a line here changes every golden file made from a seed.
//! See [Blackman 2021]; the state is never all zero, since SplitMix64 visits zero once in 2^64 steps.

/// A seeded stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

/// A probability as a threshold for 32 random bits: 0 is never, 2^32 is always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(u64);

impl Chance {
    /// The chance of a share between 0 and 1; what lies outside is taken as the nearer end.
    pub fn of(share: f64) -> Chance {
        Chance((share.clamp(0.0, 1.0) * 4_294_967_296.0) as u64)
    }
}

/// One step of SplitMix64, which turns any seed into well mixed words.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    Rng::mix(*state)
}

impl Rng {
    /// Mixes one word: the output function of SplitMix64, a bijection.
    #[inline]
    pub fn mix(word: u64) -> u64 {
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// The stream of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut state = seed;
        Rng { state: std::array::from_fn(|_| split_mix(&mut state)) }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, or 0 when `bound` is 0. The bias is below `bound` / 2^32.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included; `low` when they are out of order.
    #[inline]
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// Whether an event of this chance happens.
    #[inline]
    pub fn happens(&mut self, chance: Chance) -> bool {
        (self.next_u64() >> 32) < chance.0
    }

    /// Whether an event that happens once in `n` times happens.
    #[inline]
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of these, or none if there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u32) as usize)
    }

    /// Puts these in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of seed 0, as the authors' C code prints them for the state SplitMix64 gives.
    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(0);
        let words: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(words, [0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc]);
    }

    #[test]
    fn numbers_stay_in_their_bounds() {
        let mut rng = Rng::new(7);
        for bound in [0, 1, 2, 3, 1000, u32::MAX] {
            for _ in 0..1000 {
                assert!(rng.below(bound) < bound.max(1));
            }
        }
        assert!((0..1000).all(|_| (3..=5).contains(&rng.between(3, 5))));
        assert_eq!(rng.between(5, 3), 5);
        assert!((0..1000).all(|_| rng.happens(Chance::of(1.0))));
        assert!(!(0..1000).any(|_| rng.happens(Chance::of(0.0))));
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
