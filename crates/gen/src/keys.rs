//! Which key an event uses, and which of a few values it writes: uniform, or Zipf with a few hot keys.
//!
//! Zipf gives key k (from 0) the weight 1 / (k + 1)^theta; theta 0 is uniform, 0.99 is YCSB's default.
//! Sampling is Vose's alias method: every key owns one cell of equal size, part of which it cedes to one
//! other key, so a sample is one random number and one or two table lookups, however skewed.
//!
//! The weights need a power function, and libraries of different machines round theirs differently. Ours
//! uses only the four operations, which IEEE 754 defines to the last bit, so tables agree everywhere.

use hobgoblin_core::Rng;

/// How events choose their keys, and the values that repeat.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Distribution {
    /// Every key alike.
    #[default]
    Uniform,
    /// Key k (from 0) with weight 1 / (k + 1)^theta.
    Zipf(f64),
}

/// Draws keys, or values, from a [`Distribution`].
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    count: u32,
    /// For each cell, the part its own key keeps (of 2^32) and the key that gets the rest; none if uniform.
    cells: Vec<(u32, u32)>,
}

impl Keys {
    pub(crate) fn new(count: u32, distribution: Distribution) -> Keys {
        let cells = match distribution {
            Distribution::Zipf(theta) if theta != 0.0 => alias_table(count, theta),
            _ => Vec::new(),
        };
        Keys { count, cells }
    }

    #[inline]
    pub(crate) fn draw(&self, rng: &mut Rng) -> u32 {
        if self.cells.is_empty() {
            return rng.below(self.count);
        }
        let word = rng.next_u64();
        let cell = (((word >> 32) * u64::from(self.count)) >> 32) as u32;
        let (keep, other) = self.cells[cell as usize];
        if (word as u32) < keep { cell } else { other }
    }

    /// Draws a key that is not in `taken`, hot ones first; none if there is no other.
    pub(crate) fn draw_new(&self, rng: &mut Rng, taken: &[u32]) -> Option<u32> {
        for _ in 0..32 {
            let key = self.draw(rng);
            if !taken.contains(&key) {
                return Some(key);
            }
        }
        (0..self.count).find(|key| !taken.contains(key))
    }
}

fn alias_table(count: u32, theta: f64) -> Vec<(u32, u32)> {
    let mut share: Vec<f64> = (0..count).map(|k| power(f64::from(k) + 1.0, -theta)).collect();
    let total: f64 = share.iter().sum();
    for s in &mut share {
        *s = *s * f64::from(count) / total;
    }
    let mut cells: Vec<(u32, u32)> = (0..count).map(|k| (u32::MAX, k)).collect();
    let (mut small, mut large): (Vec<u32>, Vec<u32>) =
        (0..count).partition(|&k| share[k as usize] < 1.0);
    while let (Some(&s), Some(&l)) = (small.last(), large.last()) {
        small.pop();
        cells[s as usize] = ((share[s as usize] * 4_294_967_296.0) as u32, l);
        share[l as usize] -= 1.0 - share[s as usize];
        if share[l as usize] < 1.0 {
            large.pop();
            small.push(l);
        }
    }
    cells
}

/// `base` to the power of `exponent`, for a base of at least 1 and an exponent of at most 0.
fn power(base: f64, exponent: f64) -> f64 {
    exp_of_negative(exponent * ln(base))
}

const LN_2: f64 = std::f64::consts::LN_2;

/// The natural logarithm of a number of at least 1: ln(2^e m) = e ln 2 + 2 atanh((m - 1) / (m + 1)).
fn ln(number: f64) -> f64 {
    let (mut mantissa, mut exponent) = (number, 0.0);
    while mantissa >= 2.0 {
        mantissa /= 2.0;
        exponent += 1.0;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut sum, mut term, mut n) = (0.0, z, 1.0);
    for _ in 0..20 {
        sum += term / n;
        term *= z * z;
        n += 2.0;
    }
    exponent * LN_2 + 2.0 * sum
}

/// e to the power of a number of at most 0: halve whole multiples of ln 2, then the series.
fn exp_of_negative(number: f64) -> f64 {
    let mut rest = -number;
    let mut scale = 1.0;
    while rest > LN_2 && scale > 0.0 {
        rest -= LN_2;
        scale /= 2.0;
    }
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..20 {
        term *= -rest / f64::from(n);
        sum += term;
    }
    scale * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_powers() {
        for base in [1.0, 1.5, 2.0, 3.0, 1000.0, 1e8] {
            for exponent in [0.0, -0.5, -0.99, -1.0, -3.0] {
                let (ours, std) = (power(base, exponent), f64::powf(base, exponent));
                assert!((ours - std).abs() <= std * 1e-12, "{base}^{exponent}: {ours} {std}");
            }
        }
    }

    #[test]
    fn keys_come_as_often_as_their_weights() {
        let keys = Keys::new(4, Distribution::Zipf(1.0));
        let mut rng = Rng::new(1);
        let mut count = [0; 4];
        for _ in 0..100_000 {
            count[keys.draw(&mut rng) as usize] += 1;
        }
        // The weights 1, 1/2, 1/3, 1/4 of a total of 25/12.
        for (seen, expected) in count.into_iter().zip([48_000, 24_000, 16_000, 12_000]) {
            assert!(i32::abs(seen - expected) < 600, "{count:?}");
        }
    }

    #[test]
    fn other_keys_are_found_even_when_one_is_very_hot() {
        let keys = Keys::new(3, Distribution::Zipf(10.0));
        let mut rng = Rng::new(1);
        let mut taken = Vec::new();
        while let Some(key) = keys.draw_new(&mut rng, &taken) {
            taken.push(key);
        }
        taken.sort_unstable();
        assert_eq!(taken, [0, 1, 2]);
    }
}
