//! Whether parameters make sense together.

use hobgoblin_core::Anomaly;

use crate::anomaly;
use crate::error::GenError;
use crate::keys::Distribution;
use crate::params::Params;

/// The limits that keep the tables of a generator in ordinary memory.
const MAX_TXNS: u32 = 1 << 30;
const MAX_KEYS: u32 = 1 << 27;
const MAX_VALUES: u32 = 1 << 27;
const MAX_SESSIONS: u32 = 1 << 24;
const MAX_EVENTS: u64 = 1 << 30;
const MAX_WINDOW: u32 = 1 << 20;

impl Params {
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
            Some(anomaly) => check_anomaly(anomaly, self),
            None => Ok(()),
        }
    }
}

/// Checks that an anomaly can be hidden in a history of these parameters.
fn check_anomaly(anomaly: Anomaly, params: &Params) -> Result<(), GenError> {
    let script = anomaly::script(anomaly);
    if script.is_empty() {
        return Err(GenError::NoRecipe { anomaly });
    }
    let (keys, sessions) = anomaly::needs(&script);
    for (what, needed, given) in [
        ("keys", keys, params.keys),
        ("sessions", sessions, params.sessions),
        ("transactions", script.len() as u32 + 1, params.transactions),
    ] {
        if given < needed {
            return Err(GenError::AnomalyNeeds { anomaly, what, needed });
        }
    }
    if anomaly == Anomaly::RealTimeViolation && !params.has_times() {
        return Err(GenError::AnomalyNeedsTimes { anomaly });
    }
    Ok(())
}
