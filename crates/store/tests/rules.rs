//! What a client of the store may rely on, request by request: all answers each script may get.

mod support;

use hobgoblin_core::Level;
use hobgoblin_store::{Config, Policy};
use support::script::{check, outcomes};
use support::{LEVELS, config};

fn at(level: Level) -> Config {
    config(level, &["x", "y"])
}

const WEAK: [Level; 6] = [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI];

#[test]
fn a_weak_read_may_miss_every_commit() {
    for level in WEAK {
        check(&at(level), "a: put x=1; b: get x", &["0", "1"]);
        check(&at(level), "a: put x=1; a: put x=2; b: get x", &["0", "1", "2"]);
    }
    for level in [Level::SER, Level::SSER] {
        check(&at(level), "a: put x=1; a: put x=2; b: get x", &["2"]);
    }
}

#[test]
fn sessions_see_their_own_past_from_read_atomic_on() {
    let script = "a: put x=1; a: get x";
    check(&at(Level::RC), script, &["0", "1"]);
    for level in LEVELS.into_iter().filter(|&level| level != Level::RC) {
        check(&at(level), script, &["1"]);
    }
}

#[test]
fn reads_of_own_writes_are_certain() {
    for level in LEVELS {
        let script = "b: put x=7; a: begin; a: put x=1; a: get x; a: put x=2; a: get x; a: commit";
        check(&at(level), script, &["1 2"]);
    }
}

#[test]
fn a_fence_shows_all_commits_before_it() {
    for level in WEAK {
        check(&at(level), "a: put x=1; fence; b: get x", &["1"]);
        check(&at(level), "a: put x=1; fence; a: put x=2; b: get x", &["1", "2"]);
        // It binds a transaction that has not read yet, and no other.
        check(&at(level), "b: begin; a: put x=1; fence; b: get x; b: commit", &["1"]);
        let script = "b: begin; b: get y; a: put x=1; fence; b: get x; b: commit";
        check(&at(level), script, &["0 0", "0 1"]);
    }
}

#[test]
fn a_window_bounds_how_many_commits_are_missed() {
    let windows = [
        (Some(0), vec!["3"]),
        (Some(1), vec!["2", "3"]),
        (Some(2), vec!["1", "2", "3"]),
        (Some(3), vec!["0", "1", "2", "3"]),
        (None, vec!["0", "1", "2", "3"]),
    ];
    for level in WEAK {
        for (window, expected) in &windows {
            let config = at(level).window(*window);
            check(&config, "a: put x=1; a: put x=2; a: put x=3; b: get x", expected);
            // Commits that write nothing do not count.
            let script = "a: put x=1; a: put x=2; a: put x=3; c: begin; c: commit; b: get x";
            check(&config, script, expected);
        }
    }
}

#[test]
fn a_lag_bounds_how_long_a_commit_is_missed() {
    for level in WEAK {
        let config = at(level).lag(10);
        check(&config, "a: put x=1; tick 5; b: get x", &["0", "1"]);
        check(&config, "a: put x=1; tick 100; b: get x", &["1"]);
        check(&config, "a: put x=1; tick 100; a: put x=2; b: get x", &["1", "2"]);
    }
}

#[test]
fn policies_choose_among_what_is_allowed() {
    let three = "a: put x=1; a: put x=2; b: put x=3; c: get x";
    for level in WEAK {
        check(&at(level).policy(Policy::Latest), three, &["3"]);
        check(&at(level).policy(Policy::Weighted(1.0)), three, &["3"]);
        check(&at(level).policy(Policy::Weighted(0.0)), three, &["0", "1", "2"]);
        check(&at(level).policy(Policy::Stale), three, &["0", "1", "2", "3"]);
        // The newest of each session that wrote.
        check(&at(level).policy(Policy::LatestPerSession), three, &["2", "3"]);
        check(&at(level).policy(Policy::LatestPerSession), "c: get x", &["0"]);
        // A session's own policy goes before the store's.
        let script = three.replace("c: get", "c: policy latest; c: get");
        check(&at(level), &script, &["3"]);
    }
}

#[test]
fn every_policy_of_the_rotation_can_do_whatever_is_allowed() {
    let scripts = [
        "a: put x=1; a: put x=2; b: put x=3; c: get x",
        "a: put x=1; b: put y=1; c: begin; c: get x; c: get y; c: commit; c: get x; c: get y",
        "a: begin; a: put x=1; a: put y=1; a: commit; b: get x; b: get y; b: put x=2; a: get x",
    ];
    for level in WEAK {
        for script in scripts {
            let all = outcomes(&at(level), script);
            for policy in Policy::ROTATION {
                let answers = (0..5000).map(|seed| {
                    let config = at(level).seed(seed).policy(policy);
                    let mut machine = hobgoblin_store::Machine::new(config).expect("good");
                    support::script::run(&mut machine, script)
                });
                let shown: std::collections::BTreeSet<String> = answers.collect();
                assert!(shown.is_superset(&all), "{policy} {level} {script}: {shown:?} of {all:?}");
            }
        }
    }
}

#[test]
fn stale_prefers_the_oldest() {
    let oldest = |policy| {
        let reads = (0..400).filter(|&seed| {
            let config = at(Level::RC).seed(seed).policy(policy);
            let mut machine = hobgoblin_store::Machine::new(config).expect("good");
            let script = "a: put x=1; a: put x=2; a: put x=3; b: get x";
            support::script::run(&mut machine, script) == "0"
        });
        reads.count()
    };
    let (stale, uniform) = (oldest(Policy::Stale), oldest(Policy::Uniform));
    assert!((150..250).contains(&stale), "half of 400 reads are of the oldest, not {stale}");
    assert!(
        (60..140).contains(&uniform),
        "a quarter of 400 reads are of the oldest, not {uniform}"
    );
}

#[test]
fn lost_updates_are_refused_from_parallel_snapshot_on() {
    let script =
        "a: begin; b: begin; a: get x; b: get x; a: put x=1; b: put x=2; a: commit; b: commit";
    for level in [Level::RC, Level::RA, Level::CC, Level::PC] {
        check(&at(level), script, &["0 0"]);
    }
    for level in [Level::PSI, Level::SI, Level::SER] {
        check(&at(level), script, &["0 0 refused"]);
    }
    // A stale snapshot is enough; the two need not overlap.
    let script = "a: put x=1; b: begin; b: get x; b: put x=2; b: commit";
    for level in [Level::PSI, Level::SI] {
        check(&at(level), script, &["0 refused", "1"]);
    }
    check(&at(Level::PC), script, &["0", "1"]);
    check(&at(Level::SER), script, &["1"]);
    // A write without a read has a snapshot that contains all writers of its key.
    for level in LEVELS {
        check(&at(level), "a: put x=1; b: begin; b: put x=2; b: commit", &[""]);
    }
}

#[test]
fn write_skew_is_refused_at_serializable_only() {
    let script =
        "a: begin; b: begin; a: get x; b: get y; a: put y=1; b: put x=1; a: commit; b: commit";
    for level in WEAK {
        check(&at(level), script, &["0 0"]);
    }
    for level in [Level::SER, Level::SSER] {
        check(&at(level), script, &["0 0 refused"]);
    }
}

#[test]
fn a_retry_after_a_refusal_succeeds() {
    let script = "a: put x=1; b: begin; b: get x; b: put x=2; b: commit; \
                  b: begin; b: get x; b: put x=3; b: commit; b: get x";
    for level in [Level::PSI, Level::SI] {
        check(&at(level), script, &["0 refused 1 3", "1 2 3"]);
    }
}

#[test]
fn serializable_readers_are_never_refused() {
    for level in [Level::SER, Level::SSER] {
        let script = "a: begin; a: get x; b: put x=1; b: put y=1; a: get y; a: commit";
        check(&at(level), script, &["0 0"]);
        // Its second read may be as new as its first allows.
        let script = "a: begin; a: get x; b: put y=1; a: get y; a: commit";
        check(&at(level), script, &["0 1"]);
    }
}

#[test]
fn keys_without_a_value_are_absent() {
    for level in LEVELS {
        check(&at(level), "a: get z; a: scan z", &["null []"]);
        check(
            &at(level),
            "a: begin; a: put z1=1; a: scan z; a: delete z1; a: scan z",
            &["[z1=1] []"],
        );
    }
    check(&at(Level::RC), "a: put z=1; b: get z", &["1", "null"]);
    check(&at(Level::RC), "a: put z=1; b: delete z; c: scan z", &["[]", "[z=1]"]);
    check(&at(Level::SER), "a: put z=1; b: delete z; c: scan z; c: get z", &["[] null"]);
    check(&at(Level::SER), "a: put z=1; a: delete z; a: put z=2; b: scan z", &["[z=2]"]);
}

#[test]
fn scans_read_key_by_key() {
    let script = "a: begin; a: put z1=1; a: put z2=1; a: commit; b: scan z";
    let torn = ["[]", "[z1=1]", "[z1=1,z2=1]", "[z2=1]"];
    // Read committed is monotonic: having read z1 it does not miss z2 of the same transaction.
    check(&at(Level::RC), script, &["[]", "[z1=1,z2=1]", "[z2=1]"]);
    for level in LEVELS.into_iter().filter(|&level| level != Level::RC) {
        let all = outcomes(&at(level), script);
        assert!(all.iter().all(|rows| rows == torn[0] || rows == torn[2]), "{level} {all:?}");
    }
}

#[test]
fn a_scan_counts_keys_made_while_its_transaction_is_open() {
    // The scanner saw no z1. At the snapshot levels it goes on not to.
    let script = "a: begin; a: scan z; b: put z1=1; a: scan z; a: get z1; a: commit";
    for level in [Level::PC, Level::PSI, Level::SI, Level::SER, Level::SSER, Level::RA, Level::CC] {
        check(&at(level), script, &["[] [] null"]);
    }
    // A phantom: both count the range and add to it.
    let script = "a: begin; b: begin; a: scan z; b: scan z; a: put z1=1; b: put z2=1; \
                  a: commit; b: commit";
    for level in WEAK {
        check(&at(level), script, &["[] []"]);
    }
    for level in [Level::SER, Level::SSER] {
        check(&at(level), script, &["[] [] refused"]);
    }
}

#[test]
fn rolling_back_to_a_savepoint_undoes_writes() {
    for level in LEVELS {
        let script = "a: begin; a: put x=1; a: savepoint p; a: put x=2; a: put y=2; a: rollback p; \
                      a: get x; a: commit; fence; b: get x; b: get y";
        check(&at(level), script, &["1 1 0"]);
        // A read after the rollback is external again.
        let script = "a: begin; a: savepoint p; a: put x=2; a: get x; a: rollback p; a: get x; \
                      a: commit; fence; b: get x";
        check(&at(level), script, &["2 0 0"]);
        // A savepoint of the same name hides the first until it is released.
        let script = "a: begin; a: savepoint p; a: put x=1; a: savepoint p; a: put x=2; \
                      a: rollback p; a: get x; a: release p; a: rollback p; a: get x; a: commit";
        check(&at(level), script, &["1 0"]);
    }
}

#[test]
fn what_makes_no_sense_is_said_and_changes_nothing() {
    let cases = [
        ("a: commit", "no open transaction"),
        ("a: abort", "no open transaction"),
        ("a: begin; a: begin", "already has an open transaction"),
        ("a: begin; a: commit; a: commit", "no open transaction"),
        ("a: begin; a: rollback p", "no savepoint \"p\""),
        ("a: begin; a: savepoint p; a: release p; a: rollback p", "no savepoint \"p\""),
        ("a: savepoint p", "no open transaction"),
    ];
    for level in LEVELS {
        for (script, expected) in cases {
            let all = outcomes(&at(level), script);
            assert!(all.iter().all(|answer| answer.contains(expected)), "{script}: {all:?}");
        }
    }
}

#[test]
fn spurious_aborts_come_as_often_as_asked() {
    let count = |rate| {
        let refused = (0..400).filter(|&seed| {
            let config = at(Level::RC).seed(seed).abort_rate(rate);
            let mut machine = hobgoblin_store::Machine::new(config).expect("good");
            let script = "a: begin; a: put x=1; a: commit";
            support::script::run(&mut machine, script).contains("spurious")
        });
        refused.count()
    };
    assert_eq!(count(0.0), 0);
    assert!((140..260).contains(&count(0.5)), "{} of 400", count(0.5));
    assert_eq!(count(1.0), 400);
}

#[test]
fn levels_mix() {
    // A serializable reader among weak writers, and a weak reader among serializable ones.
    check(&at(Level::RC), "a: put x=1; b: begin SER; b: get x; b: commit", &["1"]);
    check(&at(Level::SER), "a: put x=1; b: begin RC; b: get x; b: commit", &["0", "1"]);
    let script = "a: put x=1; b: level SI; b: begin; b: get x; b: put x=2; b: commit";
    check(&at(Level::RC), script, &["0 refused", "1"]);
}
