//! Transactions one at a time, and what becomes of programs that do not let them be.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{
    Config, Mode, Options, Policy, Profile, Request, Scope, Store, TxnOptions, Wait, WhyOverlap,
};

const PATIENCE: Duration = Duration::from_millis(20);

/// Long enough that only a program that waits for ever is idle for it.
const LONG: Duration = Duration::from_secs(5);

fn store(profile: Profile, level: Level, seed: u64, patience: Duration) -> Store {
    let initial = vec![("x".into(), 0.into()), ("y".into(), 0.into())];
    let policy = Some(Policy::Latest);
    let config = Config::default()
        .profile(profile)
        .level(level)
        .seed(seed)
        .policy(policy)
        .initial_values(initial);
    let options = Options::default().serial(patience);
    Store::with(config, options).expect("a usual setup")
}

/// Every profile with the levels it serves.
fn served() -> Vec<(Profile, Level)> {
    let levels = |profile| {
        let serves = move |level: &Level| {
            let config = Config::default().profile(profile).level(*level);
            Store::new(config).is_ok()
        };
        Level::ALL.into_iter().filter(serves).map(move |level| (profile, level))
    };
    Profile::ALL.into_iter().flat_map(levels).collect()
}

fn number(value: Value) -> i64 {
    match value {
        Value::Int(number) => number,
        other => panic!("{other}"),
    }
}

/// What every weak level loses: reads, then writes of what was read plus one, in two keys. Nothing is lost,
/// refused or stale, at no level of no profile, by no number of sessions.
#[test]
fn nothing_is_lost_refused_or_stale() {
    for (at, (profile, level)) in served().into_iter().enumerate() {
        let sessions = 2 + at % 5;
        let store = store(profile, level, at as u64, LONG);
        thread::scope(|scope| {
            for _ in 0..sessions {
                scope.spawn(|| {
                    let mut session = store.session();
                    for _ in 0..20 {
                        let mut t = session.begin().expect("its turn comes");
                        for key in ["x", "y"] {
                            let n = number(t.get(key).expect("nothing is refused"));
                            thread::yield_now();
                            t.put(key, n + 1).expect("nothing is refused");
                        }
                        t.commit().expect("nothing is refused");
                    }
                });
            }
        });
        let all = Value::Int(20 * sessions as i64);
        let (stats, what) = (store.stats(), format!("{profile} {level} {sessions} sessions"));
        assert_eq!(store.snapshot(), [("x".into(), all.clone()), ("y".into(), all)], "{what}");
        assert_eq!((stats.refused, stats.stale_reads, stats.overlapped), (0, 0, 0), "{what}");
        assert_eq!(store.overlaps(), None, "{what}");
    }
}

/// Reads outside of transactions wait too, and read the newest version whatever policy is asked for.
#[test]
fn single_requests_wait_and_read_the_newest() {
    for profile in Profile::ALL {
        let store = store(profile, Level::RC, 3, LONG);
        let mut one = store.session();
        for round in 0..30 {
            let mut t = one.begin().expect("nothing is open");
            t.put("x", round).expect("nobody else is there");
            thread::scope(|scope| {
                let reader = scope.spawn(|| {
                    let mut session = store.session();
                    let policy = Some(Policy::Stale);
                    let seen = session.get("x").expect("its turn comes");
                    let mut options = TxnOptions::new();
                    options.policy = policy;
                    let mut t = session.begin_with(options).expect("nothing is open");
                    (number(seen), number(t.get("x").expect("a read")))
                });
                while store.deadline().is_none() {
                    thread::yield_now();
                }
                t.put("x", round + 1).expect("nobody else is there");
                t.commit().expect("nothing is in the way");
                let seen = reader.join().expect("no panic");
                assert_eq!(seen, (round + 1, round + 1), "{profile}");
            });
        }
        assert_eq!(store.overlaps(), None);
    }
}

/// Threads that wait for each other inside their transactions: all of them have to be open at once.
#[test]
fn a_barrier_inside_transactions_is_no_deadlock() {
    for profile in Profile::ALL {
        for sessions in 2..=6 {
            let store = store(profile, Level::RC, 1, PATIENCE);
            let (barrier, start) = (Barrier::new(sessions), Instant::now());
            thread::scope(|scope| {
                for at in 0..sessions {
                    let (store, barrier) = (&store, &barrier);
                    scope.spawn(move || {
                        let mut session = store.session();
                        let mut t = session.begin().expect("its turn comes");
                        t.get("x").expect("a read");
                        barrier.wait();
                        t.put(format!("own{at}"), 1).expect("nobody else writes it");
                        t.commit().expect("nothing is in the way");
                    });
                }
            });
            let (count, first) = store.overlaps().expect("they overlapped");
            assert_eq!((count, first.why), (sessions as u64 - 1, WhyOverlap::Idle), "{first}");
            assert_eq!(store.stats().committed, sessions as u64);
            assert!(start.elapsed() < Duration::from_secs(20), "{profile} {sessions}");
        }
    }
}

/// A connection that is left in an open transaction is waited for once, not by everybody every time.
#[test]
fn who_is_idle_in_a_transaction_is_waited_for_once() {
    for profile in Profile::ALL {
        let patience = Duration::from_secs(1);
        let store = store(profile, Level::RC, 1, patience);
        let mut left = store.session();
        let mut t = left.begin().expect("nothing is open");
        t.get("y").expect("a read");
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut session = store.session();
                    for _ in 0..10 {
                        let mut t = session.begin().expect("its turn comes");
                        let n = number(t.get("x").expect("a read"));
                        t.put("x", n + 1).expect("they come one at a time");
                        t.commit().expect("nothing is in the way");
                    }
                });
            }
        });
        let took = start.elapsed();
        assert!((patience..10 * patience).contains(&took), "{profile}: {took:?}");
        assert_eq!(store.newest(&"x".into()), 40.into(), "{profile}");
        assert_eq!(store.overlaps().expect("it is told").1.open, "1");
        // It asks again, and is waited for again.
        t.get("y").expect("a read");
        let again = Instant::now();
        store.session().put("x", 0).expect("its turn comes");
        assert!(again.elapsed() >= patience, "{profile}");
    }
}

/// One asks, in its transaction, until it sees what another writes: never idle, and never at an end.
#[test]
fn who_goes_on_and_on_is_not_waited_for_for_ever() {
    // On a busy machine a thread that goes on may look idle for a moment, so it may try again with more
    // patience.
    let mut reasons = (0..8).map(|n| why_the_other_goes(Duration::from_millis(5 << n)));
    assert!(reasons.any(|why| why == WhyOverlap::Long), "it always looked idle");
}

/// Why a transaction began beside one that asks until it sees what the first writes.
fn why_the_other_goes(patience: Duration) -> WhyOverlap {
    let store = store(Profile::Postgres, Level::RC, 1, patience);
    let began = AtomicBool::new(false);
    thread::scope(|scope| {
        let (store, flag) = (&store, &began);
        scope.spawn(move || {
            let mut session = store.session();
            let mut t = session.begin().expect("nothing is open");
            while number(t.get("x").expect("a read")) == 0 {
                flag.store(true, Ordering::Relaxed);
            }
        });
        while !began.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        store.session().put("x", 1).expect("its turn comes");
    });
    store.overlaps().expect("it is told").1.why
}

/// A lock that stays with its session: who waits for it has a transaction open, who holds it has to begin one
/// to let it go.
#[test]
fn a_lock_beyond_transactions_is_no_deadlock() {
    for profile in Profile::ALL {
        let store = store(profile, Level::RC, 1, PATIENCE);
        let (mode, scope) = (Mode::Exclusive, Scope::Session);
        let hold = |wait| Request::hold("lock".into(), mode, scope, wait);
        let (holder, waiter) = (store.connect(None).unwrap(), store.connect(None).unwrap());
        store.request(holder, hold(Wait::Forever)).expect("nobody holds it");
        thread::scope(|scope| {
            let waits = scope.spawn(|| {
                store.request(waiter, Request::begin(None, None))?;
                store.request(waiter, Request::get("x"))?;
                store.request(waiter, hold(Wait::Forever))
            });
            while store.deadline().is_none() {
                thread::yield_now();
            }
            store.request(holder, Request::get("y")).expect("its turn comes");
            let let_go = Request::let_go("lock".into(), mode);
            store.request(holder, let_go).expect("it holds it");
            waits.join().expect("no panic").expect("the lock comes");
        });
        assert_eq!(store.overlaps().expect("it is told").1.why, WhyOverlap::Lock, "{profile}");
    }
}

/// A session that is closed in the middle of its transaction is waited for no longer.
#[test]
fn a_session_that_ends_without_commit_lets_others_go() {
    for profile in Profile::ALL {
        let store = store(profile, Level::RC, 1, LONG);
        let left = store.connect(None).expect("there is room");
        store.request(left, Request::begin(None, None)).expect("nothing is open");
        store.request(left, Request::put("x".into(), 9.into())).expect("a write");
        let start = Instant::now();
        thread::scope(|scope| {
            let waits = scope.spawn(|| store.session().get("x"));
            while store.deadline().is_none() {
                thread::yield_now();
            }
            store.disconnect(left).expect("it is there");
            assert_eq!(waits.join().expect("no panic").expect("its turn comes"), 0.into());
        });
        assert!(start.elapsed() < LONG, "{profile}");
        assert_eq!(store.overlaps(), None);
    }
}

/// Interrupted while it waits to begin: the session goes on, and nothing is open.
#[test]
fn a_wait_to_begin_can_be_interrupted() {
    let store = store(Profile::Postgres, Level::RC, 1, LONG);
    let mut one = store.session();
    let mut t = one.begin().expect("nothing is open");
    let waiter = store.connect(None).expect("there is room");
    thread::scope(|scope| {
        let waits = scope.spawn(|| store.request(waiter, Request::get("x")));
        while store.deadline().is_none() {
            thread::yield_now();
        }
        assert!(store.interrupt(waiter));
        assert!(waits.join().expect("no panic").is_err());
    });
    t.put("x", 1).expect("nobody else is there");
    t.commit().expect("nothing is in the way");
    let seen = store.request(waiter, Request::get("x")).expect("nothing is open");
    assert_eq!(seen, hobgoblin_front::Answer::Value(1.into()));
}

/// Tasks on one thread: the executor has no clock, so who waits to begin goes when nobody else can.
#[test]
fn interleaved_tasks_never_hang() {
    for profile in Profile::ALL {
        let store = store(profile, Level::RC, 5, LONG);
        let tasks = (0..4).map(|_| {
            let mut session = store.async_session();
            hobgoblin_front::task(async move {
                let mut t = session.begin().await?;
                let n = number(t.get("x").await?);
                t.put("x", n + 1).await?;
                t.commit().await
            })
        });
        let start = Instant::now();
        let done = store.interleave(tasks.collect());
        assert!(done.into_iter().all(|result| result.is_ok()), "{profile}");
        assert_eq!(store.newest(&"x".into()), 4.into(), "{profile}");
        assert!(start.elapsed() < LONG, "{profile}");
    }
}
