//! Sessions that wait for each other, in stores where each looks after its deadlock timeout: who is refused, when,
//! and that nobody else is.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use hobgoblin_core::{Level, SessionId};
use hobgoblin_front::{
    AbortReason, Config, Error, Lock, Mode, Options, Profile, Request, Scope, Store, Wait,
};

fn store(options: Options) -> Store {
    let profile = Profile::Postgres;
    let config = Config::default().profile(profile).level(Level::RC).patient(true);
    Store::with(config, options).expect("a usual setup")
}

fn begin(store: &Store, session: SessionId) {
    store.request(session, Request::begin(None, None)).expect("none is open");
}

fn put(store: &Store, session: SessionId, key: &str) -> Result<(), Error> {
    store.request(session, Request::put(key.into(), 1.into())).map(|_| ())
}

fn until_blocked(store: &Store, session: SessionId) {
    while store.blockers(session).is_empty() {
        thread::yield_now();
    }
}

/// The holder of a row that two wait for commits, and waits for one of these in its next transaction: the lock has
/// passed on meanwhile, so nobody waits in a circle.
#[test]
fn a_lock_that_passed_on_is_no_deadlock() {
    for hold in [None, Some(Duration::from_millis(2))] {
        let store = &store(Options::default().hold(hold));
        let [a, b, c] = [(); 3].map(|()| store.connect(None).expect("a session"));
        [a, b, c].into_iter().for_each(|session| begin(store, session));
        put(store, a, "b 1").expect("free");
        put(store, b, "t 1").expect("free");
        put(store, c, "t 2").expect("free");
        thread::scope(|scope| {
            let waiter = |session| {
                let waits = scope.spawn(move || {
                    put(store, session, "b 1")?;
                    store.request(session, Request::COMMIT).map(|_| ())
                });
                until_blocked(store, session);
                waits
            };
            let waits = [waiter(b), waiter(c)];
            assert_eq!(store.blockers(c), [a, b], "the holder, and who is before it");
            store.request(a, Request::COMMIT).expect("nothing is in the way");
            begin(store, a);
            put(store, a, "t 2").expect("c ends first");
            store.request(a, Request::COMMIT).expect("nothing is in the way");
            for waits in waits {
                waits.join().expect("no panic").expect("its lock comes");
            }
        });
    }
}

/// Of those in a circle the one is refused that looks first, however many there are: who began to wait first, or
/// who waits the shortest.
#[test]
fn who_looks_first_is_refused() {
    for count in [2, 3, 6] {
        for impatient in [None, Some(count - 1), Some(count / 2)] {
            for hold in [None, Some(Duration::from_millis(2))] {
                let store = &store(Options::default().hold(hold));
                let sessions: Vec<SessionId> =
                    (0..count).map(|_| store.connect(None).expect("a session")).collect();
                for (at, &session) in sessions.iter().enumerate() {
                    let millis = if impatient == Some(at) { 200 } else { 500 + 400 * at as u64 };
                    store.set_deadlock_timeout(session, Duration::from_millis(millis));
                    begin(store, session);
                    put(store, session, &format!("k{at}")).expect("free");
                }
                let start = Instant::now();
                let refused: Vec<usize> = thread::scope(|scope| {
                    let waits: Vec<_> = (0..count)
                        .map(|at| {
                            let session = sessions[at];
                            let waits = scope.spawn(move || {
                                let key = format!("k{}", (at + 1) % count);
                                let met = put(store, session, &key);
                                let end =
                                    if met.is_ok() { Request::COMMIT } else { Request::ABORT };
                                let _ = store.request(session, end);
                                met
                            });
                            if at + 1 < count {
                                until_blocked(store, session);
                            }
                            waits
                        })
                        .collect();
                    let ends = waits.into_iter().map(|waits| waits.join().expect("no panic"));
                    let refused = ends.enumerate().filter(|(_, end)| {
                        matches!(end, Err(Error::Aborted(AbortReason::Deadlock)))
                    });
                    refused.map(|(at, _)| at).collect()
                });
                assert_eq!(refused, [impatient.unwrap_or(0)], "{count} {impatient:?} {hold:?}");
                if hold.is_none() {
                    assert!(start.elapsed() >= Duration::from_millis(150), "{count} {impatient:?}");
                }
            }
        }
    }
}

/// Who is behind another in the queue of an object only for having come later goes before it, when that is
/// what all wait for.
#[test]
fn a_queue_is_reordered_before_anybody_is_refused() {
    let store = &store(Options::default());
    let [a, b, c] = [(); 3].map(|()| store.connect(None).expect("a session"));
    let hold = |mode| Request::hold("table".into(), mode, Scope::Transaction, Wait::Forever);
    for session in [a, b, c] {
        store.set_deadlock_timeout(session, Duration::from_millis(20));
        begin(store, session);
    }
    store.request(a, hold(Mode::AccessShare)).expect("free");
    put(store, c, "row").expect("free");
    thread::scope(|scope| {
        let wait = |session, request: Request| {
            let waits = scope.spawn(move || {
                store.request(session, request)?;
                store.request(session, Request::COMMIT).map(|_| ())
            });
            until_blocked(store, session);
            waits
        };
        let waits = [
            wait(b, hold(Mode::AccessExclusive)),
            wait(c, hold(Mode::AccessShare)),
            wait(a, Request::lock("row", Lock::Update)),
        ];
        for waits in waits {
            waits.join().expect("no panic").expect("nobody is refused");
        }
    });
}

/// Sessions in threads that take the same rows in the same order wait long, and never in a circle.
#[test]
fn one_order_of_locks_is_never_refused() {
    for (count, hold) in [(3, None), (6, None), (4, Some(Duration::from_millis(1)))] {
        let store = &store(Options::default().hold(hold));
        let barrier = &Barrier::new(count);
        thread::scope(|scope| {
            for at in 0..count {
                scope.spawn(move || {
                    let session = store.connect(None).expect("a session");
                    store.set_deadlock_timeout(session, Duration::from_millis(1));
                    barrier.wait();
                    for round in 0..30 {
                        begin(store, session);
                        for key in ["a", "b", "c", "d"] {
                            if (round + at) % 3 != 0 || key != "b" {
                                put(store, session, key).expect("all go in one order");
                            }
                        }
                        store.request(session, Request::COMMIT).expect("nothing is in the way");
                    }
                });
            }
        });
    }
}
