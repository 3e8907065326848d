//! `hob explore`: every behaviour of a small program that a level allows, and what it does to assertions.
//!
//! [`program`] reads the file; [`session`] lets the library explore it and evaluate its assertions, with progress and Ctrl-C;
//! [`report`], [`find`], [`compare`] and [`replay`] are what comes of it as JSON, and [`text`] prints it for people.

mod all;
mod checkpoint;
mod compare;
mod doubt;
mod find;
mod mode;
mod page;
mod program;
mod progress;
mod replay;
mod report;
mod session;
mod text;

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ColorChoice;
use hobgoblin_core::Level;
use hobgoblin_explore::Options;
use serde::Serialize;

use crate::check::GRAPH;
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::output::{self, Replace};
use crate::pages::{Pages, Whole};
use crate::style::Style;
use crate::{names, units};

use checkpoint::Saved;
use mode::ModeName;
use report::Report;
use session::Session;

/// Explore every behaviour of a small program that a level allows.
///
/// A program is sessions of transactions, and assertions about their ends; docs/explore.md teaches its
/// language. Each history is found exactly once, so an assertion that no history breaks is proved for
/// this program; one that is broken comes with the smallest history that does, explained.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The level of transactions that name none of their own, RC by default; see `hob levels`.
    #[arg(short, long, value_name = "LEVEL")]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    level: Option<Level>,

    /// The level at which histories are extended, before the level filters: RU, RC, RA or CC.
    #[arg(long, value_name = "LEVEL")]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    base: Option<Level>,

    /// What is found once: each history, each end state, or each schedule (the baseline).
    #[arg(long, value_name = "MODE", default_value = "histories")]
    mode: ModeName,

    /// Look only at this assertion. Commas separate several.
    #[arg(long = "assertion", value_name = "NAME", value_delimiter = ',')]
    assertions: Vec<String>,

    /// Explore the weaker of two levels, and tell what it allows that the other does not.
    #[arg(long, value_name = "LEVEL,LEVEL", value_delimiter = ',', num_args = 1)]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["level", "find_level", "replay", "save", "resume", "all", "dot", "report", "svg"])]
    compare: Vec<Level>,

    /// Find the weakest level at which all assertions hold.
    #[arg(long)]
    #[arg(conflicts_with_all = ["level", "base", "replay", "save", "resume", "all", "dot", "report", "svg"])]
    find_level: bool,

    /// Show the end of this token again.
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["save", "resume", "all"])]
    replay: Option<String>,

    /// Do not cut branches that cannot reach an end, to compare.
    #[arg(long)]
    no_prune: bool,

    /// How many threads; without it, as many as there are processors, and with --all one.
    #[arg(short = 'j', long, value_name = "N", value_parser = units::jobs)]
    threads: Option<NonZeroUsize>,

    /// Stop after this time, such as 30s or 10m.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    time: Option<Duration>,

    /// Stop after so many histories, such as 5000 or 1M; with --resume, so many more.
    #[arg(long, value_name = "N", value_parser = units::number)]
    max: Option<u64>,

    /// If it stops before the end, save what is left to FILE.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Go on with what FILE has left; if that stops too, it is saved there again.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Write every history to FILE, each with a header, or to numbered files if it ends in /.
    #[arg(long, value_name = "FILE")]
    all: Option<PathBuf>,

    /// Write the first counterexample as a Graphviz graph to FILE, or - to print nothing else.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,

    /// Replace the files of --all and --save if they exist.
    #[arg(long)]
    force: bool,

    /// Print one JSON object; docs/explore.schema.json describes it.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Tell how long it took, on a terminal always.
    #[arg(long)]
    timing: bool,

    #[command(flatten)]
    pages: Pages,

    #[command(flatten)]
    whole: Whole,

    /// Give the proof of the explanation, too, step by step.
    #[arg(long)]
    proof: bool,

    /// Print nothing but errors; the exit code tells.
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hob explore examples/explore/cart.hob --level causal
  hob explore cart.hob --find-level                       the weakest level that is enough
  hob explore cart.hob --compare causal,serializable      what causal consistency adds
  hob explore cart.hob --level SI --time 10m --save left  and later: --resume left
  hob explore cart.hob --replay TOKEN                     one end again, explained

Exit codes: 0 all assertions hold, 1 one is broken, 2 error, 3 unknown (it stopped before the end and
nothing was broken until then, or transactions meet on the set of keys of a table below SER). With
--compare: 1 if the weaker level allows more.";

impl Args {
    /// What is asked of the explorer.
    fn options(&self) -> Options {
        let threads = match (self.threads, &self.all) {
            (Some(threads), _) => Some(threads),
            // One thread finds histories in the same order every time.
            (None, Some(_)) => None,
            (None, None) => std::thread::available_parallelism().ok(),
        };
        Options {
            base: self.base,
            mode: self.mode.into(),
            prune: !self.no_prune,
            threads: threads.map_or(1, NonZeroUsize::get),
            max: self.max,
            time: self.time,
            ..Options::new(self.level.unwrap_or(Level::RC))
        }
    }

    /// What is printed instead of the result, if anything is.
    fn printed(&self) -> Option<&'static str> {
        let Pages { report, svg, markdown } = &self.pages;
        let files = [
            (&self.dot, "the graph"),
            (&self.all, "the histories"),
            (report, "the report"),
            (svg, "the picture"),
            (markdown, "the summary"),
        ];
        files
            .into_iter()
            .find(|(file, _)| file.as_deref() == Some(Path::new("-")))
            .map(|(_, what)| what)
    }

    /// Whether results for people are printed.
    fn talks(&self) -> bool {
        !self.json && !self.quiet && self.printed().is_none()
    }
}

pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    if let (true, Some(what)) = (args.json, args.printed()) {
        let help = format!("write {what} to a file, or leave out `--json`");
        return Err(Diagnostic::new(format!("JSON and {what} cannot both be printed"), help).into());
    }
    if !args.compare.is_empty() && args.compare.len() != 2 {
        let help = "name two, such as `--compare causal,serializable`";
        return Err(Diagnostic::new("two levels are compared", help).into());
    }
    if args.mode != ModeName::Histories && (args.save.is_some() || args.resume.is_some()) {
        let help = "leave out `--mode`, or explore in one go";
        let message = "only the exploration of histories can be saved and resumed";
        return Err(Diagnostic::new(message, help).into());
    }
    names::note_repeatable_read(args.quiet);
    // Asked before the work: what takes hours to find must not be lost at the end.
    if let Some(file) = &args.save
        && args.resume.as_ref() != Some(file)
    {
        Replace::forced(args.force).check(file)?;
    }
    args.pages.check()?;
    if let Some(file) = &args.dot {
        Replace::Earlier(GRAPH).check(file)?;
    }
    let saved = args.resume.as_deref().map(checkpoint::read).transpose()?;
    let (mut options, mut named) = (args.options(), args.assertions.clone());
    if let (Some(saved), Some(file)) = (&saved, &args.resume) {
        options = saved.options(file, args.level, options)?;
        if named.is_empty() {
            named = saved.assertions();
        }
    }
    let loaded = program::load(&args.file, &named)?;
    let style = Style::of_stdout(color);
    let timing = args.timing || std::io::stdout().is_terminal();
    let printer = text::Printer { style, timing, proof: args.proof };
    if let Some(token) = &args.replay {
        let report = replay::replay(&loaded, token)?;
        print(args, &report, out, |out| printer.replay(&report, out))?;
        dot(args, report.end.dot.as_deref(), out)?;
        if args.pages.wanted() {
            args.pages.write(
                &page::of_end(&args.file, &report.end, args.whole.all),
                args.quiet,
                out,
            )?;
        }
        return Ok(report.exit());
    }
    let session = Session::new(&loaded, options);
    if args.find_level {
        let report = find::find(&session)?;
        print(args, &report, out, |out| printer.found_level(&report, out))?;
        return Ok(report.exit());
    }
    if let &[one, two] = args.compare.as_slice() {
        let report = compare::compare(&session, one, two)?;
        print(args, &report, out, |out| printer.comparison(&report, out))?;
        return Ok(report.exit());
    }
    let (report, kept) = explore(args, &session, saved, out)?;
    print(args, &report, out, |out| printer.report(&report, out))?;
    dot(args, report.violations.iter().find_map(|violation| violation.dot()), out)?;
    if args.pages.wanted() {
        let plain = text::Printer { style: Style::PLAIN, ..printer };
        let page = page::of(&report, plain.conclusion(&report), args.whole.all);
        args.pages.write(&page, args.quiet, out)?;
    }
    kept.map(|()| report.exit())
}

/// One exploration, with its files, and whether what is left was saved: if not, what was found is still
/// worth telling.
fn explore(
    args: &Args,
    session: &Session<'_>,
    saved: Option<Saved>,
    out: &mut dyn Write,
) -> Result<(Report, Result<(), Failure>), Failure> {
    let from = match (saved, &args.resume) {
        (Some(saved), Some(file)) => Some(saved.resume(file, session.loaded)?),
        _ => None,
    };
    let explored = match &args.all {
        Some(file) => all::write(file, Replace::forced(args.force), session, from, out)?,
        None => session.explore(from, None)?,
    };
    let mut report = Report::of(session, args.mode, &explored)?;
    report.seconds = report.seconds.filter(|_| args.timing);
    let mut kept = Ok(());
    if let (Some(left), Some(file)) =
        (&explored.assessed.left, args.save.as_ref().or(args.resume.as_ref()))
    {
        kept = checkpoint::write(file, session, &explored, left, out);
        report.saved = kept.is_ok().then(|| file.display().to_string());
    }
    Ok((report, kept))
}

/// Prints a report as JSON or for people.
fn print(
    args: &Args,
    report: &impl Serialize,
    out: &mut dyn Write,
    tell: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    if args.json {
        writeln!(out, "{}", serde_json::to_string(report).expect("reports are JSON"))?;
    } else if args.talks() {
        tell(out)?;
    }
    Ok(())
}

/// Writes a graph where it is asked for and there is one.
fn dot(args: &Args, graph: Option<&str>, out: &mut dyn Write) -> Result<(), Failure> {
    match (&args.dot, graph) {
        (Some(file), Some(graph)) => {
            let fill = |sink: &mut dyn Write| Ok(sink.write_all(graph.as_bytes())?);
            output::write(file, out, Replace::Earlier(GRAPH), fill)
        }
        _ => Ok(()),
    }
}
