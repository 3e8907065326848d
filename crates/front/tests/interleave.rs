//! Tasks on one thread: one seed, one run; every order is reached; nothing hangs.

use std::collections::BTreeSet;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Value, Verdict};
use hobgoblin_front::{
    Config, Error, Options, Profile, Schedule, Scheduler, Store, Task, Token, YieldAt, interleave,
    task,
};

fn config(profile: Profile, level: Level, seed: u64) -> Config {
    Config::default().profile(profile).level(level).seed(seed)
}

/// Each of these tasks reads both keys and writes one.
fn tasks<'a>(store: &Store) -> Vec<Task<'a, Result<Vec<Value>, Error>>> {
    let write = |at: usize| {
        let mut session = store.async_session();
        task(async move {
            let body = async |t: &mut hobgoblin_front::AsyncTransaction<'_>| {
                let (x, y) = (t.get("x").await?, t.get("y").await?);
                t.put(["x", "y"][at % 2], 1 + at as i64).await?;
                Ok::<_, Error>(vec![x, y])
            };
            let mut seen = session.transaction(body).await?;
            seen.push(session.get("x").await?);
            Ok(seen)
        })
    };
    (0..3).map(write).collect()
}

fn run(store: &Store) -> Vec<Vec<Value>> {
    let outputs = store.interleave(tasks(store));
    outputs.into_iter().map(|output| output.expect("aborts are tried again")).collect()
}

#[test]
fn a_seed_is_a_run_and_its_token_too() {
    for (profile, level) in [
        (Profile::Spec, Level::RC),
        (Profile::Spec, Level::SI),
        (Profile::Postgres, Level::SI),
        (Profile::Mysql, Level::SER),
    ] {
        let mut all = BTreeSet::new();
        for seed in 0..30 {
            let store = Store::new(config(profile, level, seed)).unwrap();
            let seen = run(&store);
            let again = Store::new(config(profile, level, seed)).unwrap();
            assert_eq!(run(&again), seen, "{profile} {level} {seed}");
            assert_eq!(again.log().unwrap(), store.log().unwrap());

            let token = Token::parse(&store.token().unwrap()).unwrap();
            let options = Options::default().replay(hobgoblin_front::Replay::from(token));
            let again = Store::with(config(profile, level, 0), options).unwrap();
            assert_eq!(run(&again), seen, "{profile} {level} {seed}");
            assert_eq!(again.divergence(), None);
            if profile == Profile::Spec {
                let history = store.history().unwrap();
                let verdict = check(&history, level, &Limits::none());
                assert!(matches!(verdict, Verdict::Consistent(_)), "{verdict:?}");
            }
            all.insert(seen);
        }
        assert!(all.len() > 3, "{profile} {level}: only {} behaviours", all.len());
    }
}

/// Two tasks of two requests each can be interleaved in six ways.
#[test]
fn every_order_is_reached() {
    for schedule in [Schedule::Random, Schedule::Pct { depth: 3, steps: Some(4) }] {
        let mut orders = BTreeSet::new();
        for seed in 0..200 {
            let store = Store::new(Config::default().seed(seed)).unwrap();
            let order = std::cell::RefCell::new(String::new());
            let two = ["a", "b"].map(|name| {
                let (mut session, order) = (store.async_session(), &order);
                task(async move {
                    for _ in 0..2 {
                        session.put(name, 1).await.unwrap();
                        order.borrow_mut().push_str(name);
                    }
                })
            });
            let mut scheduler = Scheduler::new(schedule, seed);
            interleave(&store, &mut scheduler, YieldAt::Request, two.into());
            orders.insert(order.into_inner());
        }
        assert_eq!(orders.len(), 6, "{schedule:?}: {orders:?}");
    }
}

#[test]
fn transactions_can_be_kept_apart() {
    for seed in 0..50 {
        let store = Store::new(config(Profile::Spec, Level::SER, seed)).unwrap();
        let mut scheduler = Scheduler::new(Schedule::Random, seed);
        interleave(&store, &mut scheduler, YieldAt::Begin, tasks(&store));
        assert_eq!(store.stats().refused, 0, "nothing overlaps");
    }
}

#[test]
fn locks_end() {
    let mut refused = 0;
    for profile in [Profile::Postgres, Profile::Mysql] {
        for seed in 0..100 {
            let store = Store::new(config(profile, Level::RC, seed)).unwrap();
            let cross = [["x", "y"], ["y", "x"], ["x", "y"]].map(|keys| {
                let mut session = store.async_session();
                task(async move {
                    let mut t = session.begin().await?;
                    for key in keys {
                        t.get_for_update(key).await?;
                        t.put(key, 1).await?;
                    }
                    t.commit().await
                })
            });
            store.interleave(cross.into());
            refused += store.stats().refused;
            assert_eq!(store.stats().open, 0);
        }
    }
    assert!(refused > 20, "only {refused} deadlocks");
}

/// A session outside holds the lock and no task can release it: the task gives up.
#[test]
fn a_lock_of_somebody_else_is_not_waited_for() {
    let store = Store::new(config(Profile::Postgres, Level::RC, 0)).unwrap();
    let mut outside = store.session();
    let mut t = outside.begin().unwrap();
    t.put("x", 1).unwrap();
    let mut inside = store.async_session();
    let met = store.interleave(vec![task(async move { inside.put("x", 2).await })]);
    assert!(matches!(met[..], [Err(Error::Aborted(_))]), "{met:?}");
}

#[test]
#[should_panic(expected = "a task waits for something other than the store")]
fn waiting_for_something_else_is_a_mistake() {
    let store = Store::new(Config::default()).unwrap();
    store.interleave(vec![task(std::future::pending::<()>())]);
}

#[test]
fn a_replay_that_changed_does_not_hang() {
    let store = Store::new(config(Profile::Spec, Level::CC, 3)).unwrap();
    run(&store);
    let replay = Some(store.log().unwrap().into());
    let again = Store::with(Config::default(), Options::default().replay(replay)).unwrap();
    let mut fewer = tasks(&again);
    fewer.pop();
    again.interleave(fewer);
    assert!(again.divergence().is_some());
}
