//! The applications of every day break at the levels they name and at no other, and the rotation of policies
//! finds it nearly as soon as the best of them.

use hobgoblin::Level;
use hobgoblin::store::{Config, Policy};
use hobgoblin_apps::Granularity;
use hobgoblin_apps::contest::{BAR, Effort, contest};
use hobgoblin_apps::everyday::{EVERYDAY, Everyday};
use hobgoblin_apps::measure::iteration;

/// How many times the iterations of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

#[test]
fn nothing_fails_where_it_cannot() {
    for Everyday { app, breaks, .. } in &EVERYDAY {
        let holds = |level: &Level| *level != Level::RU && !breaks.contains(level);
        for level in Level::ALL.into_iter().filter(holds) {
            let config = Config::default().level(level).history(false).log(false);
            for seed in 0..300 * scale() {
                let seen = iteration(app, &config, Granularity::Operation, seed)
                    .expect("the application runs");
                assert!(!seen.violated, "{} {level} seed {seed}: {}", app.name, seen.told);
            }
        }
    }
}

/// A weaker level allows what a stronger one does, so the levels at which an assertion can fail have none
/// below them at which it cannot.
#[test]
fn what_breaks_at_a_level_breaks_at_the_weaker_ones() {
    for Everyday { app, breaks, .. } in &EVERYDAY {
        for level in *breaks {
            let weaker = |other: &Level| level.implies(*other) && *other != Level::RU;
            for other in Level::ALL.into_iter().filter(weaker) {
                assert!(breaks.contains(&other), "{} breaks at {level}, not {other}?", app.name);
            }
        }
    }
}

#[test]
fn there_are_plain_and_guarded_ones_and_all_are_of_several_sessions() {
    let guarded = EVERYDAY.iter().filter(|everyday| everyday.guarded).count();
    assert!(guarded >= 6 && EVERYDAY.len() - guarded >= 12, "{guarded} of {}", EVERYDAY.len());
    assert!(EVERYDAY.iter().any(|everyday| everyday.app.sessions >= 4));
    assert!(EVERYDAY.iter().all(|everyday| everyday.app.sessions >= 2));
}

/// A tenth of what `benches/policies.rs` measures; what chance may have done is no failure here.
#[test]
fn the_rotation_is_near_the_best_policy_everywhere() {
    let effort = Effort {
        seed: 7_000_000_000,
        least: 20 * scale(),
        most: 60 * scale(),
        iterations: 400_000,
    };
    for Everyday { app, breaks, .. } in &EVERYDAY {
        for &level in *breaks {
            let found = contest(app, level, &effort).expect("the application runs");
            assert!(found.rotation.failures >= effort.least, "{} {level}: {found:?}", app.name);
            let (ratio, chance) = (found.ratio(), found.chance());
            assert!(ratio <= BAR * chance, "{} {level}: {ratio} times, {found:?}", app.name);
        }
    }
}

/// What the rotation is there for: no single policy is near the best everywhere.
#[test]
fn every_single_policy_is_far_from_the_best_somewhere() {
    let rate = |name: &str, level: Level, policy: Policy| {
        let Everyday { app, .. } =
            EVERYDAY.iter().find(|everyday| everyday.app.name == name).expect("it is there");
        let policy = Some(policy);
        let config = Config::default().level(level).policy(policy).history(false).log(false);
        let fails = |&seed: &u64| {
            let seen = iteration(app, &config, Granularity::Operation, seed);
            seen.expect("the application runs").violated
        };
        (0..4000).filter(fails).count()
    };
    for (name, level, bad, good) in [
        ("reservation", Level::RC, Policy::Adverse, Policy::Uniform),
        ("wizard", Level::RC, Policy::Uniform, Policy::Adverse),
        ("wizard", Level::RC, Policy::Stale, Policy::Adverse),
    ] {
        let (bad_rate, good_rate) = (rate(name, level, bad), rate(name, level, good));
        assert!(10 * bad_rate < good_rate, "{name} {level}: {bad} {bad_rate}, {good} {good_rate}");
    }
}
