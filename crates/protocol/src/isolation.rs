//! Isolation of what was observed, each set of observations decided once.
//!
//! RU, RC, SI, SER and SSER are the state-based levels; a state in which one of them holds needs no look at the weaker
//! ones. RA, CC, PC and PSI are those of axioms, and the others too where that is asked for.

use hashbrown::HashMap;
use hobgoblin_check::Limits;
use hobgoblin_check::state::{STATE_LEVELS, StateVerdict, check_state};
use hobgoblin_core::{History, Level, StopReason, Verdict};

use crate::observed::Observed;
use crate::options::Semantics;
use crate::protocol::Protocol;

/// The levels that are asked for, and what is known of observations.
#[derive(Debug)]
pub(crate) struct Isolation {
    /// Strongest first.
    levels: Vec<Level>,
    semantics: Semantics,
    /// By observation, the levels that it violates, as bits.
    known: HashMap<Observed, u16>,
    /// Of the state that is looked at.
    observed: Observed,
}

impl Isolation {
    /// Of these levels.
    pub(crate) fn new(levels: &[Level], semantics: Semantics, transactions: usize) -> Isolation {
        let mut levels = levels.to_vec();
        // One that implies more of the others is stronger.
        levels.sort_by_key(|level| {
            let implied = levels_implied(*level, semantics);
            std::cmp::Reverse(implied)
        });
        levels.dedup();
        let observed = Observed::new(transactions);
        Isolation { levels, semantics, known: HashMap::default(), observed }
    }

    /// Tells the levels that are violated in a state.
    pub(crate) fn look<P: Protocol>(
        &mut self,
        protocol: &P,
        state: &P::State,
        limits: &Limits,
        mut violated: impl FnMut(Level),
    ) -> Result<(), StopReason> {
        self.observed.clear();
        protocol.observed(state, &mut self.observed);
        let bits = match self.known.get(&self.observed) {
            Some(&bits) => bits,
            None => {
                let bits = self.decide(protocol, limits)?;
                self.known.insert(self.observed.clone(), bits);
                bits
            }
        };
        if bits != 0 {
            let named = self.levels.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
            named.for_each(|(_, level)| violated(*level));
        }
        Ok(())
    }

    fn decide<P: Protocol>(&self, protocol: &P, limits: &Limits) -> Result<u16, StopReason> {
        let history = self.observed.history(protocol.resources(), &|t| protocol.session(t));
        let history = history.unwrap_or_else(|error| panic!("what was observed: {error}"));
        self.decided(&history, limits)
    }

    /// The levels that a history violates.
    fn decided(&self, history: &History, limits: &Limits) -> Result<u16, StopReason> {
        let mut bits = 0;
        let mut held: Vec<Level> = Vec::new();
        for (at, &level) in self.levels.iter().enumerate() {
            if held.iter().any(|stronger| implies(*stronger, level, self.semantics)) {
                continue;
            }
            match holds(history, level, self.semantics, limits)? {
                true => held.push(level),
                false => bits |= 1 << at,
            }
        }
        Ok(bits)
    }
}

/// Whether a history satisfies a level.
fn holds(
    history: &History,
    level: Level,
    semantics: Semantics,
    limits: &Limits,
) -> Result<bool, StopReason> {
    if semantics == Semantics::State
        && let Ok(verdict) = check_state(history, level, limits)
    {
        return match verdict {
            StateVerdict::Consistent(_) => Ok(true),
            StateVerdict::Violation(_) => Ok(false),
            StateVerdict::Unknown(reason) => Err(reason),
        };
    }
    match hobgoblin_check::check(history, level, limits) {
        Verdict::Consistent(_) => Ok(true),
        Verdict::Violation(_) => Ok(false),
        Verdict::Unknown(reason) => Err(reason),
    }
}

/// Whether nothing that can be observed violates a level.
pub(crate) fn always_holds(level: Level, semantics: Semantics) -> bool {
    match level {
        Level::RU => semantics == Semantics::State,
        Level::RC
        | Level::RA
        | Level::CC
        | Level::PC
        | Level::PSI
        | Level::SI
        | Level::SER
        | Level::SSER => false,
    }
}

/// Whether what holds at one level holds at another. The state-based levels know no sessions and the others do, so
/// none of those says anything of these.
fn implies(stronger: Level, weaker: Level, semantics: Semantics) -> bool {
    let by_state = |level| semantics == Semantics::State && STATE_LEVELS.contains(&level);
    by_state(stronger) == by_state(weaker) && stronger.implies(weaker)
}

fn levels_implied(level: Level, semantics: Semantics) -> usize {
    let all = hobgoblin_core::LEVELS.iter();
    all.filter(|row| implies(level, row.level, semantics)).count()
}
