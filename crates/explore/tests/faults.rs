//! Programs that are wrong are told so, with the name of the transaction.

use std::sync::atomic::{AtomicI64, Ordering};

use hobgoblin_core::Level;
use hobgoblin_explore::{End, ExploreError, Options, Program, Stop, Transaction, explore};

/// What exploring a program of one transaction says is wrong with it.
fn fault<R: serde::Serialize + 'static>(
    body: impl Fn(&mut Transaction<'_>) -> Result<R, Stop> + Send + Sync + 'static,
) -> String {
    let program = Program::new().init("x", 0).session("alice", |s| s.txn("pay", body));
    let found = explore(&program, &Options::new(Level::CC), &|_: &End<'_>| {});
    match found {
        Err(ExploreError::Program { session, txn, what }) => {
            assert_eq!((&*session, &*txn), ("alice", "pay"));
            what
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_that_depends_on_something_else_than_its_reads_is_not_deterministic() {
    let clock = AtomicI64::new(0);
    let now = move || clock.fetch_add(1, Ordering::Relaxed);
    let (later, key, returned) = (now, AtomicI64::new(0), AtomicI64::new(0));
    let what = fault(move |t| {
        t.read::<i64>("x")?;
        t.write("x", later())
    });
    assert!(what.contains("not deterministic"), "{what}");
    let what = fault(move |t| {
        t.write("x", key.fetch_add(1, Ordering::Relaxed))?;
        t.get("x")?;
        Ok(())
    });
    assert!(what.contains("not deterministic"), "{what}");
    let what = fault(move |t| {
        t.read::<i64>("x")?;
        Ok(returned.fetch_add(1, Ordering::Relaxed))
    });
    assert!(what.contains("not deterministic"), "{what}");
}

#[test]
fn a_body_that_never_ends_uses_unknown_keys_or_hides_errors_is_told_so() {
    let what = fault(|t| -> Result<(), Stop> {
        loop {
            t.write("x", 1)?;
        }
    });
    assert!(what.contains("loop forever"), "{what}");
    assert!(fault(|t| t.read::<i64>("y")).contains("never declares"));
    assert!(fault(|t| t.write("y", 1)).contains("never declares"));
    assert!(fault(|t| t.read::<String>("x")).contains("holds 0"));
    let what = fault(|t| {
        let _ = t.read::<i64>("x");
        Ok(1)
    });
    assert!(what.contains("pass the error"), "{what}");
    let what = fault(|t| {
        let _ = t.read::<i64>("x");
        t.write("x", 1)
    });
    assert!(what.contains("pass its error on"), "{what}");
}

#[test]
fn programs_and_options_that_cannot_be_explored_are_refused() {
    let nothing = |_: &End<'_>| {};
    let many = (0..64).fold(Program::new().init("x", 0), |program, at| {
        program
            .session(&format!("s{at}"), |s| s.txn("t", |t: &mut Transaction<'_>| t.write("x", 1)))
    });
    let found = explore(&many, &Options::new(Level::CC), &nothing);
    assert!(matches!(found, Err(ExploreError::TooManyTransactions { txns: 64, .. })), "{found:?}");
    let one = Program::new()
        .init("x", 0)
        .session("s", |s| s.txn("t", |t: &mut Transaction<'_>| t.write("x", 1)));
    for options in [
        Options::new(Level::SSER),
        Options { base: Some(Level::SI), ..Options::new(Level::SER) },
        Options { base: Some(Level::CC), ..Options::new(Level::RC) },
    ] {
        let found = explore(&one, &options, &nothing);
        assert!(matches!(found, Err(ExploreError::Options(_))), "{found:?}");
    }
}
