//! What can go wrong in an exploration.

/// Why a program cannot be explored, or not further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The program is wrong.
    #[error("session {session}, transaction {txn}: {what}")]
    Program {
        /// The session's name.
        session: String,
        /// The transaction's name.
        txn: String,
        /// What it does wrong.
        what: String,
    },
    /// An assertion is wrong.
    #[error("assertion {name:?}: {what}")]
    Assertion {
        /// The name of the assertion.
        name: String,
        /// What is wrong with it.
        what: String,
    },
    /// The program is too large.
    #[error("the program has {txns} transactions; at most {max} can be explored")]
    TooManyTransactions {
        /// How many transactions it has.
        txns: usize,
        /// How many a program may have.
        max: usize,
    },
    /// The options contradict each other.
    #[error("{0}")]
    Options(String),
    /// A token or checkpoint does not belong to the program.
    #[error("{0}")]
    Token(String),
}
