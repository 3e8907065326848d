//! What each level allows a solver to claim, and what it does not.

use hobgoblin_core::Level;
use hobgoblin_prove::replay::ReplayError;

use crate::{Case, case};

const CELLS: &str = "
CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);
-- transaction write_if(p_read int, p_write int)
SELECT v INTO seen FROM t WHERE k = p_read;
IF seen = 0 THEN
  UPDATE t SET v = 1 WHERE k = p_write;
END IF;
-- end
-- transaction put(p_k int, p_v int)
UPDATE t SET v = p_v WHERE k = p_k;
-- end
-- transaction two(p_a int, p_b int)
SELECT v INTO a FROM t WHERE k = p_a;
SELECT v INTO b FROM t WHERE k = p_b;
RETURN a * 10 + b;
-- end
";

fn cells() -> Case {
    case(CELLS).row("t", &[1, 0]).row("t", &[2, 0])
}

fn skew(level: Level) -> Case {
    cells().at(level, "write_if", &[1, 2], &[]).at(level, "write_if", &[2, 1], &[])
}

#[test]
fn write_skew_is_confirmed_up_to_snapshots() {
    for level in [Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI] {
        let outcome = skew(level).outcome();
        assert!(outcome.is_confirmed(), "{level}");
    }
    let refused = skew(Level::SER).error();
    assert!(matches!(refused, ReplayError::Refused { instance: 1, .. }), "{refused}");
    assert!(refused.to_string().contains("does not allow it to see"), "{refused}");
}

#[test]
fn each_instance_has_a_level_of_its_own() {
    // A serializable one sees all before it, whatever the others do.
    let mixed = |first, second| {
        cells().at(first, "write_if", &[1, 2], &[]).at(second, "write_if", &[2, 1], &[])
    };
    assert!(mixed(Level::SER, Level::SI).outcome().is_confirmed());
    assert!(matches!(
        mixed(Level::SI, Level::SER).error(),
        ReplayError::Refused { instance: 1, .. }
    ));
}

#[test]
fn lost_updates_are_refused_from_parallel_snapshots_on() {
    let lost =
        |level| cells().at(level, "write_if", &[1, 1], &[]).at(level, "write_if", &[1, 1], &[]);
    for level in [Level::RA, Level::CC, Level::PC] {
        assert!(lost(level).outcome().is_confirmed(), "{level}");
    }
    for level in [Level::PSI, Level::SI, Level::SER] {
        let error = lost(level).error();
        assert!(matches!(error, ReplayError::Refused { instance: 1, .. }), "{level}: {error}");
    }
}

#[test]
fn a_long_fork_is_confirmed_at_parallel_snapshots_and_refused_at_snapshots() {
    let fork = |level| {
        cells()
            .at(level, "put", &[1, 1], &[])
            .at(level, "put", &[2, 1], &[])
            .at(level, "two", &[1, 2], &[0])
            .at(level, "two", &[1, 2], &[1])
    };
    for level in [Level::RA, Level::CC, Level::PSI] {
        let outcome = fork(level).outcome();
        assert!(outcome.is_confirmed(), "{level}");
        assert!(outcome.is_harmless_to_the_state(), "{level}");
        assert_eq!(crate::observed(&outcome, 2), ["rows 1", "rows 0", "return 10"]);
        assert_eq!(crate::observed(&outcome, 3), ["rows 0", "rows 1", "return 1"]);
    }
    for level in [Level::PC, Level::SI, Level::SER] {
        let error = fork(level).error();
        assert!(matches!(error, ReplayError::Refused { .. }), "{level}: {error}");
    }
}

#[test]
fn causality_is_transitive() {
    // The last sees who has seen the first, and not the first.
    let causal = |level| {
        cells().at(level, "put", &[1, 1], &[]).at(level, "write_if", &[2, 2], &[]).at(
            level,
            "two",
            &[1, 2],
            &[0],
        )
    };
    assert_eq!(causal(Level::CC).outcome().explained_by, Some(vec![0, 2, 1]));
    let forgets = |level| {
        case(CELLS)
            .row("t", &[1, 5])
            .row("t", &[2, 0])
            .at(level, "put", &[1, 0], &[])
            .at(level, "write_if", &[1, 2], &[0])
            .at(level, "two", &[2, 1], &[1])
    };
    assert!(forgets(Level::RA).outcome().is_confirmed());
    assert!(matches!(forgets(Level::CC).error(), ReplayError::Refused { instance: 2, .. }));
}

#[test]
fn six_instances_have_all_their_orders_tried() {
    // Three writers of one cell, each read by somebody who sees that one alone.
    let mut many = case(CELLS).row("t", &[1, 0]).row("t", &[2, 0]);
    for value in 1..=3 {
        many = many.at(Level::RA, "put", &[1, value], &[]);
    }
    for seen in 0..3 {
        many = many.at(Level::RA, "two", &[1, 2], &[seen]);
    }
    let outcome = many.outcome();
    assert_eq!(outcome.explained_by, Some(vec![0, 3, 1, 4, 2, 5]));
    let seven = many.at(Level::RA, "put", &[1, 1], &[]);
    assert_eq!(seven.error(), ReplayError::TooMany { count: 7, most: 6 });
}

#[test]
fn scenarios_that_cannot_be_are_told() {
    let told = |case: Case| case.error().to_string();
    let later = cells().at(Level::RA, "put", &[1, 1], &[0]);
    assert!(told(later).contains("instance 0 sees 0, which is not before it"));
    let few = cells().at(Level::RA, "put", &[1], &[]);
    assert!(told(few).contains("put has 2 parameters, and 1 are given"));
    let twice = cells().row("t", &[1, 3]).at(Level::RA, "put", &[1, 1], &[]);
    assert!(matches!(twice.error(), ReplayError::Setup { .. }), "{}", twice.error());
    let short = case(CELLS).row("t", &[1]).at(Level::RA, "put", &[1, 1], &[]);
    assert!(told(short).contains("a row of \"t\" has 1 values"));
}
