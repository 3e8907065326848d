//! The explorer gives every history that a level allows, each once, and no other: compared with the list
//! of all histories of small programs, made by the letter of the definition [MODEL, section 5].

mod support;

use std::collections::{BTreeMap, BTreeSet};

use hobgoblin_core::Level;
use hobgoblin_explore::{Found, Options};
use hobgoblin_oracle::program::{self as oracle, Run, Size, histories};
use support::{
    KNOWN, LEVELS, allowed, allowed_mix, assert_runs, program, random_mix, random_programs, runs,
    scale,
};

/// How many runs, whole and partial, the brute force may make of a program.
const RUNS: usize = 1500;

/// Explores with and without pruning and compares both with what is allowed.
fn compare(text: &oracle::Program, options: &Options, seed: u64, right: &BTreeSet<Run>) -> Found {
    let mix = (options.level == Level::RU).then(|| random_mix(text, seed));
    let program = program(text, mix.as_ref());
    let explored = |prune: bool| {
        let options = Options { prune, ..options.clone() };
        let (shown, found) = runs(&program, &options);
        let level = mix.as_ref().map_or(options.level.to_string(), |mix| format!("{mix:?}"));
        let label = format!("{text}\nat {level}, pruned: {prune}");
        assert_runs(&shown, right, &label);
        assert_eq!(found.histories, right.len() as u64, "{label}");
        assert!(found.complete && found.stopped.is_none(), "{label}: {found:?}");
        assert!(found.end_states >= found.histories, "{label}: {found:?}");
        found
    };
    let (pruned, all) = (explored(true), explored(false));
    assert!(pruned.calls <= all.calls, "{text}: pruning adds calls: {pruned:?}, {all:?}");
    if matches!(options.level, Level::RC | Level::RA | Level::CC) {
        assert_eq!((all.fruitless, all.end_states), (0, all.histories), "{text}: {all:?}");
    }
    pruned
}

fn compare_levels(text: &oracle::Program, right: &BTreeMap<Level, BTreeSet<Run>>) {
    for level in LEVELS {
        compare(text, &Options::new(level), 0, &right[&level]);
    }
}

/// Compares this many random programs at every level and at a random mix, from a seed on.
fn programs(size: Size, first: u64, count: u64) {
    for (seed, text, all) in random_programs(size, first, RUNS).take(count as usize) {
        compare_levels(&text, &allowed(&all));
        let mixed = allowed_mix(&all, &random_mix(&text, seed));
        compare(&text, &Options::new(Level::RU), seed, &mixed);
    }
}

#[test]
fn known_programs_have_exactly_the_histories_their_level_allows() {
    for text in KNOWN {
        let text = oracle::Program::parse(text);
        compare_levels(&text, &allowed(&histories(&text)));
    }
}

#[test]
fn random_programs_have_exactly_the_histories_their_level_allows() {
    programs(Size::SMALL, 0, 70 * scale());
}

#[test]
fn short_random_programs_have_exactly_the_histories_their_level_allows() {
    programs(Size { operations: 2, ..Size::SMALL }, 100_000, 70 * scale());
}

#[test]
fn larger_random_programs_have_exactly_the_histories_their_level_allows() {
    programs(Size::MIDDLE, 200_000, 70 * scale());
}
