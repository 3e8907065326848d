//! What to generate.

use hobgoblin_core::{Anomaly, HistoryError, Level};

use crate::anomaly;
use crate::chooser::REPEATED;
use crate::keys::Distribution;

/// In which order transactions are emitted. Checkers must not care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// As they commit, sessions interleaved.
    #[default]
    Arrival,
    /// Session after session.
    Session,
}

/// The parameters of a generated history.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_gen::{Params, build};
///
/// let params = Params { transactions: 50, level: Level::CC, seed: 7, ..Params::default() };
/// let history = build(&params)?;
/// assert_eq!(history.txns().len(), 50);
/// # Ok::<(), hobgoblin_gen::GenError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// How many sessions there are.
    pub sessions: u32,
    /// How many transactions there are in total, those of an injected anomaly included.
    pub transactions: u32,
    /// The least number of events of a transaction.
    pub min_events: u32,
    /// The greatest number of events of a transaction.
    pub max_events: u32,
    /// How many keys there are; each starts as 0.
    pub keys: u32,
    /// The share of events that read.
    pub read_share: f64,
    /// Which keys events use.
    pub distribution: Distribution,
    /// The share of writes whose value is drawn from [`values`](Params::values), so that reads of it
    /// may have several writers. All other values are written once.
    pub repeated_values: f64,
    /// How many values of each key repeated values are drawn from: 0, which is the initial value, and
    /// those after it.
    pub values: u32,
    /// Which of these values are written: all alike, or few more often than others.
    pub value_distribution: Distribution,
    /// The share of transactions that abort.
    pub aborted_share: f64,
    /// The share of transactions of unknown status; half of them took effect.
    pub unknown_share: f64,
    /// Whether transactions have begin and end times; at SSER they always do.
    pub timestamps: bool,
    /// How many commits a reader may lag behind, at levels where it may at all.
    pub window: u32,
    /// The level that the history satisfies.
    pub level: Level,
    /// An anomaly to hide in the middle.
    pub anomaly: Option<Anomaly>,
    /// In which order transactions are emitted.
    pub order: Order,
    /// The seed of all choices.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            sessions: 10,
            transactions: 1000,
            min_events: 10,
            max_events: 10,
            keys: 1000,
            read_share: 0.5,
            distribution: Distribution::Uniform,
            repeated_values: 0.0,
            values: REPEATED,
            value_distribution: Distribution::Uniform,
            aborted_share: 0.0,
            unknown_share: 0.0,
            timestamps: false,
            window: 32,
            level: Level::SER,
            anomaly: None,
            order: Order::Arrival,
            seed: 0,
        }
    }
}

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
        /// Of what.
        what: &'static str,
        /// What was given.
        share: f64,
    },
    /// The shares of aborted and unknown transactions exceed the whole.
    #[error("the shares of aborted and of unknown transactions are {sum} together, more than 1")]
    Statuses {
        /// Their sum.
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
        /// The anomaly.
        anomaly: Anomaly,
        /// Of what.
        what: &'static str,
        /// How many.
        needed: u32,
    },
    /// An anomaly of times needs times.
    #[error("the anomaly {} needs timestamps", anomaly.code())]
    AnomalyNeedsTimes {
        /// The anomaly.
        anomaly: Anomaly,
    },
    /// This anomaly cannot be injected.
    #[error("no recipe is known for the anomaly {}", anomaly.code())]
    NoRecipe {
        /// The anomaly.
        anomaly: Anomaly,
    },
    /// The history does not fit the model's limits.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// The limits that keep the tables of a generator in ordinary memory.
const MAX_TXNS: u32 = 1 << 30;
const MAX_KEYS: u32 = 1 << 27;
const MAX_VALUES: u32 = 1 << 27;
const MAX_SESSIONS: u32 = 1 << 24;
const MAX_EVENTS: u64 = 1 << 30;
const MAX_WINDOW: u32 = 1 << 20;

impl Params {
    /// Whether transactions get times.
    pub fn has_times(&self) -> bool {
        self.timestamps || self.level.respects_real_time()
    }

    /// Checks that these parameters make sense together.
    pub fn validate(&self) -> Result<(), GenError> {
        if self.sessions == 0 {
            return Err(GenError::None { what: "session" });
        }
        if self.keys == 0 {
            return Err(GenError::None { what: "key" });
        }
        if self.values == 0 {
            return Err(GenError::None { what: "value" });
        }
        if self.min_events > self.max_events {
            return Err(GenError::Events { min: self.min_events, max: self.max_events });
        }
        let events = u64::from(self.transactions) * u64::from(self.max_events);
        for (what, count, limit) in [
            ("sessions", u64::from(self.sessions), u64::from(MAX_SESSIONS)),
            ("keys", u64::from(self.keys), u64::from(MAX_KEYS)),
            ("values", u64::from(self.values), u64::from(MAX_VALUES)),
            ("transactions", u64::from(self.transactions), u64::from(MAX_TXNS)),
            ("events", events, MAX_EVENTS),
            ("commits of lag", u64::from(self.window), u64::from(MAX_WINDOW)),
        ] {
            if count > limit {
                return Err(GenError::TooMany { what, count, limit });
            }
        }
        for (what, share) in [
            ("reads", self.read_share),
            ("repeated values", self.repeated_values),
            ("aborted transactions", self.aborted_share),
            ("unknown transactions", self.unknown_share),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(GenError::Share { what, share });
            }
        }
        let sum = self.aborted_share + self.unknown_share;
        if sum > 1.0 {
            return Err(GenError::Statuses { sum });
        }
        for distribution in [self.distribution, self.value_distribution] {
            if let Distribution::Zipf(theta) = distribution
                && !(0.0..=10.0).contains(&theta)
            {
                return Err(GenError::Zipf { theta });
            }
        }
        match self.anomaly {
            Some(anomaly) => anomaly::validate(anomaly, self),
            None => Ok(()),
        }
    }
}
