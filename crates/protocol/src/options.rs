//! How a search is done.

use std::fmt;

use hobgoblin_core::Level;

/// Which definition of a level is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Semantics {
    /// What clients can observe in states, for the levels that have such a definition: RU, RC, SI, SER and SSER.
    #[default]
    State,
    /// Axioms, for all levels.
    Axiomatic,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States seen so far.
    pub states: usize,
    /// States whose steps were not taken yet.
    pub waiting: usize,
    /// How many states there are on the way to those looked at now.
    pub depth: usize,
}

/// Who wants to know how far it is.
type Watch<'a> = &'a (dyn Fn(Progress) + Sync);

/// How a search is done: by default at RU, RC, SI and SER, with symmetry, on one thread.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The levels that must hold in every state.
    pub levels: Vec<Level>,
    /// Which definition of them is meant.
    pub semantics: Semantics,
    /// Whether states that differ only by names are one.
    pub symmetry: bool,
    /// How many threads; what is found does not depend on it.
    pub threads: usize,
    /// Called now and then.
    pub watch: Option<Watch<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            levels: vec![Level::RU, Level::RC, Level::SI, Level::SER],
            semantics: Semantics::State,
            symmetry: true,
            threads: 1,
            watch: None,
        }
    }
}

impl<'a> Options<'a> {
    /// The levels that must hold in every state.
    pub fn levels(self, levels: impl IntoIterator<Item = Level>) -> Self {
        Options { levels: levels.into_iter().collect(), ..self }
    }

    /// Which definition of the levels is meant.
    pub fn semantics(self, semantics: Semantics) -> Self {
        Options { semantics, ..self }
    }

    /// Whether states that differ only by names are one.
    pub fn symmetry(self, symmetry: bool) -> Self {
        Options { symmetry, ..self }
    }

    /// How many threads.
    pub fn threads(self, threads: usize) -> Self {
        Options { threads: threads.max(1), ..self }
    }

    /// Who is called now and then with how far it is.
    pub fn watch(self, watch: Watch<'a>) -> Self {
        Options { watch: Some(watch), ..self }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { levels, semantics, symmetry, threads, watch } = self;
        f.debug_struct("Options")
            .field("levels", levels)
            .field("semantics", semantics)
            .field("symmetry", symmetry)
            .field("threads", threads)
            .field("watched", &watch.is_some())
            .finish()
    }
}
