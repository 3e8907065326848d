//! The flag `--initial-transaction`: whether a transaction that writes the initial value of every key is init.

use hobgoblin_core::History;

/// What to make of a transaction that only writes, to every key, the value that keys start as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum InitialTransaction {
    /// It is the initial transaction: all others come after it.
    #[default]
    Auto,
    /// It is a transaction like any other.
    No,
}

impl InitialTransaction {
    /// The history, read by this rule.
    pub(crate) fn apply(self, history: History) -> History {
        match self {
            InitialTransaction::Auto => history,
            InitialTransaction::No => history.initial_txns_apart(),
        }
    }
}
