//! The choices that all stores make alike: how long a transaction is, what its events do, how it ends.

use hobgoblin_core::{Chance, Kind, Rng, Status};

use crate::keys::Keys;
use crate::params::Params;
use crate::txn::GenOp;

#[derive(Debug)]
pub(crate) struct Chooser {
    pub(crate) rng: Rng,
    pub(crate) keys: Keys,
    events: (u32, u32),
    read: Chance,
    /// How likely a value repeats, and which one it then is.
    repeated: Option<(Chance, Keys)>,
    aborted: Chance,
    not_committed: Option<Chance>,
    /// The last value that was written once.
    value: i64,
}

impl Chooser {
    pub(crate) fn new(params: &Params) -> Chooser {
        let not_committed = params.aborted_share + params.unknown_share;
        let repeated = (params.repeated_values > 0.0).then(|| {
            let values = Keys::new(params.values, params.value_distribution);
            (Chance::of(params.repeated_values), values)
        });
        Chooser {
            rng: Rng::new(params.seed),
            keys: Keys::new(params.keys, params.distribution),
            events: (params.min_events, params.max_events),
            read: Chance::of(params.read_share),
            value: if repeated.is_some() { i64::from(params.values) - 1 } else { 0 },
            repeated,
            aborted: Chance::of(params.aborted_share / not_committed.max(f64::MIN_POSITIVE)),
            not_committed: (not_committed > 0.0).then(|| Chance::of(not_committed)),
        }
    }

    pub(crate) fn num_events(&mut self) -> u32 {
        let (min, max) = self.events;
        if min == max { min } else { self.rng.between(min, max) }
    }

    /// An event of transaction `index` whose value, if it reads, is still to be found.
    #[inline]
    pub(crate) fn op(&mut self, index: u32) -> GenOp {
        let key = self.keys.draw(&mut self.rng);
        if self.rng.happens(self.read) {
            GenOp { kind: Kind::Read, key, value: 0, writer: 0 }
        } else {
            GenOp { kind: Kind::Write, key, value: self.value(), writer: index }
        }
    }

    #[inline]
    fn value(&mut self) -> i64 {
        if let Some((chance, values)) = &self.repeated
            && self.rng.happens(*chance)
        {
            return i64::from(values.draw(&mut self.rng));
        }
        self.fresh_value()
    }

    /// A value that is written once.
    #[inline]
    pub(crate) fn fresh_value(&mut self) -> i64 {
        self.value += 1;
        self.value
    }

    /// How a transaction ends, and whether it takes effect.
    #[inline]
    pub(crate) fn fate(&mut self) -> (Status, bool) {
        match self.not_committed {
            Some(chance) if self.rng.happens(chance) => {
                if self.rng.happens(self.aborted) {
                    (Status::Aborted, false)
                } else {
                    (Status::Unknown, self.rng.one_in(2))
                }
            }
            _ => (Status::Committed, true),
        }
    }
}
