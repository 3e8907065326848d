//! Explorations that stopped, in files: what was found, and what is left.
//!
//! A file is one JSON object. It names the program by a hash of its text and has the options that decide
//! which ends there are, since going on with anything else would count some ends twice and others never.

use std::io::Write;

use hobgoblin_explore::{Assertion, Checkpoint, Options};
use serde::{Deserialize, Serialize};

use super::program::Loaded;
use super::session::{Explored, Session};
use super::tally::Count;
use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::output;

/// What an earlier exploration found and left.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) histories: u64,
    pub(super) counts: Vec<Count>,
    pub(super) seconds: f64,
    pub(super) left: Checkpoint,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    hobgoblin_explore: u32,
    /// The hash of its text.
    program: String,
    options: String,
    histories: u64,
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

/// The options that decide which ends there are.
fn deciding(options: &Options) -> String {
    let base = options.base.map_or("default", |base| base.name());
    let prune = if options.prune { "" } else { ", not pruned" };
    format!("level {}, base {base}, mode {:?}{prune}", options.level, options.mode).to_lowercase()
}

/// Saves what is left.
pub(super) fn write(
    file: &str,
    loaded: &Loaded,
    session: &Session<'_>,
    explored: &Explored,
    left: &Checkpoint,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let counts = loaded.assertions.iter().zip(&explored.counts);
    let counted = |(assertion, count): (&Assertion, &Count)| Counted {
        name: assertion.name.clone(),
        count: count.clone(),
    };
    let saved = File {
        hobgoblin_explore: VERSION,
        program: loaded.hash.clone(),
        options: deciding(&session.options),
        histories: explored.found.histories,
        seconds: explored.seconds,
        assertions: counts.map(counted).collect(),
        left: left.0.clone(),
    };
    let text = serde_json::to_string(&saved).expect("its numbers are finite");
    output::write(file, out, |sink| Ok(writeln!(sink, "{text}")?))
}

/// Reads what is left of this program at these options.
pub(super) fn read(file: &str, loaded: &Loaded, session: &Session<'_>) -> Result<Resumed, Failure> {
    let refuse = |message: String, help: &str| -> Failure {
        Diagnostic::new(message, help).in_file(file).into()
    };
    let text = std::fs::read_to_string(file).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        refuse(message, "name the file that `--save` wrote")
    })?;
    let saved: File = serde_json::from_str(&text).map_err(|_| {
        let message = "this is no saved exploration".to_owned();
        refuse(message, "name the file that `--save` wrote")
    })?;
    if saved.hobgoblin_explore != VERSION {
        let message = format!("this was saved in version {}", saved.hobgoblin_explore);
        return Err(refuse(message, "explore from the beginning"));
    }
    if saved.program != loaded.hash {
        let message = format!("{} has changed since this was saved", loaded.file);
        return Err(refuse(message, "explore the changed program from the beginning"));
    }
    let options = deciding(&session.options);
    if saved.options != options {
        let message = format!("this was saved with {}, not {options}", saved.options);
        return Err(refuse(message, "go on with the same options"));
    }
    let names = loaded.assertions.iter().map(|assertion| assertion.name.as_str());
    if !names.eq(saved.assertions.iter().map(|counted| counted.name.as_str())) {
        let message = "this was saved with other assertions".to_owned();
        return Err(refuse(message, "name the same ones with `--assertion`"));
    }
    Ok(Resumed {
        histories: saved.histories,
        counts: saved.assertions.into_iter().map(|counted| counted.count).collect(),
        seconds: saved.seconds,
        left: Checkpoint(saved.left),
    })
}
