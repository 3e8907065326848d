//! The store shows every history that a level allows, and no other: compared with the list of all
//! histories of small programs [MODEL, section 5].

mod support;

use std::collections::{BTreeMap, BTreeSet};

use hobgoblin_core::{Level, Rng};
use hobgoblin_oracle::program::{Program, Run, Size, histories, satisfies};
use support::{LEVELS, Outcome, Path, assert_sound, config, execute, run_of, scale};

/// Programs with fewer histories have hardly a choice; those with more would take a minute each.
const HISTORIES: std::ops::RangeInclusive<usize> = 3..=1000;

/// The runs each level allows.
fn allowed(all: BTreeSet<Run>) -> BTreeMap<Level, BTreeSet<Run>> {
    let mut allowed: BTreeMap<Level, BTreeSet<Run>> =
        LEVELS.map(|level| (level, BTreeSet::new())).into();
    for run in all {
        let mut failed: Vec<Level> = Vec::new();
        for level in LEVELS {
            if failed.iter().any(|&weaker| level.implies(weaker)) || !satisfies(&run, level) {
                failed.push(level);
            } else {
                allowed.get_mut(&level).expect("one a level").insert(run.clone());
            }
        }
    }
    allowed
}

/// The runs the store shows in one schedule, over all its choices.
fn shown(
    program: &Program,
    level: Level,
    whole: bool,
    schedule: impl Fn() -> Box<dyn FnMut(&[usize]) -> usize>,
    runs: &mut BTreeSet<Run>,
) {
    let config = config(level, &["x", "y"]);
    let mut path = Path::default();
    loop {
        match execute(program, &config, whole, schedule(), &mut path) {
            Outcome::Ended(history) => {
                runs.insert(run_of(&history, program.sessions.len()));
            }
            Outcome::Refused(history) => assert_sound(&history, level, &program.to_string()),
        }
        if !path.advance() {
            return;
        }
    }
}

fn serial(program: &Program, level: Level) -> BTreeSet<Run> {
    let mut runs = BTreeSet::new();
    for order in program.orders() {
        let schedule = || {
            let mut order = order.clone().into_iter();
            let next = move |_: &[usize]| order.next().expect("a step for each transaction");
            Box::new(next) as Box<dyn FnMut(&[usize]) -> usize>
        };
        shown(program, level, true, schedule, &mut runs);
    }
    runs
}

fn interleaved(program: &Program, level: Level, seeds: u64) -> BTreeSet<Run> {
    let mut runs = BTreeSet::new();
    for seed in 0..seeds {
        let schedule = || {
            let mut rng = Rng::new(seed);
            let next = move |ready: &[usize]| ready[rng.below(ready.len() as u32) as usize];
            Box::new(next) as Box<dyn FnMut(&[usize]) -> usize>
        };
        shown(program, level, false, schedule, &mut runs);
    }
    runs
}

fn compare(program: &Program, level: Level, allowed: &BTreeSet<Run>) {
    let serial = serial(program, level);
    let (wrong, missing) = (serial.difference(allowed).next(), allowed.difference(&serial).next());
    assert!(wrong.is_none(), "{level} forbids what {program} did: {wrong:#?}");
    assert!(missing.is_none(), "{level} allows what {program} never does: {missing:#?}");
    let interleaved = interleaved(program, level, 3);
    let wrong = interleaved.difference(allowed).next();
    assert!(wrong.is_none(), "{level} forbids what {program} did, interleaved: {wrong:#?}");
}

/// Compares this many random programs, from a seed on.
fn programs(size: &Size, seed: u64, count: u64) {
    let programs = (seed..).map(|seed| Program::random(size, seed));
    let listed = programs.map(|program| (histories(&program), program));
    let worth = listed.filter(|(all, _)| HISTORIES.contains(&all.len()));
    for (all, program) in worth.take(count as usize) {
        let allowed = allowed(all);
        for level in LEVELS {
            compare(&program, level, &allowed[&level]);
        }
    }
}

#[test]
fn random_programs_have_exactly_the_histories_their_level_allows() {
    programs(&Size::SMALL, 0, 100 * scale());
}

#[test]
fn short_random_programs_have_exactly_the_histories_their_level_allows() {
    programs(&Size { operations: 2, ..Size::SMALL }, 10_000, 100 * scale());
}

/// Programs whose histories tell the levels apart.
#[test]
fn known_programs_have_exactly_the_histories_their_level_allows() {
    let known = [
        // Lost update, write skew, long fork, causality, atomic visibility, the explorer's hard case.
        "r(x) w(x)=last+1 | r(x) w(x)=last+1",
        "r(x) w(x)=last+1 | r(x) w(x)=last+1 | r(x) w(x)=last+1",
        "r(x) r(y) w(x)=1 | r(x) r(y) w(y)=1",
        "w(x)=1 | w(y)=1 | r(x) r(y) | r(y) r(x)",
        "w(x)=1 | r(x) w(y)=1 | r(y) r(x)",
        "w(x)=1 w(y)=1 | w(x)=2 w(y)=2 | r(x) r(y)",
        "r(y) r(x) | w(x)=1; w(y)=1 | w(x)=2",
        "w(x)=1; r(x) | w(x)=2; r(x)",
        // Aborted readers, reads of own writes, conditions.
        "r(x) r(y) abort | w(x)=1 w(y)=1 | w(x)=2",
        "w(x)=1 abort; r(x) w(y)=3 | r(y) odd?w(x)=5",
        "w(x)=1 r(x) w(x)=last+1 r(x) | r(x); r(x)",
        "r(x) even?w(y)=1 | r(y) even?w(x)=1 | r(x) r(y)",
    ];
    for text in known {
        let program = Program::parse(text);
        let allowed = allowed(histories(&program));
        for level in LEVELS {
            compare(&program, level, &allowed[&level]);
        }
    }
}
