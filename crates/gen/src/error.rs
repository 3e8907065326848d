//! Why a history cannot be generated.

use hobgoblin_core::{Anomaly, HistoryError};

/// Why a history cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenError {
    /// There is nothing of something that is needed.
    #[error("there must be at least one {what}")]
    None {
        /// What there must be.
        what: &'static str,
    },
    /// There is more of something than fits.
    #[error("{count} {what} are too many; the limit is {limit}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: u64,
        /// How much there may be.
        limit: u64,
    },
    /// A share is not a number from 0 to 1.
    #[error("the share of {what} is {share}, but must be from 0 to 1")]
    Share {
        /// What the share is one of, in words.
        what: &'static str,
        /// The share that was given.
        share: f64,
    },
    /// The shares of aborted and unknown transactions exceed the whole.
    #[error("the shares of aborted and of unknown transactions are {sum} together, more than 1")]
    Statuses {
        /// The sum of the shares.
        sum: f64,
    },
    /// The least number of events exceeds the greatest.
    #[error("transactions cannot have at least {min} and at most {max} events")]
    Events {
        /// The least number.
        min: u32,
        /// The greatest number.
        max: u32,
    },
    /// The exponent of the Zipf distribution is not a number from 0 to 10.
    #[error("the Zipf exponent is {theta}, but must be from 0 to 10")]
    Zipf {
        /// What was given.
        theta: f64,
    },
    /// An anomaly needs more of something.
    #[error("the anomaly {} needs at least {needed} {what}", anomaly.code())]
    AnomalyNeeds {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
        /// What it needs more of, in words.
        what: &'static str,
        /// How many of them the anomaly takes.
        needed: u32,
    },
    /// An anomaly of times needs times.
    #[error("the anomaly {} needs timestamps", anomaly.code())]
    AnomalyNeedsTimes {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
    },
    /// This anomaly cannot be injected.
    #[error("no recipe is known for the anomaly {}", anomaly.code())]
    NoRecipe {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
    },
    /// The history does not fit the model's limits.
    #[error(transparent)]
    History(#[from] HistoryError),
}
