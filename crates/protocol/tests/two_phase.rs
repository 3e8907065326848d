//! Two-phase commit: the numbers of TLC, and the seeded bug.

use hobgoblin_check::Limits;
use hobgoblin_core::Level;
use hobgoblin_protocol::models::two_phase::TwoPhase;
use hobgoblin_protocol::{Answer, Finding, Options, search};

/// Transactions, resources, distinct states up to names, and the depth.
const TABLE: [(usize, usize, usize, usize); 8] = [
    (1, 1, 177, 18),
    (1, 2, 3_364, 32),
    (2, 1, 1_118, 22),
    (3, 1, 4_883, 26),
    (1, 3, 48_777, 46),
    (2, 2, 49_884, 37),
    (3, 2, 474_524, 42),
    (2, 3, 1_938_910, 52),
];

#[test]
fn states_and_depth_are_those_of_tlc() {
    let full = std::env::var_os("HOB_FULL").is_some();
    for (transactions, resources, states, depth) in TABLE {
        if states > 50_000 && !full {
            continue;
        }
        let protocol = TwoPhase::new(transactions, resources, false).expect("it fits");
        let found = search(&protocol, &Options::default(), &Limits::none());
        let label = format!("{transactions} transactions, {resources} resources");
        assert_eq!((found.states, found.depth), (states, depth), "{label}");
        assert!(found.complete && found.wrong.is_empty(), "{label}");
        let levels = [Level::RU, Level::RC, Level::SI, Level::SER];
        assert_eq!(found.levels, levels.map(|level| (level, Answer::Holds)), "{label}");
        assert_eq!(found.invariants, [("atomicity", Answer::Holds)], "{label}");
        assert_eq!(found.termination, Answer::Holds, "{label}");
    }
}

#[test]
fn real_time_is_respected() {
    let protocol = TwoPhase::new(2, 1, false).expect("it fits");
    let options = Options::default().levels([Level::SER, Level::SSER]);
    let found = search(&protocol, &options, &Limits::none());
    assert!(found.wrong.is_empty());
    assert_eq!(found.level(Level::SSER), Some(Answer::Holds));
    assert!(found.states > 1_118, "real time tells states apart");
}

#[test]
fn the_seeded_bug_needs_three_transactions() {
    for (transactions, resources) in [(2, 1), (2, 2), (3, 1)] {
        let protocol = TwoPhase::new(transactions, resources, true).expect("it fits");
        let found = search(&protocol, &Options::default(), &Limits::none());
        let levels: Vec<_> = found.levels.iter().filter(|(_, a)| *a != Answer::Holds).collect();
        assert!(levels.is_empty(), "{transactions} × {resources}: {levels:?}");
    }
    let three = TwoPhase::new(3, 2, true).expect("it fits");
    let found = search(&three, &Options::default(), &Limits::none());
    let broken = |level| found.wrong(|finding| *finding == Finding::Level(level));
    for level in [Level::RC, Level::SI, Level::SER] {
        let wrong = broken(level).expect("it is violated");
        assert_eq!((wrong.trace.states.len(), wrong.trace.steps.len()), (20, 19), "{level}");
    }
    assert!(broken(Level::RU).is_none());
    assert_eq!(found.invariants, [("atomicity", Answer::Unknown)], "it is not broken there");
    assert!(!found.complete && found.stopped.is_none());
}
