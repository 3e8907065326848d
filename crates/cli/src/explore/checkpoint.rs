//! Explorations that stopped, in files: what was found, and what is left.
//!
//! A file is one JSON object. It names the program by a hash of its text and has the options that decide
//! which ends there are, since going on with anything else would count some ends twice and others never.
//! So they need not be given again, and may not be given otherwise.

use std::io::Write;
use std::path::Path;

use hobgoblin_core::Level;
use hobgoblin_explore::{Assertion, Checkpoint, Count, Options};
use serde::{Deserialize, Serialize};

use super::program::Loaded;
use super::session::{Explored, Resumed, Session};
use crate::diagnostic::{Diagnostic, Failure, reason, shown};
use crate::output::{self, Replace};

/// What is in a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Saved {
    hobgoblin_explore: u32,
    /// The hash of its text.
    program: String,
    level: String,
    base: Option<String>,
    prune: bool,
    histories: u64,
    end_states: u64,
    seconds: f64,
    assertions: Vec<Counted>,
    left: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Counted {
    name: String,
    #[serde(flatten)]
    count: Count,
}

const VERSION: u32 = 1;

/// Saves what is left.
pub(super) fn write(
    file: &Path,
    session: &Session<'_>,
    explored: &Explored,
    left: &Checkpoint,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let counts = session.loaded.assertions.iter().zip(&explored.assessed.counts);
    let counted = |(assertion, count): (&Assertion, &Count)| Counted {
        name: assertion.name.clone(),
        count: count.clone(),
    };
    let Options { level, base, prune, .. } = session.options;
    let saved = Saved {
        hobgoblin_explore: VERSION,
        program: session.loaded.hash.clone(),
        level: level.name().to_owned(),
        base: base.map(|base| base.name().to_owned()),
        prune,
        histories: explored.assessed.found.histories,
        end_states: explored.assessed.found.end_states,
        seconds: explored.seconds,
        assertions: counts.map(counted).collect(),
        left: left.0.clone(),
    };
    let text = serde_json::to_string(&saved).expect("its numbers are finite");
    // Whether it may be replaced was asked before.
    output::write(file, out, Replace::Anything, |sink| Ok(writeln!(sink, "{text}")?))
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Saved, Failure> {
    let help = "name the file that `--save` wrote";
    let file = &*path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        Diagnostic::new(message, help).in_file(file)
    })?;
    let saved: Option<Saved> = serde_json::from_str(&text).ok();
    let saved = saved.filter(|saved| saved.level().is_some() && saved.base().is_ok());
    let saved =
        saved.ok_or_else(|| Diagnostic::new("this is no saved exploration", help).in_file(file))?;
    if saved.hobgoblin_explore != VERSION {
        let message = format!("this was saved in version {}", saved.hobgoblin_explore);
        return Err(Diagnostic::new(message, "explore from the beginning").in_file(file).into());
    }
    Ok(saved)
}

impl Saved {
    fn level(&self) -> Option<Level> {
        self.level.parse().ok()
    }

    fn base(&self) -> Result<Option<Level>, hobgoblin_core::UnknownLevel> {
        self.base.as_deref().map(str::parse).transpose()
    }

    /// The assertions it counted.
    pub(super) fn assertions(&self) -> Vec<String> {
        self.assertions.iter().map(|counted| counted.name.clone()).collect()
    }

    /// The options it was explored with, where those given do not contradict them.
    pub(super) fn options(
        &self,
        file: &Path,
        level: Option<Level>,
        given: Options,
    ) -> Result<Options, Failure> {
        let own = self.level().unwrap_or(given.level);
        let base = self.base().unwrap_or_default();
        let contradiction = match () {
            () if level.is_some_and(|level| level != own) => format!("level {own}"),
            () if given.base.is_some() && given.base != base => match base {
                Some(base) => format!("base {base}"),
                None => "no base".to_owned(),
            },
            () if !given.prune && self.prune => "pruning".to_owned(),
            () => return Ok(Options { level: own, base, prune: self.prune, ..given }),
        };
        let message = format!("this was saved with {contradiction}");
        let help = "leave out `--level`, `--base` and `--no-prune`, or explore from the beginning";
        Err(Diagnostic::new(message, help).in_path(file).into())
    }

    /// What is left, if it is of this program and these assertions.
    pub(super) fn resume(self, file: &Path, loaded: &Loaded) -> Result<Resumed, Failure> {
        let refuse = |message: String, help: &str| -> Failure {
            Diagnostic::new(message, help).in_path(file).into()
        };
        if self.program != loaded.hash {
            let message = format!("{} has changed since this was saved", shown(&loaded.file));
            return Err(refuse(message, "explore the changed program from the beginning"));
        }
        let names = loaded.assertions.iter().map(|assertion| assertion.name.as_str());
        if !names.eq(self.assertions.iter().map(|counted| counted.name.as_str())) {
            let message = "this was saved with other assertions".to_owned();
            return Err(refuse(message, "leave out `--assertion`"));
        }
        Ok(Resumed {
            histories: self.histories,
            end_states: self.end_states,
            counts: self.assertions.into_iter().map(|counted| counted.count).collect(),
            seconds: self.seconds,
            left: Checkpoint(self.left),
        })
    }
}
