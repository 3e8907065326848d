//! A history as a page that follows its file.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use hobgoblin_core::{History, Level};
use hobgoblin_format::{Format, ReadError, load_until};
use hobgoblin_report::{Anomaly, Page, Rows, RowsAsked};
use hobgoblin_runner::told;
use hobgoblin_server::{Shown, Site};
use hobgoblin_store::{Log, LogFile, Machine};

use crate::check::{self, Stop};
use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::quoted::one_line;

/// A file that changed is read again after this time, or after so many times what it took.
const REST: Duration = Duration::from_secs(1);
const RESTS: u32 = 2;
/// A file that cannot be read is one that grows, until it has not for so long.
const GROWS: Duration = Duration::from_secs(3);

/// What is asked of every history.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// All, if there are none.
    pub(super) levels: Vec<Level>,
    pub(super) format: Option<Format>,
    pub(super) stop: Arc<Stop>,
}

/// Where a history comes from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// What it is called.
    pub(super) title: String,
    /// The file with the history.
    pub(super) history: Option<PathBuf>,
    /// The log of the same run; its history, if there is no file with that.
    pub(super) log: Option<PathBuf>,
}

const LOG: &str = ".log.jsonl";
const HISTORY: &str = ".history.jsonl";

impl Origin {
    /// A file, with the other that `hob test` wrote of the same run if there is one.
    pub(super) fn of(path: &Path) -> Result<Origin, Failure> {
        let title = path.display().to_string();
        let other = |from: &str, to: &str| {
            let stem = path.file_name()?.to_str()?.strip_suffix(from)?;
            Some(path.with_file_name(format!("{stem}{to}"))).filter(|path| path.is_file())
        };
        let own = Some(path.to_owned());
        Ok(match is_log(path)? {
            true => Origin { title, history: other(LOG, HISTORY), log: own },
            false => Origin { title, log: other(HISTORY, LOG), history: own },
        })
    }

    /// The file that is read.
    fn file(&self) -> &Path {
        let either = self.history.as_deref().or(self.log.as_deref());
        either.unwrap_or_else(|| Path::new("-"))
    }

    /// How large the file is, and when it was changed.
    fn stamp(&self) -> Option<(u64, SystemTime)> {
        let known = fs::metadata(self.file()).ok()?;
        Some((known.len(), known.modified().ok()?))
    }

    fn explain(&self, error: ReadError) -> Diagnostic {
        match error {
            ReadError::Undetected { .. } if self.file().is_dir() => {
                let message = "no run of a test is in this directory";
                let help = "name a directory that `hob test` wrote failures to, or a file";
                Diagnostic::new(message, help).in_path(self.file())
            }
            error => error.into(),
        }
    }

    fn read(&self, asked: &Asked) -> Result<(History, Format), Box<Diagnostic>> {
        let limits = asked.stop.bounded_limits(Instant::now());
        match (&self.history, &self.log) {
            (None, Some(log)) => Ok((replayed(log)?, Format::Jsonl)),
            _ => load_until(self.file(), asked.format, &|| limits.check().err())
                .map_err(|error| Box::new(self.explain(error))),
        }
    }
}

/// Whether a file is a log of a store.
fn is_log(path: &Path) -> Result<bool, Failure> {
    if path == Path::new("-") || path.is_dir() {
        return Ok(false);
    }
    let file = fs::File::open(path).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        let help = "name a history, a log, or a directory that `hob test` wrote failures to";
        Diagnostic::new(message, help).in_path(path)
    })?;
    let mut first = Vec::new();
    // What cannot be read is not a log; who reads it as a history says why.
    let _ = BufReader::new(file.take(1 << 10)).read_until(b'\n', &mut first);
    Ok(first.starts_with(b"{\"hobgoblin-log\""))
}

/// The history of a log.
fn replayed(path: &Path) -> Result<History, Box<Diagnostic>> {
    let told = |message: String| {
        let help = "name a log that `hob test` or `hob serve --log` wrote, or a history";
        Box::new(Diagnostic::new(message, help).in_path(path))
    };
    let file = fs::File::open(path)
        .map_err(|error| told(format!("cannot read this: {}", reason(&error))))?;
    let LogFile { log, .. } =
        Log::read(BufReader::new(file)).map_err(|error| told(error.to_string()))?;
    let machine = Machine::after(&log)
        .map_err(|error| told(format!("this log cannot be followed: {error}")))?;
    Ok(machine.history())
}

/// A history, as it is now.
#[derive(Debug)]
pub(super) struct Run {
    origin: Origin,
    asked: Asked,
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    stamp: Option<(u64, SystemTime)>,
    read: Instant,
    cost: Duration,
    page: Page,
    rows: Option<Rows>,
}

impl Run {
    /// Reads and checks it.
    pub(super) fn open(origin: Origin, asked: Asked) -> Result<Run, Box<Diagnostic>> {
        let now = look(&origin, &asked, 1)?;
        Ok(Run { origin, asked, now: Mutex::new(now) })
    }

    /// What there is now. A file that has changed is read again.
    fn now(&self) -> MutexGuard<'_, Now> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.origin.stamp();
        if stamp == now.stamp || now.read.elapsed() < REST.max(now.cost * RESTS) {
            return now;
        }
        let number = now.page.live.map_or(1, |number| number + 1);
        match look(&self.origin, &self.asked, number) {
            Ok(new) => *now = new,
            Err(told) => {
                now.read = Instant::now();
                let rests = |(_, changed): (u64, SystemTime)| {
                    changed.elapsed().is_ok_and(|since| since >= GROWS)
                };
                if stamp.is_none_or(rests) {
                    now.stamp = stamp;
                    now.page.live = Some(number);
                    now.page.notes = vec![format!(
                        "The file has changed and cannot be read: {}. This is what it was before.",
                        told.message
                    )];
                }
            }
        }
        now
    }
}

fn look(origin: &Origin, asked: &Asked, number: u64) -> Result<Now, Box<Diagnostic>> {
    // Before it is read: what is written meanwhile is a change.
    let stamp = origin.stamp();
    let start = Instant::now();
    let (history, format) = origin.read(asked)?;
    let mut page =
        check::served((&origin.title, &history, format), &asked.levels, number, &asked.stop);
    page.command = "view".to_owned();
    page.live = Some(number);
    if let Some(log) = &origin.log {
        tell_failure(&mut page, &history);
        if let Some(again) = &mut page.again {
            let log = log.display().to_string();
            again.command = one_line(&["hob", "test", "--replay", &log].map(str::to_owned));
        }
    }
    let rows = page.history.as_ref().map(|table| Rows::of(history, table, number));
    let read = Instant::now();
    Ok(Now { stamp, read, cost: start.elapsed(), page, rows })
}

/// Of a run that failed the violation is told that `hob test` tells.
fn tell_failure(page: &mut Page, history: &History) {
    let Some(witness) = told(history, &Arc::new(AtomicBool::new(false))) else { return };
    let (hobgoblin_core::Target::Level(level) | hobgoblin_core::Target::Mixed(level)) =
        witness.target;
    let told = Anomaly::of(history, &witness);
    match page.levels.iter().find(|row| row.name == level.name()).and_then(|row| row.anomaly) {
        Some(at) => {
            page.anomalies[at] = told;
            for row in page.levels.iter_mut().filter(|row| row.anomaly == Some(at)) {
                row.why = witness.anomaly.title().to_owned();
            }
        }
        None => page.anomalies.push(told),
    }
}

impl Shown for Run {
    fn number(&self) -> u64 {
        self.now().page.live.unwrap_or_default()
    }

    fn html(&self) -> String {
        self.now().page.html()
    }

    fn rows(&self, asked: &RowsAsked) -> Result<String, u64> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.rows.as_ref().map_or(Err(0), |rows| rows.page(asked))
    }
}

/// A site of one page.
pub(super) struct Single(pub(super) Arc<Run>);

impl Site for Single {
    fn at(&self, path: &str) -> Option<Arc<dyn Shown>> {
        path.is_empty().then(|| self.0.clone() as _)
    }
}
