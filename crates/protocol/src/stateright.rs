//! The same protocols on the engine of stateright, and in its explorer in the browser.
//!
//! It is a second opinion on how many states there are, and lets one walk through them. It does not have symmetry
//! and shortest runs at the same time, and its `eventually` does not see circles; so [`search`](crate::search()) is
//! what answers.
//!
//! States are known to stateright by number, so that its engine is built once and not for every protocol.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hashbrown::HashMap;
use hobgoblin_check::Limits;
use hobgoblin_core::{LEVELS, Level};
use stateright::{Checker, Model, Property};

use crate::isolation::Isolation;
use crate::options::Options;
use crate::protocol::{Must, Protocol};

/// What the engine asks of a protocol, by numbers of states.
trait Numbered: Send + Sync {
    fn initial(&self) -> Vec<State>;
    fn next(&self, state: &State) -> Vec<Action>;
    fn violates(&self, state: &State, level: Level) -> bool;
    fn invariants_hold(&self, state: &State) -> bool;
}

/// A state, by its number, and how it is shown.
#[derive(Clone)]
struct State {
    number: usize,
    shown: Arc<str>,
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.number == other.number
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.number.hash(hasher);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A step in words, with the state after it.
#[derive(Clone, PartialEq)]
struct Action {
    does: String,
    next: State,
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.does)
    }
}

/// A protocol whose states have numbers.
struct Numbers<P: Protocol> {
    protocol: P,
    known: Mutex<Known<P::State>>,
    isolation: Mutex<Isolation>,
}

struct Known<S> {
    states: Vec<S>,
    numbers: HashMap<S, usize>,
}

impl<P: Protocol> Numbers<P> {
    fn number(&self, state: P::State) -> State {
        let mut known = self.known.lock().expect("no protocol panics with it");
        let fresh = known.states.len();
        let shown = format!("{state:#?}").into();
        let number = *known.numbers.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            known.states.push(state);
        }
        State { number, shown }
    }

    fn state(&self, state: &State) -> P::State {
        self.known.lock().expect("no protocol panics with it").states[state.number].clone()
    }
}

impl<P: Protocol + Send> Numbered for Numbers<P> {
    fn initial(&self) -> Vec<State> {
        self.protocol.initial().into_iter().map(|state| self.number(state)).collect()
    }

    fn next(&self, state: &State) -> Vec<Action> {
        let mut actions = Vec::new();
        self.protocol.next(&self.state(state), &mut |step, next| {
            let (process, line) = (self.protocol.process(&step), self.protocol.line(&step));
            let does = format!("{process} {}", line.does);
            actions.push(Action { does, next: self.number(next) });
        });
        actions
    }

    /// There are no limits, so it is decided.
    fn violates(&self, state: &State, level: Level) -> bool {
        let mut violates = false;
        let violated = |other| violates |= other == level;
        let mut isolation = self.isolation.lock().expect("no protocol panics with it");
        isolation.look(&self.protocol, &self.state(state), &Limits::none(), violated).is_err()
            || violates
    }

    fn invariants_hold(&self, state: &State) -> bool {
        let mut all = true;
        let mut hear = |_, holds| all &= holds;
        self.protocol.invariants(&self.state(state), &mut Must::new(&mut hear));
        all
    }
}

/// A protocol as a model of stateright.
struct Checked {
    protocol: Box<dyn Numbered>,
    levels: Vec<Level>,
}

impl Checked {
    fn new<P: Protocol + Send + 'static>(protocol: P, options: &Options<'_>) -> Checked {
        let transactions = protocol.transactions();
        let isolation = Isolation::new(&options.levels, options.semantics, transactions);
        let known = Known { states: Vec::new(), numbers: HashMap::default() };
        let protocol = Box::new(Numbers {
            protocol,
            known: Mutex::new(known),
            isolation: Mutex::new(isolation),
        });
        Checked { protocol, levels: options.levels.clone() }
    }
}

impl Model for Checked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        self.protocol.initial()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(self.protocol.next(state));
    }

    fn next_state(&self, _: &State, action: Action) -> Option<State> {
        Some(action.next)
    }

    fn properties(&self) -> Vec<Property<Checked>> {
        let asked = LEVELS.iter().enumerate().filter(|(_, row)| self.levels.contains(&row.level));
        let level =
            |(at, row): (usize, &hobgoblin_core::LevelInfo)| Property::always(row.name, HOLDS[at]);
        let invariants = Property::always("invariants", |model: &Checked, state| {
            model.protocol.invariants_hold(state)
        });
        asked.map(level).chain([invariants]).collect()
    }
}

type Holds = fn(&Checked, &State) -> bool;

/// A function for each level, since a property has no state of its own.
const HOLDS: [Holds; LEVELS.len()] = [
    holds::<0>, holds::<1>, holds::<2>, holds::<3>, holds::<4>, holds::<5>, holds::<6>, holds::<7>,
    holds::<8>,
];

fn holds<const AT: usize>(model: &Checked, state: &State) -> bool {
    !model.protocol.violates(state, LEVELS[AT].level)
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
pub fn opinion<P: Protocol + Send + 'static>(protocol: P, options: &Options<'_>) -> Opinion {
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
pub fn explore<P: Protocol + Send + 'static>(
    protocol: P,
    options: &Options<'_>,
    address: SocketAddr,
) {
    Checked::new(protocol, options).checker().serve(address);
}
