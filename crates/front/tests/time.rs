//! Time among interleaved tasks.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use hobgoblin_front::{Config, Error, Options, Policy, Store, YieldAt, task, time};

const HOUR: Duration = Duration::from_secs(3600);

fn store(seed: u64) -> Store {
    Store::new(Config::default().seed(seed).policy(Policy::Latest)).expect("a store")
}

/// The order in which tasks go on that sleep so many hours each.
fn order(seed: u64, hours: &[u32]) -> Vec<usize> {
    let store = store(seed);
    let order = RefCell::new(Vec::new());
    let tasks = hours.iter().enumerate().map(|(number, &hours)| {
        let (mut session, order) = (store.async_session(), &order);
        task(async move {
            time::sleep(HOUR * hours).await;
            order.borrow_mut().push(number);
            session.put("x", number).await?;
            assert!(time::now() >= HOUR * hours);
            Ok::<_, Error>(())
        })
    });
    let done: Result<Vec<()>, Error> = store.interleave(tasks.collect()).into_iter().collect();
    done.expect("nothing is refused");
    order.into_inner()
}

#[test]
fn nobody_waits_and_seeds_decide() {
    let start = Instant::now();
    let orders: HashSet<Vec<usize>> = (0..200).map(|seed| order(seed, &[1, 1, 1])).collect();
    assert_eq!(orders.len(), 6, "{orders:?}");
    assert!((0..50).all(|seed| order(seed, &[1, 1, 2]) == order(seed, &[1, 1, 2])));
    assert!(start.elapsed() < HOUR);
}

#[test]
fn who_sleeps_longer_goes_on_later() {
    assert!((0..100).all(|seed| order(seed, &[5, 2, 3, 1]) == [3, 1, 2, 0]));
}

/// Nobody knows how long requests take, so a second of sleep may be shorter or longer than ten of them.
#[test]
fn a_sleep_ends_at_any_moment() {
    let seen: HashSet<i64> = (0..300)
        .map(|seed| {
            let store = Store::with(
                Config::default().seed(seed).policy(Policy::Latest),
                Options::default().yield_at(YieldAt::Request),
            )
            .expect("a store");
            let (mut writer, mut reader) = (store.async_session(), store.async_session());
            let seen = store.interleave(vec![
                task(async {
                    for n in 1..=10 {
                        writer.put("x", n).await?;
                    }
                    Ok(0)
                }),
                task(async {
                    time::sleep(Duration::from_secs(1)).await;
                    Ok::<_, Error>(reader.get_as("x").await?.unwrap_or(0))
                }),
            ]);
            seen[1].clone().expect("nothing is refused")
        })
        .collect();
    assert!(seen.len() >= 8, "{seen:?}");
}

#[test]
fn backing_off_ends() {
    let store = store(3);
    let mut sessions = [store.async_session(), store.async_session()];
    let tasks = sessions.iter_mut().enumerate().map(|(number, session)| {
        task(async move {
            let mut wait = Duration::from_millis(10);
            for tried in 0.. {
                let taken = session.get("lock").await?;
                if taken.is_null() {
                    session.put("lock", number).await?;
                    time::sleep(Duration::from_secs(1)).await;
                    session.delete("lock").await?;
                    return Ok(tried);
                }
                time::sleep(wait).await;
                wait *= 2;
            }
            unreachable!("it is free again")
        })
    });
    let tries: Result<Vec<i32>, Error> = store.interleave(tasks.collect()).into_iter().collect();
    tries.expect("nothing is refused");
}

#[test]
fn a_sleep_that_is_dropped_wakes_nobody() {
    let store = store(0);
    let tasks = vec![task(async {
        drop(time::sleep(HOUR));
        let mut long = Box::pin(time::sleep(HOUR));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(long.as_mut(), &mut context).is_pending());
        drop(long);
        time::sleep(Duration::from_secs(1)).await;
        time::now()
    })];
    assert_eq!(store.interleave(tasks), [Duration::from_secs(1)]);
}

#[test]
fn nested_tasks_go_on_from_the_time_of_their_task() {
    let store = store(0);
    let inner = store.clone();
    let tasks = vec![task(async move {
        time::sleep(HOUR).await;
        let nested = inner.interleave(vec![task(async {
            time::sleep(HOUR).await;
            time::now()
        })]);
        (nested[0], time::now())
    })];
    assert_eq!(store.interleave(tasks), [(HOUR * 2, HOUR * 2)]);
}

#[test]
fn elsewhere_a_sleep_takes_its_time() {
    struct Unpark(std::thread::Thread);

    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }

    let start = Instant::now();
    let mut sleep = Box::pin(time::sleep(Duration::from_millis(30)));
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    while std::future::Future::poll(sleep.as_mut(), &mut context).is_pending() {
        std::thread::park();
    }
    assert!(start.elapsed() >= Duration::from_millis(30));
}
