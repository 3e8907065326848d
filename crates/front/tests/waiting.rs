//! Who waits for whom, and that nobody waits for ever.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{
    AbortReason, Config, Error, Lock, Options, Profile, Request, Schedule, Session, Store,
    StoreError, TransactionRequest,
};

fn store(profile: Profile, options: Options) -> Store {
    let config = Config::default().profile(profile).initial_values(vec![("x".into(), 0.into())]);
    Store::with(config, options).expect("a usual setup")
}

fn patient(lock_timeout: Duration) -> Options {
    Options::default().lock_timeout(lock_timeout)
}

/// Two sessions of one thread, statement by statement, in every profile: a thread cannot release a lock
/// while it waits for it, so the answer has to come at once.
#[test]
fn one_thread_with_two_sessions_never_hangs() {
    for profile in Profile::ALL {
        for hold in [None, Some(Duration::from_millis(2))] {
            let options = patient(Duration::from_secs(60)).hold(hold);
            let store = store(profile, options);
            let start = Instant::now();
            let (mut one, mut two) = (store.session(), store.session());
            let mut first = one.begin().expect("nothing is open");
            let mut second = two.begin().expect("nothing is open");
            first.get_for_update("x").expect("nobody holds it");
            first.put("x", 1).expect("it is ours");
            let met = second.get_for_update("x");
            match profile {
                Profile::Spec => assert!(met.is_ok()),
                _ => assert!(matches!(met, Err(Error::Aborted(AbortReason::Deadlock))), "{met:?}"),
            }
            first.commit().expect("nothing is in the way");
            drop(second);
            two.put("x", 2).expect("the lock is free again");
            assert!(start.elapsed() < Duration::from_secs(10), "{profile} took too long");
        }
    }
}

/// The circle goes through two threads and three sessions, so the machine alone does not see it.
#[test]
fn circles_through_threads_are_deadlocks() {
    let store = store(Profile::Postgres, patient(Duration::from_secs(60)));
    let (mut a1, mut a2, mut b) = (store.session(), store.session(), store.session());
    let mut held_by_a = a1.begin_at(Level::RC).expect("nothing is open");
    held_by_a.put("x", 1).expect("nobody holds it");
    thread::scope(|scope| {
        let other = scope.spawn(move || {
            let mut t = b.begin_at(Level::RC)?;
            t.put("y", 1)?;
            t.put("x", 2)?; // Waits for thread A's first session.
            t.commit()
        });
        while store.deadline().is_none() {
            thread::yield_now();
        }
        // Thread A's second session waits for thread B, which waits for thread A.
        let met = a2.put("y", 2);
        assert!(matches!(met, Err(Error::Aborted(AbortReason::Deadlock))), "{met:?}");
        held_by_a.commit().expect("nothing is in the way");
        other.join().expect("no panic").expect("its lock came");
    });
    assert_eq!(store.snapshot(), [("x".into(), 2.into()), ("y".into(), 1.into())]);
}

#[test]
fn a_lock_is_waited_for() {
    let store = store(Profile::Mysql, patient(Duration::from_secs(60)));
    let mut one = store.session();
    let mut first = one.begin_at(Level::RC).expect("nothing is open");
    first.put("x", 1).expect("nobody holds it");
    thread::scope(|scope| {
        let waits = scope.spawn(|| store.session().put("x", 2));
        while store.deadline().is_none() {
            thread::yield_now();
        }
        first.commit().expect("nothing is in the way");
        waits.join().expect("no panic").expect("the lock came");
    });
    assert_eq!(store.snapshot(), [("x".into(), 2.into())]);
}

#[test]
fn a_lock_is_not_waited_for_too_long() {
    let store = store(Profile::Postgres, patient(Duration::from_millis(30)));
    let mut one = store.session();
    let mut first = one.begin().expect("nothing is open");
    first.put("x", 1).expect("nobody holds it");
    let start = Instant::now();
    let met = thread::scope(|scope| {
        scope.spawn(|| store.session().put("x", 2)).join().expect("no panic")
    });
    assert!(matches!(met, Err(Error::Aborted(AbortReason::LockTimeout))), "{met:?}");
    assert!(start.elapsed() >= Duration::from_millis(30));
    first.commit().expect("nothing is in the way");
}

/// Unparks a thread, as small as an executor gets.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn a_future_waits_and_gives_up_without_a_runtime() {
    let store = store(Profile::Postgres, patient(Duration::from_millis(30)));
    let (mut one, mut two) = (store.async_session(), store.async_session());
    block_on(async {
        let mut first = one.begin().await.expect("nothing is open");
        first.put("x", 1).await.expect("nobody holds it");
        let met = two.put("x", 2).await;
        assert!(matches!(met, Err(Error::Aborted(AbortReason::LockTimeout))), "{met:?}");
        first.commit().await.expect("nothing is in the way");
        two.put("x", 3).await.expect("the lock is free");
    });
    assert_eq!(store.snapshot(), [("x".into(), 3.into())]);
}

#[test]
fn a_future_is_woken_and_may_be_dropped() {
    let store = store(Profile::Postgres, patient(Duration::from_secs(60)));
    let (holder, waiter) = (store.connect(None).unwrap(), store.connect(None).unwrap());
    let lock = || Request::lock("x", Lock::Update);
    let begin = || Request::begin(Some(Level::RC), None);
    store.request(holder, begin()).unwrap();
    store.request(holder, lock()).unwrap();
    store.request(waiter, begin()).unwrap();
    // Polled once and dropped: the transaction is aborted, the session can go on.
    let mut dropped = store.request_async(waiter, lock());
    let mut nobody = Context::from_waker(Waker::noop());
    assert!(std::pin::Pin::new(&mut dropped).poll(&mut nobody).is_pending());
    drop(dropped);
    assert!(matches!(
        store.request(waiter, Request::COMMIT),
        Err(Error::Store(StoreError::NoTransaction))
    ));
    // Another one waits until the holder is done.
    let other = store.clone();
    let waits = thread::spawn(move || block_on(other.request_async(waiter, lock())));
    while store.deadline().is_none() {
        thread::yield_now();
    }
    store.disconnect(holder).unwrap();
    assert!(waits.join().unwrap().is_ok());
}

fn increments(mut session: Session, times: u32) {
    for _ in 0..times {
        session
            .transaction(|t| {
                let count: i64 = t.get_as("count")?.unwrap_or(0);
                t.put("count", count + 1)
            })
            .expect("an increment is tried until it holds");
    }
}

#[test]
fn retries_end_and_no_increment_is_lost() {
    for profile in Profile::ALL {
        for hold in [None, Some(Duration::from_millis(1))] {
            let store = store(profile, Options::default().hold(hold));
            thread::scope(|scope| {
                for _ in 0..4 {
                    let session = store.session();
                    scope.spawn(move || increments(session, 10));
                }
            });
            let count = store.snapshot().into_iter().find(|(key, _)| *key == "count".into());
            assert_eq!(count, Some(("count".into(), Value::Int(40))), "{profile} {hold:?}");
        }
    }
}

/// Alone, a session is never held, though the hold is long.
#[test]
fn a_lone_session_is_not_held() {
    let hold = Some(Duration::from_secs(60));
    let store = store(Profile::Postgres, Options::default().hold(hold));
    let start = Instant::now();
    increments(store.session(), 20);
    assert!(start.elapsed() < Duration::from_secs(30));
}

/// Both sessions always have a request waiting, so only the scheduler decides.
fn held_order(seed: u64, schedule: Schedule) -> String {
    let config = Config::default().profile(Profile::Postgres).level(Level::RC).seed(seed);
    let hold = Some(Duration::from_secs(60));
    let store = Store::with(config, Options::default().hold(hold).schedule(schedule)).unwrap();
    let sessions = ["a", "b"].map(|name| (name, store.session_named(name).unwrap()));
    let begun = std::sync::Barrier::new(2);
    thread::scope(|scope| {
        for (name, mut session) in sessions {
            let begun = &begun;
            scope.spawn(move || {
                let mut t = session.begin().unwrap();
                begun.wait();
                for at in 0..8 {
                    t.put(format!("{name}{at}"), at).unwrap();
                }
                t.commit().unwrap();
            });
        }
    });
    let log = store.log().unwrap();
    let put = |entry: &hobgoblin_front::Entry| match entry {
        hobgoblin_front::Entry::Request {
            session,
            request: Request::Transaction(TransactionRequest::Put { .. }),
            ..
        } => Some(session.to_string()),
        _ => None,
    };
    log.entries.iter().filter_map(put).collect()
}

#[test]
fn held_requests_overlap_and_every_one_is_served() {
    for schedule in [Schedule::Random, Schedule::Pct { depth: 3, steps: Some(20) }] {
        let orders: Vec<String> = (0..10).map(|seed| held_order(seed, schedule)).collect();
        let again: Vec<String> = (0..10).map(|seed| held_order(seed, schedule)).collect();
        assert_eq!(orders, again, "a seed is a schedule");
        for order in &orders {
            assert_eq!(order.matches('0').count(), 8, "{order}");
            assert_eq!(order.matches('1').count(), 8, "{order}");
        }
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
    }
}

#[test]
fn mistakes_are_answers() {
    let store = store(Profile::Spec, Options::default());
    let mut session = store.session_named("bob").unwrap();
    let again = store.session_named("bob");
    assert!(matches!(again, Err(Error::Store(StoreError::NameTaken { .. }))), "{again:?}");
    let mut t = session.begin().unwrap();
    assert!(matches!(t.rollback_to("a"), Err(Error::Store(StoreError::UnknownSavepoint { .. }))));
    t.put("x", "text").unwrap();
    let wrong = t.get_as::<i64>("x").unwrap_err().to_string();
    assert!(wrong.starts_with("x holds \"text\", which is not what was asked for"), "{wrong}");
    t.abort().unwrap();
    let long = "k".repeat(10 << 20);
    assert!(matches!(session.put(long, 1), Err(Error::Store(StoreError::KeyTooLong { .. }))));
    assert_eq!(session.get_as::<i64>("x").unwrap(), Some(0));
    drop(session);
    // The name is free again.
    store.session_named("bob").unwrap();
}
