//! A failing run once more: the store makes the choices of the log, in the order of the log.
//!
//! Statements are the log's if they have the same shape, whatever their values; what differed is reported.
//! Sessions without a name are known by their first statement, or by the order in which they connect. Threads
//! that race for it may connect in another one, and then the run leaves the log; so a run that does is made
//! again, a few times.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hobgoblin_front::{Entry, Log, Replay};
#[cfg(feature = "mysql")]
use hobgoblin_server::MySqlConfig;
use hobgoblin_server::{Dialects, PgConfig, ServerConfig};

use crate::error::RunnerError;
use crate::process::Ending;
use crate::report::ReplayReport;
use crate::runner::{judge, runtime};
use crate::save::{Saved, load};
use crate::stage::Stage;

/// How often a run that leaves the log is made before the program counts as changed.
const TRIES: u32 = 5;

/// The command that a log has in it, which [`replay()`] runs if it is given none.
pub fn logged_command(path: &Path) -> Result<Option<Vec<String>>, RunnerError> {
    Ok(load(path)?.command)
}

/// Runs a command, or that of the log, as the log has it.
pub fn replay(
    path: &Path,
    command: Option<Vec<String>>,
    timeout: Duration,
    stop: &Arc<AtomicBool>,
    dialects: Dialects,
) -> Result<ReplayReport, RunnerError> {
    let saved = load(path)?;
    let no_command = || RunnerError::NoCommand { path: path.to_owned() };
    let command = command.or_else(|| saved.command.clone()).ok_or_else(no_command)?;
    let runtime = runtime()?;
    let mysql_first = saved.mysql_first;
    let stage = Stage { handle: runtime.handle(), stop, timeout, mysql_first };
    let mut best: Option<ReplayReport> = None;
    for tries in 1..=TRIES {
        let mut report = attempt(path, &command, &stage, &saved, dialects)?;
        report.tries = tries;
        let done = report.divergence.is_none() || report.ending == Ending::Stopped;
        match &mut best {
            // A run that failed beside the log says more than one that did not.
            Some(best) if !done && (best.failure.is_some() || report.failure.is_none()) => {
                best.tries = tries;
            }
            best => *best = Some(report),
        }
        if done {
            break;
        }
    }
    runtime.shutdown_background();
    Ok(best.expect("one try is made"))
}

/// Makes the run once.
fn attempt(
    path: &Path,
    command: &[String],
    stage: &Stage<'_>,
    saved: &Saved,
    dialects: Dialects,
) -> Result<ReplayReport, RunnerError> {
    let Saved { log, run, granularity, settings, schedule, .. } = saved;
    let run = *run;
    let (store, planned) = (log.config.clone(), requests(log));
    let (level, seed) = (store.level, store.seed);
    #[cfg(feature = "mysql")]
    let mysql = dialects.mysql.map(|mysql| {
        let default = MySqlConfig::new(mysql);
        let (version, settings) = (saved.mysql_version, saved.mysql_settings.clone());
        MySqlConfig { version: version.unwrap_or(default.version), settings, ..default }
    });
    let server = ServerConfig {
        store,
        replay: Some(Replay::Log(log.clone())),
        pg: Some(PgConfig::new(dialects.postgres)),
        #[cfg(feature = "mysql")]
        mysql,
        granularity: *granularity,
        settings: settings.clone(),
        schedule: *schedule,
        ..ServerConfig::default()
    };
    let played = stage.play(command, server, run)?;
    let left = played.unfollowed();
    let divergence = played.divergence().or_else(|| {
        let early = left > 0 && played.ending != Ending::Stopped;
        let made = planned - left;
        early.then(|| format!("it ended after {made} of the {planned} requests in the log"))
    });
    let differences = played.differences();
    let (ending, policy, schedule) = (played.ending, played.policy(), *schedule);
    let failed = judge(played, seed, run, stage.stop)?.and_then(|run| run.failed);
    let failure = failed.map(|failed| Box::new(failed.report));
    let (file, command) = (path.to_owned(), command.to_vec());
    let tries = 1;
    Ok(ReplayReport {
        file,
        command,
        level,
        seed,
        policy,
        schedule,
        tries,
        ending,
        divergence,
        differences,
        failure,
    })
}

/// How many requests there are in a log.
fn requests(log: &Log) -> usize {
    log.entries.iter().filter(|entry| matches!(entry, Entry::Request { .. })).count()
}
