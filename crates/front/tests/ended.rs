//! A transaction that the store has ended: nothing is done on it any more, and it is run again.

use std::cell::Cell;

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{Config, Error, Profile, Store, TxnOptions, task};

/// A store where the second of two writers at snapshot isolation is refused.
fn engine() -> Store {
    let config = Config::default().profile(Profile::Postgres).level(Level::SI);
    let store = Store::new(config).expect("the setup is good");
    store.session().put("x", 0).expect("nobody is in the way");
    store
}

#[derive(Debug)]
enum Mine {
    Wrong(&'static str),
    Store(Error),
}

impl From<Error> for Mine {
    fn from(error: Error) -> Mine {
        Mine::Store(error)
    }
}

#[test]
fn what_follows_an_abort_is_refused() {
    let store = engine();
    let (mut one, mut two) = (store.session(), store.session());
    let mut t = one.begin().expect("it begins");
    t.get("x").expect("it is read");
    two.put("x", 1).expect("nobody is in the way");
    assert!(t.put("x", 2).is_err_and(|error| error.is_abort()));
    assert!(t.put("audit", "x became 2").is_err_and(|error| error.is_abort()));
    assert!(t.get("x").is_err_and(|error| error.is_abort()));
    assert!(t.savepoint("s").is_err_and(|error| error.is_abort()));
    assert!(t.commit().is_err_and(|error| error.is_abort()));
    assert_eq!(store.newest(&"audit".into()), Value::Null);
    assert_eq!(store.newest(&"x".into()), 1.into());
    // The session goes on.
    let mut t = one.begin().expect("it begins");
    t.put("x", 3).expect("nobody is in the way");
    t.commit().expect("nobody is in the way");
    assert_eq!(store.newest(&"x".into()), 3.into());
}

#[test]
fn aborting_what_is_aborted_is_no_error() {
    let store = engine();
    let (mut one, mut two) = (store.session(), store.session());
    let mut t = one.begin().expect("it begins");
    t.get("x").expect("it is read");
    two.put("x", 1).expect("nobody is in the way");
    assert!(t.put("x", 2).is_err());
    t.abort().expect("it is aborted");
}

#[test]
fn async_transactions_are_refused_too() {
    let store = engine();
    let run = async {
        let (mut one, mut two) = (store.async_session(), store.async_session());
        let mut t = one.begin().await?;
        t.get("x").await?;
        two.put("x", 1).await?;
        assert!(t.put("x", 2).await.is_err_and(|error| error.is_abort()));
        assert!(t.put("audit", 1).await.is_err_and(|error| error.is_abort()));
        assert!(t.commit().await.is_err_and(|error| error.is_abort()));
        Ok::<_, Error>(())
    };
    store.interleave(vec![task(run)]).remove(0).expect("nothing else is wrong");
    assert_eq!(store.newest(&"audit".into()), Value::Null);
}

/// Runs a transaction that meets a conflict in its first runs; how often it ran.
fn conflicts<E: From<Error>>(
    store: &Store,
    options: TxnOptions,
    first: u32,
    after: impl Fn(Result<(), Error>) -> Result<(), E>,
) -> (u32, Result<(), E>) {
    let (mut one, mut two) = (store.session(), store.session());
    let runs = Cell::new(0);
    let result = one.transaction_with(options, |t| {
        runs.set(runs.get() + 1);
        t.get("x")?;
        if runs.get() <= first {
            two.put("x", i64::from(runs.get()))?;
        }
        let put = t.put("x", 100);
        let _ = t.put("audit", 1);
        after(put)
    });
    (runs.get(), result)
}

#[test]
fn who_does_not_notice_an_abort_is_run_again() {
    let store = engine();
    let (runs, result) = conflicts(&store, TxnOptions::new(), 3, |_| Ok::<_, Error>(()));
    result.expect("the fourth run has nobody in its way");
    assert_eq!((runs, store.newest(&"x".into())), (4, 100.into()));
    // Also who makes an error of their own of it.
    let wrong = |put: Result<(), Error>| put.map_err(|_| Mine::Wrong("no luck"));
    let (runs, result) = conflicts(&store, TxnOptions::new(), 3, wrong);
    result.expect("the fourth run has nobody in its way");
    assert_eq!(runs, 4);
}

#[test]
fn tries_have_a_limit() {
    for tries in [0, 1, 3] {
        let store = engine();
        let options = TxnOptions::new().tries(tries);
        let (runs, result) = conflicts(&store, options, u32::MAX, |put| put);
        assert!(result.is_err_and(|error| error.is_abort()));
        assert_eq!(runs, tries.max(1));
        assert_eq!(store.newest(&"audit".into()), Value::Null);
    }
}

#[test]
fn errors_of_the_program_abort_and_are_not_retried() {
    let store = engine();
    let runs = Cell::new(0);
    let result: Result<(), Mine> = store.session().transaction(|t| {
        runs.set(runs.get() + 1);
        t.put("x", 7)?;
        Err(Mine::Wrong("changed my mind"))
    });
    assert!(matches!(result, Err(Mine::Wrong("changed my mind"))));
    assert_eq!((runs.get(), store.newest(&"x".into())), (1, 0.into()));
    let result: Result<(), Mine> = store.session().transaction(|t| {
        t.release("nothing")?;
        Ok(())
    });
    let Err(Mine::Store(error)) = result else { panic!("{result:?}") };
    assert!(!error.is_abort(), "{error}");
}
