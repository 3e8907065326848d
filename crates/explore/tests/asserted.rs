//! Assertions of a program are evaluated by whoever explores it, and panics come out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use hobgoblin_core::Level;
use hobgoblin_explore::{
    AssertionVerdict, End, Mode, Options, Program, Transaction, check, describe, explore,
};

fn add(t: &mut Transaction<'_>) -> Result<(), hobgoblin_explore::Stop> {
    let n: i64 = t.read("x")?;
    t.write("x", n + 1)
}

fn counters(sessions: usize) -> Program {
    let mut program = Program::new().init("x", 0).observe("x");
    for session in 0..sessions {
        program = program.session(&format!("s{session}"), |s| s.txn("add", add));
    }
    program
}

fn verdicts(program: &Program, options: &Options) -> Vec<(String, AssertionVerdict)> {
    let found = explore(program, options, &|_: &End<'_>| {}).expect("the program is good");
    found.assertions.into_iter().map(|claimed| (claimed.name, claimed.verdict)).collect()
}

#[test]
fn explore_evaluates_assertions() {
    use AssertionVerdict::{Broken, Holds, Unknown};
    let last = |end: &End<'_>| end.last(&"x".into());
    let program = counters(2)
        .assert_always("two", move |end| last(end) == 2.into())
        .assert_never("zero", move |end| last(end) == 0.into())
        .assert_exists("one", move |end| last(end) == 1.into());
    let named = |of: [AssertionVerdict; 3]| {
        ["two", "zero", "one"].map(str::to_owned).into_iter().zip(of).collect::<Vec<_>>()
    };
    for mode in [Mode::Histories, Mode::States, Mode::Schedules] {
        for threads in [1, 2, 4] {
            let at = |level| Options { mode, threads, ..Options::new(level) };
            assert_eq!(verdicts(&program, &at(Level::CC)), named([Broken, Holds, Holds]));
            assert_eq!(verdicts(&program, &at(Level::SER)), named([Holds, Holds, Broken]));
        }
    }
    // What was not explored is not known.
    let some = Options { max: Some(0), ..Options::new(Level::CC) };
    assert_eq!(verdicts(&program, &some), named([Unknown, Unknown, Unknown]));
}

#[test]
fn what_breaks_an_assertion_can_be_made_again() {
    let program = counters(3).assert_always("three", |end| end.last(&"x".into()) == 3.into());
    let options = Options::new(Level::CC);
    let found = explore(&program, &options, &|_: &End<'_>| {}).expect("the program is good");
    let broken = found.broken().next().expect("updates are lost");
    let token = &broken.count.example.as_ref().expect("some end breaks it").token;
    let report = describe(&program, token).expect("the token is of this program");
    assert_eq!(report.diagnosis.title, "lost update");
}

fn message(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().expect("it is text")).to_owned(),
    }
}

#[test]
fn check_panics_with_what_is_broken() {
    let program = counters(2).assert_always("two", |end| end.last(&"x".into()) == 2.into());
    check(&program, &Options::new(Level::SI));
    let told = message(|| check(&program, &Options::new(Level::CC)));
    for part in ["causal consistency (CC)", "\"two\" is broken by 2 of them", "lost update"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = message(|| check(&counters(2), &Options::new(Level::SI)));
    assert!(told.contains("asserts nothing"), "{told}");
    let some = Options { max: Some(1), ..Options::new(Level::CC) };
    let program = counters(2).assert_never("never", |end| end.last(&"x".into()) == 9.into());
    let told = message(|| check(&program, &some));
    assert!(told.contains("not every history was explored"), "{told}");
}

/// With any number of threads, a panic of a body, an assertion or a watcher comes out, and nobody waits for ever.
#[test]
fn panics_come_out() {
    for threads in [1, 2, 3, 6] {
        let options = Options { threads, ..Options::new(Level::CC) };
        let ends = AtomicU64::new(0);
        let watch = |_: &End<'_>| {
            assert!(ends.fetch_add(1, Ordering::Relaxed) < 20, "enough seen");
        };
        assert_eq!(message(|| drop(explore(&counters(4), &options, &watch))), "enough seen");
        let asserted = counters(3).assert_always("bad", |_| panic!("bad question"));
        let nothing = |_: &End<'_>| {};
        assert_eq!(message(|| drop(explore(&asserted, &options, &nothing))), "bad question");
        let body = |t: &mut Transaction<'_>| {
            let n: i64 = t.read("x")?;
            assert!(n < 2, "bad body");
            t.write("x", n + 1)
        };
        let mut program = counters(3);
        for name in ["a", "b"] {
            program = program.session(name, |s| s.txn("add", body));
        }
        assert_eq!(message(|| drop(explore(&program, &options, &nothing))), "bad body");
    }
}

#[test]
fn time_may_be_endless() {
    let options = Options { time: Some(std::time::Duration::MAX), ..Options::new(Level::CC) };
    for mode in [Mode::Histories, Mode::States, Mode::Schedules] {
        let options = Options { mode, ..options.clone() };
        assert!(explore(&counters(2), &options, &|_: &End<'_>| {}).expect("it is good").complete);
    }
}
