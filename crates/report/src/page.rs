//! What a page says. Nothing but its title is needed; what is absent is not drawn.

use std::hash::{DefaultHasher, Hash, Hasher};

use hobgoblin_core::{Level, Verdict};

use crate::anomaly::Anomaly;
use crate::block::Block;
use crate::table::Table;

/// What a command has to say, for people. [`Page::html`] writes it.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What was looked at: a file, a program.
    pub title: String,
    /// Which command did, such as `check`.
    pub command: String,
    /// What came of it, in words; where it is empty, the levels are told.
    pub verdict: String,
    /// How to do it again.
    pub again: Option<Again>,
    /// The levels and what became of each, weakest first.
    pub levels: Vec<LevelRow>,
    /// What went wrong.
    pub anomalies: Vec<Anomaly>,
    /// What comes before the anomalies, each under its own heading.
    pub first: Vec<Block>,
    /// The runs of a test.
    pub runs: Option<Runs>,
    /// The transactions of the history.
    pub history: Option<Table>,
    /// Anything else, under its own heading.
    pub blocks: Vec<Block>,
    /// What a reader should know beside: a limit that was reached, what is left out.
    pub notes: Vec<String>,
    /// Of a page that a server has: the number of what it shows. Its script asks for a page of another number.
    pub live: Option<u64>,
}

impl Page {
    /// A page of this title that says nothing yet.
    pub fn new(title: &str) -> Page {
        Page { title: title.to_owned(), ..Page::default() }
    }

    /// The page with a number that is another when the page would say something else, for a server to show.
    pub fn numbered(self) -> Page {
        let mut hasher = DefaultHasher::new();
        self.html().hash(&mut hasher);
        // A number that a script has exactly.
        Page { live: Some(hasher.finish() >> 12), ..self }
    }
}

/// How to do it again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// The command line.
    pub command: String,
    /// The version of hob.
    pub version: String,
    /// The seed, where there is one.
    pub seed: Option<String>,
}

/// What became of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
    /// The check stopped first.
    Unknown,
}

/// A level and what became of it.
#[derive(Clone, Debug)]
pub struct LevelRow {
    /// Its short name.
    pub name: String,
    /// Its name in words.
    pub title: String,
    /// What became of it.
    pub standing: Standing,
    /// Why, in a few words; may be empty.
    pub why: String,
    /// Which of the page's anomalies shows it.
    pub anomaly: Option<usize>,
}

impl LevelRow {
    /// What a verdict says of a level. The caller says which anomaly of the page shows it.
    pub fn of(level: Level, verdict: &Verdict) -> LevelRow {
        let (standing, why) = match verdict {
            Verdict::Consistent(_) => (Standing::Holds, String::new()),
            Verdict::Violation(witness) => (Standing::Violated, witness.anomaly.title().to_owned()),
            Verdict::Unknown(reason) => (Standing::Unknown, reason.to_string()),
        };
        let (name, title) = (level.name().to_owned(), level.info().title.to_owned());
        LevelRow { name, title, standing, why, anomaly: None }
    }
}

/// The runs of a test.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// What happened at each level.
    pub levels: Vec<RunRow>,
    /// The anomalies by name, and how many runs showed each.
    pub anomalies: Vec<(String, u64)>,
}

/// The runs of a test at one level.
#[derive(Clone, Debug, Default)]
pub struct RunRow {
    /// The level, or what else differs between rows.
    pub level: String,
    /// How many runs there were.
    pub runs: u64,
    /// How many of them failed.
    pub failures: u64,
    /// The interval that the rate of failure is in, from 0 to 1, where it is known.
    pub interval: Option<(f64, f64)>,
    /// How many behaviours were seen, where they are counted.
    pub behaviours: Option<u64>,
    /// The seed of the first failing run.
    pub first_seed: Option<String>,
}
