//! Properties of the definitions themselves, on random histories.

use std::collections::BTreeMap;

use hobgoblin_core::{History, Level, Target};
use hobgoblin_oracle::sample::{self, Shape};
use hobgoblin_oracle::{brute, frontier};

/// All levels, and all of them as the default of a mix.
fn targets() -> impl Iterator<Item = Target> {
    Level::ALL.into_iter().flat_map(|level| [Target::Level(level), Target::Mixed(level)])
}

#[test]
fn weaker_levels_accept_more_and_every_level_rejects_some() {
    let mut held: BTreeMap<Level, usize> = BTreeMap::new();
    for seed in 0..600 {
        for shape in [Shape::PLAIN, Shape { levels: 0, ..Shape::WILD }] {
            let history = sample::history(&shape, seed);
            let holds: Vec<Level> = Level::ALL
                .into_iter()
                .filter(|&level| brute::satisfies(&history, level.into()))
                .collect();
            for &level in &holds {
                *held.entry(level).or_default() += 1;
                let implied = Level::ALL.into_iter().filter(|&weaker| level.implies(weaker));
                assert!(implied.clone().all(|w| holds.contains(&w)), "seed {seed}: {holds:?}");
            }
        }
    }
    assert!(held.len() == 9 && held.values().all(|&n| n > 100 && n < 1200), "{held:?}");
}

#[test]
fn one_level_for_all_is_a_special_case_of_a_mix() {
    for seed in 0..300 {
        let history = sample::history(&Shape { levels: 0, ..Shape::WILD }, seed);
        for level in Level::ALL {
            let mixed = brute::satisfies(&history, Target::Mixed(level));
            assert_eq!(brute::satisfies(&history, level.into()), mixed, "seed {seed} {level}");
        }
    }
}

#[test]
fn commit_orders_found_are_accepted() {
    let check = |history: &History, seed: u64| {
        for target in targets() {
            if let Some(order) = brute::commit_order(history, target) {
                assert!(brute::accepts(history, target, &order), "seed {seed} {target:?}");
            }
        }
    };
    for seed in 0..300 {
        check(&sample::history(&Shape::WILD, seed), seed);
    }
}

#[test]
fn a_search_over_frontiers_equals_brute_force() {
    let shape = Shape { unsettled: 10, locks: 15, ..Shape::PLAIN };
    for seed in 0..1500 {
        let history = sample::history(&shape, seed);
        for level in [Level::PC, Level::SI, Level::SER] {
            let brute = brute::satisfies(&history, level.into());
            assert_eq!(frontier::satisfies(&history, level), brute, "seed {seed} {level}");
        }
    }
}
