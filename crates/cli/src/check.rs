//! `hob check`: which levels do histories satisfy, and if not, why not.
//!
//! Files are examined by a few threads ([`workers`]), each into a [`Report`] that needs the history no
//! more ([`examine`]), and reports are printed in the order of the files ([`text`], or as JSON).

mod examine;
mod files;
mod follow;
mod page;
mod progress;
mod question;
mod report;
mod state;
mod stop;
mod text;
mod workers;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ColorChoice;
use hobgoblin_core::Level;
use hobgoblin_format::Format;

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::harmless::tell;
use crate::initial::InitialTransaction;
use crate::output::{self, Replace};
use crate::pages::{Junit, Pages, Several, Whole};
use crate::style::Style;
use crate::{names, units};

pub(crate) use files::stdin_once;
pub(crate) use page::served;
pub(crate) use progress::Progress;
pub(crate) use question::Semantics;
use question::{Explain, Held, Levels, Question};
use report::Report;
pub(crate) use stop::Stop;
use text::Printer;
pub(crate) use workers::in_order;

/// Check histories against isolation levels.
///
/// Without --level, every level from read uncommitted to serializability is checked, and strict
/// serializability if the history has times. The exit code is then 1 if any of them but read
/// uncommitted is violated.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Histories: files, directories of Cobra's logs, or - for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// A level to check; see `hob levels` for their names. Commas separate several.
    #[arg(short, long = "level", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    levels: Vec<Level>,

    /// Check each transaction at the level it asked for, or at DEFAULT (SER) if at none.
    #[arg(long, value_name = "DEFAULT", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "SER", conflicts_with = "levels")]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    mixed: Option<Level>,

    /// Whether levels are axioms, or what clients can observe in states.
    #[arg(long, value_name = "SEMANTICS", default_value = "axiomatic")]
    #[arg(default_value_if("execution", clap::builder::ArgPredicate::IsPresent, "state"))]
    #[arg(conflicts_with = "mixed")]
    semantics: Semantics,

    /// Show the read states of this execution, and whether it passes (state semantics).
    #[arg(long, value_name = "T1,T2,…", value_delimiter = ',')]
    execution: Option<Vec<String>>,

    /// The format of the files (see `hob formats`); without it, the content tells.
    #[arg(short, long, value_name = "FORMAT", value_parser = names::format())]
    #[arg(hide_possible_values = true)]
    format: Option<Format>,

    /// Whether a transaction that writes the initial value of every key is the initial one. Only
    /// other tools' files have such.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    initial_transaction: InitialTransaction,

    /// Take all histories in directories, and in those within.
    #[arg(short, long)]
    recursive: bool,

    /// Check RC, RA and CC while transactions are appended to a jsonl file or standard input.
    ///
    /// It ends with the input (a file never ends, it may grow), when all levels are violated, at a
    /// limit, or at Ctrl-C, and then tells what it knows.
    #[arg(long, conflicts_with_all = ["mixed", "execution", "recursive", "dot", "report", "svg"])]
    follow: bool,

    /// Stop the check of a file after this time, such as 500ms, 10s or 5m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    time_limit: Option<Duration>,

    /// Stop when this process uses more memory, such as 500MB or 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory_limit: Option<u64>,

    /// How many files to check at once; without it, as many as there are processors.
    #[arg(short, long, value_name = "N", value_parser = units::jobs)]
    jobs: Option<NonZeroUsize>,

    /// Check every answer's certificate independently.
    #[arg(long)]
    verify: bool,

    /// Explain every violated level of every file, not only the first.
    #[arg(long)]
    all_explanations: bool,

    /// Give the proof of every explanation, too, step by step.
    #[arg(long)]
    proof: bool,

    /// Print one JSON object a line and file; docs/check.schema.json describes it.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Write the first violation as a Graphviz graph to FILE, or - to print nothing else.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,

    #[command(flatten)]
    pages: Pages,

    #[command(flatten)]
    whole: Whole,

    #[command(flatten)]
    junit: Junit,

    /// Tell how long reading and each level took.
    #[arg(long)]
    timing: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hob check history.jsonl
  hob check --level snapshot --level serializable --time-limit 1m history.edn
  hob check --json runs/*.txn.gz | jq -r 'select(.levels.SI.verdict == \"violated\") | .file'
  hob check --dot - history.txn | dot -Tsvg > violation.svg

Exit codes: 0 all hold, 1 a level is violated, 2 error, 3 unknown; of several files, an error
beats a violation beats an unknown.";

/// How a graph begins.
pub(crate) const GRAPH: &str = "digraph";

impl Args {
    fn question(&self) -> Question {
        Question {
            levels: match self.mixed {
                Some(default) => Levels::Mixed(default),
                None if self.levels.is_empty() => Levels::All,
                None => Levels::Chosen(self.levels.clone()),
            },
            semantics: self.semantics,
            execution: self.execution.clone(),
            format: self.format,
            initial_transaction: self.initial_transaction,
            verify: self.verify,
            explain: match () {
                () if self.json || self.quiet => Explain::Nothing,
                () if self.all_explanations => Explain::All,
                () => Explain::First,
            },
            proof: self.proof,
            json: self.json,
            dot: self.dot.is_some(),
            page: (self.pages.wanted() || self.junit.wanted()).then_some(match self.whole.all {
                true => Held::All,
                false => Held::Part,
            }),
            timing: self.timing,
        }
    }
}

pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    let question = args.question();
    if question.execution.is_some() && question.semantics == Semantics::Axiomatic {
        let help = "leave out `--semantics axiomatic`";
        return Err(Diagnostic::new("an execution has states, not axioms", help).into());
    }
    if args.json && args.dot.as_deref() == Some(Path::new("-")) {
        let help = "write the graph to a file, or leave out `--json`";
        return Err(Diagnostic::new("JSON and the graph cannot both be printed", help).into());
    }
    if question.semantics == Semantics::State
        && let Some(undefined) = state::undefined(&question.levels)
    {
        return Err(undefined.into());
    }
    names::note_repeatable_read(args.quiet);
    if let Some(file) = &args.dot {
        Replace::Earlier(GRAPH).check(file)?;
    }
    args.pages.check()?;
    args.junit.check()?;
    let stop = Stop::new(args.time_limit, args.memory_limit)?;
    if args.follow {
        return follow::run(&args.files, &question, &stop, args.quiet, out);
    }
    let files = files::list(&args.files, args.recursive)?;
    stdin_once(&files)?;
    let progress = Progress::new(files.len());
    let silent = args.quiet || args.dot.as_deref() == Some(Path::new("-")) || args.pages.silent();
    let mut printer = Printer::new(Style::of_stdout(color), files.len() > 1, args.all_explanations);
    let errors = Style::of_stderr(color);
    let mut exit = Exit::Holds;
    let mut dot = None;
    let mut pages = Several::new("check", &args.junit);
    let mut count = 0;
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok());
    let examine = |file: &PathBuf| examine::examine(file, &question, &stop, &progress);
    in_order(&files, jobs.map_or(1, NonZeroUsize::get), examine, |mut report: Report| {
        count += 1;
        exit = exit.max(report.exit(&question.levels));
        progress.suspend(|| -> Result<(), Failure> {
            if let Some(error) = &report.error {
                tell(&error.render(errors));
            }
            if args.json {
                writeln!(out, "{}", report.to_json())?;
            } else if !silent {
                printer.file(&report, out)?;
            }
            Ok(out.flush()?)
        })?;
        dot = dot.take().or_else(|| report.dot());
        let (file, violated) = (report.file.clone(), report.violations().next().is_some());
        pages.add(&args.pages, &file, violated, || (page::summary(&report), page::of(&mut report)));
        Ok(())
    })?;
    progress.finish();
    if !args.json && !silent {
        printer.summary(out)?;
    }
    if count < files.len() {
        tell(&format!("interrupted after {count} of {} files\n", files.len()));
        exit = exit.max(Exit::Unknown);
    }
    if let (Some(file), Some(graph)) = (&args.dot, dot) {
        let fill = |sink: &mut dyn Write| Ok(sink.write_all(graph.as_bytes())?);
        output::write(file, out, Replace::Earlier(GRAPH), fill)?;
    }
    pages.write(&args.pages, &args.junit, args.quiet, out)?;
    Ok(exit)
}
