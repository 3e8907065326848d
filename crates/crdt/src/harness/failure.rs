//! What was found, and how people are told.

use std::fmt;
use std::panic::Location;

use crate::error::CrdtError;
use crate::history::CrdtHistory;
use crate::verdict::CrdtVerdict;

/// A history of a library that it must not have, as small as could be found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The seed of the history: [`Config::seed`](super::Config::seed) with this one makes it the first.
    pub seed: u64,
    /// What is wrong.
    pub cause: Cause,
    /// What happened, line by line: who did what and got what, and what arrived where.
    pub steps: Vec<String>,
    /// What was recorded of that, unless that is no history at all.
    pub history: Option<CrdtHistory>,
    /// What the checker says of it; none after a panic.
    pub verdict: Option<CrdtVerdict>,
    /// Whether the library did the same when the same was done to it once more. If not, it was not shrunk.
    pub reproduced: bool,
    pub(super) told: Box<Told>,
}

/// What people are told around it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// Which history of how many it was.
    pub(super) number: u64,
    /// The data type, as in `add-wins set`.
    pub(super) title: &'static str,
    /// How many steps there were before they were made fewer.
    pub(super) original: usize,
    /// How to see it again.
    pub(super) again: String,
}

/// What is wrong with a library's run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Replicas returned what the data type does not admit; [`Failure::verdict`] says why. They agree in the end, as
    /// far as they were asked.
    Violation,
    /// Replicas that had observed everything do not return the same.
    Diverged(Divergence),
    /// The library panicked.
    Panicked {
        /// What it said.
        message: String,
        /// Where, as file, line and column.
        place: String,
    },
    /// What it returned can be no history at all, say the same element twice in a set.
    NoHistory(CrdtError),
    /// The adapter is wrong: it returned what is no answer to its request.
    Adapter(String),
}

/// Replicas that do not agree, although all had observed everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What they were asked for.
    pub request: String,
    /// What each replica returned.
    pub returned: Vec<(String, String)>,
}

impl Cause {
    /// Whether a smaller schedule still shows the same problem.
    pub(super) fn is_like(&self, other: &Cause) -> bool {
        match (self, other) {
            (Cause::Violation, Cause::Violation)
            | (Cause::Diverged(_), Cause::Diverged(_))
            | (Cause::NoHistory(_), Cause::NoHistory(_))
            | (Cause::Adapter(_), Cause::Adapter(_)) => true,
            (Cause::Panicked { place: a, .. }, Cause::Panicked { place: b, .. }) => a == b,
            (
                Cause::Violation
                | Cause::Diverged(_)
                | Cause::NoHistory(_)
                | Cause::Adapter(_)
                | Cause::Panicked { .. },
                _,
            ) => false,
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let returned =
            self.returned.iter().map(|(replica, value)| format!("{replica} returns {value}"));
        let returned: Vec<String> = returned.collect();
        write!(f, "`{}`: {}", self.request, returned.join(", "))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { number, title, original, again } = &*self.told;
        write!(f, "history {number} (seed {}): ", self.seed)?;
        match &self.cause {
            Cause::Violation => {
                let a = if title.starts_with(['a', 'e']) { "an" } else { "a" };
                writeln!(f, "this is not how {a} {title} behaves")?;
            }
            Cause::Diverged(divergence) => {
                writeln!(
                    f,
                    "all replicas have observed everything, but do not agree on {divergence}"
                )?;
            }
            Cause::Panicked { message, place } => {
                writeln!(f, "the library panicked at {place}: {message}")?;
            }
            Cause::NoHistory(error) => writeln!(f, "what was returned makes no sense: {error}")?,
            Cause::Adapter(message) => writeln!(f, "the adapter is wrong: {message}")?,
        }
        match self.reproduced {
            true => writeln!(
                f,
                "\nWhat happened, made as short as possible ({original} steps before):\n"
            )?,
            false => writeln!(
                f,
                "\nThe library did something else when the same was done to it again, so this could not be made \
                 shorter: let no clock and no random name decide. What happened:\n"
            )?,
        }
        for step in &self.steps {
            writeln!(f, "    {step}")?;
        }
        self.explain(f)?;
        if let Some(history) = &self.history {
            writeln!(f, "\nThe history, for `hob crdt check`:\n\n    {}", crate::write(history))?;
        }
        write!(f, "\n{again}")
    }
}

impl Failure {
    /// Why the history is not admitted.
    fn explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(history), Some(CrdtVerdict::Violation(violation))) =
            (&self.history, &self.verdict)
        else {
            return Ok(());
        };
        writeln!(f)?;
        if violation.why.is_empty() {
            let reads = violation.reads.iter().map(|&read| history.name(read).to_string());
            let reads: Vec<String> = reads.collect();
            writeln!(f, "Nothing explains what {} returned.", reads.join(" and "))?;
        }
        for line in &violation.why {
            writeln!(f, "{line}")?;
        }
        if let (Some(expected), [read]) = (&violation.expected, &violation.reads[..]) {
            writeln!(f, "{} had to return {expected}.", history.name(*read))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// How to see a failure again: the command if a test called from there, and the seed was not given by it.
pub(super) fn again(caller: &Location<'_>, seed: u64, given: bool) -> String {
    if given {
        return format!("To see it first: `.seed({seed})` at {caller}.\n");
    }
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main");
    let package =
        std::env::var("CARGO_PKG_NAME").map(|name| format!(" -p {name}")).unwrap_or_default();
    let command = match test {
        Some(test) => format!("cargo test{package} {test} -- --exact --include-ignored"),
        None => format!("cargo test{package}"),
    };
    format!("To run it again:\n\n    HOB_SEED={seed} {command}\n")
}
