//! Why a history cannot be generated.

use std::fmt;

use hobgoblin_core::{Anomaly, HistoryError};

/// Why a history cannot be generated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GenError {
    /// There is nothing of something that is needed.
    None {
        /// What there must be.
        what: &'static str,
    },
    /// There is more of something than fits.
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: u64,
        /// How much there may be.
        limit: u64,
    },
    /// A share is not a number from 0 to 1.
    Share {
        /// What the share is one of, in words.
        what: &'static str,
        /// The share that was given.
        share: f64,
    },
    /// The shares of aborted and unknown transactions exceed the whole.
    Statuses {
        /// The sum of the shares.
        sum: f64,
    },
    /// The least number of events exceeds the greatest.
    Events {
        /// The least number.
        min: u32,
        /// The greatest number.
        max: u32,
    },
    /// The exponent of the Zipf distribution is not a number from 0 to 10.
    Zipf {
        /// What was given.
        theta: f64,
    },
    /// An anomaly needs more of something.
    AnomalyNeeds {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
        /// What it needs more of, in words.
        what: &'static str,
        /// How many of them the anomaly takes.
        needed: u32,
    },
    /// An anomaly of times needs times.
    AnomalyNeedsTimes {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
    },
    /// This anomaly cannot be injected.
    NoRecipe {
        /// The anomaly that was asked for.
        anomaly: Anomaly,
    },
    /// The history does not fit the model's limits.
    History(HistoryError),
}

impl fmt::Display for GenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenError::None { what } => write!(f, "there must be at least one {what}"),
            GenError::TooMany { what, count, limit } => {
                write!(f, "{count} {what} are too many; the limit is {limit}")
            }
            GenError::Share { what, share } => {
                write!(f, "the share of {what} is {share}, but must be from 0 to 1")
            }
            GenError::Statuses { sum } => write!(
                f,
                "the shares of aborted and of unknown transactions are {sum} together, more than 1"
            ),
            GenError::Events { min, max } => {
                write!(f, "transactions cannot have at least {min} and at most {max} events")
            }
            GenError::Zipf { theta } => {
                write!(f, "the Zipf exponent is {theta}, but must be from 0 to 10")
            }
            GenError::AnomalyNeeds { anomaly, what, needed } => {
                write!(f, "the anomaly {} needs at least {needed} {what}", anomaly.code())
            }
            GenError::AnomalyNeedsTimes { anomaly } => {
                write!(f, "the anomaly {} needs timestamps", anomaly.code())
            }
            GenError::NoRecipe { anomaly } => {
                write!(f, "no recipe is known for the anomaly {}", anomaly.code())
            }
            GenError::History(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GenError {}

impl From<HistoryError> for GenError {
    fn from(error: HistoryError) -> GenError {
        GenError::History(error)
    }
}
