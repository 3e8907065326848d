//! `hob prove`: what SQL transactions can do to each other at a level, or a proof that it is nothing.
//!
//! A file is read and analysed ([`question`], [`examine`]) into a [`report`], which needs the file no more: anomalies have
//! names ([`shape`]), lines ([`source`]), values ([`value`]) and an order of events ([`schedule`]). It is printed for people
//! ([`text`]), as JSON, or for code scanning ([`sarif`]). [`recheck`] asks the questions of a proof again.

mod advice;
mod complaint;
mod examine;
mod page;
mod question;
mod recheck;
mod report;
mod sarif;
mod schedule;
mod shape;
mod source;
mod status;
mod text;
mod value;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ColorChoice;
use hobgoblin_prove::analysis::{Method, Options};
use hobgoblin_prove::certificate::CertificateError;
use hobgoblin_prove::replay::MOST_INSTANCES;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::Conflicts;
use hobgoblin_server::Dialects;

use crate::check::{Progress, Stop, stdin_once};
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::harmless::tell;
use crate::pages::{Junit, Pages, Several};
use crate::style::Style;
use crate::{names, units};

use complaint::{of_certificate, of_solver};
use examine::{Question, examine};
use question::{LevelFlag, LevelParser, Offered, SerialFlag};
use text::Printer;

/// Find what SQL transactions can do to each other at an isolation level, or prove that it is nothing.
///
/// A file has tables and transactions, as SQL with a few comments or as PL/pgSQL functions. An anomaly comes
/// with parameters, rows and an order of events, and was run on a store that allows what the level
/// allows. A proof is for any number of transactions, with any parameters. docs/prove.md has more.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// SQL files, or - for standard input. With --recheck, the file whose proof it should be.
    #[arg(value_name = "FILE", required_unless_present = "recheck")]
    files: Vec<PathBuf>,

    /// The level of all transactions, or NAME=LEVEL of one; may be repeated. EC, MVRC, CC, PC, PSI, SI or
    /// SER; MVRC by default, which is read committed as databases have it: each statement sees what is
    /// committed when it begins.
    #[arg(short, long = "level", value_name = "[NAME=]LEVEL", value_parser = LevelParser)]
    #[arg(hide_possible_values = true)]
    levels: Vec<LevelFlag>,

    /// Two transactions, or one and itself, that never run unaware of each other; may be repeated.
    #[arg(long, value_name = "NAME,NAME", value_parser = question::serial)]
    serial: Vec<SerialFlag>,

    /// What two transactions must both write for the later to see the earlier, at MVRC, PSI and SI: the same
    /// row, as in databases, or the same field of it; rows by default.
    #[arg(long, value_name = "WHAT", value_parser = question::conflicts, hide_possible_values = true)]
    conflicts: Option<Conflicts>,

    /// A file of formulas over vis, ar and WW that executions satisfy besides, such as
    /// `vis(a, b) and vis(b, c) => vis(a, c)`. The level is then EC by default, which asks nothing.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Say what to do: repairs for each anomaly, tried, and the weakest levels without one, of those named
    /// from weak to strong; MVRC,SI,SER by default.
    #[arg(long, value_name = "LEVELS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "MVRC,SI,SER", value_parser = question::offered)]
    advise: Option<Offered>,

    /// Search for cycles of up to N transactions, from 2 to 6; 4 by default. A proof has no such bound.
    #[arg(short, long = "k", value_name = "N", value_parser = instances)]
    k: Option<usize>,

    /// The most rows of a table in the search; by default as many as transactions.
    #[arg(long, value_name = "N", value_parser = rows)]
    rows: Option<usize>,

    /// The solver: z3, cvc5 or the path of one of them; z3 by default.
    #[arg(long, value_name = "SOLVER", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["z3", "cvc5"], clap::builder::StringValueParser::new()))]
    solver: Option<String>,

    /// How long the solver may take for one question, such as 10s; 30s by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    query_timeout: Option<Duration>,

    /// How long a file may take in all, such as 10m; 5m by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    timeout: Option<Duration>,

    /// Search only, and try no proof: what is not found stays unknown.
    #[arg(long, visible_alias = "no-proof")]
    search_only: bool,

    /// How to prove: induction or shortest-path; by default one after the other.
    #[arg(long, value_name = "METHOD", value_parser = question::method, conflicts_with = "search_only")]
    method: Option<Method>,

    /// Keep the questions of a proof in DIR, for any solver to answer again.
    #[arg(long, value_name = "DIR", conflicts_with = "search_only")]
    certificate: Option<PathBuf>,

    /// Ask the questions that --certificate kept in DIR again, and search nothing.
    #[arg(long, value_name = "DIR")]
    #[arg(conflicts_with_all = ["levels", "serial", "conflicts", "spec", "advise", "k", "rows", "timeout", "search_only", "method", "certificate", "sarif", "report", "svg", "markdown", "junit"])]
    recheck: Option<PathBuf>,

    /// Print one JSON object a line and file; docs/prove.schema.json describes it.
    #[arg(long, conflicts_with_all = ["quiet", "sarif"])]
    json: bool,

    /// Print one SARIF 2.1.0 document, for code scanning.
    #[arg(long, conflicts_with = "quiet")]
    sarif: bool,

    #[command(flatten)]
    pages: Pages,

    #[command(flatten)]
    junit: Junit,

    /// Tell how long it took, on a terminal always.
    #[arg(long)]
    timing: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hob prove app.sql                                read committed, as databases have it
  hob prove --level SI --level Transfer=SER app.sql
  hob prove --level SI --certificate proof app.sql
  hob prove --recheck proof --solver cvc5          the same questions to another solver
  hob prove --advise app.sql                       what to change, and which levels suffice
  hob prove --sarif app.sql > app.sarif            for code scanning
  hob prove --advise --report app.html app.sql     as a page, with pictures

Exit codes: 0 proved, 1 an anomaly, confirmed by running it, 2 error, 3 unknown: neither was found.
Of several files, an error beats an anomaly beats an unknown.";

impl Args {
    /// Whether results are JSON, and errors too.
    pub(crate) fn json(&self) -> bool {
        self.json
    }
}

pub(crate) fn run(
    args: &Args,
    color: ColorChoice,
    dialects: Dialects,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    names::note_repeatable_read(args.quiet);
    stdin_once(&args.files)?;
    args.pages.check()?;
    args.junit.check()?;
    let default = Options::new(dialects.postgres);
    let query_limit = args.query_timeout.unwrap_or(default.query_limit);
    // The time is for questions: a file is read however long that takes.
    let stop = Stop::new(None, None)?;
    let solver = Solver::find(args.solver.as_deref()).map_err(|error| of_solver(&error))?;
    if let Some(directory) = &args.recheck {
        let print = recheck::Print { color, json: args.json, quiet: args.quiet };
        return recheck::run(directory, &args.files, &solver, query_limit, &stop, print, out);
    }
    if let Some(directory) = &args.certificate {
        check_place(directory, args.files.len())?;
    }
    let mut options = default;
    options.instances = args.k.unwrap_or(options.instances);
    options.rows = args.rows;
    options.query_limit = query_limit;
    options.limit = args.timeout.unwrap_or(options.limit);
    options.proofs = !args.search_only;
    options.methods = args.method.map_or(options.methods, |method| vec![method]);
    let question = Question {
        levels: &args.levels,
        serial: &args.serial,
        conflicts: args.conflicts.unwrap_or(Conflicts::Rows),
        spec: args.spec.as_deref(),
        offered: args.advise.as_ref(),
        options: &options,
        solver: &solver,
        certificate: args.certificate.as_deref(),
    };
    let progress = Progress::new(args.files.len());
    let printer = Printer::new(color, args.timing);
    let errors = Style::of_stderr(color);
    let mut exit = Exit::Holds;
    let mut reports = Vec::new();
    let mut pages = Several::new("prove", &args.junit);
    let silent = args.quiet || args.sarif || args.pages.silent();
    for path in &args.files {
        if stop.asked() {
            break;
        }
        let report = examine(path, &question, &stop, &progress);
        progress.file_done();
        exit = exit.max(report.exit());
        progress.suspend(|| -> Result<(), Failure> {
            if let Some(error) = &report.error {
                tell(&error.render(errors));
            }
            if args.json {
                writeln!(out, "{}", report.to_json())?;
            } else if !silent {
                printer.report(&report, out)?;
            }
            Ok(out.flush()?)
        })?;
        let violated = report.exit() == Exit::Violation;
        pages.add(&args.pages, &report.file, violated, || {
            (page::summary(&report), page::of(&report))
        });
        if args.sarif {
            reports.push(report);
        }
    }
    progress.finish();
    if args.sarif {
        writeln!(out, "{}", sarif::document(&reports))?;
    }
    pages.write(&args.pages, &args.junit, args.quiet, out)?;
    if stop.asked() {
        tell("interrupted\n");
        exit = exit.max(Exit::Unknown);
    }
    Ok(exit)
}

/// Asked before the work: what takes long to find must not be lost at the end.
fn check_place(directory: &Path, files: usize) -> Result<(), Failure> {
    if files > 1 {
        let help = "prove one file at a time";
        return Err(Diagnostic::new("a certificate is of one file", help).into());
    }
    let is_occupied = std::fs::read_dir(directory).is_ok_and(|mut files| files.next().is_some())
        && !directory.join("proof.json").exists();
    match is_occupied {
        true => {
            Err(of_certificate(&CertificateError::Occupied { path: directory.to_owned() }).into())
        }
        false => Ok(()),
    }
}

fn instances(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (2..=MOST_INSTANCES).contains(number));
    number.ok_or_else(|| format!("expected a number from 2 to {MOST_INSTANCES}"))
}

fn rows(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=100).contains(number));
    number.ok_or_else(|| "expected a number from 1 to 100".to_owned())
}
