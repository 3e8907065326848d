//! Whoever wants to know how far the runs are.

use hobgoblin_core::Level;

/// What is being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The data is being prepared.
    Setup,
    /// The runs that come first, with one transaction at a time.
    Baseline,
    /// The runs at a level.
    Level(Level),
}

/// Is told how far the runs are.
pub trait Watch: Sync {
    /// A phase begins; so many runs are planned, if that is known.
    fn begin(&self, phase: Phase, runs: Option<u32>);
    /// A run ended; so many of this phase have failed.
    fn ran(&self, failures: u32);
}

/// A watcher that does nothing, for runs that no one watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _phase: Phase, _runs: Option<u32>) {}
    fn ran(&self, _failures: u32) {}
}
