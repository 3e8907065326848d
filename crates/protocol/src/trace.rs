//! The run that leads to a state.

use crate::protocol::Protocol;
use crate::renaming::Renaming;

/// A run: the states, and the steps between them.
#[derive(Clone, Debug)]
pub struct Trace<S, T> {
    /// The states, the initial one first.
    pub states: Vec<S>,
    /// The steps between them.
    pub steps: Vec<T>,
}

/// Walks from an initial state along states that are known up to names. Neighbours in `path` may have their names
/// exchanged, so each step is one that leads to a state with the next one's representative.
pub(crate) fn walk<P: Protocol>(
    protocol: &P,
    renamings: &[Renaming],
    path: &[P::State],
) -> Trace<P::State, P::Step> {
    let is = |state: &P::State, like: &P::State| {
        state == like || protocol.representative(state, renamings) == *like
    };
    let mut trace = Trace { states: Vec::with_capacity(path.len()), steps: Vec::new() };
    let first = protocol.initial().into_iter().find(|state| is(state, &path[0]));
    trace.states.extend(first);
    for like in &path[1..] {
        let Some(last) = trace.states.last() else { break };
        let mut found = None;
        protocol.next(last, &mut |step, next| {
            if found.is_none() && is(&next, like) {
                found = Some((step, next));
            }
        });
        let Some((step, next)) = found else { break };
        trace.steps.push(step);
        trace.states.push(next);
    }
    trace
}
