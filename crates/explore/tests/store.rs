//! The mock store, run serially over all its choices, shows exactly what the explorer finds.

#[path = "../../store/tests/support/mod.rs"]
mod machine;
mod support;

use std::collections::BTreeSet;

use hobgoblin_core::Level;
use hobgoblin_explore::Options;
use hobgoblin_oracle::program::{self as oracle, Run, Size};
use machine::{Outcome, Path, execute};
use support::{KNOWN, LEVELS, program, random_programs, runs, scale};

/// What the store shows in all serial orders over all choices.
fn shown(program: &oracle::Program, level: Level) -> BTreeSet<Run> {
    let config = machine::config(level, &["x", "y", "z", "u"]);
    let mut runs = BTreeSet::new();
    for order in program.orders() {
        let mut path = Path::default();
        loop {
            let mut order = order.iter();
            let next = |_: &[usize]| *order.next().expect("a step for each transaction");
            if let Outcome::Ended(history) = execute(program, &config, true, next, &mut path) {
                runs.insert(support::run_of(&history, program.sessions.len()));
            }
            if !path.advance() {
                break;
            }
        }
    }
    runs
}

fn compare(text: &oracle::Program) {
    for level in LEVELS {
        let store = shown(text, level);
        let (explored, _) = runs(&program(text, None), &Options::new(level));
        support::assert_runs(&explored, &store, &format!("{text}\nat {level}"));
    }
}

#[test]
fn the_store_shows_what_the_explorer_finds_of_known_programs() {
    for text in KNOWN {
        compare(&oracle::Program::parse(text));
    }
}

#[test]
fn the_store_shows_what_the_explorer_finds() {
    for (_, text, _) in random_programs(Size::SMALL, 0, 1000).take(100 * scale() as usize) {
        compare(&text);
    }
}

#[test]
fn the_store_shows_what_the_explorer_finds_of_larger_programs() {
    for (_, text, _) in random_programs(Size::MIDDLE, 200_000, 400).take(100 * scale() as usize) {
        compare(&text);
    }
}
