//! `hob test`: runs a command many times against stores of weak isolation.
//!
//! Flags and `hob.toml` ([`mod@file`]) become a plan; the runner makes the runs; [`text`] tells what they
//! came to.

mod baseline;
mod file;
mod progress;
mod text;

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::ColorChoice;
use hobgoblin_core::Level;
use hobgoblin_runner::{Budget, Plan, Report, RunnerError, junit, logged_command, replay};
use hobgoblin_store::Config;
use signal_hook::flag;

use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::exit::{Exit, INTERRUPTED};
use crate::output::{self, Replace};
use crate::signals;
use crate::store_flags::{HOLD, StoreFlags};
use crate::style::Style;
use crate::{names, units};

use progress::Progress;

/// What a JUnit report may replace.
const JUNIT: Replace = Replace::Earlier("<?xml");

/// Run a command until weak isolation breaks it.
///
/// Every run gets a fresh store of its own, whose address is in HOB_HTTP_URL, and in DATABASE_URL
/// and PGHOST, PGPORT, … for PostgreSQL clients; whichever comes first decides the profile. A run
/// fails when the command exits with another code than 0. In the first runs transactions come one
/// at a time: a test that fails there fails without weak isolation. Defaults can be in `hob.toml`,
/// section [test]; see docs/test.md.
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

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long, help_heading = None)]
    quiet: bool,

    /// The command, and its arguments.
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    command: Vec<String>,
}

/// What `hob.toml` may say too.
#[derive(Clone, Debug, Default, clap::Args)]
struct Options {
    /// A level to run at; RC by default. Commas separate several; see `hob levels`.
    #[arg(short, long = "level", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    levels: Vec<Level>,

    /// Run at every level, and tell the weakest at which nothing failed.
    #[arg(long, conflicts_with = "levels")]
    find_level: bool,

    /// How many runs at each level; 100 by default.
    #[arg(short = 'n', long, value_name = "N", value_parser = units::number32)]
    runs: Option<u32>,

    /// Stop at the first failure; without --runs and --time, run until there is one.
    #[arg(long)]
    until_fail: bool,

    /// Stop after this time, shared by the levels, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    time: Option<Duration>,

    /// How many runs go on at once; 1 by default.
    #[arg(short, long, value_name = "N", value_parser = units::jobs)]
    jobs: Option<NonZeroUsize>,

    /// The seed of the first run; the next has the next. 0 by default.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// How many runs with one transaction at a time come first; 3 by default.
    #[arg(long, value_name = "N", value_parser = units::number32)]
    baseline_runs: Option<u32>,

    /// A shell command that prepares the data once; every run starts with what it leaves.
    #[arg(long, value_name = "CMD")]
    setup: Option<String>,

    /// End the setup after this time, which is an error; 10m by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    setup_timeout: Option<Duration>,

    /// Keep what the setup leaves in FILE, and take it from there the next time.
    #[arg(long, value_name = "FILE")]
    setup_cache: Option<PathBuf>,

    /// End a run after this time, and count it as a hang; 60s by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    timeout: Option<Duration>,

    /// The directory for logs and histories of failing runs; hob-failures by default. What is there
    /// stays.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write a JUnit report to FILE, over an earlier one if there is one.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlags,
}

const EXAMPLES: &str = "\
Examples:
  hob test -- ./cart-test                              100 runs at read committed
  hob test --level causal --until-fail --time 5m -- pytest -q tests/cart.py
  hob test --find-level --jobs 4 --setup ./fixtures.sh -- ./cart-test
  hob test --replay hob-failures/RC-seed13.log.jsonl

Exit codes: 0 nothing failed, 1 a run failed, 2 error, 3 nothing can be said (the test fails
without weak isolation, no run used its store, or it was interrupted).";

impl Options {
    /// These, and where they say nothing, those of a file. Levels on the command line are instead of all
    /// levels in the file, and so is how long to run.
    fn or(self, mut file: Options) -> Options {
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
    fn with(self, other: Options) -> Options {
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
            store: self.store.or(other.store),
        }
    }

    fn plan(&self, command: Vec<String>) -> Plan {
        let default = Plan::new(command);
        let seed = self.seed.unwrap_or(0);
        let store = Config { seed, ..self.store.config() };
        let sql_store = Config { seed, ..self.store.sql_config() };
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
            granularity: self.store.granularity,
            settings: self.store.pg_set.clone(),
            all_levels: self.find_level,
            hold: self.store.hold.or(Some(HOLD)),
            schedule: self.store.schedule.unwrap_or_default(),
            delay: self.store.delays(),
            out: self.out.clone().unwrap_or_else(|| default.out.clone()),
            ..default
        };
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

pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    let defaults = file::find(Path::new("."))?;
    let options = args.options.clone().or(defaults.options);
    let command = match args.command.is_empty() {
        true => defaults.command,
        false => args.command.clone(),
    };
    names::note_repeatable_read(args.quiet);
    if let Some(file) = &options.junit {
        JUNIT.check(file)?;
    }
    let stop = stop_flag();
    let style = Style::of_stdout(color);
    if let Some(log) = &args.replay {
        // The log knows its command; what the file has is for new runs.
        let command = Some(args.command.clone()).filter(|command| !command.is_empty());
        let timeout = options.plan(Vec::new()).timeout;
        if command.is_none() && !args.yes {
            confirm(log)?;
        }
        let report = replay(log, command, timeout, &stop).map_err(explain)?;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&report).expect("reports are JSON"))?;
        } else if !args.quiet {
            text::replay(&report, style, out)?;
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
    let plan = options.plan(command);
    let progress = Progress::new();
    let result = hobgoblin_runner::run(&plan, &stop, &progress);
    let times = progress.finish();
    let mut report = result.map_err(explain)?;
    if options.find_level {
        report.find_weakest();
    }
    if let Some(file) = &options.junit {
        let xml = junit(&report, &times);
        output::write(file, out, JUNIT, |sink| Ok(sink.write_all(xml.as_bytes())?))?;
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("reports are JSON"))?;
    } else if !args.quiet {
        text::report(&report, style, out)?;
    }
    Ok(exit(&report))
}

/// Shows the command that a log has in it and asks whether to run it: a log may come from anywhere.
fn confirm(log: &Path) -> Result<(), Failure> {
    // A log without a command is refused when it is replayed.
    let Some(command) = logged_command(log).map_err(explain)? else { return Ok(()) };
    let shown = text::one_line(&command);
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
                false => format!("it printed:\n{}", text::quoted(&output).trim_end()),
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
