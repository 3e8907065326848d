//! The status page of a store: who does what now, who waits for whom, and the last anomalies it showed.

use std::fmt::Write;
use std::sync::Arc;

use hobgoblin_core::SessionId;
use hobgoblin_report::{Block, Body, Page, RowsAsked};
use hobgoblin_store::{Machine, OpenTransaction, Stats};

use crate::app::App;
use crate::run::Run;
use crate::site::{Shown, Site};

/// The most open transactions that the page lists.
const OPEN: usize = 200;
/// What whoever looks at a history that is not whole has to know.
pub(crate) fn cut(forgotten: u64) -> String {
    format!(
        "the history is not whole: the first {forgotten} transactions are forgotten, and what was read from \
         them; see --keep, or write all to a file with --history"
    )
}

/// The status page as a site of its own.
pub(crate) struct StatusSite(pub(crate) Arc<App>);

impl Site for StatusSite {
    fn at(&self, path: &str) -> Option<Arc<dyn Shown>> {
        path.is_empty().then(|| Arc::new(Status { app: self.0.clone(), has_links: false }) as _)
    }
}

/// The status page of a store.
pub(crate) struct Status {
    pub(crate) app: Arc<App>,
    /// Whether the other routes of HTTP are beside it.
    pub(crate) has_links: bool,
}

impl Shown for Status {
    fn number(&self) -> u64 {
        self.page().live.unwrap_or_default()
    }

    fn html(&self) -> String {
        self.page().html()
    }

    fn rows(&self, asked: &RowsAsked) -> Result<String, u64> {
        self.app.taken.rows(asked)
    }
}

impl Status {
    fn page(&self) -> Page {
        let run = self.app.run();
        let config = &run.config;
        let (stats, level) = (run.store.stats(), config.level);
        let mut page = Page::new(&format!("Hobgoblin store at {} ({level})", level.info().title));
        page.command = "serve".to_owned();
        let (open, named) = run.store.with_machine(|machine| sessions(machine));
        page.verdict = verdict(&run, &stats, &open);
        page.notes.extend(run.divergence().or_else(|| run.incomplete()));
        let forgotten = run.store.forgotten();
        if forgotten > 0 {
            page.notes.push(cut(forgotten));
        }
        page.first
            .push(Block { heading: "Open transactions".to_owned(), body: opened(&open, named) });
        page.blocks.push(numbers("So far", so_far(&stats)));
        page.blocks.push(numbers("Set up", set_up(&run)));
        if self.has_links {
            page.blocks.push(Block { heading: "More".to_owned(), body: links() });
        }
        match self.app.kept("history") {
            Ok(()) if self.app.config.history.is_none() => match self.app.taken.of(&run, &stats) {
                Ok(taken) => {
                    page.anomalies.clone_from(&taken.anomalies);
                    page.history = Some(taken.table.clone());
                    page.notes.extend(taken.note.clone());
                }
                Err(error) => page.notes.push(error.to_string()),
            },
            Ok(()) => {
                let file = self.app.config.history.as_deref().unwrap_or_else(|| "".as_ref());
                page.notes.push(format!(
                    "The history goes to {}; `hob view {0}` shows it.",
                    file.display()
                ));
            }
            Err(_) => page.notes.push(
                "The log goes to a file, and no history is kept; add --history FILE to have one."
                    .to_owned(),
            ),
        }
        page.numbered()
    }
}

/// An open transaction, with the names of its session and of those it waits for.
struct Opened {
    session: String,
    transaction: OpenTransaction,
    waits_for: Vec<String>,
}

/// The open transactions, and how many there are.
fn sessions(machine: &Machine) -> (Vec<Opened>, usize) {
    let all = machine.open_transactions();
    let name = |session: SessionId| {
        machine.session_name(session).map_or_else(|_| String::new(), |name| name.to_string())
    };
    let count = all.len();
    let opened = |transaction: OpenTransaction| Opened {
        session: name(transaction.session),
        waits_for: match transaction.waiting {
            true => machine.blockers(transaction.session).into_iter().map(name).collect(),
            false => Vec::new(),
        },
        transaction,
    };
    // Those who wait are what one looks for.
    let (waiting, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|open| open.waiting);
    (waiting.into_iter().chain(others).take(OPEN).map(opened).collect(), count)
}

fn verdict(run: &Run, stats: &Stats, open: &[Opened]) -> String {
    let waiting = open.iter().filter(|open| open.transaction.waiting).count();
    let mut said = format!(
        "{} and {}",
        counted(stats.sessions, "session"),
        match stats.open {
            1 => "1 open transaction".to_owned(),
            n => format!("{n} open transactions"),
        }
    );
    match waiting {
        0 => {}
        1 => said.push_str(", 1 of them waiting"),
        n => _ = write!(said, ", {n} of them waiting"),
    }
    let _ = match run.started.elapsed().as_secs() {
        0..60 => write!(said, "; started less than a minute ago"),
        seconds @ 60..7200 => write!(said, "; started {} min ago", seconds / 60),
        seconds => write!(said, "; started {} hours ago", seconds / 3600),
    };
    match run.number - 1 {
        0 => {}
        1 => said.push_str(", by a reset"),
        n => _ = write!(said, ", by the last of {n} resets"),
    }
    said.push('.');
    said
}

fn counted(count: impl Into<u64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

fn opened(open: &[Opened], count: usize) -> Body {
    if open.is_empty() {
        return Body::Words(vec!["None.".to_owned()]);
    }
    let head = ["session", "transaction", "level", "events", "statement", "waits for"];
    let row = |open: &Opened| {
        let Opened { session, transaction, waits_for } = open;
        let waits = match (transaction.waiting, waits_for.as_slice()) {
            (false, _) => String::new(),
            (true, []) => "its turn".to_owned(),
            (true, others) => others.join(", "),
        };
        let statement = transaction.statement.clone().unwrap_or_default();
        vec![
            session.clone(),
            transaction.name.clone(),
            transaction.level.to_string(),
            transaction.events.to_string(),
            statement,
            waits,
        ]
    };
    let mut rows: Vec<Vec<String>> = open.iter().map(row).collect();
    if count > open.len() {
        let mut more = vec![String::new(); head.len()];
        more[0] = format!("… and {} more", count - open.len());
        rows.push(more);
    }
    Body::Table { head: head.map(str::to_owned).to_vec(), rows }
}

fn numbers(heading: &str, rows: impl IntoIterator<Item = (&'static str, String)>) -> Block {
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let head = vec!["what".to_owned(), "value".to_owned()];
    Block { heading: heading.to_owned(), body: Body::Table { head, rows } }
}

fn so_far(stats: &Stats) -> [(&'static str, String); 9] {
    [
        ("Requests", stats.requests.to_string()),
        ("Committed", stats.committed.to_string()),
        ("Aborted by their sessions", stats.aborted.to_string()),
        ("Refused by the store", stats.refused.to_string()),
        ("External reads", stats.reads.to_string()),
        ("with more than one version to choose from", stats.open_reads.to_string()),
        ("that did not return the newest", stats.stale_reads.to_string()),
        ("Keys", stats.keys.to_string()),
        ("Versions kept", stats.versions.to_string()),
    ]
}

fn set_up(run: &Run) -> Vec<(&'static str, String)> {
    let config = &run.config;
    let or_unlimited = |limit: Option<String>| limit.unwrap_or_else(|| "unlimited".to_owned());
    let mut said = vec![("Profile", config.profile.to_string()), ("Seed", config.seed.to_string())];
    // Reads of an engine have no choice.
    if config.profile.chooses() {
        said.push(("Policy", config.reading_policy().to_string()));
        said.push(("Window", or_unlimited(config.window.map(|n| format!("{n} commits")))));
        said.push(("Lag", or_unlimited(config.lag.map(|ms| format!("{ms} ms")))));
    }
    said
}

fn links() -> Body {
    let links = [
        ("History as text", "/v1/history?format=txn"),
        ("History as JSON lines", "/v1/history"),
        ("Its verdict", "/v1/check"),
        ("Log", "/v1/log"),
        ("Snapshot", "/v1/snapshot"),
        ("Counters", "/v1/stats"),
        ("Configuration", "/v1/config"),
        ("OpenAPI", "/openapi.json"),
    ];
    Body::Links(links.map(|(said, to)| (said.to_owned(), to.to_owned())).to_vec())
}
