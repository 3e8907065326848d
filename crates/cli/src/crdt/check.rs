//! `hob crdt check`: which histories are admitted, and if not, why not.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ColorChoice;
use hobgoblin_core::StopReason;
use hobgoblin_crdt::DataType;
use hobgoblin_format::ReadError;

use super::examine::{Question, examine};
use super::input::{Entry, entries};
use super::page;
use super::report::Report;
use super::text::Printer;
use crate::check::{Progress, Stop, in_order, stdin_once};
use crate::diagnostic::{Diagnostic, Failure, shown};
use crate::exit::Exit;
use crate::harmless::tell;
use crate::pages::{Junit, Pages, Several};
use crate::style::Style;
use crate::{names, units};

/// Check whether histories of a replicated data type are admitted by its specification.
///
/// A file is one history as a JSON object, or one on every line. Of several histories each gets a line,
/// and the first violation of each type is explained.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Histories: files, also compressed, or - for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The type of histories that do not say it: aw-set, rw-set, ew-flag, dw-flag, mvr, lww, counter, rga
    /// or list. One that says another is an error.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = names::data_type())]
    #[arg(hide_possible_values = true)]
    data_type: Option<DataType>,

    /// Stop the check of a history after this time, such as 500ms, 10s or 5m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    time_limit: Option<Duration>,

    /// Stop when this process uses more memory, such as 500MB or 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory_limit: Option<u64>,

    /// How many histories to check at once; without it, as many as there are processors.
    #[arg(short, long, value_name = "N", value_parser = units::jobs)]
    jobs: Option<NonZeroUsize>,

    /// Replay the execution that explains a history independently.
    #[arg(long)]
    verify: bool,

    /// Explain every violation, not only the first of each type.
    #[arg(long)]
    all_explanations: bool,

    /// Print one JSON object a line and history; docs/crdt.schema.json describes it.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    #[command(flatten)]
    pages: Pages,

    #[command(flatten)]
    junit: Junit,

    /// Tell how long each history took.
    #[arg(long)]
    timing: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hob crdt check examples/crdt/*.json
  hob crdt check --type mvr --time-limit 10s runs.jsonl.gz
  hob crdt check --report runs.html runs.jsonl        as a page, with a picture
  hob crdt check --json runs.jsonl | jq -r 'select(.verdict == \"violation\") | .violation.reads[]'

Exit codes: 0 all are admitted, 1 a violation, 2 error, 3 unknown; of several histories, an error
beats a violation beats an unknown.";

/// Files are read until there is so much to check at once.
const BATCH_HISTORIES: usize = 256;
const BATCH_BYTES: usize = 1 << 26;

/// What to do about a history, or about a file of which there is none.
enum Task {
    Check(Entry),
    Failed(String, Diagnostic),
    Stopped(String, StopReason),
}

/// Histories that are checked at once, and whether somebody asked to stop while they were read.
#[derive(Default)]
struct Batch {
    tasks: Vec<Task>,
    files: usize,
    interrupted: bool,
}

pub(super) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    stdin_once(&args.files)?;
    args.pages.check()?;
    args.junit.check()?;
    let stop = Stop::new(args.time_limit, args.memory_limit)?;
    let progress = Progress::new(args.files.len());
    let question = Question { data_type: args.data_type, verify: args.verify, witness: args.json };
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok());
    let mut printer = Printer::new(color, args.timing, args.all_explanations);
    let errors = Style::of_stderr(color);
    let (mut exit, mut count) = (Exit::Holds, 0);
    let mut pages = Several::new("crdt check", &args.junit);
    let silent = args.quiet || args.pages.silent();
    let mut files = args.files.iter();
    let mut interrupted = false;
    while files.len() > 0 && !interrupted {
        let batch = Batch::read(&mut files, &stop, &progress);
        let expected = count + batch.tasks.len();
        printer.many |= args.files.len() > 1 || batch.tasks.len() > 1;
        let work = |task: &Task| {
            let report = |file: &str| Report { file: file.to_owned(), ..Report::default() };
            match task {
                Task::Check(entry) => {
                    progress.doing(|| match entry.line {
                        Some(line) => format!("checking {}:{line}", shown(&entry.file)),
                        None => format!("checking {}", shown(&entry.file)),
                    });
                    examine(entry, question, &stop)
                }
                Task::Failed(file, error) => {
                    Some(Report { error: Some(error.clone()), ..report(file) })
                }
                Task::Stopped(file, reason) => Some(report(file).unknown(reason, " while reading")),
            }
        };
        in_order(&batch.tasks, jobs.map_or(1, NonZeroUsize::get), work, |report: Report| {
            count += 1;
            exit = exit.max(report.exit());
            progress.suspend(|| -> Result<(), Failure> {
                if let Some(error) = &report.error {
                    tell(&error.render(errors));
                }
                if args.json {
                    writeln!(out, "{}", report.to_json())?;
                } else if !silent {
                    printer.history(&report, out)?;
                }
                Ok(out.flush()?)
            })?;
            let violated = report.violation.is_some();
            let page = || (page::summary(&report), page::of(&report));
            pages.add(&args.pages, &report.name(), violated, page);
            Ok(())
        })?;
        (0..batch.files).for_each(|_| progress.file_done());
        interrupted = batch.interrupted || count < expected;
    }
    progress.finish();
    if !args.json && !silent {
        printer.summary(out)?;
    }
    pages.write(&args.pages, &args.junit, args.quiet, out)?;
    if interrupted {
        let histories = if count == 1 { "history" } else { "histories" };
        tell(&format!("interrupted after {count} {histories}\n"));
        exit = exit.max(Exit::Unknown);
    }
    Ok(exit)
}

impl Batch {
    /// Reads files until there is enough to do.
    fn read(files: &mut std::slice::Iter<'_, PathBuf>, stop: &Stop, progress: &Progress) -> Batch {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while batch.tasks.len() < BATCH_HISTORIES && bytes < BATCH_BYTES {
            let may_wait = files.as_slice().first().is_some_and(|path| may_wait(path));
            if may_wait && !batch.tasks.is_empty() {
                break;
            }
            let Some(path) = files.next() else { break };
            let file = path.display().to_string();
            progress.doing(|| format!("reading {file}"));
            let limits = stop.bounded_limits(Instant::now());
            batch.files += 1;
            match entries(path, &|| limits.check().err()) {
                Ok(entries) => {
                    bytes += entries.iter().map(|entry| entry.text().len()).sum::<usize>();
                    batch.tasks.extend(entries.into_iter().map(Task::Check));
                }
                Err(ReadError::Stopped { reason: StopReason::Interrupted, .. }) => {
                    batch.interrupted = true;
                    break;
                }
                Err(ReadError::Stopped { reason, .. }) => {
                    batch.tasks.push(Task::Stopped(file, reason))
                }
                Err(ReadError::Empty { .. }) => {
                    let help = "whoever should have written it may have failed";
                    let error = Diagnostic::new("this file is empty", help).in_file(file.clone());
                    batch.tasks.push(Task::Failed(file, error));
                }
                Err(error) => batch.tasks.push(Task::Failed(file, error.into())),
            }
            // From now on there is something to tell.
            stop.gently();
        }
        batch
    }
}

/// Whether reading this may take until somebody writes; what is known by then is told before.
fn may_wait(path: &Path) -> bool {
    path == Path::new("-") || path.metadata().is_ok_and(|found| !found.is_file())
}
