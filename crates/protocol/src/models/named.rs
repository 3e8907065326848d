//! The models by name, for those who ask for one at run time.

use hobgoblin_check::Limits;
use hobgoblin_core::Level;

use crate::error::SizeError;
use crate::models::causal::Causal;
use crate::models::optimistic::Optimistic;
use crate::models::snapshot::Snapshot;
use crate::models::two_phase::TwoPhase;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::search::search;

/// A model, for lists of them.
#[derive(Clone, Copy, Debug)]
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
    make: fn(usize, usize, bool) -> Result<Model, SizeError>,
}

/// All of them.
pub const MODELS: [ModelInfo; 4] = [
    ModelInfo {
        name: "2pc",
        title: "two-phase commit with two-phase locking",
        promises: Level::SER,
        bug: "a resource that waits for a decision takes the abort of any transaction",
        shows: (3, 2),
        make: |t, r, bug| TwoPhase::new(t, r, bug).map(Model::TwoPhase),
    },
    ModelInfo {
        name: "occ",
        title: "optimistic validation, as Silo's",
        promises: Level::SER,
        bug: "validation looks at versions and not at locks",
        shows: (2, 2),
        make: |t, r, bug| Optimistic::new(t, r, bug).map(Model::Optimistic),
    },
    ModelInfo {
        name: "si",
        title: "snapshot isolation, the first committer wins",
        promises: Level::SI,
        bug: "nobody looks for newer versions before writing",
        shows: (2, 1),
        make: |t, r, bug| Snapshot::new(t, r, bug).map(Model::Snapshot),
    },
    ModelInfo {
        name: "causal",
        title: "a causal replicated store, a replica for each transaction",
        promises: Level::CC,
        bug: "a replica applies what it receives before what that depends on",
        shows: (3, 2),
        make: |t, r, bug| Causal::new(t, r, bug).map(Model::Causal),
    },
];

impl ModelInfo {
    /// The model with so many transactions and resources.
    pub fn make(
        &self,
        transactions: usize,
        resources: usize,
        bug: bool,
    ) -> Result<Model, SizeError> {
        (self.make)(transactions, resources, bug)
    }
}

/// One of the models.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Model {
    /// Two-phase commit.
    TwoPhase(TwoPhase),
    /// Optimistic validation.
    Optimistic(Optimistic),
    /// Snapshot isolation.
    Snapshot(Snapshot),
    /// A causal store.
    Causal(Causal),
}

impl Model {
    /// Visits every state; see [`search`](crate::search()).
    pub fn search(&self, options: &Options<'_>, limits: &Limits) -> Outcome {
        match self {
            Model::TwoPhase(model) => search(model, options, limits).outcome(model),
            Model::Optimistic(model) => search(model, options, limits).outcome(model),
            Model::Snapshot(model) => search(model, options, limits).outcome(model),
            Model::Causal(model) => search(model, options, limits).outcome(model),
        }
    }

    /// Serves the explorer of stateright, until the process ends.
    ///
    /// # Panics
    /// If the address cannot be listened on.
    #[cfg(feature = "stateright")]
    pub fn explore(self, options: &Options<'_>, address: std::net::SocketAddr) {
        use crate::stateright::explore;
        match self {
            Model::TwoPhase(model) => explore(model, options, address),
            Model::Optimistic(model) => explore(model, options, address),
            Model::Snapshot(model) => explore(model, options, address),
            Model::Causal(model) => explore(model, options, address),
        }
    }
}
