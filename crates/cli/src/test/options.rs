//! The flags of `hob test` that `hob.toml` may give too.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_runner::{Budget, Plan};
use hobgoblin_server::Dialects;
use hobgoblin_store::Config;

use crate::store_flags::{HOLD, StoreFlags};
use crate::{mysql, names, units};

/// What `hob.toml` may say too.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Options {
    /// A level to run at; by default RC, and REPEATABLE READ for a command that speaks to MySQL. Commas separate several; see `hob levels`.
    #[arg(short, long = "level", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    pub(super) levels: Vec<Level>,

    /// Run at every level, and tell the weakest at which nothing failed.
    #[arg(long, conflicts_with = "levels")]
    pub(super) find_level: bool,

    /// How many runs at each level; 100 by default.
    #[arg(short = 'n', long, value_name = "N", value_parser = units::number32)]
    pub(super) runs: Option<u32>,

    /// Stop at the first failure; without --runs and --time, run until there is one.
    #[arg(long)]
    pub(super) until_fail: bool,

    /// Stop after this time, shared by the levels, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(super) time: Option<Duration>,

    /// How many runs go on at once; 1 by default.
    #[arg(short, long, value_name = "N", value_parser = units::jobs)]
    pub(super) jobs: Option<NonZeroUsize>,

    /// The seed of the first run; the next has the next. 0 by default.
    #[arg(long, value_name = "SEED")]
    pub(super) seed: Option<u64>,

    /// How many runs with one transaction at a time come first; 3 by default.
    #[arg(long, value_name = "N", value_parser = units::number32)]
    pub(super) baseline_runs: Option<u32>,

    /// A shell command that prepares the data once; every run starts with what it leaves.
    #[arg(long, value_name = "CMD")]
    pub(super) setup: Option<String>,

    /// End the setup after this time, which is an error; 10m by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(super) setup_timeout: Option<Duration>,

    /// Keep what the setup leaves in FILE, and take it from there the next time.
    #[arg(long, value_name = "FILE")]
    pub(super) setup_cache: Option<PathBuf>,

    /// End a run after this time, and count it as a hang; 60s by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(super) timeout: Option<Duration>,

    /// The directory for logs and histories of failing runs; hob-failures by default. What is there
    /// stays.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Write a JUnit report to FILE, over an earlier one if there is one.
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,

    /// The command speaks to MySQL or MariaDB: DATABASE_URL is HOB_MYSQL_URL.
    #[arg(long)]
    pub(super) mysql: bool,

    #[command(flatten)]
    pub(super) store: StoreFlags,
}

impl Options {
    /// These, and where they say nothing, those of a file. Levels on the command line are instead of all
    /// levels in the file, and so is how long to run.
    pub(super) fn or(self, mut file: Options) -> Options {
        if self.find_level || !self.levels.is_empty() {
            file.find_level = false;
            file.levels.clear();
        }
        if self.runs.is_some() || self.until_fail || self.time.is_some() {
            (file.runs, file.until_fail, file.time) = (None, false, None);
        }
        self.with(file)
    }

    /// These, and where they say nothing, others.
    pub(super) fn with(self, other: Options) -> Options {
        Options {
            levels: if self.levels.is_empty() { other.levels } else { self.levels },
            find_level: self.find_level || other.find_level,
            runs: self.runs.or(other.runs),
            until_fail: self.until_fail || other.until_fail,
            time: self.time.or(other.time),
            jobs: self.jobs.or(other.jobs),
            seed: self.seed.or(other.seed),
            baseline_runs: self.baseline_runs.or(other.baseline_runs),
            setup: self.setup.or(other.setup),
            setup_timeout: self.setup_timeout.or(other.setup_timeout),
            setup_cache: self.setup_cache.or(other.setup_cache),
            timeout: self.timeout.or(other.timeout),
            out: self.out.or(other.out),
            junit: self.junit.or(other.junit),
            mysql: self.mysql || other.mysql,
            store: self.store.or(other.store),
        }
    }

    /// The store for a command that speaks to MySQL.
    pub(super) fn mysql_store(&self) -> Config {
        let StoreFlags { mysql_version, mysql_set, .. } = &self.store;
        mysql::store_of(self.store.mysql_config(), *mysql_version, mysql_set)
    }

    pub(super) fn plan(&self, command: Vec<String>, dialects: Dialects) -> Plan {
        let default = Plan::new(command, dialects);
        let seed = self.seed.unwrap_or(0);
        let store = self.store.config().seed(seed);
        let sql_store = self.store.sql_config().seed(seed);
        let mut plan = Plan {
            setup: self.setup.clone(),
            budget: match (self.runs, self.time, self.until_fail) {
                (None, None, false) => default.budget,
                (runs, time, until_fail) => Budget { runs, time, until_fail },
            },
            baseline_runs: self.baseline_runs.unwrap_or(default.baseline_runs),
            jobs: self.jobs.unwrap_or(default.jobs),
            timeout: self.timeout.unwrap_or(default.timeout),
            setup_timeout: self.setup_timeout.unwrap_or(default.setup_timeout),
            setup_cache: self.setup_cache.clone(),
            store,
            sql_store,
            mysql_first: self.mysql,
            granularity: self.store.granularity,
            settings: self.store.pg_set.clone(),
            all_levels: self.find_level,
            hold: self.store.hold.or(Some(HOLD)),
            schedule: self.store.schedule.unwrap_or_default(),
            delay: self.store.delays(),
            out: self.out.clone().unwrap_or_else(|| default.out.clone()),
            ..default
        };
        let (version, settings) = (self.store.mysql_version, self.store.mysql_set.clone());
        mysql::plan(&mut plan, self.mysql_store().seed(seed), version, settings, dialects);
        if self.find_level {
            plan.levels = plan.served();
        } else if !self.levels.is_empty() {
            plan.levels.clear();
            for &level in &self.levels {
                if !plan.levels.contains(&level) {
                    plan.levels.push(level);
                }
            }
        }
        plan
    }
}
