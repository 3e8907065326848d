//! What to generate.

use hobgoblin_core::{Anomaly, Level};

use crate::keys::Distribution;

/// How many values [`Params::repeated_values`] draws from unless [`Params::values`] says otherwise.
pub const REPEATED: u32 = 16;

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

impl Params {
    /// Whether transactions get times.
    pub fn has_times(&self) -> bool {
        self.timestamps || self.level.respects_real_time()
    }
}
