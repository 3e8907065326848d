//! Which session goes next, when several could: at random, or by priorities that change at random points.
//!
//! PCT [Burckhardt 2010] gives every session a random priority and always runs the highest; at `depth - 1`
//! random steps the running session falls below all others. A bug that needs d ordering constraints
//! among k steps of n sessions is found with chance at least 1 / (n k^(d-1)).
//!
//! So it has to know k. Change points spread over many more steps than a run has fall behind its end, and
//! the sessions of such a run go one after another, which shows nothing. Who runs a test many times learns
//! k from the first runs ([`Schedule::learn`]). Who runs it once draws how far away each change point may
//! be first, 1, 2, 4, … up to 1,024 steps with the same chance, and then the step: a run of k steps has
//! a good share of its change points within it, whatever k is.

use std::fmt;
use std::str::FromStr;

use hobgoblin_core::{Rng, SessionId, sort};

/// How the next session is chosen.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Schedule;
///
/// assert_eq!("pct:3".parse::<Schedule>()?, Schedule::Pct { depth: 3, steps: None });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// Each ready session with the same chance.
    #[default]
    Random,
    /// By priorities with `depth - 1` change points among the first `steps` steps.
    Pct {
        /// The number of ordering constraints looked for.
        depth: u32,
        /// How many steps a run is expected to take; `None` where nobody knows yet.
        steps: Option<u32>,
    },
}

/// The depth of PCT unless told otherwise: write skews and lost updates of two transactions need 2, and one
/// more lets a third get in between.
const DEPTH: u32 = 3;

/// The furthest change point of a run of unknown length is below 2 to this power.
const UNKNOWN_BITS: u32 = 10;

impl Schedule {
    /// This schedule for runs of so many steps, if it has to know and was not told.
    #[doc(hidden)]
    pub fn learn(self, seen: u32) -> Schedule {
        match self {
            Schedule::Pct { depth, steps: None } if seen > 0 => {
                Schedule::Pct { depth, steps: Some(seen) }
            }
            told => told,
        }
    }
}

/// As `--schedule` and logs have it: `random`, `pct:3` or `pct:3:24`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Random => f.write_str("random"),
            Schedule::Pct { depth, steps: None } => write!(f, "pct:{depth}"),
            Schedule::Pct { depth, steps: Some(steps) } => write!(f, "pct:{depth}:{steps}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        let expected = || "expected random, pct, pct:DEPTH or pct:DEPTH:STEPS".to_owned();
        let mut parts = text.split(':');
        let name = parts.next();
        let mut number = || match parts.next() {
            None => Ok(None),
            Some(part) => part.parse().ok().filter(|&n: &u32| n > 0).map(Some).ok_or_else(expected),
        };
        let (depth, steps) = (number()?, number()?);
        match (name, depth, parts.next()) {
            (Some("random"), None, None) => Ok(Schedule::Random),
            (Some("pct"), depth, None) => {
                Ok(Schedule::Pct { depth: depth.unwrap_or(DEPTH), steps })
            }
            _ => Err(expected()),
        }
    }
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
            let change = |_| {
                let among = steps.unwrap_or_else(|| 1 << rng.below(UNKNOWN_BITS + 1));
                rng.below(among.max(1))
            };
            changes.extend((1..depth).map(change));
            sort(&mut changes);
            changes.reverse();
        }
        let lowest = 1 << 32;
        Scheduler { rng, schedule, priority: Vec::new(), changes, step: 0, lowest }
    }

    /// How many steps there were: how often somebody was picked.
    pub fn steps(&self) -> u32 {
        self.step
    }

    /// The place in `ready` of the session that goes next; `ready` must not be empty.
    pub fn pick(&mut self, ready: &[SessionId]) -> usize {
        if self.schedule == Schedule::Random {
            self.step = self.step.saturating_add(1);
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
        self.step = self.step.saturating_add(1);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEARNED: Schedule = Schedule::Pct { depth: 3, steps: Some(30) };

    fn run(schedule: Schedule, seed: u64) -> Vec<usize> {
        let ready: Vec<SessionId> = (0..3).map(SessionId::new).collect();
        let mut scheduler = Scheduler::new(schedule, seed);
        let picked = (0..30).map(|_| scheduler.pick(&ready)).collect();
        assert_eq!(scheduler.steps(), 30);
        picked
    }

    fn changes(order: &[usize]) -> usize {
        order.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    #[test]
    fn a_seed_gives_one_schedule() {
        let unknown = Schedule::Pct { depth: 3, steps: None };
        for schedule in [Schedule::Random, LEARNED, unknown] {
            assert_eq!(run(schedule, 7), run(schedule, 7));
            assert!((0..20).any(|seed| run(schedule, seed) != run(schedule, 7)));
        }
    }

    #[test]
    fn pct_changes_the_running_session_depth_minus_one_times() {
        for seed in 0..200 {
            let order = run(LEARNED, seed);
            assert!(changes(&order) <= 2, "{order:?}");
        }
    }

    /// With the length known nearly every run of 30 steps changes its session, without it half do, and
    /// with a length of 1,000 hardly any.
    #[test]
    fn change_points_fall_within_the_run() {
        let share = |steps| {
            let schedule = Schedule::Pct { depth: 3, steps };
            (0..1000).filter(|&seed| changes(&run(schedule, seed)) > 0).count()
        };
        let (known, unknown, wrong) = (share(Some(30)), share(None), share(Some(1000)));
        assert!(known > 950 && unknown > 450 && wrong < 100, "{known} {unknown} {wrong}");
    }

    #[test]
    fn schedules_are_read_as_they_are_written() {
        let pct = |depth, steps| Schedule::Pct { depth, steps };
        for (text, schedule) in
            [("random", Schedule::Random), ("pct:3", pct(3, None)), ("pct:2:50", pct(2, Some(50)))]
        {
            assert_eq!(text.parse(), Ok(schedule), "{text}");
            assert_eq!(schedule.to_string(), text);
        }
        assert_eq!("pct".parse(), Ok(pct(3, None)));
        for text in ["", "pct:", "pct:0", "pct:1:0", "pct:1:2:3", "fifo", "random:3"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_an_unknown_length_is_learned() {
        let pct = |steps| Schedule::Pct { depth: 3, steps };
        assert_eq!(pct(None).learn(12), pct(Some(12)));
        assert_eq!(pct(None).learn(0), pct(None));
        assert_eq!(pct(Some(5)).learn(12), pct(Some(5)));
        assert_eq!(Schedule::Random.learn(12), Schedule::Random);
    }
}
