//! A second engine counts the same states.
#![cfg(feature = "stateright")]

use hobgoblin_check::Limits;
use hobgoblin_core::Level;
use hobgoblin_protocol::models::causal::Causal;
use hobgoblin_protocol::models::optimistic::Optimistic;
use hobgoblin_protocol::models::snapshot::Snapshot;
use hobgoblin_protocol::models::two_phase::TwoPhase;
use hobgoblin_protocol::stateright::opinion;
use hobgoblin_protocol::{Answer, Options, Protocol, search};

fn agree<P: Protocol + Clone + Send + 'static>(protocol: P, levels: &[Level]) {
    let options = Options::default().symmetry(false).levels(levels.iter().copied()).threads(2);
    let found = search(&protocol, &options, &Limits::none());
    let opinion = opinion(protocol, &options);
    let violated = found.levels.iter().filter(|(_, answer)| *answer == Answer::Violated);
    let mut violated: Vec<&str> = violated.map(|(level, _)| level.name()).collect();
    violated.sort_unstable();
    assert_eq!(opinion.violated, violated);
    assert!(found.complete);
    assert_eq!(opinion.states, found.states);
}

#[test]
fn both_engines_agree() {
    let all = [Level::RU, Level::RC, Level::CC, Level::SI, Level::SER];
    agree(TwoPhase::new(2, 1, false).expect("it fits"), &all);
    agree(TwoPhase::new(1, 2, true).expect("it fits"), &all);
    agree(Optimistic::new(2, 2, true).expect("it fits"), &all);
    agree(Snapshot::new(2, 2, false).expect("it fits"), &all);
    agree(Causal::new(3, 1, false).expect("it fits"), &all);
    agree(Causal::new(3, 2, true).expect("it fits"), &all);
}
