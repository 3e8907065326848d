//! Protocols that people reason about, each with a variant that has a bug.

pub mod causal;
pub mod optimistic;
pub mod snapshot;
pub mod two_phase;

use hobgoblin_core::Level;

/// The most transactions, and the most resources, of each of these models.
pub const MOST: usize = 4;

/// A model, for lists of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// The strongest level that it is made for.
    pub promises: Level,
    /// What its variant with a bug does wrong.
    pub bug: &'static str,
    /// With so many transactions and resources the bug shows.
    pub shows: (usize, usize),
}

/// All of them.
pub const MODELS: [ModelInfo; 4] = [
    ModelInfo {
        name: "2pc",
        title: "two-phase commit with two-phase locking",
        promises: Level::SER,
        bug: "a resource that waits for a decision takes the abort of any transaction",
        shows: (3, 2),
    },
    ModelInfo {
        name: "occ",
        title: "optimistic validation, as Silo's",
        promises: Level::SER,
        bug: "validation looks at versions and not at locks",
        shows: (2, 2),
    },
    ModelInfo {
        name: "si",
        title: "snapshot isolation, the first committer wins",
        promises: Level::SI,
        bug: "nobody looks for newer versions before writing",
        shows: (2, 1),
    },
    ModelInfo {
        name: "causal",
        title: "a causal replicated store, a replica for each transaction",
        promises: Level::CC,
        bug: "a replica applies what it receives before what that depends on",
        shows: (3, 2),
    },
];

/// The bits of a set, ascending.
fn members(set: u8) -> impl Iterator<Item = usize> {
    (0..u8::BITS as usize).filter(move |at| set & (1 << at) != 0)
}
