//! Which session goes next, when several could: at random, or by priorities that change at random points.
//!
//! PCT [Burckhardt 2010] gives every session a random priority and always runs the highest; at `depth - 1`
//! random steps the running session falls below all others. A bug that needs d ordering constraints
//! among k steps of n sessions is found with chance at least 1 / (n k^(d-1)).

use hobgoblin_core::SessionId;
use hobgoblin_gen::Rng;

/// How the next session is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Schedule {
    /// Each ready session with the same chance.
    #[default]
    Random,
    /// By priorities with `depth - 1` change points among the first `steps` steps.
    Pct {
        /// The number of ordering constraints looked for.
        depth: u32,
        /// How many steps a run is expected to take.
        steps: u32,
    },
}

/// A seeded scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    rng: Rng,
    schedule: Schedule,
    /// The priority of each session by number; higher goes first.
    priority: Vec<u64>,
    /// The steps at which the running session falls behind, in order, last first.
    changes: Vec<u32>,
    step: u32,
    /// Below every priority given so far.
    lowest: u64,
}

impl Scheduler {
    /// A scheduler of a seed.
    pub fn new(schedule: Schedule, seed: u64) -> Scheduler {
        let mut rng = Rng::new(seed ^ 0x7363_6865_6475_6c65);
        let mut changes = Vec::new();
        if let Schedule::Pct { depth, steps } = schedule {
            changes.extend((1..depth).map(|_| rng.below(steps.max(1))));
            changes.sort_unstable_by(|a, b| b.cmp(a));
        }
        let lowest = 1 << 32;
        Scheduler { rng, schedule, priority: Vec::new(), changes, step: 0, lowest }
    }

    /// The place in `ready` of the session that goes next; `ready` must not be empty.
    pub fn pick(&mut self, ready: &[SessionId]) -> usize {
        if self.schedule == Schedule::Random {
            return self.rng.below(ready.len() as u32) as usize;
        }
        let most = ready.iter().map(|session| session.index() + 1).max().unwrap_or(0);
        while self.priority.len() < most {
            let above = u64::from(self.rng.next_u64() as u32);
            self.priority.push((1 << 32) + above);
        }
        let highest = |priority: &[u64]| {
            let of = |at: &usize| (priority[ready[*at].index()], std::cmp::Reverse(*at));
            (0..ready.len()).max_by_key(of).expect("somebody is ready")
        };
        let mut at = highest(&self.priority);
        while self.changes.last().is_some_and(|&change| change <= self.step) {
            self.changes.pop();
            self.lowest -= 1;
            self.priority[ready[at].index()] = self.lowest;
            at = highest(&self.priority);
        }
        self.step += 1;
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(schedule: Schedule, seed: u64) -> Vec<usize> {
        let ready: Vec<SessionId> = (0..3).map(SessionId::new).collect();
        let mut scheduler = Scheduler::new(schedule, seed);
        (0..30).map(|_| scheduler.pick(&ready)).collect()
    }

    #[test]
    fn a_seed_gives_one_schedule() {
        for schedule in [Schedule::Random, Schedule::Pct { depth: 3, steps: 30 }] {
            assert_eq!(run(schedule, 7), run(schedule, 7));
            assert!((0..20).any(|seed| run(schedule, seed) != run(schedule, 7)));
        }
    }

    #[test]
    fn pct_changes_the_running_session_depth_minus_one_times() {
        for seed in 0..200 {
            let order = run(Schedule::Pct { depth: 3, steps: 30 }, seed);
            let changes = order.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 2, "{order:?}");
        }
    }
}
