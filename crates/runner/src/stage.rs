//! One run: a fresh store, the command against it, and what both leave behind.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobgoblin_core::{History, Key, Level, Value};
use hobgoblin_front::{Log, Stats};
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::{Policy, Profile};
use tokio::runtime::Handle;

use crate::error::RunnerError;
use crate::process::{self, Ending, Output};
use crate::report::DifferenceReport;

/// What lets Python print at once: what a program that is ended has not printed yet is lost.
const UNBUFFERED: &str = "PYTHONUNBUFFERED";

/// What all runs share.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    /// Where servers run.
    pub(crate) handle: &'a Handle,
    /// Set when somebody asks to stop.
    pub(crate) stop: &'a Arc<AtomicBool>,
    /// How long a command may take.
    pub(crate) timeout: Duration,
    /// Whether DATABASE_URL is the address for clients of MySQL.
    #[cfg_attr(not(feature = "mysql"), allow(dead_code, reason = "there are no such clients"))]
    pub(crate) mysql_first: bool,
}

/// What a run left behind.
pub(crate) struct Played {
    pub(crate) ending: Ending,
    pub(crate) output: Output,
    pub(crate) stats: Stats,
    store: hobgoblin_front::Store,
    /// The same store as tables.
    tables: Option<hobgoblin_server::Tables>,
}

impl Stage<'_> {
    /// Runs a command against a store of its own. `run` is its number, from 1.
    pub(crate) fn play(
        &self,
        command: &[String],
        config: ServerConfig,
        run: u32,
    ) -> Result<Played, RunnerError> {
        let failed = |error: &dyn std::fmt::Display| RunnerError::Store(error.to_string());
        let (level, seed) = (config.store.level, config.store.seed);
        let is_baseline = config.serial.is_some() && run > 0;
        let server = Server::start_on(self.handle, config).map_err(|error| failed(&error))?;
        let (program, args) = command.split_first().expect("a plan has a command");
        let mut process = Command::new(program);
        if let (Some(url), Some(addr)) = (server.pg_url(), server.pg_addr()) {
            process
                .env("DATABASE_URL", &url)
                .env("HOB_PG_URL", &url)
                .env("PGHOST", addr.ip().to_string())
                .env("PGPORT", addr.port().to_string())
                .env("PGUSER", "hob")
                .env("PGDATABASE", "hob");
            // These would lead elsewhere.
            process.env_remove("PGHOSTADDR").env_remove("PGSERVICE");
        }
        #[cfg(feature = "mysql")]
        if let Some(url) = server.mysql_url() {
            process.env("HOB_MYSQL_URL", &url);
            if self.mysql_first {
                process.env("DATABASE_URL", &url);
            }
        }
        process
            .args(args)
            .env("HOB_HTTP_URL", server.url())
            .env("HOB_LEVEL", level.name())
            .env("HOB_SEED", seed.to_string())
            .env("HOB_RUN", run.to_string());
        if std::env::var_os(UNBUFFERED).is_none() {
            process.env(UNBUFFERED, "1");
        }
        match is_baseline {
            true => process.env("HOB_BASELINE", "1"),
            false => process.env_remove("HOB_BASELINE"),
        };
        let (ending, output) = process::run(process, self.timeout, self.stop)
            .map_err(|source| RunnerError::Start { command: program.clone(), source })?;
        let (store, tables) = (server.store(), server.tables());
        let finished = server.stop().map_err(|error| failed(&error))?;
        Ok(Played { ending, output, stats: finished.stats, store, tables })
    }
}

impl Played {
    /// The profile of its store.
    pub(crate) fn profile(&self) -> Profile {
        self.store.with_machine(|machine| machine.config().profile)
    }

    /// The level that its histories are checked as, if that is another one than it is called by.
    pub(crate) fn checked_as(&self) -> Option<Level> {
        self.store.with_machine(|machine| machine.config().checked_as())
    }

    /// How its reads chose; in an engine's store they have no choice.
    pub(crate) fn policy(&self) -> Option<Policy> {
        self.store.with_machine(|machine| {
            let config = machine.config();
            config.profile.chooses().then(|| config.reading_policy())
        })
    }

    /// How many steps its schedule had.
    pub(crate) fn steps(&self) -> u32 {
        self.store.steps()
    }

    pub(crate) fn history(&self) -> Result<History, RunnerError> {
        self.store.history().map_err(|error| RunnerError::Store(error.to_string()))
    }

    pub(crate) fn log(&self) -> Result<Log, RunnerError> {
        self.store.log().map_err(|error| RunnerError::Store(error.to_string()))
    }

    /// What other stores begin with to go on from here; an error if that would not be the same.
    pub(crate) fn snapshot(&self) -> Result<Vec<(Key, Value)>, RunnerError> {
        let Some(tables) = &self.tables else { return Ok(self.store.snapshot()) };
        let snapshot = tables.snapshot();
        let missing = tables.missing_from(&snapshot);
        match missing.is_empty() {
            true => Ok(snapshot),
            false => Err(RunnerError::Lost { what: missing.join(", ") }),
        }
    }

    /// Whether the command used its store: a connection is enough.
    pub(crate) fn used(&self) -> bool {
        self.stats.requests > 0 || self.store.with_machine(|machine| !machine.log().is_empty())
    }

    /// Whether anything could go wrong: two transactions overlapped, or a read had more than one version
    /// to choose from.
    pub(crate) fn overlapped(&self) -> bool {
        self.stats.overlapped > 0 || self.stats.open_reads > 0
    }

    /// Why transactions overlapped that should have come one at a time, if they did.
    pub(crate) fn overlap(&self) -> Option<String> {
        let (_, first) = self.store.overlaps()?;
        Some(first.to_string())
    }

    /// How a replay differed from its log without leaving it.
    pub(crate) fn differences(&self) -> DifferenceReport {
        let differences = self.store.differences();
        let first = differences.first.iter().map(ToString::to_string).collect();
        DifferenceReport { count: differences.count, first }
    }

    /// How many requests of the log a replay has not come to.
    pub(crate) fn unfollowed(&self) -> usize {
        self.store.unfollowed()
    }

    /// Where a replay left its log, in words.
    pub(crate) fn divergence(&self) -> Option<String> {
        let at = self.store.divergence()?;
        Some(format!("{at}; from there on the store chose anew"))
    }
}
