//! What an exploration found, in numbers, and how far it is.

use serde::Serialize;

use crate::count::Count;

/// What an exploration found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Histories that satisfy the level.
    pub histories: u64,
    /// Ends reached, before the level was asked; with duplicates in [`Mode::Schedules`](crate::Mode).
    pub end_states: u64,
    /// Calls of EXPLORE: one for each event added, and one for each swap.
    pub calls: u64,
    /// Calls that led to nothing.
    pub fruitless: u64,
    /// Whether nothing was left out.
    pub complete: bool,
    /// Why it stopped early.
    pub stopped: Option<Stopped>,
    /// The transactions that meet on the set of keys of a table in a way that a database which keeps
    /// rows apart does not know. If there are any, what no history breaks is not proved.
    pub meetings: Vec<Meeting>,
    /// What the program's assertions came to, in their order.
    pub assertions: Vec<Claimed>,
}

impl Found {
    /// The assertions that do not hold, or of which nobody knows.
    pub fn broken(&self) -> impl Iterator<Item = &Claimed> {
        self.assertions.iter().filter(|claimed| claimed.verdict != AssertionVerdict::Holds)
    }
}

/// What an assertion came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The name of the assertion.
    pub name: String,
    /// Whether it holds.
    pub verdict: AssertionVerdict,
    /// The ends that break it; those that show it, for [`Quantifier::Exists`](crate::Quantifier::Exists).
    pub count: Count,
}

/// Whether an assertion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AssertionVerdict {
    /// No history breaks it.
    Holds,
    /// A history breaks it; for `exists`, none shows it.
    Broken,
    /// Not all histories were explored, or what was found is doubtful.
    Unknown,
}

/// Why an exploration stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// [`Options::max`](crate::Options::max) was reached.
    Max,
    /// [`Options::time`](crate::Options::time) was over.
    Time,
    /// Whoever watches asked for it.
    Asked,
}

/// How far an exploration is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What was found so far.
    pub found: Found,
    /// About how many ends there are in all, once there is an estimate.
    pub estimate: Option<f64>,
}

/// Two transactions that meet on the set of keys of a table, in a way that a database which keeps rows
/// apart does not know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The name of the table.
    pub table: String,
    /// The transactions, as `session/name`.
    pub transactions: [String; 2],
}
