//! A protocol whose states know who had ended before whom began, for SSER.
//!
//! Real time makes states different that are otherwise one, so it is only kept where SSER is asked for.

use crate::found::{Found, Wrong};
use crate::observed::Observed;
use crate::protocol::{Line, Must, Phase, Process, Protocol};
use crate::renaming::Renaming;
use crate::trace::Trace;

/// A protocol in real time.
pub(crate) struct Timed<'a, P>(pub(crate) &'a P);

/// A state, and by transaction that has begun, those that had ended before, as bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TimedState<S> {
    state: S,
    before: Box<[u64]>,
}

impl<P: Protocol> Timed<'_, P> {
    /// What was found, without the times.
    pub(crate) fn untimed(found: Found<TimedState<P::State>, P::Step>) -> Found<P::State, P::Step> {
        let Found { states, depth, levels, invariants, termination, wrong, complete, stopped } =
            found;
        let wrong = wrong.into_iter().map(|Wrong { finding, trace, observed }| {
            let states = trace.states.into_iter().map(|timed| timed.state).collect();
            Wrong { finding, trace: Trace { states, steps: trace.steps }, observed }
        });
        let wrong = wrong.collect();
        Found { states, depth, levels, invariants, termination, wrong, complete, stopped }
    }

    fn ended(&self, state: &P::State) -> u64 {
        let ended = |t: &usize| self.0.phase(state, *t) == Phase::Ended;
        (0..self.0.transactions()).filter(ended).fold(0, |set, t| set | 1 << t)
    }
}

impl<P: Protocol> Protocol for Timed<'_, P> {
    type State = TimedState<P::State>;
    type Step = P::Step;

    fn transactions(&self) -> usize {
        self.0.transactions()
    }

    fn resources(&self) -> usize {
        self.0.resources()
    }

    fn initial(&self) -> Vec<Self::State> {
        let before = vec![0; self.0.transactions()].into_boxed_slice();
        let timed = |state| TimedState { state, before: before.clone() };
        self.0.initial().into_iter().map(timed).collect()
    }

    fn next(&self, timed: &Self::State, take: &mut dyn FnMut(Self::Step, Self::State)) {
        let ended = self.ended(&timed.state);
        self.0.next(&timed.state, &mut |step, state| {
            let mut before = timed.before.clone();
            for (t, before) in before.iter_mut().enumerate() {
                let waits = |state| self.0.phase(state, t) == Phase::Waiting;
                if waits(&timed.state) && !waits(&state) {
                    *before = ended;
                }
            }
            take(step, TimedState { state, before });
        });
    }

    fn process(&self, step: &Self::Step) -> Process {
        self.0.process(step)
    }

    fn observed(&self, timed: &Self::State, observed: &mut Observed) {
        self.0.observed(&timed.state, observed);
        observed.set_before(&timed.before);
    }

    fn phase(&self, timed: &Self::State, transaction: usize) -> Phase {
        self.0.phase(&timed.state, transaction)
    }

    fn is_done(&self, timed: &Self::State) -> bool {
        self.0.is_done(&timed.state)
    }

    fn invariants(&self, timed: &Self::State, must: &mut Must<'_>) {
        self.0.invariants(&timed.state, must);
    }

    fn line(&self, step: &Self::Step) -> Line {
        self.0.line(step)
    }

    fn session(&self, transaction: usize) -> usize {
        self.0.session(transaction)
    }

    fn renamings(&self) -> Vec<Renaming> {
        self.0.renamings()
    }

    fn renamed(&self, timed: &Self::State, renaming: &Renaming) -> Self::State {
        let mut before = timed.before.clone();
        for (t, set) in timed.before.iter().enumerate() {
            let others = (0..timed.before.len()).filter(|other| set & (1 << other) != 0);
            before[renaming.transactions[t]] =
                others.fold(0, |set, other| set | 1 << renaming.transactions[other]);
        }
        TimedState { state: self.0.renamed(&timed.state, renaming), before }
    }
}
