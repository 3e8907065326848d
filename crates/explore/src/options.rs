//! What is explored, and how far.

use std::time::Duration;

use hobgoblin_core::Level;

/// How the ends of a program are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Each history once, by swapping [Bouajjani 2023].
    #[default]
    Histories,
    /// Each end state once: what transactions returned, locals, and observed values; see `states.rs`.
    States,
    /// Every schedule of whole transactions, without reduction: the paper's baseline.
    Schedules,
}

/// What is explored, and how far.
#[derive(Clone, Debug)]
pub struct Options {
    /// The level of transactions that have none of their own.
    pub level: Level,
    /// The level histories are extended at, before [`Options::level`] filters: one of RC, RA, CC, or RU for
    /// every history. By default the strongest of them that the level implies.
    pub base: Option<Level>,
    /// What is enumerated: histories, end states or schedules.
    pub mode: Mode,
    /// Whether branches without an end are cut where that is certain early.
    pub prune: bool,
    /// How many threads.
    pub threads: usize,
    /// Stop after so many histories; of a resumed exploration, so many more.
    pub max: Option<u64>,
    /// Stop after so long.
    pub time: Option<Duration>,
}

impl Options {
    /// Everything at a level, on one thread.
    pub fn new(level: Level) -> Options {
        Options {
            level,
            base: None,
            mode: Mode::default(),
            prune: true,
            threads: 1,
            max: None,
            time: None,
        }
    }
}
