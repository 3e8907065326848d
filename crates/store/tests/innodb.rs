//! The `mysql` profile as InnoDB: what it locks, who waits, and who is undone.

mod support;

use hobgoblin_core::{Level, Verdict};
use hobgoblin_store::{Config, Machine, Profile};
use support::config;
use support::script::run;

/// Three rows of a table and, after it, one of another.
fn engine(level: Level) -> Config {
    let rows = ["t[10]", "t[20]", "t[30]", "u[10]"];
    config(level, &rows).profile(Profile::Mysql)
}

/// What a script answers, at each of these levels.
fn check(levels: &[Level], script: &str, answers: &str) {
    for &level in levels {
        let mut machine = Machine::new(engine(level)).expect("the level is served");
        assert_eq!(run(&mut machine, script), answers, "{level}: {script}");
    }
}

const LOW: &[Level] = &[Level::RU, Level::RC];
const HIGH: &[Level] = &[Level::SI, Level::SER];
const ALL: &[Level] = &[Level::RU, Level::RC, Level::SI, Level::SER];

#[test]
fn only_the_first_plain_read_takes_the_snapshot() {
    let locks =
        "a: begin; a: update t[20]; b: put t[10]=5; a: get t[10]; b: put u[10]=6; a: get u[10]";
    check(&[Level::SI], locks, "0 5 0");
    let writes = "a: begin; a: put t[20]=1; b: put t[10]=5; a: get t[10]";
    check(&[Level::SI], writes, "5");
    // What locks sees the newest all the same, and what is read then is the snapshot's again.
    let again = "a: begin; a: get t[10]; b: put t[10]=5; a: update t[10]; a: get t[10]";
    check(&[Level::SI], again, "0 5 0");
}

#[test]
fn read_uncommitted_sees_what_is_not_committed() {
    let dirty = "a: begin; a: put t[10]=1; b: get t[10]; b: scan t; a: abort; b: get t[10]";
    check(&[Level::RU], dirty, "1 [t[10]=1,t[20]=0,t[30]=0] 0");
    let undone =
        "a: begin; a: put t[10]=1; a: savepoint p; a: put t[10]=2; a: rollback p; b: get t[10]";
    check(&[Level::RU], undone, "1");
    let locks = "a: begin; a: put t[10]=1; b: share t[10]";
    check(&[Level::RU], locks, "waits");
    check(&[Level::RC], dirty, "0 [t[10]=0,t[20]=0,t[30]=0] 0");
}

#[test]
fn an_absent_key_locks_its_gap_and_one_that_is_there_does_not() {
    let absent = "a: begin; a: update t[15]; b: insert t[17]=1";
    check(HIGH, absent, "null waits");
    check(LOW, absent, "null null");
    let beside = "a: begin; a: update t[15]; b: insert t[25]=1; b: insert t[5]=1; b: put t[20]=1";
    check(ALL, beside, "null null null");
    let there = "a: begin; a: update t[20]; b: insert t[15]=1; b: insert t[25]=1";
    check(ALL, there, "0 null null");
    // The gap after the last row of a table is no gap of the next table.
    let last = "a: begin; a: update t[40]; b: insert u[5]=1; b: insert t[35]=1";
    check(HIGH, last, "null null waits");
}

#[test]
fn gap_locks_never_meet_and_then_nobody_fills_the_gap() {
    let both = "a: begin; b: begin; a: update t[15]; b: update t[15]; a: insert t[15]=1; b: insert t[15]=2; a: insert t[15]=1";
    check(HIGH, both, "null null waits deadlock null");
}

#[test]
fn a_scan_locks_each_key_with_the_gap_before_it_and_the_gap_at_its_end() {
    let steps = "a: begin; a: step t[15]..t[25]; b: insert t[12]=1";
    check(HIGH, steps, "[t[20]=0] waits");
    check(LOW, steps, "[t[20]=0] null");
    let after = "a: begin; a: step t[15]..t[25]; b: insert t[25]=1; b: put t[10]=1; b: put t[30]=1";
    check(ALL, after, "[t[20]=0] null");
    let end = "a: begin; a: step t[21]..t[25]; b: put t[30]=1; b: insert t[27]=1";
    check(HIGH, end, "[] waits");
    // One that begins with a very row locks no gap before it.
    let first = "a: begin; a: step t[20]..t[25]; b: insert t[15]=1";
    check(ALL, first, "[t[20]=0] null");
    let all = "a: begin; a: scan-update t; b: insert t[40]=1";
    check(HIGH, all, "[t[10]=0,t[20]=0,t[30]=0] waits");
}

#[test]
fn what_a_step_came_to_is_released_again_at_read_committed() {
    let passed = "a: begin; a: step t[20]..t[25]; a: pass-over; b: put t[20]=1";
    check(LOW, passed, "[t[20]=0]");
    check(HIGH, passed, "[t[20]=0] waits");
    // What it had before it keeps, and what it had to wait for.
    let before = "a: begin; a: update t[20]; a: step t[20]..t[25]; a: pass-over; b: put t[20]=1";
    check(ALL, before, "0 [t[20]=0] waits");
    let waited = "b: begin; b: put t[20]=1; a: begin; a: step t[20]..t[25]; b: commit; \
        a: step t[20]..t[25]; a: pass-over; b: put t[20]=2";
    check(ALL, waited, "waits [t[20]=1] waits");
}

#[test]
fn locked_keys_are_skipped_or_told_at_once() {
    let skips = "a: begin; a: update t[20]; b: begin; b: step-skip t[15]..t[35]; b: nowait t[20]";
    check(ALL, skips, "0 [t[30]=0] locked");
}

#[test]
fn plain_reads_lock_at_serializable() {
    let key = "a: begin; a: get t[10]; b: put t[10]=1";
    check(&[Level::SER], key, "0 waits");
    check(&[Level::SI, Level::RC], key, "0");
    let range = "a: begin; a: scan t; b: insert t[15]=1";
    check(&[Level::SER], range, "[t[10]=0,t[20]=0,t[30]=0] waits");
}

#[test]
fn who_finds_a_duplicate_shares_it() {
    let duplicate = "a: begin; a: insert t[10]=1; b: share t[10]; b: put t[10]=2";
    check(ALL, duplicate, "0 0 waits");
    let changes = "a: begin; a: reserve t[10]; b: share t[10]";
    check(ALL, changes, "0 waits");
}

#[test]
fn what_was_inserted_and_undone_is_locked_no_more() {
    let undone = "a: begin; a: savepoint p; a: insert t[15]=1; a: rollback p; b: insert t[15]=2";
    check(ALL, undone, "null null");
    let changed = "a: begin; a: savepoint p; a: put t[10]=1; a: rollback p; b: put t[10]=2";
    check(ALL, changed, "waits");
}

/// The insert that two wait for is rolled back: each has a lock on the gap now, and neither can fill it.
#[test]
fn of_two_who_wait_for_an_insert_that_is_undone_one_is_refused() {
    let three = "a: begin; b: begin; c: begin; a: insert t[15]=1; b: insert t[15]=2; c: insert t[15]=3; \
        a: abort; b: insert t[15]=2; c: insert t[15]=3; b: insert t[15]=2; b: commit; d: get t[15]";
    check(&[Level::RC, Level::SI], three, "null waits waits waits deadlock null 2");
}

#[test]
fn the_lightest_of_a_circle_is_undone() {
    // b has written more when it asks, so a is undone while it waits, and hears of it when it asks again.
    let crossed = "a: begin; b: begin; a: put t[10]=1; b: put u[10]=1; b: insert u[20]=1; b: insert u[30]=1; \
        a: put u[10]=2; b: put t[10]=2; a: put u[10]=2; b: commit; c: get t[10]; c: get u[10]";
    check(ALL, crossed, "null null waits deadlock 2 1");
    // At a tie it is who asked last.
    let tie = "a: begin; b: begin; a: put t[10]=1; b: put t[20]=1; a: put t[20]=2; b: put t[10]=2; a: put t[20]=2; \
        a: commit; c: get t[10]; c: get t[20]";
    check(ALL, tie, "waits deadlock 1 2");
}

#[test]
fn who_was_undone_while_it_waited_may_also_be_canceled_or_give_up() {
    let crossed = "a: begin; b: begin; a: put t[10]=1; b: put u[10]=1; b: insert u[20]=1; b: insert u[30]=1; \
        a: put u[10]=2; b: put t[10]=2; ";
    let gives_up = format!("{crossed}a: give-up; a: get t[20]");
    check(&[Level::RC], &gives_up, "null null waits deadlock 0");
}

#[test]
fn snapshot_isolation_refuses_to_lock_what_changed() {
    let reads = "a: snapshot-isolation; a: begin; a: get t[10]; b: put t[20]=5; a: update t[20]";
    check(&[Level::SI], reads, "0 changed");
    check(LOW, reads, "0 5");
    // Without a snapshot nothing has changed since; at SERIALIZABLE it is taken by whatever comes first.
    let late = "a: snapshot-isolation; a: begin; a: update t[10]; b: put t[20]=5; a: update t[20]";
    check(&[Level::SI], late, "0 5");
    check(&[Level::SER], late, "0 changed");
    let waits = "a: snapshot-isolation; a: begin; b: begin; b: put t[20]=5; a: put t[20]=6; b: commit; a: put t[20]=6";
    check(&[Level::SER], waits, "waits changed");
    check(&[Level::SI], waits, "waits");
    let absent = "a: snapshot-isolation; a: begin; a: get t[10]; b: insert t[15]=1; b: delete t[15]; a: insert t[15]=2";
    check(&[Level::SI], absent, "0 null changed");
}

#[test]
fn a_write_of_what_is_there_makes_no_version() {
    let same = "a: begin; a: get t[10]; b: put t[10]=5; a: put t[10]=5; a: get t[10]; a: commit; a: get t[10]";
    check(&[Level::SI], same, "0 0 5");
    check(&[Level::RC], same, "0 5 5");
    // It is locked as any other write, and what comes later is one.
    let locked = "a: begin; a: put t[10]=0; b: put t[10]=1";
    check(ALL, locked, "waits");
    let later = "a: begin; a: get t[10]; b: put t[10]=5; a: put t[10]=5; a: put t[10]=6; a: get t[10]; a: put t[10]=5; a: get t[10]";
    check(&[Level::SI], later, "0 6 5");
}

/// Whether the history of a script is SI, and whether it is PC.
fn keeps(script: &str) -> (bool, bool) {
    let mut machine = Machine::new(engine(Level::SI)).expect("the level is served");
    run(&mut machine, script);
    let history = machine.history();
    let keeps = |level| {
        let verdict = hobgoblin_check::check(&history, level, &hobgoblin_check::Limits::none());
        matches!(verdict, Verdict::Consistent(_))
    };
    (keeps(Level::SI), keeps(Level::PC))
}

#[test]
fn an_update_is_lost_though_both_wrote_the_same() {
    let lost = "a: begin; a: get t[10]; b: begin; b: get t[10]; b: put t[10]=5; b: commit; a: put t[10]=5; a: commit";
    assert_eq!(keeps(lost), (false, true));
    // Undone, it is none.
    let undone = "a: begin; a: get t[10]; b: put t[10]=5; a: savepoint p; a: put t[10]=5; a: rollback p; a: commit";
    assert_eq!(keeps(undone), (true, true));
    // Who had read nothing else loses nothing, whoever else wrote meanwhile.
    let blind = "c: begin; c: get t[10]; a: begin; a: get t[20]; a: put t[10]=0; a: commit; c: put t[10]=7; c: commit";
    assert_eq!(keeps(blind), (true, true));
    // A snapshot that refuses what changed is not refused for what stayed as it was, so that is no change for it.
    let refuses = "c: snapshot-isolation; c: begin; b: begin; b: get t[10]; a: put t[10]=5; c: get t[10]; \
        b: put t[10]=5; b: commit; c: put t[10]=7; c: commit";
    assert_eq!(keeps(refuses), (true, true));
}
