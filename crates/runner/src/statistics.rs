//! What a number of runs says about the runs that were not made.
//!
//! **How often does it fail?** After a fixed number of runs: the share of failing ones, with the interval of
//! [Wilson 1927], which is right also near 0 and 1: after 100 runs without a failure the rate may still be
//! 3.7 %.
//!
//! When the runs end at the first failure, their number N says it all, and the interval is the one of
//! [Clopper 1934] for it: p is too small to be true if N ≤ n has a chance below 2.5 %, and too large if N ≥ n
//! has. With a chance of p in every run, N ≤ n has chance 1 - (1 - p)^n and N ≥ n has (1 - p)^(n-1), so
//!
//! ```text
//! low = 1 - 0.975^(1/n)        high = 1 - 0.025^(1/(n-1)), which is 1 for n = 1
//! ```
//!
//! When seeds take turns with c policies, the rate is the mean p of c chances, and c runs in a row pass with a
//! chance q from 1 - c p to (1 - p)^c. N ≤ n says that one of the first K = ⌈n/c⌉ such rounds failed, which has
//! chance at most 1 - (1 - c p)^K, and N ≥ n that k = ⌊(n-1)/c⌋ rounds passed, at most (1 - p)^(c k). Hence
//!
//! ```text
//! low = (1 - 0.975^(1/K)) / c        high = 1 - 0.025^(1/(c k)), which is 1 for k = 0
//! ```
//!
//! and c = 1 is the case above. Runs that ended without a failure are N ≥ n for n one more than they were.
//!
//! **Would more runs show anything new?** Good and Turing [Good 1953]: the chance that the next run behaves as
//! none before is about n1 / N, where n1 behaviours were seen once in N runs. Where n1 is 0 that is 0, which
//! is no bound. One follows from the last m runs, of which d were new when they came. The chance that a run
//! is new only falls, as more is seen; if it is ε now, each of the m was new with a chance of at least ε,
//! whatever the others were, and d new ones or fewer had at most the chance that a binomial distribution of m
//! and ε gives them. So the exact upper bound [Clopper 1934] of d in m holds, with 95 %, for whatever
//! distribution of behaviours; m is half of the runs. (With c policies the chances of a round differ, which
//! makes few new ones less likely still [Hoeffding 1956].)
//!
//! **How many behaviours are unseen?** At least about n1 (n1 - 1) / (2 (n2 + 1)), where n2 were seen twice
//! [Chao 1984]. Where no run behaved as another did nothing is known of that.
//!
//! Runs of different seeds are independent, but a seed is no user: the rates are those of the store's
//! choices, which look for trouble, not those of production.

use std::collections::BTreeMap;

/// The 97.5 % quantile of the normal distribution: intervals hold with 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// How often a bound may be wrong.
const WRONG: f64 = 0.05;

/// What ended the runs that a rate is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stopping {
    /// Their number, or anything else that has nothing to do with failures.
    #[default]
    Number,
    /// The first failure, or their number if there was none before.
    Failure {
        /// How many policies the runs took turns with.
        policies: u32,
    },
}

/// The share of failing runs, and where the true rate lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The share of the runs that failed.
    pub seen: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Rate {
    /// The rate of some failures in some runs; without runs it may be anything.
    pub fn of(failures: u32, runs: u32, stopping: Stopping) -> Rate {
        if runs == 0 {
            return Rate { seen: 0.0, low: 0.0, high: 1.0 };
        }
        match stopping {
            Stopping::Number => Rate::wilson(failures, runs),
            Stopping::Failure { policies } => Rate::first_failure(failures > 0, runs, policies),
        }
    }

    fn wilson(failures: u32, runs: u32) -> Rate {
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

    /// The rate when the last of the runs, and no other, may have failed.
    fn first_failure(failed: bool, runs: u32, policies: u32) -> Rate {
        let policies = policies.max(1);
        let passed = runs - u32::from(failed);
        let high = match passed / policies {
            0 => 1.0,
            rounds => 1.0 - (WRONG / 2.0).powf(1.0 / (f64::from(rounds) * f64::from(policies))),
        };
        if !failed {
            return Rate { seen: 0.0, low: 0.0, high };
        }
        let rounds = f64::from(runs.div_ceil(policies));
        let low = (1.0 - (1.0 - WRONG / 2.0).powf(1.0 / rounds)) / f64::from(policies);
        Rate { seen: 1.0 / f64::from(runs), low, high }
    }
}

/// The largest chance at which no more than `count` successes in `of` tries are not too unlikely: it is
/// below the true one in one of 20 cases at most.
fn upper_bound(count: u32, of: u32) -> f64 {
    if count >= of {
        return 1.0;
    }
    let (d, m) = (f64::from(count), f64::from(of));
    let ways: f64 = (0..count).map(|i| (f64::from(of - i) / f64::from(i + 1)).ln()).sum();
    // The chance of `count` or fewer; each term is computed from the one above it.
    let chance = |p: f64| {
        let last = ways + d * p.ln() + (m - d) * (-p).ln_1p();
        let (mut term, mut sum) = (1.0, 1.0);
        for k in (1..=count).rev() {
            term *= f64::from(k) / f64::from(of - k + 1) * (1.0 - p) / p;
            sum += term;
            if term < 1e-17 * sum {
                break;
            }
        }
        last.exp() * sum
    };
    // It falls with p, from above the share of the successes on.
    let (mut low, mut high) = (d / m, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match chance(middle) > WRONG {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// How often each behaviour was seen; a behaviour is known by its hash.
#[derive(Clone, Debug, Default)]
pub struct Behaviours {
    seen: BTreeMap<u64, u32>,
    runs: u32,
    /// The numbers, from 1, of the runs that behaved as none before.
    new: Vec<u32>,
}

impl Behaviours {
    /// Counts a run; whether its behaviour is new.
    pub fn add(&mut self, behaviour: u64) -> bool {
        self.runs += 1;
        let times = self.seen.entry(behaviour).or_default();
        *times += 1;
        let new = *times == 1;
        if new {
            self.new.push(self.runs);
        }
        new
    }

    /// How many different ones there were.
    pub fn distinct(&self) -> u32 {
        self.seen.len() as u32
    }

    /// How many were seen exactly so many times.
    pub fn seen_times(&self, times: u32) -> u32 {
        self.seen.values().filter(|&&seen| seen == times).count() as u32
    }

    /// The chance that the next run behaves as none before, estimated.
    pub fn chance_of_new(&self) -> f64 {
        match self.runs {
            0 => 1.0,
            runs => f64::from(self.seen_times(1)) / f64::from(runs),
        }
    }

    /// What that chance is not above, with 95 % confidence.
    pub fn chance_of_new_high(&self) -> f64 {
        let last = self.runs.div_ceil(2);
        let early = self.new.partition_point(|&run| run <= self.runs - last);
        let bound = upper_bound((self.new.len() - early) as u32, last);
        // Both are right; the estimate may be above where few runs were made.
        bound.max(self.chance_of_new())
    }

    /// A lower estimate of how many behaviours were not seen; none if every run behaved differently.
    pub fn unseen(&self) -> Option<f64> {
        if self.distinct() == self.runs {
            return None;
        }
        let (once, twice) = (f64::from(self.seen_times(1)), f64::from(self.seen_times(2)));
        Some(once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_core::{Chance, Rng};

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-5
    }

    /// How many times the trials of `make test` to run: `HOB_FULL=1` runs the bars at full size.
    fn trials() -> u32 {
        if std::env::var_os("HOB_FULL").is_some() { 20_000 } else { 2_000 }
    }

    /// Whether something that held so often may hold in 95 % of all cases or more: three standard deviations
    /// less are chance.
    fn covers(held: u32, of: u32) -> bool {
        let n = f64::from(of);
        f64::from(held) / n >= 0.95 - 3.0 * (0.95 * 0.05 / n).sqrt()
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
            let rate = Rate::of(failures, runs, Stopping::Number);
            assert!(near(rate.low, low) && near(rate.high, high), "{failures}/{runs}: {rate:?}");
        }
        for stopping in [Stopping::Number, Stopping::Failure { policies: 1 }] {
            assert_eq!(Rate::of(0, 0, stopping), Rate { seen: 0.0, low: 0.0, high: 1.0 });
        }
        assert_eq!(Rate::of(5, 5, Stopping::Number).high, 1.0);
    }

    #[test]
    fn more_runs_without_a_failure_bound_the_rate_lower() {
        for stopping in [Stopping::Number, Stopping::Failure { policies: 3 }] {
            let high = |runs| Rate::of(0, runs, stopping).high;
            let bounds: Vec<f64> = [1, 10, 100, 1000].map(high).into();
            assert!(bounds.is_sorted_by(|a, b| a > b), "{bounds:?}");
        }
    }

    /// The run that fails first, of runs that take turns with these chances; none among so many.
    fn first_failure(rng: &mut Rng, chances: &[f64], most: u32) -> Option<u32> {
        let fails = |rng: &mut Rng, run: u32| {
            rng.happens(Chance::of(chances[(run as usize - 1) % chances.len()]))
        };
        (1..=most).find(|&run| fails(rng, run))
    }

    #[test]
    fn the_interval_of_a_first_failure_holds_the_rate() {
        let mut rng = Rng::new(12);
        let same = [0.001, 0.01, 0.024, 0.026, 0.05, 0.1, 0.3, 0.5, 0.9, 0.99].map(|p| vec![p]);
        let turns = [
            vec![0.06, 0.0, 0.0],
            vec![0.0, 0.0, 0.07],
            vec![0.3, 0.0, 0.0],
            vec![0.0, 0.9, 0.01],
            vec![0.01, 0.02, 0.5],
            vec![1.0, 0.0, 0.0],
            vec![0.2, 0.2, 0.2],
        ];
        let mut by_wilson = 0;
        for chances in same.into_iter().chain(turns) {
            let rate = chances.iter().sum::<f64>() / chances.len() as f64;
            let stopping = Stopping::Failure { policies: chances.len() as u32 };
            for most in [30, u32::MAX] {
                let mut held = 0;
                for _ in 0..trials() {
                    let found = first_failure(&mut rng, &chances, most);
                    let (failures, runs) = (u32::from(found.is_some()), found.unwrap_or(most));
                    let holds = |of: Rate| of.low <= rate && rate <= of.high;
                    held += u32::from(holds(Rate::of(failures, runs, stopping)));
                    by_wilson += u32::from(
                        chances == [0.1] && holds(Rate::of(failures, runs, Stopping::Number)),
                    );
                }
                assert!(
                    covers(held, trials()),
                    "{chances:?}, at most {most}: {held} of {}",
                    trials()
                );
            }
        }
        assert!(
            !covers(by_wilson, 2 * trials()),
            "the interval of a fixed number of runs does not"
        );
    }

    #[test]
    fn a_first_failure_has_its_closed_form() {
        for (runs, policies, low, high) in [
            (1, 1, 0.025, 1.0),
            (2, 1, 0.0125791, 0.975),
            (10, 1, 0.0025286, 0.3362671),
            (3, 3, 0.0083333, 1.0),
            (4, 3, 0.0041930, 0.7075982),
            (10, 3, 0.0021032, 0.3362671),
        ] {
            let rate = Rate::of(1, runs, Stopping::Failure { policies });
            assert!(near(rate.low, low) && near(rate.high, high), "{runs} {policies}: {rate:?}");
        }
        let none = Rate::of(0, 100, Stopping::Failure { policies: 1 });
        assert!(near(none.high, 0.0362167) && none.low == 0.0, "{none:?}");
    }

    #[test]
    fn bounds_are_those_of_the_tables() {
        // One-sided 95 % limits of Clopper and Pearson.
        for (count, of, bound) in [
            (0, 10, 0.2588656),
            (1, 10, 0.3941633),
            (5, 10, 0.7775589),
            (9, 10, 0.9948838),
            (10, 10, 1.0),
            (0, 0, 1.0),
            (0, 50, 0.0581551),
            (3, 1000, 0.0077352),
        ] {
            let found = upper_bound(count, of);
            assert!(near(found, bound), "{count} of {of}: {found}");
        }
        let many = upper_bound(40_000, 100_000);
        assert!((0.4025..0.4026).contains(&many), "{many}");
    }

    #[test]
    fn unseen_behaviours_are_estimated_from_the_rare_ones() {
        let mut behaviours = Behaviours::default();
        assert_eq!((behaviours.chance_of_new(), behaviours.chance_of_new_high()), (1.0, 1.0));
        // Six behaviours: three seen once, one twice, one four times, one ten times.
        let runs = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 4), (6, 10)];
        for (behaviour, times) in runs {
            for time in 0..times {
                assert_eq!(behaviours.add(behaviour), time == 0);
            }
        }
        assert_eq!((behaviours.distinct(), behaviours.seen_times(1)), (6, 3));
        assert!(near(behaviours.chance_of_new(), 3.0 / 19.0));
        assert!(near(behaviours.unseen().expect("some are alike"), 3.0 * 2.0 / (2.0 * 2.0)));
    }

    #[test]
    fn what_was_seen_often_leaves_nothing_unseen() {
        let mut behaviours = Behaviours::default();
        (0..100).for_each(|run| _ = behaviours.add(run % 4));
        assert_eq!((behaviours.chance_of_new(), behaviours.unseen()), (0.0, Some(0.0)));
        assert!(near(behaviours.chance_of_new_high(), 0.0581551));
    }

    #[test]
    fn where_every_run_differs_nothing_is_known_of_the_unseen() {
        let mut behaviours = Behaviours::default();
        (0..100).for_each(|run| _ = behaviours.add(run));
        assert_eq!(behaviours.unseen(), None);
        assert_eq!((behaviours.chance_of_new(), behaviours.chance_of_new_high()), (1.0, 1.0));
        behaviours.add(7);
        assert!(behaviours.unseen().is_some());
    }

    /// Distributions of behaviours, one for each of the policies that take turns.
    fn distributions() -> Vec<Vec<Vec<f64>>> {
        let even = |n: usize| vec![1.0 / n as f64; n];
        let with_rare = |rare: f64, of: usize| {
            let mut all = vec![rare / of as f64; of];
            all.push(1.0 - rare);
            all
        };
        let harmonic = |n: usize| {
            let sum: f64 = (1..=n).map(|k| 1.0 / k as f64).sum();
            (1..=n).map(|k| 1.0 / (k as f64 * sum)).collect::<Vec<f64>>()
        };
        let apart = |mut of: Vec<f64>, before: usize| {
            let mut all = vec![0.0; before];
            all.append(&mut of);
            all
        };
        vec![
            vec![even(1)],
            vec![even(5)],
            vec![even(300)],
            vec![with_rare(0.03, 1)],
            vec![with_rare(0.06, 1)],
            vec![with_rare(0.1, 1)],
            vec![with_rare(0.1, 2)],
            vec![with_rare(0.1, 100)],
            vec![harmonic(50)],
            vec![harmonic(400)],
            vec![even(2), even(3), even(200)],
            vec![with_rare(0.1, 1), even(1), apart(with_rare(0.2, 1), 1)],
            vec![even(1), even(1), apart(with_rare(0.15, 1), 1)],
        ]
    }

    fn draw(rng: &mut Rng, of: &[f64]) -> usize {
        let mut left = f64::from(rng.below(1 << 30)) / f64::from(1 << 30);
        let found = of.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        found.unwrap_or(of.len() - 1)
    }

    #[test]
    fn the_chance_of_something_new_is_below_its_bound() {
        let mut rng = Rng::new(5);
        let mut zeros_that_are_wrong = 0;
        for policies in distributions() {
            for runs in [10, 30, 100] {
                let (mut held, rounds) = (0, trials() / 4);
                for _ in 0..rounds {
                    let mut behaviours = Behaviours::default();
                    for run in 0..runs {
                        let of = &policies[run % policies.len()];
                        behaviours.add(draw(&mut rng, of) as u64);
                    }
                    // The truth, over the policies that the next runs take turns with.
                    let unseen = |of: &Vec<f64>| -> f64 {
                        let new = |at: &usize| !behaviours.seen.contains_key(&(*at as u64));
                        (0..of.len()).filter(new).map(|at| of[at]).sum()
                    };
                    let truth = policies.iter().map(unseen).sum::<f64>() / policies.len() as f64;
                    held += u32::from(truth <= behaviours.chance_of_new_high() + 1e-9);
                    let zero = behaviours.chance_of_new() == 0.0;
                    zeros_that_are_wrong += u32::from(zero && truth > 0.09);
                }
                assert!(covers(held, rounds), "{} of {runs} runs: {held}", policies.len());
            }
        }
        assert!(zeros_that_are_wrong > 0, "an estimate of 0 alone is wrong at times");
    }
}
