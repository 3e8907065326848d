//! A failing run once more: the store makes the choices of the log, in the order of the log.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobgoblin_front::{Entry, Log, Replay};
use hobgoblin_server::{PgConfig, ServerConfig};

use crate::error::RunnerError;
use crate::process::Ending;
use crate::report::ReplayReport;
use crate::runner::{judge, runtime};
use crate::save::{Saved, load};
use crate::stage::Stage;

/// Runs a command, or that of the log, as the log has it.
pub fn replay(
    path: &Path,
    command: Option<Vec<String>>,
    timeout: Duration,
    stop: &Arc<AtomicBool>,
) -> Result<ReplayReport, RunnerError> {
    let Saved { log, command: logged, run } = load(path)?;
    let no_command = || RunnerError::NoCommand { path: path.to_owned() };
    let command = command.or(logged).ok_or_else(no_command)?;
    let runtime = runtime()?;
    let stage = Stage { handle: runtime.handle(), stop, timeout };
    let (store, planned) = (log.config.clone(), requests(&log));
    let (level, seed) = (store.level, store.seed);
    let server = ServerConfig {
        store,
        replay: Some(Replay::Log(log)),
        pg: Some(PgConfig::default()),
        ..ServerConfig::default()
    };
    let played = stage.play(&command, server, run)?;
    let made = requests(&played.log()?);
    let divergence = played.divergence().or_else(|| {
        let early = made < planned && played.ending != Ending::Stopped;
        early.then(|| format!("it ended after {made} of the {planned} requests in the log"))
    });
    let ending = played.ending;
    let failed = judge(played, seed, run, stop)?.and_then(|run| run.failed);
    runtime.shutdown_background();
    let failure = failed.map(|failed| Box::new(failed.report));
    Ok(ReplayReport { file: path.to_owned(), command, level, seed, ending, divergence, failure })
}

/// How many requests there are in a log.
fn requests(log: &Log) -> usize {
    log.entries.iter().filter(|entry| matches!(entry, Entry::Request { .. })).count()
}
