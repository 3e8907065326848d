//! `hob test`: runs a command many times against stores of weak isolation.
//!
//! Flags and `hob.toml` ([`mod@file`]) become a plan; the runner makes the runs; [`text`] tells what they
//! came to.

mod baseline;
mod file;
mod junit;
mod options;
mod page;
mod progress;
mod text;
mod words;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ColorChoice;
use hobgoblin_runner::{Report, RunnerError, logged_command, replay};
use hobgoblin_server::Dialects;
use signal_hook::flag;

use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::exit::{Exit, INTERRUPTED};
use crate::mysql;
use crate::names;
use crate::pages::{self, Pages, Whole};
use crate::quoted::one_line;
use crate::signals;
use crate::style::Style;

use options::Options;
use progress::Progress;

/// Run a command until weak isolation breaks it.
///
/// Every run gets a fresh store of its own, whose address is in HOB_HTTP_URL, and in DATABASE_URL
/// and PGHOST, PGPORT, … for PostgreSQL clients, and in HOB_MYSQL_URL for those of MySQL; whichever
/// comes first decides the profile. A run fails when the command exits with another code than 0. In
/// the first runs transactions come one at a time: a test that fails there fails without weak
/// isolation. Defaults can be in `hob.toml`, section [test]; see docs/test.md.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,

    /// Run a failing run again, from the log that was saved.
    #[arg(long, value_name = "FILE", help_heading = None)]
    replay: Option<PathBuf>,

    /// Run the command that a log has in it without asking.
    #[arg(short, long, requires = "replay", help_heading = None)]
    yes: bool,

    /// Print the report as JSON; docs/test.schema.json describes it.
    #[arg(long, conflicts_with = "quiet", help_heading = None)]
    pub(crate) json: bool,

    #[command(flatten)]
    pages: Pages,

    #[command(flatten)]
    whole: Whole,

    /// Give the proofs of what is explained, too, step by step.
    #[arg(long, help_heading = None)]
    proof: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long, help_heading = None)]
    quiet: bool,

    /// The command, and its arguments.
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  hob test -- ./cart-test                              100 runs at read committed
  hob test --level causal --until-fail --time 5m -- pytest -q tests/cart.py
  hob test --find-level --jobs 4 --setup ./fixtures.sh -- ./cart-test
  hob test --replay hob-failures/RC-seed13.log.jsonl

Exit codes: 0 nothing failed, 1 a run failed, 2 error, 3 nothing can be said (the test fails
without weak isolation, no run used its store, or it was interrupted).";

pub(crate) fn run(
    args: &Args,
    color: ColorChoice,
    dialects: Dialects,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let defaults = file::find(Path::new("."))?;
    let options = args.options.clone().or(defaults.options);
    let command = match args.command.is_empty() {
        true => defaults.command,
        false => args.command.clone(),
    };
    let to_mysql = options.mysql && args.replay.is_none();
    match to_mysql {
        true => names::note_repeatable_read_of(args.quiet, &options.mysql_store()),
        false => names::note_repeatable_read(args.quiet),
    }
    if let Some(file) = &options.junit {
        pages::JUNIT.check(file)?;
    }
    args.pages.check()?;
    let stop = stop_flag();
    let style = Style::of_stdout(color);
    if let Some(log) = &args.replay {
        // The log knows its command; what the file has is for new runs.
        let command = Some(args.command.clone()).filter(|command| !command.is_empty());
        let timeout = options.plan(Vec::new(), dialects).timeout;
        if command.is_none() && !args.yes {
            confirm(log)?;
        }
        let report = replay(log, command, timeout, &stop, dialects).map_err(explain)?;
        if args.pages.wanted() {
            args.pages.write(&page::of_replay(&report, args.whole.all, &stop), args.quiet, out)?;
        }
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&report).expect("reports are JSON"))?;
        } else if !args.quiet && !args.pages.silent() {
            text::replay(&report, args.proof, style, out)?;
        }
        return Ok(match (&report.failure, &report.divergence) {
            (Some(_), _) => Exit::Violation,
            (None, Some(_)) => Exit::Unknown,
            (None, None) => Exit::Holds,
        });
    }
    if command.is_empty() {
        let help = "name it after `--`: hob test -- ./my-test, or as `command` in hob.toml";
        return Err(Diagnostic::new("there is no command to run", help).into());
    }
    options.store.check_sql()?;
    if options.mysql {
        mysql::check()?;
    }
    let plan = options.plan(command, dialects);
    let progress = Progress::new();
    let result = hobgoblin_runner::run(&plan, &stop, &progress);
    let times = progress.finish();
    let mut report = result.map_err(explain)?;
    if options.find_level {
        report.find_weakest();
    }
    if let Some(file) = &options.junit {
        pages::write_suite(file, &junit::suite(&report, &times), out)?;
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("reports are JSON"))?;
    } else if !args.quiet && !args.pages.silent() {
        text::report(&report, args.proof, style, out)?;
    }
    if args.pages.wanted() {
        args.pages.write(&page::of(&report, args.whole.all, &stop), args.quiet, out)?;
    }
    Ok(exit(&report))
}

/// Shows the command that a log has in it and asks whether to run it: a log may come from anywhere.
fn confirm(log: &Path) -> Result<(), Failure> {
    // A log without a command is refused when it is replayed.
    let Some(command) = logged_command(log).map_err(explain)? else { return Ok(()) };
    let shown = one_line(&command);
    let refused = |message: String| {
        let help = "read the command, then run it with `--yes`, or name another after `--`";
        Failure::from(Diagnostic::new(message, help).in_file(log.display().to_string()))
    };
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(refused(format!("this log runs a command, which nobody confirms: {shown}")));
    }
    eprint!("{} runs this command:\n  {shown}\nRun it? [y/N] ", log.display());
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    match (read, answer.trim().to_ascii_lowercase().as_str()) {
        (Ok(_), "y" | "yes") => Ok(()),
        _ => Err(refused(format!("the command was not run: {shown}"))),
    }
}

/// What a report says to a script.
fn exit(report: &Report) -> Exit {
    if report.baseline.stops() {
        Exit::Unknown
    } else if report.failed() {
        Exit::Violation
    } else if report.interrupted || report.used() == 0 {
        Exit::Unknown
    } else if report.weakest_passing.is_some() && !report.could_fail() {
        // A level was asked for, and none can be named.
        Exit::Unknown
    } else {
        Exit::Holds
    }
}

/// A flag that Ctrl-C sets, and so do SIGTERM and SIGHUP; a second time, the process ends at once.
pub(crate) fn stop_flag() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in signals::that_end() {
        // In the order in which they run; without a handler, the signal ends the process as ever.
        let _ = flag::register_conditional_shutdown(signal, INTERRUPTED, asked.clone())
            .and_then(|_| flag::register(signal, asked.clone()));
    }
    asked
}

fn explain(error: RunnerError) -> Failure {
    let help = error.help();
    let mut diagnostic = Diagnostic::new(error.to_string(), help);
    match error {
        RunnerError::Start { command, source } => {
            diagnostic.message = format!("cannot start {command:?}: {}", reason(&source));
        }
        RunnerError::Setup { output, .. } => {
            let printed = match output.text.trim().is_empty() {
                true => "it printed nothing".to_owned(),
                false => format!("it printed:\n{}", words::quoted(&output).trim_end()),
            };
            diagnostic.message = format!("{}; {printed}", diagnostic.message);
        }
        RunnerError::Log { path, line, .. } => {
            diagnostic.file = Some(path.display().to_string());
            diagnostic.line = line;
        }
        RunnerError::Save { path, .. }
        | RunnerError::Cache { path, .. }
        | RunnerError::NoCommand { path } => {
            diagnostic.file = Some(path.display().to_string());
        }
        _ => {}
    }
    diagnostic.into()
}
