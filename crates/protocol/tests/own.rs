//! Protocols that somebody else wrote, with what goes wrong in them.

use std::time::Duration;

use hobgoblin_check::Limits;
use hobgoblin_core::{Level, StopReason};
use hobgoblin_protocol::{
    Answer, Finding, Found, Must, Observed, Options, Phase, Process, Protocol, chart, search,
};

/// A transaction that counts, and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// It panics at 3.
    Panics,
    /// It panics before there is a state.
    PanicsAtOnce,
    /// It never stops counting.
    CountsForEver,
    /// From 3 it goes back to 1.
    GoesRound,
    /// As before, but another process, which always can, would end it.
    CouldEnd,
    /// At 3 nobody knows how to go on.
    Stuck,
    /// An invariant that is false at the start.
    Wrong,
    /// A state never stops to hand out steps.
    StepsForEver,
    /// It observes what there is not.
    Observes,
}

impl Protocol for Fault {
    type State = u64;
    type Step = u64;

    fn transactions(&self) -> usize {
        1
    }

    fn resources(&self) -> usize {
        1
    }

    fn initial(&self) -> Vec<u64> {
        assert!(*self != Fault::PanicsAtOnce, "no beginning");
        vec![0]
    }

    fn next(&self, &state: &u64, take: &mut dyn FnMut(u64, u64)) {
        match (self, state) {
            (Fault::Panics, 3) => panic!("I cannot count to {}", state + 1),
            (Fault::GoesRound | Fault::CouldEnd, 3) => take(1, 1),
            (Fault::Stuck, 3) => return,
            (Fault::StepsForEver, 3) => (0..u64::MAX).for_each(|next| take(next, next)),
            (Fault::CountsForEver, _) | (_, 0..=3) => take(state + 1, state + 1),
            _ => {}
        }
        if *self == Fault::CouldEnd && (1..=3).contains(&state) {
            take(4, 4);
        }
    }

    fn process(&self, step: &u64) -> Process {
        Process::Resource(usize::from(*step == 4))
    }

    fn observed(&self, state: &u64, observed: &mut Observed) {
        if *self == Fault::Observes && *state == 2 {
            observed.read(0, 7, 0);
        }
    }

    fn phase(&self, state: &u64, _: usize) -> Phase {
        if *state == 4 { Phase::Ended } else { Phase::Running }
    }

    fn invariants(&self, state: &u64, must: &mut Must<'_>) {
        must.hold("small", *self != Fault::Wrong || *state > 0);
    }
}

fn found(fault: Fault) -> Found<u64, u64> {
    search(&fault, &Options::default(), &Limits::time(Duration::from_millis(300)))
}

#[test]
fn a_protocol_without_faults() {
    let found = found(Fault::None);
    assert!(found.complete && found.wrong.is_empty());
    assert_eq!((found.states, found.depth, found.termination), (5, 5, Answer::Holds));
    assert_eq!(found.invariants, [("small", Answer::Holds)]);
}

#[test]
fn a_panic_is_told_with_the_run_that_leads_to_it() {
    let found = found(Fault::Panics);
    let wrong = &found.wrong[0];
    assert_eq!(wrong.finding, Finding::Panic("I cannot count to 4".to_owned()));
    assert_eq!(wrong.trace.states, [0, 1, 2, 3]);
    assert!(!found.complete);
    assert_eq!(found.level(Level::SER), Some(Answer::Unknown));
    assert_eq!(found.termination, Answer::Unknown);
}

#[test]
fn a_panic_at_the_start_has_no_run() {
    let found = found(Fault::PanicsAtOnce);
    assert_eq!(found.wrong[0].finding, Finding::Panic("no beginning".to_owned()));
    assert!(found.wrong[0].trace.states.is_empty() && !found.complete);
}

#[test]
fn what_is_observed_of_a_resource_there_is_not_is_told() {
    let found = found(Fault::Observes);
    assert!(matches!(&found.wrong[0].finding, Finding::Panic(_)), "{}", found.wrong[0].finding);
    assert_eq!(found.wrong[0].trace.states, [0, 1, 2]);
}

#[test]
fn states_without_end_stop_at_a_limit() {
    let found = found(Fault::CountsForEver);
    assert_eq!((found.complete, &found.stopped), (false, &Some(StopReason::Time)));
    assert_eq!(found.level(Level::SER), Some(Answer::Unknown));
    assert!(found.states > 100 && found.depth + 1 >= found.states);
}

#[test]
fn steps_without_end_stop_at_a_limit() {
    let found = found(Fault::StepsForEver);
    assert_eq!((found.complete, found.stopped), (false, Some(StopReason::Time)));
}

#[test]
fn a_circle_in_which_a_transaction_never_ends() {
    let found = found(Fault::GoesRound);
    assert!(found.complete);
    assert_eq!((found.states, found.termination), (4, Answer::Violated));
    let wrong = &found.wrong[0];
    assert_eq!(wrong.finding, Finding::Endless { transaction: 0, from: 1 });
    assert_eq!(wrong.trace.states, [0, 1, 2, 3, 1]);
    assert_eq!(wrong.finding.to_string(), "t1 may never end");
}

#[test]
fn a_circle_that_is_not_fair_is_no_fault() {
    let found = found(Fault::CouldEnd);
    assert!(found.wrong.is_empty(), "{}", found.wrong[0].finding);
    assert_eq!((found.states, found.termination), (5, Answer::Holds));
}

#[test]
fn a_deadlock_is_told() {
    let found = found(Fault::Stuck);
    assert_eq!(found.wrong[0].finding, Finding::Deadlock);
    assert_eq!(found.wrong[0].trace.states, [0, 1, 2, 3]);
    assert_eq!(found.termination, Answer::Violated);
}

#[test]
fn an_invariant_that_is_false_at_the_start_has_a_run_of_one_state() {
    let found = found(Fault::Wrong);
    assert_eq!(found.wrong[0].finding, Finding::Invariant("small"));
    assert_eq!(found.wrong[0].trace.states, [0]);
    assert_eq!(found.invariants, [("small", Answer::Violated)]);
    assert!(found.complete, "levels are still of interest");
}

#[test]
fn steps_without_words_of_their_own_are_shown_as_they_are() {
    let drawn = chart(&Fault::None, &[1, 4]);
    assert!(drawn.contains("● 1") && drawn.contains("r2"), "{drawn}");
}
