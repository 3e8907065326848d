//! Failing runs on disk: the log, which replays one, and the history, which `hob check` reads.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use hobgoblin_core::Level;
use hobgoblin_format::{Format, write};
use hobgoblin_front::{Log, LogError};
use hobgoblin_server::Granularity;
use hobgoblin_store::Schedule;

use crate::error::RunnerError;
use crate::plan::Plan;
use crate::tally::Failed;

/// What a log says of its run besides the store's setup.
const COMMAND: &str = "command";
const RUN: &str = "run";
const GRANULARITY: &str = "granularity";
const SETTINGS: &str = "settings";
const SCHEDULE: &str = "schedule";
#[cfg(feature = "mysql")]
const MYSQL_VERSION: &str = "mysql-version";
#[cfg(feature = "mysql")]
const MYSQL_SETTINGS: &str = "mysql-settings";
const MYSQL_FIRST: &str = "mysql-first";

/// Saves a failing run: `RC-seed13.log.jsonl` and `RC-seed13.history.jsonl`. What is there stays: another
/// run of that seed gets `RC-seed13-2`, unless it was the same to the byte.
pub(crate) fn save(
    failed: &mut Failed<Log>,
    level: Level,
    plan: &Plan,
    schedule: Schedule,
) -> Result<(), RunnerError> {
    let out = &plan.out;
    let name = format!("{level}-seed{}", failed.report.seed);
    let refused = |path: &Path, error: &dyn std::fmt::Display| RunnerError::Save {
        path: path.to_owned(),
        message: error.to_string(),
    };
    fs::create_dir_all(out).map_err(|error| refused(out, &error))?;
    let line = serde_json::to_string(&plan.command).expect("strings are JSON");
    failed.log.meta.insert(COMMAND.to_owned(), line);
    if let Some(granularity) = plan.granularity {
        failed.log.meta.insert(GRANULARITY.to_owned(), granularity.name().to_owned());
    }
    if !plan.settings.is_empty() {
        let settings = serde_json::to_string(&plan.settings).expect("strings are JSON");
        failed.log.meta.insert(SETTINGS.to_owned(), settings);
    }
    #[cfg(feature = "mysql")]
    if let Some(mysql) = &plan.mysql {
        let meta = &mut failed.log.meta;
        meta.insert(MYSQL_VERSION.to_owned(), mysql.version.name().to_owned());
        if !mysql.settings.is_empty() {
            let settings = serde_json::to_string(&mysql.settings).expect("strings are JSON");
            meta.insert(MYSQL_SETTINGS.to_owned(), settings);
        }
    }
    if plan.mysql_first {
        failed.log.meta.insert(MYSQL_FIRST.to_owned(), "true".to_owned());
    }
    failed.log.meta.insert(SCHEDULE.to_owned(), schedule.to_string());
    failed.log.meta.insert(RUN.to_owned(), failed.report.run.to_string());
    let (mut log, mut history) = (Vec::new(), Vec::new());
    failed.log.write(&mut log).map_err(|error| refused(out, &error))?;
    write(&failed.history, Format::Jsonl, &mut history).map_err(|error| refused(out, &error))?;
    for number in 1.. {
        let stem = if number == 1 { name.clone() } else { format!("{name}-{number}") };
        let files = [("log", &log), ("history", &history)]
            .map(|(kind, bytes)| (out.join(format!("{stem}.{kind}.jsonl")), bytes));
        if files.iter().any(|(path, bytes)| is_other(path, bytes)) {
            continue;
        }
        for (path, bytes) in &files {
            add(path, bytes).map_err(|error| refused(path, &error))?;
        }
        let [(log, _), (history, _)] = files;
        (failed.report.log, failed.report.history) = (Some(log), Some(history));
        break;
    }
    Ok(())
}

/// Whether a file is there and has other bytes than these.
fn is_other(path: &Path, bytes: &[u8]) -> bool {
    path.exists() && !fs::read(path).is_ok_and(|there| there == bytes)
}

/// Writes a file unless it is there.
fn add(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        opened => opened?,
    };
    file.write_all(bytes).inspect_err(|_| {
        // A part of it would be taken for the whole.
        let _ = fs::remove_file(path);
    })
}

/// A log with the command, the number of its run, its schedule, and how it kept rows if that was asked for.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) log: Log,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) run: u32,
    pub(crate) granularity: Option<Granularity>,
    /// Settings of the PostgreSQL server.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) schedule: Schedule,
    /// Which server was spoken for to clients of MySQL.
    #[cfg(feature = "mysql")]
    pub(crate) mysql_version: Option<hobgoblin_server::MySqlVersion>,
    /// The variables of that server.
    #[cfg(feature = "mysql")]
    pub(crate) mysql_settings: Vec<(String, String)>,
    /// Whether DATABASE_URL was the address for clients of MySQL.
    pub(crate) mysql_first: bool,
}

/// Reads a log that was saved, or that `hob serve` wrote.
pub(crate) fn load(path: &Path) -> Result<Saved, RunnerError> {
    let refused = |line: u64, message: String| {
        let path: PathBuf = path.to_owned();
        RunnerError::Log { path, line, message }
    };
    let file =
        File::open(path).map_err(|error| refused(0, format!("cannot read this: {error}")))?;
    let read = Log::read(BufReader::new(file)).map_err(|error| match error {
        LogError::Line { line, what } => refused(line as u64, what),
        LogError::Io(error) => refused(0, format!("cannot read this: {error}")),
        other => refused(1, other.to_string()),
    })?;
    let log = read.log;
    let command = match log.meta.get(COMMAND).map(|line| serde_json::from_str(line)) {
        None => None,
        Some(Ok(command)) => Some(command).filter(|command: &Vec<String>| !command.is_empty()),
        Some(Err(_)) => return Err(refused(1, "the command in it is no list of strings".into())),
    };
    let run = log.meta.get(RUN).and_then(|run| run.parse().ok()).unwrap_or(1);
    let granularity = log.meta.get(GRANULARITY).and_then(|name| Granularity::of(name));
    let schedule = log.meta.get(SCHEDULE).and_then(|text| text.parse().ok()).unwrap_or_default();
    let settings_of = |name: &str| match log.meta.get(name).map(|text| serde_json::from_str(text)) {
        None => Ok(Vec::new()),
        Some(Ok(settings)) => Ok(settings),
        Some(Err(_)) => Err(refused(1, "the settings in it are no list of pairs".into())),
    };
    let settings = settings_of(SETTINGS)?;
    #[cfg(feature = "mysql")]
    let mysql_settings = settings_of(MYSQL_SETTINGS)?;
    let mysql_first = log.meta.contains_key(MYSQL_FIRST);
    Ok(Saved {
        #[cfg(feature = "mysql")]
        mysql_version: log.meta.get(MYSQL_VERSION).and_then(|name| name.parse().ok()),
        #[cfg(feature = "mysql")]
        mysql_settings,
        mysql_first,
        log,
        command,
        run,
        granularity,
        settings,
        schedule,
    })
}
