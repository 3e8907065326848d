//! The same protocols on the engine of stateright, and in its explorer in the browser.
//!
//! It is a second opinion on how many states there are, and lets one walk through them. It does not have symmetry
//! and shortest runs at the same time, and its `eventually` does not see circles; so [`search`](crate::search()) is
//! what answers.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Mutex;

use hobgoblin_check::Limits;
use hobgoblin_core::{LEVELS, Level};
use stateright::{Checker, Model, Property};

use crate::isolation::Isolation;
use crate::options::Options;
use crate::protocol::{Must, Protocol};

/// A protocol as a model of stateright.
struct Checked<P> {
    protocol: P,
    levels: Vec<Level>,
    isolation: Mutex<Isolation>,
}

/// A step with the state after it.
#[derive(Clone, PartialEq)]
struct Action<T, S> {
    step: T,
    next: S,
}

impl<T: fmt::Debug, S> fmt::Debug for Action<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.step.fmt(f)
    }
}

impl<P: Protocol> Checked<P> {
    fn new(protocol: P, options: &Options<'_>) -> Checked<P> {
        let transactions = protocol.transactions();
        let isolation = Isolation::new(&options.levels, options.semantics, transactions);
        Checked { protocol, levels: options.levels.clone(), isolation: Mutex::new(isolation) }
    }

    /// Whether a level holds in a state. There are no limits, so it is decided.
    fn holds(&self, level: Level, state: &P::State) -> bool {
        let mut holds = true;
        let violated = |other| holds &= other != level;
        let mut isolation = self.isolation.lock().expect("no property panics");
        isolation.look(&self.protocol, state, &Limits::none(), violated).is_ok() && holds
    }
}

impl<P: Protocol> Model for Checked<P> {
    type State = P::State;
    type Action = Action<P::Step, P::State>;

    fn init_states(&self) -> Vec<P::State> {
        self.protocol.initial()
    }

    fn actions(&self, state: &P::State, actions: &mut Vec<Self::Action>) {
        self.protocol.next(state, &mut |step, next| actions.push(Action { step, next }));
    }

    fn next_state(&self, _: &P::State, action: Self::Action) -> Option<P::State> {
        Some(action.next)
    }

    fn format_action(&self, action: &Self::Action) -> String {
        let process = self.protocol.process(&action.step);
        format!("{process} {}", self.protocol.line(&action.step).does)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let asked = LEVELS.iter().enumerate().filter(|(_, row)| self.levels.contains(&row.level));
        let level = |(at, row): (usize, &hobgoblin_core::LevelInfo)| {
            Property::always(row.name, level_property::<P>(at))
        };
        let invariants = Property::always("invariants", |model: &Self, state| {
            let mut all = true;
            let mut hear = |_, holds| all &= holds;
            model.protocol.invariants(state, &mut Must::new(&mut hear));
            all
        });
        asked.map(level).chain([invariants]).collect()
    }
}

/// A function for each level, since a property has no state of its own.
fn level_property<P: Protocol>(at: usize) -> fn(&Checked<P>, &P::State) -> bool {
    fn holds<P: Protocol, const AT: usize>(model: &Checked<P>, state: &P::State) -> bool {
        model.holds(LEVELS[AT].level, state)
    }
    const { assert!(LEVELS.len() == 9) };
    let all = [
        holds::<P, 0>,
        holds::<P, 1>,
        holds::<P, 2>,
        holds::<P, 3>,
        holds::<P, 4>,
        holds::<P, 5>,
        holds::<P, 6>,
        holds::<P, 7>,
        holds::<P, 8>,
    ];
    all[at]
}

/// What stateright found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// How many states it saw, each by its own name.
    pub states: usize,
    /// The names of the properties that do not hold.
    pub violated: Vec<&'static str>,
}

/// Visits every state, without symmetry, until every property is known not to hold.
pub fn opinion<P>(protocol: P, options: &Options<'_>) -> Opinion
where
    P: Protocol + Send + 'static,
{
    let checker = Checked::new(protocol, options).checker().threads(options.threads);
    let checker = checker.spawn_bfs().join();
    let mut violated: Vec<&'static str> = checker.discoveries().into_keys().collect();
    violated.sort_unstable();
    Opinion { states: checker.unique_state_count(), violated }
}

/// Serves the explorer, until the process ends.
///
/// # Panics
/// If the address cannot be listened on.
pub fn explore<P>(protocol: P, options: &Options<'_>, address: SocketAddr)
where
    P: Protocol + Send + 'static,
{
    Checked::new(protocol, options).checker().serve(address);
}
