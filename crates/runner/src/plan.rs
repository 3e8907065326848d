//! What is to be run, how often, and against which stores.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use hobgoblin_core::Level;
#[cfg(feature = "mysql")]
use hobgoblin_server::MySqlConfig;
use hobgoblin_server::{Dialects, Granularity};
use hobgoblin_store::{Config, Machine, Profile, Schedule};

/// How long a transaction of the baseline waits for an idle one where nothing is held.
const PATIENCE: Duration = Duration::from_millis(10);

/// A command and the stores it is run against.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// A command for the shell that prepares the data once.
    pub setup: Option<String>,
    /// The file that keeps what the setup leaves, for the next time.
    pub setup_cache: Option<PathBuf>,
    /// The levels, in the order to run them; if there are none, the default of the stores that the command uses.
    pub levels: Vec<Level>,
    /// When the runs at a level end.
    pub budget: Budget,
    /// How many runs with one transaction at a time come first.
    pub baseline_runs: u32,
    /// How many runs go on at once.
    pub jobs: NonZeroUsize,
    /// How long a run may take.
    pub timeout: Duration,
    /// How long the setup may take.
    pub setup_timeout: Duration,
    /// How stores are set up. The level is replaced; the seed is that of the first run.
    pub store: Config,
    /// How the store is set up for a command that speaks SQL.
    pub sql_store: Config,
    /// The SQL that a command may speak.
    pub dialects: Dialects,
    /// How clients of MySQL are served, with their store, if they are.
    #[cfg(feature = "mysql")]
    pub mysql: Option<MySqlConfig>,
    /// Whether DATABASE_URL is the address for clients of MySQL, not of PostgreSQL.
    pub mysql_first: bool,
    /// How SQL keeps rows; by the profile if it is not said.
    pub granularity: Option<Granularity>,
    /// Settings of the PostgreSQL server, as in its `postgresql.conf`.
    pub settings: Vec<(String, String)>,
    /// Whether the levels are all there are, so that one the command's store does not serve is left out.
    pub all_levels: bool,
    /// How long a store may hold requests back to order them.
    pub hold: Option<Duration>,
    /// In which order it serves held requests.
    pub schedule: Schedule,
    /// How long the server waits before each transaction; a random time of this range.
    pub delay: RangeInclusive<Duration>,
    /// Where logs and histories of failing runs go.
    pub out: PathBuf,
}

/// When the runs at a level end: at whichever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// After this many runs; `None` for any number.
    pub runs: Option<u32>,
    /// When so much time has passed, for all levels together; `None` for any time.
    pub time: Option<Duration>,
    /// Whether they end at the first failure.
    pub until_fail: bool,
}

impl Plan {
    /// A plan with everything as it is by default: the default level, 100 runs.
    pub fn new(command: Vec<String>, dialects: Dialects) -> Plan {
        Plan {
            command,
            setup: None,
            setup_cache: None,
            levels: Vec::new(),
            budget: Budget { runs: Some(100), ..Budget::default() },
            baseline_runs: 3,
            jobs: NonZeroUsize::MIN,
            timeout: Duration::from_secs(60),
            setup_timeout: Duration::from_secs(600),
            store: Config::default(),
            sql_store: Config::default().profile(Profile::Postgres),
            dialects,
            #[cfg(feature = "mysql")]
            mysql: dialects.mysql.map(|mysql| MySqlConfig {
                store: Some(Config::default().profile(Profile::Mysql)),
                ..MySqlConfig::new(mysql)
            }),
            mysql_first: false,
            granularity: None,
            settings: Vec::new(),
            all_levels: false,
            hold: None,
            schedule: Schedule::default(),
            delay: Duration::ZERO..=Duration::ZERO,
            out: "hob-failures".into(),
        }
    }

    /// The levels stores of this plan serve from RC to SER, weakest first.
    pub fn served(&self) -> Vec<Level> {
        let stores = self.stores();
        let any = |level: &Level| stores.iter().any(|store| serves(store, *level));
        Level::ALL.into_iter().filter(|level| level.is_usual()).filter(any).collect()
    }

    /// The stores that a command may have, by how it speaks. One that says that it speaks to MySQL has that one.
    fn stores(&self) -> Vec<&Config> {
        #[cfg(feature = "mysql")]
        if let (true, Some(mysql)) = (self.mysql_first, &self.mysql) {
            return mysql.store.iter().collect();
        }
        vec![&self.store, &self.sql_store]
    }

    /// Whether a run at a level is to be made, when the command uses stores of this profile.
    fn wants(&self, level: Level, profile: Option<Profile>) -> bool {
        match profile {
            Some(profile) if self.all_levels => serves(&self.store.clone().profile(profile), level),
            _ => true,
        }
    }

    /// The levels to be run when the command uses stores of this profile.
    pub(crate) fn levels(&self, profile: Option<Profile>) -> Vec<Level> {
        let default = || profile.map_or(self.baseline_level(), Profile::default_level);
        match self.levels.as_slice() {
            [] => vec![default()],
            levels => levels.iter().copied().filter(|&level| self.wants(level, profile)).collect(),
        }
    }

    /// The level of the baseline and the setup: the first to be run, which the application is written for.
    pub(crate) fn baseline_level(&self) -> Level {
        let of_stores =
            || self.stores().last().map_or(Level::RC, |store| store.profile.default_level());
        self.levels.first().copied().unwrap_or_else(of_stores)
    }

    /// How long a transaction of the baseline waits for one whose session does nothing.
    pub fn patience(&self) -> Duration {
        self.hold.filter(|hold| !hold.is_zero()).unwrap_or(PATIENCE)
    }

    /// The seed of a run, counted from 0.
    pub(crate) fn seed(&self, run: u32) -> u64 {
        self.store.seed.wrapping_add(u64::from(run))
    }
}

/// Whether a store can have a level.
fn serves(store: &Config, level: Level) -> bool {
    Machine::new(store.clone().level(level).initial_values(Vec::new())).is_ok()
}
