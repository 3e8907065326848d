//! Sessions that work statement by statement, as those of SQL clients do.

use std::thread;
use std::time::{Duration, Instant};

use hobgoblin_core::{Level, SessionId, Value};
use hobgoblin_front::{
    AbortReason, Answer, Config, Entry, Error, HoldFor, Lock, Options, Profile, Replay, Request,
    Store, Token, TransactionRequest, Wait,
};

const LONG: Duration = Duration::from_secs(60);

fn store(options: Options) -> Store {
    let config = Config::default()
        .profile(Profile::Postgres)
        .level(Level::RC)
        .initial_values(vec![("x".into(), 0.into())]);
    Store::with(config, options).expect("a usual setup")
}

fn begin() -> Request {
    Request::begin(None, None)
}

fn statement(text: &str) -> Request {
    Request::statement(text.to_owned())
}

fn put(key: &str, value: i64) -> Request {
    Request::put(key.into(), value.into())
}

/// Waits until something has happened in another thread.
fn until(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "it never came");
        thread::sleep(Duration::from_millis(1));
    }
}

fn waits(store: &Store, session: SessionId) -> bool {
    store.with_machine(|machine| {
        machine.open_transactions().iter().any(|open| open.session == session && open.waiting)
    })
}

/// A holder of a lock on `x` and another session.
fn two(store: &Store) -> (SessionId, SessionId) {
    let (holder, other) = (store.connect(None).unwrap(), store.connect(None).unwrap());
    store.request(holder, begin()).unwrap();
    store.request(holder, put("x", 1)).unwrap();
    (holder, other)
}

#[test]
fn a_wait_for_a_lock_can_be_interrupted() {
    let store = store(Options::default().lock_timeout(LONG));
    let (holder, waiter) = two(&store);
    assert!(!store.interrupt(waiter), "it does not wait");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            store.request(waiter, begin()).unwrap();
            store.request(waiter, put("x", 2))
        });
        until(|| waits(&store, waiter));
        assert!(!store.interrupt(holder), "it does not wait");
        assert!(store.interrupt(waiter));
        let met = waiting.join().expect("no panic");
        assert!(matches!(met, Err(Error::Interrupted { open: false })), "{met:?}");
    });
    assert_eq!(store.with_machine(|machine| machine.in_transaction(waiter)), Ok(false));
    store.request(holder, Request::COMMIT).unwrap();
    assert_eq!(store.newest(&"x".into()), Value::Int(1));
    store.request(waiter, put("x", 3)).expect("the session goes on");
}

#[test]
fn a_held_request_can_be_interrupted() {
    let store = store(Options::default().hold(LONG));
    let (holder, other) = two(&store);
    for in_transaction in [false, true] {
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                if in_transaction {
                    store.request(other, begin()).unwrap();
                }
                store.request(other, statement("UPDATE t"))
            });
            until(|| store.interrupt(other));
            let met = waiting.join().expect("no panic");
            assert!(matches!(met, Err(Error::Interrupted { open: false })), "{met:?}");
        });
        assert_eq!(store.with_machine(|machine| machine.in_transaction(other)), Ok(false));
    }
    store.request(holder, Request::COMMIT).expect("nothing is in the way");
}

#[test]
fn every_session_has_its_own_lock_timeout() {
    let store = store(Options::default().lock_timeout(LONG));
    let (holder, hasty) = two(&store);
    store.set_lock_timeout(hasty, Some(Duration::from_millis(20)));
    let met = thread::scope(|scope| {
        scope.spawn(|| store.request(hasty, put("x", 2))).join().expect("no panic")
    });
    assert!(matches!(met, Err(Error::Aborted(AbortReason::LockTimeout))), "{met:?}");
    // And the other way around: for ever, though the store is hasty.
    let options = Options::default().lock_timeout(Duration::from_millis(1));
    let (hasty, before) = (self::store(options), cpu());
    let (owner, patient) = two(&hasty);
    hasty.set_lock_timeout(patient, None);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| hasty.request(patient, put("x", 2)));
        until(|| waits(&hasty, patient));
        assert_eq!(hasty.deadline(), None, "nothing is to be done until the lock is free");
        thread::sleep(Duration::from_millis(300));
        let used = cpu() - before;
        assert!(used < Duration::from_millis(200), "waiting took {used:?} of the processor");
        hasty.request(owner, Request::COMMIT).unwrap();
        assert!(waiting.join().expect("no panic").is_ok());
    });
    assert_eq!(hasty.newest(&"x".into()), Value::Int(2));
    store.request(holder, Request::ABORT).unwrap();
}

/// What this process has used of the processor so far, in ticks of ten milliseconds.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

#[test]
fn a_lock_that_is_not_free_need_not_be_waited_for() {
    let store = store(Options::default().lock_timeout(LONG));
    let (holder, other) = two(&store);
    let nowait = Request::Transaction(TransactionRequest::Get {
        key: "x".into(),
        policy: None,
        lock: Some(Lock::Share),
        wait: Wait::Not,
        latest: false,
    });
    store.request(other, begin()).unwrap();
    assert_eq!(store.request(other, nowait).unwrap(), Answer::Locked { holder });
    store.request(other, Request::COMMIT).expect("nothing is aborted");
}

/// The order in which the writes of two sessions of three statements with three writes each are served.
fn order(seed: u64, autocommit: bool) -> String {
    let config = Config::default().profile(Profile::Postgres).level(Level::RC).seed(seed);
    let store = Store::with(config, Options::default().hold(LONG)).unwrap();
    let sessions = [store.connect(None).unwrap(), store.connect(None).unwrap()];
    let begun = std::sync::Barrier::new(2);
    thread::scope(|scope| {
        for (number, session) in sessions.into_iter().enumerate() {
            let (store, begun) = (&store, &begun);
            scope.spawn(move || {
                let ask = |request| store.request(session, request).expect("nothing is in the way");
                if !autocommit {
                    ask(begin());
                    begun.wait();
                }
                for round in 0..3 {
                    if autocommit {
                        ask(begin());
                    }
                    ask(statement("UPDATE"));
                    for write in 0..3 {
                        ask(put(&format!("{number} {round} {write}"), 1));
                    }
                    if autocommit {
                        ask(Request::COMMIT);
                    }
                }
                if !autocommit {
                    ask(Request::COMMIT);
                }
            });
        }
    });
    let put = |entry: &Entry| match entry {
        Entry::Request {
            session,
            request: Request::Transaction(TransactionRequest::Put { .. }),
            ..
        } => Some(session.to_string()),
        _ => None,
    };
    store.log().unwrap().entries.iter().filter_map(put).collect()
}

#[test]
fn statements_are_held_and_their_writes_are_not() {
    let orders: Vec<String> = (0..12).map(|seed| order(seed, false)).collect();
    assert_eq!(orders, (0..12).map(|seed| order(seed, false)).collect::<Vec<_>>(), "by the seed");
    for order in &orders {
        assert_eq!(order.len(), 18, "{order}");
        let whole = |part: &[u8]| part.iter().all(|&session| session == part[0]);
        assert!(order.as_bytes().chunks(3).all(whole), "a statement was cut: {order}");
    }
    assert!(orders.iter().any(|order| order.starts_with("000111")), "{orders:?}");
    assert!(orders.iter().any(|order| order.starts_with("000000")), "{orders:?}");
    assert_eq!(order(1, true).len(), 18, "nobody waits for ever");
}

/// Two sessions of which one begins later read a counter and write one more; what it is in the end.
fn late_increments(seed: u64, autocommit: bool) -> Value {
    let config = Config::default()
        .profile(Profile::Postgres)
        .level(Level::RC)
        .seed(seed)
        .initial_values(vec![("x".into(), 0.into())]);
    let hold = Some(Duration::from_millis(150));
    let options = Options::default().hold(hold).hold_for(HoldFor::Connected);
    let store = Store::with(config, options).unwrap();
    let sessions = [store.connect(None).unwrap(), store.connect(None).unwrap()];
    thread::scope(|scope| {
        for (delay, session) in [0, 50].into_iter().zip(sessions) {
            let store = &store;
            scope.spawn(move || {
                thread::sleep(Duration::from_millis(delay));
                let ask = |request| store.request(session, request).expect("nobody is refused");
                if !autocommit {
                    ask(begin());
                }
                ask(statement("SELECT"));
                let seen = ask(Request::get("x"));
                let Answer::Value(Value::Int(seen)) = seen else { panic!("{seen:?} is no number") };
                ask(statement("UPDATE"));
                ask(put("x", seen + 1));
                if !autocommit {
                    ask(Request::COMMIT);
                }
                store.disconnect(session).unwrap();
            });
        }
    });
    store.newest(&"x".into())
}

#[test]
fn who_begins_later_is_waited_for_if_asked() {
    for autocommit in [false, true] {
        let lost = |seed| late_increments(seed, autocommit) == Value::Int(1);
        assert!((0..20).any(lost), "autocommit {autocommit}: no increment was lost");
    }
    // Who is alone is not held.
    let store = store(Options::default().hold(LONG).hold_for(HoldFor::Connected));
    let (session, start) = (store.connect(None).unwrap(), Instant::now());
    store.fence().unwrap();
    store.request(session, statement("UPDATE")).unwrap();
    store.request(session, put("x", 1)).unwrap();
    assert!(start.elapsed() < LONG / 2);
}

/// The connections of a pool that nobody uses cost a few holds, not one for each statement.
#[test]
fn idle_sessions_are_not_waited_for_again_and_again() {
    let hold = Duration::from_millis(20);
    let store = store(Options::default().hold(hold).hold_for(HoldFor::Connected));
    let sessions: Vec<SessionId> = (0..5).map(|_| store.connect(None).unwrap()).collect();
    let run = |session: SessionId, count: u32| {
        let start = Instant::now();
        for _ in 0..count {
            store.request(session, statement("UPDATE")).unwrap();
            store.request(session, put("x", 1)).unwrap();
        }
        start.elapsed()
    };
    let took = run(sessions[0], 100);
    assert!(took > hold * 2 && took < hold * 40, "{took:?}");
    // One that comes back waits once more for the others.
    let took = run(sessions[1], 1);
    assert!(took >= hold, "{took:?}");
}

#[test]
fn the_time_is_real_and_a_replay_tells_the_old_one() {
    let ask = |store: &Store| {
        let session = store.connect(None).unwrap();
        [Request::CLOCK, Request::RANDOM].map(|request| store.request(session, request).unwrap())
    };
    let first = store(Options::default());
    let answers = ask(&first);
    let year = 365 * 24 * 3600 * 1_000_000_i64;
    assert!(
        matches!(answers[0], Answer::Value(Value::Int(now)) if now > 50 * year && now < 200 * year)
    );
    thread::sleep(Duration::from_millis(2));
    let replay = Some(first.log().unwrap().into());
    let again = store(Options::default().replay(replay));
    assert_eq!(ask(&again), answers);
    assert_eq!(again.divergence(), None);
    assert_ne!(ask(&store(Options::default()))[0], answers[0]);
}

/// The log has the interrupt, so a replay needs nobody to make it.
#[test]
fn an_interrupt_is_replayed() {
    let run = |options: Options| {
        let replays = options.replay.is_some();
        let store = store(options);
        let (holder, waiter) = two(&store);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                store.request(waiter, begin()).unwrap();
                store.request(waiter, put("x", 2))
            });
            if !replays {
                until(|| waits(&store, waiter));
                assert!(store.interrupt(waiter));
            }
            let met = waiting.join().expect("no panic");
            assert!(matches!(met, Err(Error::Interrupted { open: false })), "{met:?}");
        });
        store.request(holder, Request::COMMIT).unwrap();
        store
    };
    let first = run(Options::default().lock_timeout(LONG));
    let log = first.log().unwrap();
    let token = Token::parse(&first.token().unwrap()).expect("it was written so");
    for replay in [Replay::from(log.clone()), Replay::from(token)] {
        let again = run(Options::default().replay(replay));
        assert_eq!(again.divergence(), None);
        assert_eq!(again.log().unwrap().entries, log.entries);
    }
}
