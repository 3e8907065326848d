//! Why a scenario could not be run.

use crate::program::Place;

/// Why a scenario could not be run as it says. None of these tells anything of the program, but that the scenario is not
/// one of its executions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The scenario contradicts itself or the program.
    #[error("the scenario cannot be: {what}")]
    Scenario {
        /// What is wrong with it.
        what: String,
    },
    /// The schema or the rows that are to be there first are refused.
    #[error("the state before cannot be: {message}, at {sql}")]
    Setup {
        /// The statement.
        sql: String,
        /// What the database says.
        message: String,
    },
    /// The level does not allow an instance to see what it is said to, or to commit.
    #[error("instance {instance}: its level does not allow this: {message}")]
    Refused {
        /// The instance.
        instance: usize,
        /// What the database says.
        message: String,
    },
    /// An instance would wait for another, whose turn comes later.
    #[error("instance {instance} would wait for a lock: {message}")]
    Waits {
        /// The instance.
        instance: usize,
        /// What the database says.
        message: String,
    },
    /// The database cannot run a statement at all: it is not an error that the program can meet, but ours.
    #[error("instance {instance}: {message}, at {sql}")]
    Statement {
        /// The instance.
        instance: usize,
        /// Where the statement stands.
        place: Place,
        /// The statement, as it was run.
        sql: String,
        /// What the database says.
        message: String,
    },
    /// There are too many instances to try all their orders.
    #[error("{count} instances have too many serial orders; {most} are the most")]
    TooMany {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}
