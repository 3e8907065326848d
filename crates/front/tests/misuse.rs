//! What a program may ask by mistake, and what it is told.

use std::time::{Duration, Instant};

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{
    Config, Error, Options, Policy, Profile, Store, StoreError, TxnOptions, task,
};

fn store() -> Store {
    Store::new(Config::default().level(Level::CC)).expect("the setup is good")
}

#[cfg(feature = "serde")]
#[test]
fn numbers_that_json_does_not_have_delete_nothing() {
    let store = store();
    let mut session = store.session();
    session.put("x", 1).expect("it is written");
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(session.put_json("x", &odd), Err(Error::Unwritable { .. })));
        assert!(matches!(session.put_json("x", &Some(odd)), Err(Error::Unwritable { .. })));
        assert!(matches!(session.put_json("x", &(odd as f32)), Err(Error::Unwritable { .. })));
    }
    assert_eq!(store.newest(&"x".into()), 1.into());
    session.put_json("x", &1.5).expect("it is written");
    assert_eq!(store.newest(&"x".into()).to_string(), "1.5");
    session.put_json("x", &None::<f64>).expect("it is deleted");
    assert_eq!(store.newest(&"x".into()), Value::Null);
}

#[test]
fn a_fence_needs_no_name_of_its_own() {
    let store = store();
    let _taken = [
        store.session_named("(fence)").expect("the name is free"),
        store.session_named("(fence 2)").expect("the name is free"),
    ];
    for round in 0..20 {
        let mut writer = store.session();
        writer.put("x", round).expect("it is written");
        // Several at once: each fences what was there when it was asked.
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| store.fence().expect("it fences"));
            }
        });
        let mut reader = store.session();
        assert_eq!(reader.get("x").expect("it is read"), round.into());
    }
}

#[test]
fn a_chance_is_from_0_to_1() {
    let config = |share| Config::default().level(Level::CC).policy(Policy::Weighted(share));
    for share in [7.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = |error: &Error| matches!(error, Error::Store(StoreError::NoChance { .. }));
        assert!(Store::new(config(share)).is_err_and(|error| refused(&error)));
        let store = store();
        let mut session = store.session();
        let policy = Policy::Weighted(share);
        assert!(session.set_policy(Some(policy)).is_err_and(|error| refused(&error)));
        assert!(session.get_with("x", policy).is_err_and(|error| refused(&error)));
        let options = TxnOptions::new().policy(policy);
        assert!(session.begin_with(options).is_err_and(|error| refused(&error)));
    }
    for share in [0.0, 0.5, 1.0] {
        Store::new(config(share)).expect("this is a chance");
    }
}

/// A task that an executor of one thread drives holds a lock, and that thread waits for it.
#[test]
fn a_thread_that_waits_for_its_own_tasks_is_a_deadlock_at_once() {
    let config = Config::default().profile(Profile::Postgres).level(Level::RC);
    let options = Options::default().lock_timeout(Duration::from_secs(60));
    let store = Store::with(config, options).expect("the setup is good");
    let start = Instant::now();
    let run = async {
        let mut holder = store.async_session();
        let mut t = holder.begin().await?;
        t.put("x", 1).await?;
        let blocked = store.session().put("x", 2);
        assert!(blocked.is_err_and(|error| error.is_abort()));
        t.commit().await
    };
    store.interleave(vec![task(run)]).remove(0).expect("nothing else is wrong");
    assert!(start.elapsed() < Duration::from_secs(10));
}
