//! Policies against each other: how many iterations each takes to a failure, and the rotation of all.
//!
//! Seeds take turns with the policies of [`Policy::ROTATION`]. If the best of the three fails with chance p,
//! the rotation does with at least p / 3, and so takes at most three times its iterations. A [`contest`]
//! measures how many times it really is, each with seeds of its own, and goes on until chance does not
//! decide: until the ratio is on one side of [`BAR`] by four standard deviations. (After n failures an average
//! is off by a factor of about exp(1 / √n); that of a ratio is by exp(√(1/n + 1/m)).)

use hobgoblin::Level;
use hobgoblin::store::{Config, Policy};

use crate::App;
use crate::measure::{Count, iteration};
use crate::session::{Granularity, Stop};

/// How many times the iterations of the best policy the rotation may take.
pub const BAR: f64 = 3.5;

/// How many standard deviations are not chance.
const SIGMAS: f64 = 4.0;

/// How far apart the seeds of the contestants begin.
const APART: u64 = 1 << 40;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The first seed. The constants of policies were chosen on small seeds.
    pub seed: u64,
    /// How many failures of the rotation there are at least.
    pub least: u64,
    /// When there are so many, the average is taken as it is.
    pub most: u64,
    /// How many iterations of each there are at most.
    pub iterations: u64,
}

/// What policies came to, on one application at one level.
#[derive(Clone, Copy, Debug)]
pub struct Contest {
    /// Each policy of [`Policy::ROTATION`].
    pub single: [Count; 3],
    /// All of them in turn.
    pub rotation: Count,
}

/// Lets policies compete.
pub fn contest(app: &App, level: Level, effort: &Effort) -> Result<Contest, Stop> {
    let none = Count { iterations: 0, failures: 0 };
    let mut found = Contest { single: [none; 3], rotation: none };
    while found.rotation.iterations < effort.iterations && !found.is_decided(effort) {
        for (number, policy) in Policy::ROTATION.into_iter().enumerate() {
            run(app, level, Some(policy), number as u64, &mut found.single[number], effort)?;
        }
        run(app, level, None, 3, &mut found.rotation, effort)?;
    }
    Ok(found)
}

/// A few iterations more.
fn run(
    app: &App,
    level: Level,
    policy: Option<Policy>,
    contestant: u64,
    count: &mut Count,
    effort: &Effort,
) -> Result<(), Stop> {
    let config = Config::default().level(level).policy(policy).history(false).log(false);
    for _ in 0..99 {
        let seed = effort.seed + contestant * APART + count.iterations;
        count.iterations += 1;
        let seen = iteration(app, &config, Granularity::Operation, seed)?;
        count.failures += u64::from(seen.violated);
    }
    Ok(())
}

impl Contest {
    /// The policy of the rotation that fails most often, by its place there.
    pub fn best(&self) -> usize {
        let failures = |&at: &usize| self.single[at].failures;
        (0..self.single.len()).max_by_key(failures).expect("there are three")
    }

    /// How many times the iterations of the best policy the rotation takes.
    pub fn ratio(&self) -> f64 {
        self.rotation.average() / self.single[self.best()].average()
    }

    /// The factor by which chance may have made the ratio too large or too small.
    pub fn chance(&self) -> f64 {
        let of = |count: &Count| 1.0 / count.failures as f64;
        let deviation = (of(&self.rotation) + of(&self.single[self.best()])).sqrt();
        (SIGMAS * deviation).exp()
    }

    fn is_decided(&self, effort: &Effort) -> bool {
        let failures = self.rotation.failures;
        let (ratio, chance) = (self.ratio(), self.chance());
        failures >= effort.least
            && (failures >= effort.most || ratio * chance <= BAR || ratio / chance > BAR)
    }
}
