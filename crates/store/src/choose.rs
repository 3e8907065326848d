//! How a read chooses among the versions it may return, and how a log chooses for it.

use hobgoblin_core::{Chance, Key, Rng, SessionId};

use crate::config::Policy;
use crate::error::StoreError;
use crate::ids::Writer;

/// The source of choices: a seed, or the choices of a log until they are used up.
#[derive(Debug)]
pub(crate) struct Chooser {
    rng: Rng,
    /// The choices that were made for the request at hand, each with the number there was to choose
    /// from.
    made: Vec<(u32, u32)>,
    /// The choices that the log has for the request.
    forced: Option<Vec<u32>>,
    /// The first choice of the log that cannot be made.
    wrong: Option<(u32, u32)>,
    /// The sessions that are told which writers to see, with these; see
    /// [`Machine::sees_only`](crate::Machine::sees_only).
    told: Vec<(SessionId, Vec<Writer>)>,
    /// The first key of which a session was told to see what it may not.
    unseeable: Option<Key>,
}

impl Chooser {
    pub(crate) fn new(seed: u64) -> Chooser {
        let (made, told) = (Vec::new(), Vec::new());
        Chooser { rng: Rng::new(seed), made, forced: None, wrong: None, told, unseeable: None }
    }

    /// Begins a request, with the choices of a log if there are some.
    pub(crate) fn start(&mut self, forced: Option<&[u32]>) {
        self.made.clear();
        self.forced = forced.map(<[u32]>::to_vec);
        self.wrong = None;
        self.unseeable = None;
    }

    /// Tells a session which writers to see from now on; `None` lets it choose by its policy again.
    pub(crate) fn tell(&mut self, session: SessionId, sees: Option<Vec<Writer>>) {
        self.told.retain(|(told, _)| *told != session);
        self.told.extend(sees.map(|sees| (session, sees)));
    }

    /// The writers that a session is told to see, if it is told.
    pub(crate) fn told(&self, session: SessionId) -> Option<&[Writer]> {
        self.told.iter().find(|(told, _)| *told == session).map(|(_, sees)| &**sees)
    }

    /// Notes that no version which the session may see is by the writers it was told to see.
    pub(crate) fn cannot_see(&mut self, key: &Key) {
        self.unseeable.get_or_insert_with(|| key.clone());
    }

    /// The choices made for the request at hand, each with how many there were.
    pub(crate) fn made(&self) -> &[(u32, u32)] {
        &self.made
    }

    /// Whether the choices of the log could all be made, and the session could see what it was told
    /// to see.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        if let Some(key) = self.unseeable.take() {
            return Err(StoreError::Unseeable { key });
        }
        let used = self.made.len() as u32;
        let given = self.forced.take().map_or(used, |forced| forced.len() as u32);
        match self.wrong {
            Some((choice, of)) => Err(StoreError::Diverged { choice, of }),
            None if given > used => Err(StoreError::Diverged { choice: used, of: used }),
            None => Ok(()),
        }
    }

    /// Chooses one of `of`, by `pick` unless a log says which. If there is only one, that is no
    /// choice.
    pub(crate) fn choose(&mut self, of: u32, pick: impl FnOnce(&mut Rng) -> u32) -> u32 {
        if of <= 1 {
            return 0;
        }
        let choice = match &self.forced {
            None => pick(&mut self.rng),
            Some(forced) => match forced.get(self.made.len()) {
                Some(&choice) if choice < of => choice,
                other => {
                    self.wrong.get_or_insert((other.copied().unwrap_or(0), of));
                    0
                }
            },
        };
        self.made.push((choice, of));
        choice
    }

    /// A number of 63 bits, by `pick` unless a log says which. It counts as three choices of 21
    /// bits, high bits first.
    pub(crate) fn number(&mut self, pick: impl FnOnce(&mut Rng) -> u64) -> i64 {
        const BITS: u32 = 21;
        let picked = if self.forced.is_none() { pick(&mut self.rng) } else { 0 };
        let mut number = 0;
        for shift in [2 * BITS, BITS, 0] {
            let part = (picked >> shift) as u32 & ((1 << BITS) - 1);
            number = (number << BITS) | i64::from(self.choose(1 << BITS, |_| part));
        }
        number
    }

    /// Random numbers for draws that lead to a choice but are none themselves, and so are in no
    /// log.
    pub(crate) fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Whether something happens that has this chance.
    pub(crate) fn happens(&mut self, share: f64) -> bool {
        share > 0.0 && self.choose(2, |rng| u32::from(rng.happens(Chance::of(share)))) == 1
    }

    /// The place of the version to return among those allowed, newest first, by the policy.
    pub(crate) fn version(&mut self, policy: Policy, writers: &[Writer]) -> usize {
        let of = writers.len() as u32;
        let choice = self.choose(of, |rng| match policy {
            // The spec profile has its own way; see `spec/adverse.rs`.
            Policy::Uniform | Policy::Adverse => rng.below(of),
            Policy::Latest => 0,
            Policy::Stale => of - 1 - (rng.next_u64().trailing_zeros() % of),
            Policy::Weighted(share) if rng.happens(Chance::of(share)) => 0,
            Policy::Weighted(_) => 1 + rng.below(of - 1),
            Policy::LatestPerSession => {
                let newest = |&at: &u32| {
                    let writer = writers[at as usize];
                    let first = writers.iter().position(|&other| other == writer);
                    writer != Writer::NOBODY && first == Some(at as usize)
                };
                let latest: Vec<u32> = (0..of).filter(newest).collect();
                rng.pick(&latest).copied().unwrap_or(0)
            }
        });
        choice as usize
    }
}

#[cfg(test)]
mod tests {
    use hobgoblin_core::SessionId;

    use super::*;

    fn by(session: usize) -> Writer {
        SessionId::new(session).into()
    }

    fn shares(policy: Policy, writers: &[Writer]) -> Vec<u32> {
        let mut chooser = Chooser::new(1);
        let mut counts = vec![0; writers.len()];
        for _ in 0..10_000 {
            chooser.start(None);
            counts[chooser.version(policy, writers)] += 1;
        }
        counts
    }

    #[test]
    fn policies_choose_as_they_say() {
        let near = |count: u32, share: f64| (f64::from(count) / 10_000.0 - share).abs() < 0.03;
        let writers = [by(1), by(2), by(1), Writer::NOBODY];
        assert!(shares(Policy::Uniform, &writers).iter().all(|&count| near(count, 0.25)));
        assert_eq!(shares(Policy::Latest, &writers), [10_000, 0, 0, 0]);
        let stale = shares(Policy::Stale, &writers);
        assert!(near(stale[3], 0.53) && stale[3] > stale[2] && stale[2] > stale[1], "{stale:?}");
        let weighted = shares(Policy::Weighted(0.7), &writers);
        assert!(near(weighted[0], 0.7) && near(weighted[3], 0.1), "{weighted:?}");
        let latest = shares(Policy::LatestPerSession, &writers);
        assert!(near(latest[0], 0.5) && latest[2] == 0 && latest[3] == 0, "{latest:?}");
    }

    #[test]
    fn a_number_is_three_choices() {
        let mut chooser = Chooser::new(1);
        for number in [0, 1, 1 << 21, 1_700_000_000_000_000, i64::MAX] {
            chooser.start(None);
            assert_eq!(chooser.number(|_| number.unsigned_abs()), number);
            let made: Vec<u32> = chooser.made().iter().map(|&(choice, _)| choice).collect();
            assert_eq!(made.len(), 3);
            chooser.start(Some(&made));
            assert_eq!(chooser.number(|_| 77), number);
            assert_eq!(chooser.finish(), Ok(()));
        }
    }

    #[test]
    fn a_log_that_does_not_fit_is_noticed() {
        let mut chooser = Chooser::new(1);
        chooser.start(Some(&[2]));
        assert_eq!(chooser.version(Policy::Uniform, &[1, 2, 3].map(by)), 2);
        assert_eq!(chooser.finish(), Ok(()));
        chooser.start(Some(&[2]));
        chooser.version(Policy::Uniform, &[1, 2].map(by));
        assert_eq!(chooser.finish(), Err(StoreError::Diverged { choice: 2, of: 2 }));
        chooser.start(Some(&[0, 1]));
        chooser.version(Policy::Uniform, &[1, 2].map(by));
        assert!(chooser.finish().is_err());
    }
}
