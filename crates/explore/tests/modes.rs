//! Merged states and unreduced schedules end where histories end.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use hobgoblin_core::{Level, Value};
use hobgoblin_explore::{End, Found, Mode, Options, Outcome, Program, explore, replay};
use hobgoblin_oracle::program::{self as oracle, Run, Size, Step, Trace, histories};
use support::{KNOWN, LEVELS, allowed, counters, program, random_mix, random_programs, scale};

/// Outcomes, locals and observed values.
type State = (Vec<Vec<Outcome>>, Vec<Value>, Vec<Value>);

fn state_of(program: &Program, observed: &[&str], end: &End<'_>) -> State {
    let sessions = program.sessions().iter().enumerate();
    let outcomes = |(number, session): (usize, &hobgoblin_explore::Session)| {
        (0..session.txns.len()).map(|txn| end.outcome(number, txn).clone()).collect()
    };
    let locals = sessions.clone().map(|(number, _)| end.local(number, "sum")).collect();
    let last = observed.iter().map(|&key| end.last(&key.into())).collect();
    (sessions.map(outcomes).collect(), locals, last)
}

/// The end states of an exploration, each with how often it was there.
fn states(
    program: &Program,
    observed: &[&str],
    options: &Options,
) -> (BTreeMap<State, u64>, Found) {
    let states = Mutex::new(BTreeMap::new());
    let see = |end: &End<'_>| {
        let state = state_of(program, observed, end);
        *states.lock().expect("nobody panicked").entry(state).or_default() += 1;
    };
    let found = explore(program, options, &see).expect("the program is good");
    (states.into_inner().expect("nobody panicked"), found)
}

/// The end state of a run, nothing observed.
fn state_of_run(run: &Run) -> State {
    let last = |trace: &Trace| {
        let read = |step: &Step| match step {
            Step::Read { value, .. } => Some(*value),
            Step::Write { .. } => None,
        };
        trace.steps.iter().rev().find_map(read).unwrap_or(0)
    };
    let outcome = |trace: &Trace| match trace.aborted {
        true => Outcome::Aborted,
        false => Outcome::Committed(Value::Int(last(trace))),
    };
    let sum = |traces: &Vec<Trace>| {
        let committed = traces.iter().filter(|trace| !trace.aborted).map(last);
        committed.reduce(|a, b| a + b).map_or(Value::Null, Value::Int)
    };
    let outcomes = run.iter().map(|traces| traces.iter().map(outcome).collect()).collect();
    (outcomes, run.iter().map(sum).collect(), Vec::new())
}

fn compare_with_brute_force(text: &oracle::Program, all: &BTreeSet<Run>) {
    let program = program(text, None);
    let allowed = allowed(all);
    for level in LEVELS {
        let options = Options { mode: Mode::States, ..Options::new(level) };
        let (states, found) = states(&program, &[], &options);
        let right: BTreeSet<State> = allowed[&level].iter().map(state_of_run).collect();
        assert!(states.values().all(|&times| times == 1), "{text}\nat {level}: a state twice");
        assert_eq!(states.into_keys().collect::<BTreeSet<_>>(), right, "{text}\nat {level}");
        assert!(found.complete && found.histories == right.len() as u64, "{text}: {found:?}");
    }
}

#[test]
fn merged_states_are_those_of_brute_force() {
    for text in KNOWN {
        let text = oracle::Program::parse(text);
        compare_with_brute_force(&text, &histories(&text));
    }
    for size in [Size::SMALL, Size::MIDDLE] {
        for (_, text, all) in random_programs(size, 600_000, 800).take(50 * scale() as usize) {
            compare_with_brute_force(&text, &all);
        }
    }
}

/// Compares merged states with those that an enumeration of histories ends in, with two keys observed.
fn compare_with_histories(text: &oracle::Program, mix: Option<&support::Mix>, level: Level) {
    let observed = ["x", "y"];
    let program = observed.iter().fold(program(text, mix), |program, key| program.observe(*key));
    let options = Options::new(level);
    let (histories, _) = states(&program, &observed, &options);
    let merging = Options { mode: Mode::States, ..options.clone() };
    let (merged, _) = states(&program, &observed, &merging);
    let label = format!("{text}\nat {level} {mix:?}");
    assert!(merged.values().all(|&times| times == 1), "{label}: a state twice");
    assert!(merged.keys().eq(histories.keys()), "{label}: {merged:#?} {histories:#?}");
}

#[test]
fn merged_states_are_those_of_histories() {
    for (seed, text, _) in random_programs(Size::MIDDLE, 700_000, 1500).take(100 * scale() as usize)
    {
        for level in LEVELS {
            compare_with_histories(&text, None, level);
        }
        // A mix of all levels, and mixes of those that are merged on the way.
        compare_with_histories(&text, Some(&random_mix(&text, seed)), Level::RC);
        for kind in [[Level::RC, Level::RA, Level::CC], [Level::PC, Level::SI, Level::SER]] {
            let mut mix = random_mix(&text, seed);
            for (number, level) in mix.iter_mut().flatten().enumerate() {
                *level = kind[(number + seed as usize / 3) % 3];
            }
            compare_with_histories(&text, Some(&mix), kind[seed as usize % 3]);
        }
    }
}

#[test]
fn every_state_has_a_witness_that_leads_to_it() {
    for (seed, text, _) in random_programs(Size::SMALL, 800_000, 1000).take(50 * scale() as usize) {
        let level = LEVELS[seed as usize % LEVELS.len()];
        let program = program(&text, None);
        let options = Options { mode: Mode::States, ..Options::new(level) };
        let see = |end: &End<'_>| {
            let run = support::run_of(&end.history(), text.sessions.len());
            assert!(oracle::satisfies(&run, level), "{text}\nat {level}: {run:#?}");
            let state = state_of(&program, &[], end);
            assert_eq!(state_of_run(&run), state, "{text}\nat {level}");
            let again = replay(&program, &end.token(), |end| state_of(&program, &[], end));
            assert_eq!(again, Ok(state), "{text}\nat {level}");
        };
        explore(&program, &options, &see).expect("the program is good");
    }
}

/// One count is left of n sessions that each count up, however they are ordered; each saw another one.
#[test]
fn merging_beats_enumeration_under_contention() {
    for (level, histories, ends) in [(Level::CC, 16807, 4683), (Level::SER, 720, 720)] {
        let program = counters(6);
        let options = Options::new(level);
        let (_, all) = states(&program, &[], &options);
        let (merged, found) = states(&program, &[], &Options { mode: Mode::States, ..options });
        assert_eq!((all.histories, merged.len(), found.histories), (histories, ends, ends as u64));
        assert!(2 * found.calls < all.calls, "{level}: {} of {} calls", found.calls, all.calls);
    }
}

#[test]
fn schedules_end_where_histories_end_but_more_often() {
    for (_, text, _) in random_programs(Size::SMALL, 900_000, 300).take(40 * scale() as usize) {
        let program = program(&text, None);
        for level in LEVELS {
            let options = Options::new(level);
            let (histories, once) = support::runs(&program, &options);
            let scheduling = Options { mode: Mode::Schedules, ..options };
            let (scheduled, often) = support::runs(&program, &scheduling);
            assert!(histories.keys().eq(scheduled.keys()), "{text}\nat {level}");
            assert_eq!(often.histories, scheduled.values().sum::<u64>(), "{text}\nat {level}");
            assert!(often.end_states >= once.end_states, "{text}\nat {level}");
        }
    }
}

/// Blind writers of different keys have one history and all their orders as schedules.
#[test]
fn schedules_are_the_orders_of_transactions() {
    let program = support::parse("w(x)=1 | w(y)=1 | w(z)=1; w(u)=1");
    let options = Options { mode: Mode::Schedules, ..Options::new(Level::CC) };
    let (runs, found) = support::runs(&program, &options);
    assert_eq!((runs.len(), found.histories, found.end_states), (1, 12, 12));
}
