//! What a number of runs says about the runs that were not made.
//!
//! - How often does it fail? The share of failing runs, with the interval of [Wilson 1927], which is
//!   right also near 0 and 1: after 100 runs without a failure the rate may still be 3.7 %.
//! - Would more runs show anything new? Good and Turing [Good 1953]: the chance that the next run
//!   behaves as none before is about n1 / N, where n1 behaviours were seen once in N runs.
//! - How many behaviours are unseen? At least about n1 (n1 - 1) / (2 (n2 + 1)), where n2 were seen
//!   twice [Chao 1984].
//!
//! Runs of different seeds are independent, but a seed is no user: the rates are those of the store's
//! choices, which look for trouble, not those of production.

use std::collections::BTreeMap;

/// The 97.5 % quantile of the normal distribution: intervals hold with 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The share of failing runs, and where the true rate lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The share seen.
    pub seen: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Rate {
    /// The rate of some failures in some runs; without runs it may be anything.
    pub fn of(failures: u32, runs: u32) -> Rate {
        if runs == 0 {
            return Rate { seen: 0.0, low: 0.0, high: 1.0 };
        }
        let n = f64::from(runs);
        let seen = f64::from(failures) / n;
        let middle = seen + Z * Z / (2.0 * n);
        let spread = Z * (seen * (1.0 - seen) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        // Rounding must not leave the ends of the scale, which are exact.
        let low = if failures == 0 { 0.0 } else { (middle - spread) / scale };
        let high = if failures == runs { 1.0 } else { (middle + spread) / scale };
        Rate { seen, low, high }
    }
}

/// How often each behaviour was seen; a behaviour is known by its hash.
#[derive(Clone, Debug, Default)]
pub struct Behaviours {
    seen: BTreeMap<u64, u32>,
    runs: u32,
}

impl Behaviours {
    /// Counts a run; whether its behaviour is new.
    pub fn add(&mut self, behaviour: u64) -> bool {
        self.runs += 1;
        let times = self.seen.entry(behaviour).or_default();
        *times += 1;
        *times == 1
    }

    /// How many different ones there were.
    pub fn distinct(&self) -> u32 {
        self.seen.len() as u32
    }

    /// How many were seen exactly so many times.
    pub fn seen_times(&self, times: u32) -> u32 {
        self.seen.values().filter(|&&seen| seen == times).count() as u32
    }

    /// The chance that the next run behaves as none before.
    pub fn chance_of_new(&self) -> f64 {
        match self.runs {
            0 => 1.0,
            runs => f64::from(self.seen_times(1)) / f64::from(runs),
        }
    }

    /// A lower estimate of how many behaviours were not seen.
    pub fn unseen(&self) -> f64 {
        let (once, twice) = (f64::from(self.seen_times(1)), f64::from(self.seen_times(2)));
        once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-5
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // Worked examples: Newcombe 1998, table I (81/263, 15/148, 0/20, 1/29).
        for (failures, runs, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0000, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let rate = Rate::of(failures, runs);
            assert!(near(rate.low, low) && near(rate.high, high), "{failures}/{runs}: {rate:?}");
        }
        assert_eq!(Rate::of(0, 0), Rate { seen: 0.0, low: 0.0, high: 1.0 });
        assert_eq!(Rate::of(5, 5).high, 1.0);
    }

    #[test]
    fn more_runs_without_a_failure_bound_the_rate_lower() {
        let bounds: Vec<f64> = [1, 10, 100, 1000].map(|runs| Rate::of(0, runs).high).into();
        assert!(bounds.is_sorted_by(|a, b| a > b), "{bounds:?}");
    }

    #[test]
    fn unseen_behaviours_are_estimated_from_the_rare_ones() {
        let mut behaviours = Behaviours::default();
        assert_eq!(behaviours.chance_of_new(), 1.0);
        // Six behaviours: three seen once, one twice, one four times, one ten times.
        let runs = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 4), (6, 10)];
        for (behaviour, times) in runs {
            for time in 0..times {
                assert_eq!(behaviours.add(behaviour), time == 0);
            }
        }
        assert_eq!((behaviours.distinct(), behaviours.seen_times(1)), (6, 3));
        assert!(near(behaviours.chance_of_new(), 3.0 / 19.0));
        assert!(near(behaviours.unseen(), 3.0 * 2.0 / (2.0 * 2.0)));
    }

    #[test]
    fn what_was_seen_often_leaves_nothing_unseen() {
        let mut behaviours = Behaviours::default();
        (0..100).for_each(|run| _ = behaviours.add(run % 4));
        assert_eq!((behaviours.chance_of_new(), behaviours.unseen()), (0.0, 0.0));
    }
}
