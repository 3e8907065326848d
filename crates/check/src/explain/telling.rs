//! An anomaly as it is told to a person: what happened, in order, and why it is wrong.

use hobgoblin_core::{EventId, TxnId};

/// What is told of a violation: by [`text`](super::text) in a terminal, by a report on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(hidden)]
pub struct Telling {
    /// What went wrong, in plain words, and where: one line.
    pub headline: String,
    /// How far the order of the lines is known.
    pub order: Order,
    /// Who acts, from left to right.
    pub columns: Vec<Column>,
    /// What they did, from the first to the last.
    pub lines: Vec<Line>,
    /// What is wrong with it, in a sentence or two with the values.
    pub wrong: String,
    /// What would have prevented it: a level first, then what fits these statements.
    pub prevented: Vec<String>,
    /// The names that the field has for it.
    pub names: String,
}

/// How far the order of a timeline is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(hidden)]
pub enum Order {
    /// Every event has its place in a log.
    Log,
    /// It is made up so that it fits what everyone saw.
    Fits,
}

/// A column of a timeline: a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(hidden)]
pub struct Column {
    /// What it is called.
    pub title: String,
    /// Those of its transactions that the timeline shows.
    pub txns: Vec<TxnId>,
}

/// A line of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(hidden)]
pub struct Line {
    /// The column it stands in.
    pub column: usize,
    /// The transaction it is of.
    pub txn: TxnId,
    /// What was done: a statement, an assignment, `COMMIT`, or how much is folded.
    pub text: String,
    /// What came of it, such as `→ 1` or `1 → 0`.
    pub came: String,
    /// Why it matters, where it decides; `Some` of nothing marks it without a word.
    pub mark: Option<String>,
    /// Its events.
    pub events: Vec<EventId>,
    /// How many events it stands for that do not matter.
    pub folded: usize,
    /// Whether it only names the transaction that begins.
    pub heading: bool,
}
