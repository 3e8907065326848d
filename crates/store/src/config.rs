//! What a store is told before it starts: the level and profile, the seed, how reads choose, what
//! is kept.

use std::fmt;
use std::str::FromStr;

use hobgoblin_core::{Key, Level, Value};

/// How a store is set up. All its randomness comes from `seed`.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::store::{Config, Policy, Profile};
///
/// let config = Config::at(Level::RC).seed(7).policy(Policy::Stale).initial("stock", 10);
/// assert_eq!(config.profile, Profile::Spec);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The level of transactions that ask for no other.
    pub level: Level,
    /// Whether the store allows all that a level does, or does what one engine does.
    pub profile: Profile,
    /// How reads choose among the versions they may return; `None` is the seed's, see
    /// [`Policy::of_seed`].
    pub policy: Option<Policy>,
    /// The seed of every random choice.
    pub seed: u64,
    /// How many of the last commits a new transaction may miss; `None` for any number. Only commits
    /// that wrote something count.
    pub window: Option<u32>,
    /// For how many ticks a new transaction may miss a commit; `None` for ever.
    pub lag: Option<u64>,
    /// The share of transactions that are aborted without a reason, from 0 to 1.
    pub abort_rate: f64,
    /// Whether sessions that wait for each other are left waiting until somebody looks, with
    /// [`Machine::circle`](crate::Machine::circle), as PostgreSQL does after its `deadlock_timeout`. Else the
    /// request that closes the circle is refused at once.
    #[doc(hidden)]
    pub patient: bool,
    /// Whether MySQL's transactions at REPEATABLE READ and SERIALIZABLE refuse to lock what changed since their snapshot,
    /// as MariaDB's do under `innodb_snapshot_isolation`: first updater wins, and REPEATABLE READ is SI.
    #[doc(hidden)]
    pub snapshot_isolation: bool,
    /// Whether in MySQL's engine who shares a row and wants it alone goes before those who wait for it, as since MySQL 8.0
    /// and MariaDB 11.8; else that is a deadlock.
    #[doc(hidden)]
    pub upgrades_first: bool,
    /// The keys that hold something at the beginning, and what. The others are absent.
    pub initial: Vec<(Key, Value)>,
    /// Whether the history is recorded; without it the store only answers.
    pub history: bool,
    /// Whether requests and choices are logged, for replay.
    #[doc(hidden)]
    pub log: bool,
    /// How many bytes of history and log are kept, about; `None` for all. The oldest transactions are
    /// forgotten then, and the log with its first entry, since nothing can be replayed without that.
    #[doc(hidden)]
    pub keep: Option<usize>,
}

impl Config {
    /// The configuration of a store of this level, with the defaults for all else.
    pub fn at(level: Level) -> Config {
        Config::default().level(level)
    }

    /// Sets the level of transactions that ask for no other.
    #[must_use]
    pub fn level(self, level: Level) -> Config {
        Config { level, ..self }
    }

    /// Sets the profile.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Config {
        Config { profile, ..self }
    }

    /// The level that histories of the store are checked as, if that is another one than it is called by.
    #[doc(hidden)]
    pub fn checked_as(&self) -> Option<Level> {
        let kept = match self.snapshot_isolation {
            true => Some(self.level),
            false => self.profile.satisfies(self.level),
        };
        kept.filter(|kept| kept.name() != self.level.name())
    }

    /// Sets how reads choose; `None` lets the seed decide.
    #[must_use]
    pub fn policy(self, policy: impl Into<Option<Policy>>) -> Config {
        Config { policy: policy.into(), ..self }
    }

    /// Sets the seed of every random choice.
    #[must_use]
    pub fn seed(self, seed: u64) -> Config {
        Config { seed, ..self }
    }

    /// Sets how many of the last commits a new transaction may miss; `None` for any number.
    #[must_use]
    pub fn window(self, window: impl Into<Option<u32>>) -> Config {
        Config { window: window.into(), ..self }
    }

    /// Sets for how many ticks a new transaction may miss a commit; `None` for ever.
    #[must_use]
    pub fn lag(self, lag: impl Into<Option<u64>>) -> Config {
        Config { lag: lag.into(), ..self }
    }

    /// Sets the share of transactions that are aborted without a reason.
    #[must_use]
    pub fn abort_rate(self, abort_rate: f64) -> Config {
        Config { abort_rate, ..self }
    }

    /// Whether sessions that wait for each other are left waiting, see [`Config::patient`](Self#structfield.patient).
    #[doc(hidden)]
    #[must_use]
    pub fn patient(self, patient: bool) -> Config {
        Config { patient, ..self }
    }

    /// Whether MySQL's transactions refuse to lock what changed, see
    /// [`Config::snapshot_isolation`](Self#structfield.snapshot_isolation).
    #[doc(hidden)]
    #[must_use]
    pub fn snapshot_isolation(self, snapshot_isolation: bool) -> Config {
        Config { snapshot_isolation, ..self }
    }

    /// Whether who shares a row goes before those who wait for it, see
    /// [`Config::upgrades_first`](Self#structfield.upgrades_first).
    #[doc(hidden)]
    #[must_use]
    pub fn upgrades_first(self, upgrades_first: bool) -> Config {
        Config { upgrades_first, ..self }
    }

    /// Adds a key that holds this value at the beginning.
    #[must_use]
    pub fn initial(mut self, key: impl Into<Key>, value: impl Into<Value>) -> Config {
        self.initial.push((key.into(), value.into()));
        self
    }

    /// Sets which keys hold something at the beginning.
    #[must_use]
    pub fn initial_values(self, initial: Vec<(Key, Value)>) -> Config {
        Config { initial, ..self }
    }

    /// Sets whether the history is recorded.
    #[must_use]
    pub fn history(self, history: bool) -> Config {
        Config { history, ..self }
    }

    /// Whether requests and choices are logged, for replay.
    #[doc(hidden)]
    #[must_use]
    pub fn log(self, log: bool) -> Config {
        Config { log, ..self }
    }

    /// About so many bytes of history and log are kept; `None` for all.
    #[doc(hidden)]
    #[must_use]
    pub fn keep(self, keep: impl Into<Option<usize>>) -> Config {
        Config { keep: keep.into(), ..self }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            level: Level::SER,
            profile: Profile::Spec,
            policy: None,
            seed: 0,
            window: Some(256),
            lag: None,
            abort_rate: 0.0,
            patient: false,
            snapshot_isolation: false,
            upgrades_first: false,
            initial: Vec::new(),
            history: true,
            log: true,
            keep: None,
        }
    }
}

impl Config {
    /// How reads choose: as the configuration asks, or else as the seed decides.
    #[doc(hidden)]
    pub fn reading_policy(&self) -> Policy {
        self.policy.unwrap_or_else(|| Policy::of_seed(self.seed))
    }
}

/// Which truth a store tells: all that a level allows, or what one engine can do.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::{Config, Profile};
///
/// let config = Config::default().profile("postgres".parse::<Profile>()?);
/// assert_eq!(config.profile, Profile::Postgres);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// Whatever the level's axioms allow. Nothing locks; real time does not matter.
    #[default]
    Spec,
    /// Takes snapshots and locks as PostgreSQL does.
    Postgres,
    /// Takes snapshots and locks as MySQL's InnoDB does.
    Mysql,
}

impl Profile {
    /// All profiles, in the order in which help texts list them.
    pub const ALL: [Profile; 3] = [Profile::Spec, Profile::Postgres, Profile::Mysql];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Spec => "spec",
            Profile::Postgres => "postgres",
            Profile::Mysql => "mysql",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Profile, String> {
        let found = Profile::ALL.into_iter().find(|profile| profile.name() == name);
        found.ok_or_else(|| format!("{name:?} is no profile: say spec, postgres or mysql"))
    }
}

/// How a read chooses among the versions it may return.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Policy;
///
/// assert_eq!("stale".parse::<Policy>()?, Policy::Stale);
/// assert_eq!(Policy::Weighted(0.5).to_string(), "weighted=0.5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Policy {
    /// Looks for trouble where applications notice it: most transactions go along with what their session
    /// has seen, read versions of the same sessions together, and often leave out the newest one. The
    /// others choose as [`Policy::Uniform`], so that whatever is allowed can happen.
    Adverse,
    /// Chooses each version with the same chance, as MonkeyDB does [Biswas 2021, section 6].
    Uniform,
    /// Always chooses the newest version.
    Latest,
    /// Prefers old versions: the oldest with chance 1/2, or else the next with chance 1/2, and so
    /// on.
    Stale,
    /// Chooses the newest with this chance, and each of the others with the same chance.
    Weighted(f64),
    /// Each with the same chance, but only the newest of each session that wrote: for transactions that
    /// check assertions after a test [Biswas 2021, section 6]. The initial version counts only when
    /// there is no other.
    LatestPerSession,
}

impl Policy {
    /// The policies that seeds take turns with.
    ///
    /// Each finds quickly what another finds late or never: [`Policy::Adverse`] what comes after a session
    /// has seen its own writes, [`Policy::Uniform`] what needs several reads of absent or overwritten keys,
    /// [`Policy::Stale`] what needs many old ones. Of three runs in a row each policy makes one, so a test
    /// fails at least a third as often as with the best of them, whichever that is.
    #[doc(hidden)]
    pub const ROTATION: [Policy; 3] = [Policy::Adverse, Policy::Uniform, Policy::Stale];

    /// The policy of stores of this seed that are asked for none.
    #[doc(hidden)]
    pub fn of_seed(seed: u64) -> Policy {
        Policy::ROTATION[(seed % Policy::ROTATION.len() as u64) as usize]
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Adverse => f.write_str("adverse"),
            Policy::Uniform => f.write_str("uniform"),
            Policy::Latest => f.write_str("latest"),
            Policy::Stale => f.write_str("stale"),
            Policy::Weighted(share) => write!(f, "weighted={share}"),
            Policy::LatestPerSession => f.write_str("latest-per-session"),
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Policy, String> {
        let weighted = |share: &str| share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        match text {
            "adverse" => Ok(Policy::Adverse),
            "uniform" => Ok(Policy::Uniform),
            "latest" => Ok(Policy::Latest),
            "stale" => Ok(Policy::Stale),
            "latest-per-session" => Ok(Policy::LatestPerSession),
            _ => match text.strip_prefix("weighted=").and_then(weighted) {
                Some(share) => Ok(Policy::Weighted(share)),
                None => Err(format!(
                    "{text:?} is no policy: say adverse, uniform, latest, stale, weighted=P with P \
                     from 0 to 1, or latest-per-session"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_take_turns_unless_a_policy_is_asked_for() {
        for seed in [0, 1, 299, u64::MAX - 2] {
            let turns: Vec<Policy> = (seed..=seed + 2).map(Policy::of_seed).collect();
            assert!(Policy::ROTATION.iter().all(|policy| turns.contains(policy)), "{turns:?}");
            let config = Config { seed, ..Config::default() };
            assert_eq!(config.reading_policy(), Policy::of_seed(seed));
            let pinned = Config { policy: Some(Policy::Latest), ..config };
            assert_eq!(pinned.reading_policy(), Policy::Latest);
        }
    }
}
