//! `hob protocol`: every state of a commit protocol, isolation checked in each.
//!
//! The library searches; [`report`] is what came of it as JSON, and [`text`] prints it for people.

mod explorer;
mod name;
mod page;
mod progress;
mod report;
mod scene;
mod text;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ColorChoice;
use hobgoblin_core::{History, Level};
use hobgoblin_protocol::models::MODELS;
use hobgoblin_protocol::{CLIENT_CENTRIC, Options, Semantics as Meaning, SizeError, tla};

use crate::check::{Semantics, Stop};
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::output::{self, Replace};
use crate::pages::Pages;
use crate::style::Style;
use crate::table::Table;
use crate::{names, units};

pub(crate) use name::Name;
use report::{About, Report, Violation};

/// Explore every interleaving of a commit protocol, and check isolation in every state.
///
/// In each state the transactions observed so far must satisfy the levels asked for: RU, RC, SI, SER and
/// SSER by what clients can observe, the others by their axioms. What is violated comes with a shortest
/// run that leads to it, as a chart of messages. docs/protocol.md has more, and how to write your own.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// 2pc, occ, si or causal; or list, for what they are.
    #[arg(value_name = "NAME", value_parser = names::protocol(), hide_possible_values = true)]
    name: Name,

    /// How many transactions; 2, or with --bug as many as it takes to show.
    #[arg(short, long, value_name = "N")]
    transactions: Option<usize>,

    /// How many resources; 2, or with --bug as many as it takes to show.
    #[arg(short, long, value_name = "M")]
    resources: Option<usize>,

    /// The variant of the protocol that has a bug; `hob protocol list` says which.
    #[arg(long)]
    bug: bool,

    /// A level to check: RU, RC, SI and SER, and what the protocol promises, by default. Commas
    /// separate several; see `hob levels`.
    #[arg(short, long = "level", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    levels: Vec<Level>,

    /// Whether RU, RC, SI, SER and SSER are what clients can observe in states, or axioms.
    #[arg(long, value_name = "SEMANTICS", default_value = "state")]
    semantics: Semantics,

    /// Visit states that differ only by the names of transactions and resources one by one.
    #[arg(long)]
    no_symmetry: bool,

    /// How many threads; without it, as many as there are processors.
    #[arg(short = 'j', long, value_name = "N", value_parser = units::jobs)]
    threads: Option<NonZeroUsize>,

    /// Stop after this time, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    time_limit: Option<Duration>,

    /// Stop when this process uses more memory, such as 500MB or 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory_limit: Option<u64>,

    /// Write what was observed in the first counterexample to FILE, for `hob check --semantics state`.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Write what was observed in the first counterexample to DIR, as modules that TLC can check.
    #[arg(long, value_name = "DIR")]
    tla: Option<PathBuf>,

    /// Walk through the states in a browser, served on this port of 127.0.0.1.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "3000")]
    #[arg(conflicts_with_all = ["json", "history", "tla", "report", "svg", "markdown", "time_limit", "memory_limit", "no_symmetry"])]
    explore: Option<u16>,

    #[command(flatten)]
    pages: Pages,

    /// Replace the files of --history and --tla if they exist.
    #[arg(long)]
    force: bool,

    /// Print one JSON object; docs/protocol.schema.json describes it.
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    /// Tell how long it took, on a terminal always.
    #[arg(long)]
    timing: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long)]
    quiet: bool,
}

impl Args {
    /// Whether results are JSON, and errors too.
    pub(crate) fn json(&self) -> bool {
        self.json
    }
}

const EXAMPLES: &str = "\
Examples:
  hob protocol 2pc --transactions 2 --resources 3     all levels, in every state
  hob protocol 2pc --bug                              the run that breaks it
  hob protocol si --level SER --history skew.txn      write skew, for `hob check`
  hob protocol causal --level CC,PSI --json
  hob protocol 2pc --bug --report 2pc.html            as a page, with a picture
  hob protocol occ --explore                          in a browser

Exit codes: 0 all hold, 1 a level is violated, an invariant is broken or a run never ends, 2 error,
3 unknown (a limit was reached first).";

pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    let Name::Model(model) = args.name else { return list(args, Style::of_stdout(color), out) };
    names::note_repeatable_read(args.quiet);
    let (transactions, resources) = if args.bug { model.shows } else { (2, 2) };
    let transactions = args.transactions.unwrap_or(transactions);
    let resources = args.resources.unwrap_or(resources);
    let fits = |error: SizeError| -> Failure {
        let flag = format!("give another number to `--{}`", error.what);
        Diagnostic::new(error.to_string(), flag).into()
    };
    let made = model.make(transactions, resources, args.bug).map_err(fits)?;
    let levels = match args.levels.is_empty() {
        true => vec![Level::RU, Level::RC, Level::SI, Level::SER, model.promises],
        false => args.levels.clone(),
    };
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok());
    let options = Options::default()
        .levels(levels)
        .semantics(match args.semantics {
            Semantics::State => Meaning::State,
            Semantics::Axiomatic => Meaning::Axiomatic,
        })
        .symmetry(!args.no_symmetry)
        .threads(threads.map_or(1, NonZeroUsize::get));
    if let Some(port) = args.explore {
        return explorer::serve(made, &options, port, args.quiet, out);
    }
    args.pages.check()?;
    let replace = Replace::forced(args.force);
    // Asked before the work: what takes hours to find must not be lost at the end.
    let files = args.tla.iter().flat_map(|place| tla_files(place));
    args.history.iter().cloned().chain(files).try_for_each(|file| replace.check(&file))?;
    if let Some(file) = &args.history {
        output::format_of(file, None, "--history")?;
    }
    let stop = Stop::new(args.time_limit, args.memory_limit)?;
    stop.gently();
    let start = Instant::now();
    let bar = progress::Bar::new(model.name);
    let watch = |progress| bar.show(progress);
    let found = made.search(&options.clone().watch(&watch), &stop.bounded_limits(start));
    bar.finish();
    let about = About { model, bug: args.bug, took: start.elapsed() };
    let report = Report::of(&about, &options, found);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report).expect("reports are JSON"))?;
    } else if !args.quiet && !args.pages.silent() {
        text::Printer::new(color, args.timing).report(&report, out)?;
    }
    if let Some(violation) = report.violations.first() {
        write_files(args, resources, violation, out)?;
    }
    if args.pages.wanted() {
        args.pages.write(&page::of(&report, options.semantics), args.quiet, out)?;
    }
    Ok(report.exit())
}

fn list(args: &Args, style: Style, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.json {
        for model in MODELS {
            let (transactions, resources) = model.shows;
            let line = serde_json::json!({
                "name": model.name, "title": model.title, "promises": model.promises.name(),
                "bug": model.bug,
                "shows": {"transactions": transactions, "resources": resources},
            });
            writeln!(out, "{line}")?;
        }
        return Ok(Exit::Holds);
    }
    let mut table = Table::new(&["name", "protocol", "promises", "with --bug", "which shows in"]);
    for model in MODELS {
        let (transactions, resources) = model.shows;
        table.plain(vec![
            model.name.into(),
            model.title.into(),
            model.promises.name().into(),
            model.bug.into(),
            format!("{transactions} × {resources}"),
        ]);
    }
    table.write(out, style)?;
    Ok(Exit::Holds)
}

/// Writes what was observed in a counterexample where that is asked for.
fn write_files(
    args: &Args,
    resources: usize,
    violation: &Violation,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let replace = Replace::forced(args.force);
    let Some(history) = &violation.history else { return Ok(()) };
    if let Some(file) = &args.history {
        let format = output::format_of(file, None, "--history")?;
        let fill = |sink: &mut dyn Write| hobgoblin_format::write(history, format, sink);
        output::write(file, out, replace, fill)?;
    }
    if let Some(place) = &args.tla {
        std::fs::create_dir_all(place).map_err(|error| Failure::writing(place, error.into()))?;
        let module = tla(MODULE, &violation.observed, resources, &state_levels(history));
        let nothing = "\\* What is assumed in the module is all there is to check.\n";
        for (file, text) in tla_files(place).into_iter().zip([CLIENT_CENTRIC, &module, nothing]) {
            let fill = |sink: &mut dyn Write| Ok(sink.write_all(text.as_bytes())?);
            output::write(&file, out, replace, fill)?;
        }
    }
    Ok(())
}

/// The module of a counterexample.
const MODULE: &str = "Counterexample";

fn tla_files(place: &Path) -> [PathBuf; 3] {
    ["ClientCentric.tla", "Counterexample.tla", "Counterexample.cfg"].map(|name| place.join(name))
}

/// What a history says to the state-based levels that need no times.
fn state_levels(history: &History) -> Vec<(Level, bool)> {
    use hobgoblin_check::Limits;
    use hobgoblin_check::state::{StateVerdict, check_state};
    let holds = |level: Level| {
        let verdict = check_state(history, level, &Limits::none());
        (level, matches!(verdict, Ok(StateVerdict::Consistent(_))))
    };
    [Level::RU, Level::RC, Level::SI, Level::SER].map(holds).to_vec()
}
