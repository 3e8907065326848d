//! `--report`, `--markdown`, `--svg` and `--junit`: what a command found, as a page, a summary, a picture and test cases.

use std::io::Write;
use std::path::{Path, PathBuf};

use hobgoblin_report::{Again, Anomaly, Block, Body, LevelRow, Page, Suite};

use crate::diagnostic::{Diagnostic, Failure};
use crate::harmless::tell;
use crate::output::{self, Replace};
use crate::quoted::one_line;

/// What pages begin with.
const PAGE: Replace = Replace::Earlier("<!doctype html>");
/// What pictures begin with.
const PICTURE: Replace = Replace::Earlier("<svg");

/// What JUnit reports begin with.
pub(crate) const JUNIT: Replace = Replace::Earlier("<?xml");

/// Where pages and pictures go.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Pages {
    /// Write what was found as a page that opens in a browser, offline.
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub(crate) report: Option<PathBuf>,

    /// Draw the first violation into FILE, or - for standard output.
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub(crate) svg: Option<PathBuf>,

    /// Add what was found to FILE as Markdown, such as "$GITHUB_STEP_SUMMARY", or - for standard output.
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub(crate) markdown: Option<PathBuf>,
}

/// Whether pages have all of a history.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Whole {
    /// Put all transactions into the report, also those of a history with more than 20,000.
    #[arg(id = "report_all", long = "report-all", requires = "report", help_heading = None)]
    pub(crate) all: bool,
}

/// Whether a JUnit report is wanted.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Junit {
    /// Write a JUnit report to FILE, over an earlier one if there is one: a case a file and level.
    #[arg(long, value_name = "FILE", help_heading = None)]
    junit: Option<PathBuf>,
}

impl Junit {
    pub(crate) fn wanted(&self) -> bool {
        self.junit.is_some()
    }

    /// Refuses to replace other files, before any work.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.junit.iter().try_for_each(|file| JUNIT.check(file))
    }
}

/// Writes a JUnit report.
pub(crate) fn write_suite(file: &Path, suite: &Suite, out: &mut dyn Write) -> Result<(), Failure> {
    let xml = suite.xml();
    output::write(file, out, JUNIT, |sink| Ok(sink.write_all(xml.as_bytes())?))
}

impl Pages {
    pub(crate) fn wanted(&self) -> bool {
        [&self.report, &self.svg, &self.markdown].into_iter().any(Option::is_some)
    }

    /// Whether one of them is all that is printed.
    pub(crate) fn silent(&self) -> bool {
        self.printed() > 0
    }

    fn printed(&self) -> usize {
        let is_printed = |file: &&Option<PathBuf>| file.as_deref() == Some(Path::new("-"));
        [&self.report, &self.svg, &self.markdown].iter().filter(|file| is_printed(file)).count()
    }

    /// Refuses to replace other files, before any work.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.printed() > 1 {
            let help = "write the others to files";
            return Err(Diagnostic::new(
                "only one of report, picture and summary can be printed",
                help,
            )
            .into());
        }
        self.report.iter().try_for_each(|file| PAGE.check(file))?;
        self.svg.iter().try_for_each(|file| PICTURE.check(file))?;
        match self.markdown.as_deref().filter(|file| file.is_dir()) {
            Some(directory) => {
                let help = "name a file; what it has already stays";
                Err(Diagnostic::new("a directory takes no summary", help).in_path(directory).into())
            }
            None => Ok(()),
        }
    }

    /// Writes them, and says where unless it is to be `quiet`.
    pub(crate) fn write(
        &self,
        page: &Page,
        quiet: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if let Some(file) = &self.report {
            let html = page.html();
            output::write(file, out, PAGE, |sink| Ok(sink.write_all(html.as_bytes())?))?;
            said(file, "report", quiet);
        }
        if let Some(file) = &self.markdown {
            output::append(file, out, &page.markdown())?;
            said(file, "summary", quiet);
        }
        if let Some(file) = &self.svg {
            match page.anomalies.iter().find_map(Anomaly::svg) {
                Some(svg) => {
                    output::write(file, out, PICTURE, |sink| Ok(sink.write_all(svg.as_bytes())?))?;
                    said(file, "picture", quiet);
                }
                None if quiet => {}
                None => tell("there is no violation to draw, so no picture was written\n"),
            }
        }
        Ok(())
    }
}

fn said(file: &Path, what: &str, quiet: bool) {
    if !quiet && file != Path::new("-") {
        tell(&format!("{what}: {}\n", file.display()));
    }
}

/// The page of several files. Anomalies of all are on it where they can be told without their histories; else it is
/// the page of the first file that has one, or of the first, and the others are listed.
#[derive(Debug, Default)]
pub(crate) struct Several {
    page: Option<Page>,
    rows: Vec<Vec<String>>,
    violated: usize,
    /// How many anomalies are not on the page.
    more: usize,
    /// The test cases, where they are wanted.
    suite: Option<Suite>,
}

/// Of more anomalies, only so many are on a page.
const ANOMALIES: usize = 200;

impl Several {
    /// Nothing yet, and no test cases unless they are wanted.
    pub(crate) fn new(command: &str, junit: &Junit) -> Several {
        let name = format!("hob {command}");
        let suite = junit.junit.is_some().then(|| Suite { name, ..Suite::default() });
        Several { suite, ..Several::default() }
    }

    /// Adds a file, what is to say of it in a few words, and its page, which is made where it is needed.
    pub(crate) fn add(
        &mut self,
        pages: &Pages,
        file: &str,
        violated: bool,
        page: impl FnOnce() -> (String, Page),
    ) {
        if !pages.wanted() && self.suite.is_none() {
            return;
        }
        let (summary, page) = page();
        if let Some(suite) = &mut self.suite {
            suite.cases.extend(page.cases());
        }
        self.rows.push(vec![file.to_owned(), summary]);
        self.violated += usize::from(violated);
        match &mut self.page {
            None => self.page = Some(page),
            Some(_) if !violated => {}
            Some(first) if first.anomalies.is_empty() => *first = page,
            Some(first) if first.history.is_none() => {
                let before = first.anomalies.len();
                let room = ANOMALIES.saturating_sub(before);
                self.more += page.anomalies.len().saturating_sub(room);
                let found = page.anomalies.into_iter().take(room);
                first.anomalies.extend(found.map(|anomaly| anomaly.found_in(file)));
                let shifted = |mut row: LevelRow| {
                    row.anomaly = row.anomaly.map(|at| at + before);
                    row
                };
                first.levels.extend(page.levels.into_iter().map(shifted));
            }
            Some(_) => {}
        }
    }

    /// Writes what is wanted.
    pub(crate) fn write(
        mut self,
        pages: &Pages,
        junit: &Junit,
        quiet: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if let (Some(file), Some(suite)) = (&junit.junit, self.suite.take()) {
            write_suite(file, &suite, out)?;
        }
        match self.finish() {
            Some(page) => pages.write(&page, quiet, out),
            None => Ok(()),
        }
    }

    /// One page of all files.
    fn finish(self) -> Option<Page> {
        let Several { page, rows, violated, more, .. } = self;
        let mut page = page?;
        if rows.len() == 1 {
            return Some(page);
        }
        if more > 0 {
            page.notes
                .push(format!("{more} more anomalies are not on this page; see the files alone."));
        }
        if page.history.is_some() || violated < 2 {
            page.notes.push(format!("This page is about {}; the others are listed.", page.title));
        } else {
            page.verdict = format!("Violations in {violated} of {} files.", rows.len());
            page.title = format!("{} and {} more", page.title, rows.len() - 1);
            page.blocks.clear();
        }
        let head = vec!["file".to_owned(), "answer".to_owned()];
        page.blocks.push(Block { heading: "Files".to_owned(), body: Body::Table { head, rows } });
        Some(page)
    }
}

/// How to do the same again.
pub(crate) fn again(seed: Option<u64>) -> Again {
    let mut command: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if let Some(program) = command.first_mut() {
        *program = "hob".to_owned();
    }
    Again {
        command: one_line(&command),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: seed.map(|seed| seed.to_string()),
    }
}
