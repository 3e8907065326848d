//! One run: a fresh store, the command against it, and what both leave behind.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobgoblin_core::{History, Key, Value};
use hobgoblin_front::{Log, Stats};
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::Profile;
use tokio::runtime::Handle;

use crate::error::RunnerError;
use crate::process::{self, Ending, Output};
use crate::report::DifferenceReport;

/// What all runs share.
pub(crate) struct Stage<'a> {
    /// Where servers run.
    pub(crate) handle: &'a Handle,
    /// Set when somebody asks to stop.
    pub(crate) stop: &'a Arc<AtomicBool>,
    /// How long a command may take.
    pub(crate) timeout: Duration,
}

/// What a run left behind.
pub(crate) struct Played {
    pub(crate) ending: Ending,
    pub(crate) output: Output,
    pub(crate) stats: Stats,
    store: hobgoblin_front::Store,
    /// The same store as tables.
    database: hobgoblin_server::Database,
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
        process
            .args(args)
            .env("HOB_HTTP_URL", server.url())
            .env("HOB_LEVEL", level.name())
            .env("HOB_SEED", seed.to_string())
            .env("HOB_RUN", run.to_string());
        let (ending, output) = process::run(process, self.timeout, self.stop)
            .map_err(|source| RunnerError::Start { command: program.clone(), source })?;
        let (store, database) = (server.store(), server.database());
        let finished = server.stop().map_err(|error| failed(&error))?;
        Ok(Played { ending, output, stats: finished.stats, store, database })
    }
}

impl Played {
    /// The profile of its store.
    pub(crate) fn profile(&self) -> Profile {
        self.store.with_machine(|machine| machine.config().profile)
    }

    pub(crate) fn history(&self) -> Result<History, RunnerError> {
        self.store.history().map_err(|error| RunnerError::Store(error.to_string()))
    }

    pub(crate) fn log(&self) -> Result<Log, RunnerError> {
        self.store.log().map_err(|error| RunnerError::Store(error.to_string()))
    }

    pub(crate) fn snapshot(&self) -> Vec<(Key, Value)> {
        self.database.snapshot()
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
