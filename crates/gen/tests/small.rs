//! Small random histories: well formed, repeatable, and of every kind of verdict.

mod brute;

use hobgoblin_core::{History, Level, Status};
use hobgoblin_gen::{Draft, SmallParams, random_history};

fn all() -> SmallParams {
    SmallParams {
        repeated_values: true,
        statuses: true,
        levels: true,
        times: true,
        locks: true,
        orders: true,
        writers: true,
        ..SmallParams::default()
    }
}

#[test]
fn every_strongest_level_is_well_represented() {
    // By set of levels; without times SSER is SER.
    let mut count = [0; 512];
    for seed in 0..2000 {
        let history = random_history(seed, &SmallParams::default());
        let levels = brute::levels(&history);
        let set: usize = levels.iter().map(|&level| 1 << level as usize).sum();
        count[set] += 1;
    }
    let set = |levels: &[Level]| levels.iter().map(|&l| 1 << l as usize).sum::<usize>();
    let mut chain = Vec::new();
    for (level, at_least) in [
        (None, 50),
        (Some(Level::RU), 100),
        (Some(Level::RC), 100),
        (Some(Level::RA), 50),
        (Some(Level::CC), 4),
    ] {
        chain.extend(level);
        assert!(count[set(&chain)] >= at_least, "{level:?}: {}", count[set(&chain)]);
    }
    let with = |more: &[Level]| count[set(&chain) + set(more)];
    assert!(with(&[Level::PC]) >= 50, "{}", with(&[Level::PC]));
    assert!(with(&[Level::PSI]) >= 20, "{}", with(&[Level::PSI]));
    assert!(with(&[Level::PC, Level::PSI]) + with(&[Level::PC, Level::PSI, Level::SI]) >= 50);
    assert!(count[511] >= 400, "{}", count[511]);
    assert!(count[511] <= 1200, "{}", count[511]);
}

#[test]
fn weaker_levels_accept_more() {
    let params = SmallParams {
        txns: 5,
        repeated_values: true,
        statuses: true,
        times: true,
        ..SmallParams::default()
    };
    for seed in 0..400 {
        let history = random_history(seed, &params);
        let levels = brute::levels(&history);
        for &level in &levels {
            for weaker in Level::ALL.into_iter().filter(|&weaker| level.implies(weaker)) {
                assert!(levels.contains(&weaker), "seed {seed}: {level} but not {weaker}");
            }
        }
    }
}

#[test]
fn all_features_occur_and_sizes_are_kept() {
    let (mut features, params) = ([false; 9], all());
    for seed in 0..300 {
        let h = random_history(seed, &params);
        assert!((1..=7).contains(&h.txns().len()) && h.num_keys() <= 3 && h.num_sessions() <= 4);
        assert!(h.txns().all(|t| (1..=4).contains(&h.events(t).len())));
        let reads = || h.txns().flat_map(|t| h.event_ids(t));
        let seen: [bool; 9] = [
            !h.ambiguous_reads().is_empty(),
            h.txns().any(|t| h.status(t) == Status::Aborted),
            h.txns().any(|t| h.status(t) == Status::Unknown && h.counts(t)),
            h.has_levels(),
            h.has_times(),
            h.has_locks(),
            h.ordered_keys().next().is_some(),
            reads().any(|e| h.writer_given(e).is_some()),
            !h.faults().is_empty(),
        ];
        features.iter_mut().zip(seen).for_each(|(f, s)| *f |= s);
    }
    assert_eq!(features, [true; 9]);
}

#[test]
fn there_are_no_faults_unless_asked_for() {
    let params = SmallParams { faults: false, ..all() };
    for seed in 0..2000 {
        assert_eq!(random_history(seed, &params).faults(), [], "seed {seed}");
    }
}

#[test]
fn tiny_limits_are_no_problem() {
    let params = SmallParams { txns: 0, sessions: 0, keys: 0, events: 0, ..all() };
    for seed in 0..20 {
        assert_eq!(random_history(seed, &params).num_events(), 1);
    }
}

#[test]
fn seeds_are_repeatable() {
    let draft = |seed| Draft::of(&random_history(seed, &all()));
    assert_eq!(draft(3), draft(3));
    assert_ne!(draft(3), draft(4));
    let same = |h: &History| Draft::of(&Draft::of(h).build().unwrap()) == Draft::of(h);
    assert!((0..100).all(|seed| same(&random_history(seed, &all()))), "drafts lose nothing");
}
