//! `test::check`: what it finds, what it says, and that its token brings the failure back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hobgoblin::store::{AsyncTransaction, Policy, Profile, Schedule};
use hobgoblin::test::{self, Config, YieldAt, task};
use hobgoblin::{Error, Level, Store, Value};

/// Tests a level, and keeps nothing.
fn at(level: Level) -> Config {
    Config::at(level).persist(false)
}

/// The message of the panic, if there is one.
fn message(run: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(run)).err()?;
    let text = panic.downcast::<String>().map(|text| *text);
    Some(text.unwrap_or_else(|panic| panic.downcast_ref::<&str>().unwrap_or(&"?").to_string()))
}

fn token(message: &str) -> String {
    let (_, token) = message.split_once("HOB_REPLAY=").expect("a token is given");
    token.split_whitespace().next().expect("it is not empty").to_owned()
}

/// Two threads each read what the other writes.
fn write_skew(store: &Store) {
    store.session().transaction(|t| t.put("a", 1).and_then(|()| t.put("b", 1))).unwrap();
    store.fence().unwrap();
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        for (name, own) in [("alice", "a"), ("bob", "b")] {
            let (store, barrier) = (store.clone(), &barrier);
            scope.spawn(move || {
                let mut session = store.session_named(name).unwrap();
                barrier.wait();
                let leave = session.transaction(|t| {
                    let on_call: i64 = ["a", "b"]
                        .map(|key| t.get_as::<i64>(key))
                        .into_iter()
                        .sum::<Result<Option<i64>, _>>()?
                        .unwrap_or(0);
                    if on_call == 2 {
                        t.put(own, 0)?;
                    }
                    Ok::<_, Error>(())
                });
                leave.unwrap();
            });
        }
    });
    let left: i64 =
        store.snapshot().iter().filter(|(_, value)| *value == Value::Int(1)).count() as i64;
    assert!(left > 0, "nobody is on call");
}

#[test]
fn a_failure_of_threads_is_replayed_exactly() {
    let failed = message(|| test::check(at(Level::SI), write_skew)).expect("write skew");
    assert!(failed.starts_with("the test fails at snapshot isolation (SI), run "), "{failed}");
    assert!(failed.contains("nobody is on call"), "{failed}");
    assert!(failed.contains("(write skew (G2-item); "), "{failed}");
    assert!(failed.contains("alice: t"), "{failed}");
    let replay = token(&failed);
    for _ in 0..5 {
        let config = at(Level::SER).replay(&replay);
        let again = message(|| test::check(config, write_skew)).expect("it fails again");
        assert!(again.contains("(SI), replayed with seed "), "{again}");
        let history = |text: &str| {
            let (_, rest) = text.split_once("The history:").expect("it is shown");
            rest.split_once("\nTo replay").map_or(rest, |(history, _)| history).trim().to_owned()
        };
        assert_eq!(history(&again), history(&failed));
    }
}

#[test]
fn what_is_safe_passes() {
    test::check(at(Level::SER).runs(200), write_skew);
}

#[test]
fn a_test_that_fails_at_ser_is_told_apart() {
    let runs = AtomicU32::new(0);
    let failed = message(|| {
        test::check(at(Level::RC), |_| {
            runs.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>("always")
        });
    });
    let failed = failed.expect("it fails");
    assert!(failed.contains("fails at serializability (SER) too, with seed 0"), "{failed}");
    assert!(failed.contains("\"always\""), "{failed}");
    assert_eq!(runs.into_inner(), 1);
}

#[test]
fn runs_and_time_are_limits() {
    let runs = AtomicU32::new(0);
    let count = |store: &Store| {
        runs.fetch_add(1, Ordering::Relaxed);
        store.session().put("x", 1)
    };
    test::check(at(Level::RC).runs(7).serial_runs(3), count);
    assert_eq!(runs.swap(0, Ordering::Relaxed), 10);
    test::check(at(Level::RC).time(Duration::ZERO).serial_runs(3), count);
    assert_eq!(runs.swap(0, Ordering::Relaxed), 2, "one of each");
}

#[test]
fn bad_tokens_are_refused() {
    let with = |replay: &str| at(Level::RC).replay(replay);
    let failed = message(|| test::check(with("nonsense"), |_| ())).expect("no token");
    assert!(failed.contains("this is no replay token"), "{failed}");
    let store = Store::new(hobgoblin::store::Config::default()).unwrap();
    store.session().put("x", 1).unwrap();
    let token = store.token().unwrap();
    let failed = message(|| test::check(with(&token), |_| ()));
    assert_eq!(failed, None, "what does not come is not missed until something waits for it");
    let failed = message(|| {
        test::check(with(&token), |store| store.session().put("y", 1));
    });
    let failed = failed.expect("another test");
    assert!(failed.contains("is not the one the token is of"), "{failed}");
}

async fn add(t: &mut AsyncTransaction<'_>, item: &str) -> Result<(), Error> {
    let mut cart: Vec<String> = t.get_as("cart").await?.unwrap_or_default();
    cart.push(item.to_owned());
    t.put("cart", cart).await
}

async fn remove(t: &mut AsyncTransaction<'_>, item: &str) -> Result<(), Error> {
    let mut cart: Vec<String> = t.get_as("cart").await?.unwrap_or_default();
    cart.retain(|other| other != item);
    t.put("cart", cart).await
}

/// Figure 1 of the paper: an item is deleted, seen to be gone, and comes back.
fn cart(store: &Store) -> Result<(), Error> {
    store.session().put("cart", ["book"])?;
    store.fence()?;
    let mut sessions = [(); 3].map(|()| store.async_session());
    let [adds, removes, reads] = &mut sessions;
    let seen = store.interleave(vec![
        task(async { adds.transaction(async |t| add(t, "pen").await).await.map(|()| vec![]) }),
        task(async {
            removes.transaction(async |t| remove(t, "book").await).await.map(|()| vec![])
        }),
        task(async {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let cart: Option<Vec<String>> = reads.get_as("cart").await?;
                seen.push(cart.unwrap_or_default().iter().any(|item| item == "book"));
            }
            Ok(seen)
        }),
    ]);
    for seen in seen {
        assert_ne!(seen?, [false, true], "the book is back");
    }
    Ok(())
}

#[test]
fn the_deleted_item_reappears() {
    for level in [Level::RC, Level::CC, Level::PC] {
        for schedule in [Schedule::Random, Schedule::Pct { depth: 3, steps: Some(12) }] {
            let config = at(level).schedule(schedule);
            let failed = message(|| test::check(config, cart)).expect("the book comes back");
            assert!(failed.contains("the book is back"), "{failed}");
            let config = at(level).schedule(schedule).replay(token(&failed));
            let again = message(|| test::check(config, cart)).expect("again");
            assert!(again.contains(&format!("({level}), replayed with seed ")), "{again}");
        }
    }
    for level in [Level::SI, Level::SER] {
        test::check(at(level), cart);
    }
    test::check(at(Level::SI).profile(Profile::Postgres), cart);
}

/// Two clients take a name that is free: whether it is there is what `adverse` hides.
fn sign_up(store: &Store) {
    let took = ["alice", "bob"].map(|name| {
        let mut session = store.session_named(name).expect("it connects");
        let take = session.transaction(|t| {
            let free = t.get("user")? == Value::Null;
            if free {
                t.put("user", name)?;
            }
            Ok::<_, Error>(free)
        });
        take.expect("nothing is refused for ever")
    });
    assert_ne!(took, [true, true], "both have the name");
}

/// The seed and the policy that a message tells.
fn seed_and_policy(message: &str) -> (u64, String) {
    let (_, rest) = message.split_once(" with seed ").expect("the seed is told");
    let (seed, rest) = rest.split_once(" and policy ").expect("the policy is told");
    let policy = rest.split([';', '\n', ' ']).next().expect("a word").to_owned();
    (seed.parse().expect("a number"), policy)
}

#[test]
fn seeds_take_turns_with_policies_unless_one_is_asked_for() {
    for seed in 0..6 {
        let config = at(Level::CC).seed(seed);
        let failed = message(|| test::check(config, sign_up)).expect("both have the name");
        let (failing, policy) = seed_and_policy(&failed);
        assert_eq!(policy, Policy::of_seed(failing).to_string(), "{failed}");
        assert!(failing < seed + 30, "the rotation finds it at once, not at {failing}");
        let config = at(Level::CC).seed(seed).policy(Policy::Stale);
        let failed = message(|| test::check(config, sign_up)).expect("both have the name");
        assert_eq!(seed_and_policy(&failed).1, "stale");
    }
}

/// Each of some clients reads a counter and writes one more.
fn count_up(clients: i64) -> impl Fn(&Store) {
    move |store: &Store| {
        let add = async || {
            let mut session = store.async_session();
            let done = session.transaction(async |t| {
                let count: i64 = t.get_as("count").await?.unwrap_or(0);
                t.put("count", count + 1).await
            });
            done.await.expect("who is refused tries again");
        };
        store.interleave((0..clients).map(|_| task(add())).collect());
        let count: Option<i64> = store.session().get_as("count").expect("it can be read");
        assert_eq!(count, Some(clients));
    }
}

#[test]
fn pct_learns_how_many_steps_a_run_has() {
    for clients in 2..=6 {
        for serial_runs in [20, 0] {
            let schedule = Schedule::Pct { depth: 3, steps: None };
            let config = at(Level::RC).schedule(schedule).serial_runs(serial_runs).runs(40);
            let config = config.profile(Profile::Postgres);
            let failed = message(|| test::check(config, count_up(clients)));
            let failed = failed.expect("an update is lost within 40 runs");
            let (_, rest) = failed.split_once(" and schedule pct:3").expect("it is told");
            let steps = rest.split([';', '\n']).next().expect("a number");
            // Begin, read, write and commit of each, and a few more where somebody was refused.
            let steps: Option<i64> = steps.strip_prefix(':').map(|n| n.parse().expect("a number"));
            let least = 3 * clients;
            assert!(steps.is_none_or(|n| (least..least * 6).contains(&n)), "{failed}");
            assert!(steps.is_some() || serial_runs == 0, "{failed}");
        }
    }
}

#[test]
fn without_a_history_nothing_is_said_of_it() {
    let mut config = at(Level::CC);
    config.store.history = false;
    let failed = message(|| test::check(config, sign_up)).expect("both have the name");
    assert!(failed.contains("records no history") && !failed.contains("serializable:"), "{failed}");
}

#[test]
fn the_time_counts_from_the_first_run() {
    let config = at(Level::CC).time(Duration::from_millis(50)).serial_runs(u32::MAX);
    let start = std::time::Instant::now();
    test::check(config, |store: &Store| store.session().put("x", 1));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// A test's panic in a thread is told, not only that there was one.
#[test]
fn what_a_thread_says_is_told() {
    let said = test::run(at(Level::CC).serial_runs(0), |store| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let left: Option<i64> = store.session().get_as("tickets").expect("it is read");
                assert_eq!(left, Some(7), "the number of tickets");
            });
        });
    });
    let said = said.expect_err("it fails").what;
    assert!(said.contains("the number of tickets"), "{said}");
    assert!(said.contains("tests/check.rs"), "{said}");
    let joined = test::run(at(Level::CC).serial_runs(0), |store| {
        let store = store.clone();
        let thread = std::thread::spawn(move || {
            store.session().put("x", 1).expect("it is written");
            panic!("out of paper");
        });
        thread.join().unwrap();
    });
    let said = joined.expect_err("it fails").what;
    assert!(said.contains("out of paper"), "{said}");
}

/// One token, many tests: those it is not of go on as if there were none.
#[test]
fn a_token_is_ignored_by_other_tests_and_other_inputs() {
    let config = || at(Level::CC).named("sign_up").input(&1);
    let failure = test::run(config(), sign_up).expect_err("both have the name");
    let token = failure.token.expect("it can be replayed");
    let again = test::run(config().replay(&token), sign_up).expect_err("it fails again");
    assert!(again.to_string().contains("(CC), replayed with seed "), "{again}");
    for other in
        [at(Level::CC).named("sign_in").input(&1), at(Level::CC).named("sign_up").input(&2)]
    {
        let runs = AtomicU32::new(0);
        test::check(other.replay(&token).runs(9).serial_runs(0), |store| {
            runs.fetch_add(1, Ordering::Relaxed);
            store.session().put("x", 1)
        });
        assert_eq!(runs.into_inner(), 9, "it runs as always");
    }
}

#[test]
fn what_fails_at_ser_can_be_replayed_too() {
    fn always(store: &Store) {
        store.session().put("x", 1).expect("it is written");
        panic!("always");
    }
    let failure = test::run(at(Level::RC), always);
    let failure = failure.expect_err("it fails");
    assert_eq!(failure.level, Level::SER);
    let token = failure.token.expect("it can be replayed");
    let again = test::run(at(Level::RC).replay(token), always);
    assert!(again.expect_err("again").to_string().contains("(SER), replayed with seed "));
}

#[test]
fn async_tests_run_with_tasks_and_time_of_their_own() {
    let broken = |level| {
        let config = at(level).initial("count", 0);
        let count = std::panic::AssertUnwindSafe(|| {
            test::check_async(config, async |store: &Store| {
                let add = async || {
                    let mut session = store.async_session();
                    hobgoblin::time::sleep(Duration::from_secs(3600)).await;
                    let done = session.transaction(async |t| {
                        let count: i64 = t.get_as("count").await?.unwrap_or(0);
                        t.put("count", count + 1).await
                    });
                    done.await
                };
                for done in store.interleave(vec![task(add()), task(add()), task(add())]) {
                    done?;
                }
                let mut session = store.async_session();
                session.fence().await?;
                let count: Option<i64> = session.get_as("count").await?;
                assert_eq!(count, Some(3));
                Ok::<_, Error>(())
            });
        });
        message(count.0)
    };
    assert_eq!(broken(Level::SI), None);
    let failed = broken(Level::CC).expect("an update is lost");
    assert!(failed.contains("lost update"), "{failed}");
}

#[test]
fn a_test_that_must_fail_may_not_be_broken_in_itself() {
    let failure = test::check_fails(at(Level::CC), sign_up);
    assert_eq!(failure.level, Level::CC);
    let passes = message(|| drop(test::check_fails(at(Level::SER), sign_up)));
    assert!(passes.expect("it does not fail").contains("and passes"));
    fn bug(_: &Store) {
        panic!("a plain bug");
    }
    let told = message(|| drop(test::check_fails(at(Level::CC), bug)));
    assert!(told.expect("it is no failure of the level").contains("a plain bug"));
    let failed = message(|| test::check(at(Level::CC), bug)).expect("it panics");
    assert!(failed.contains("weak isolation is not the reason"), "{failed}");
    assert!(!failed.contains("only more seldom"), "{failed}");
}

#[test]
fn a_test_that_never_uses_its_store_is_told_so() {
    let told = message(|| test::check(at(Level::RC), |_: &Store| {})).expect("it is no test");
    assert!(told.contains("never used its store"), "{told}");
}

#[test]
fn transactions_are_refused_where_that_is_asked_for() {
    for config in [at(Level::SER).yield_at(YieldAt::Request), at(Level::SER).abort_rate(0.3)] {
        let refused = std::cell::Cell::new(0);
        test::check(config.runs(100), |store: &Store| -> Result<(), Error> {
            let add = || async {
                let mut session = store.async_session();
                session
                    .transaction(async |t| {
                        let count: i64 = t.get_as("count").await?.unwrap_or(0);
                        t.put("count", count + 1).await
                    })
                    .await
            };
            let added = store.interleave(vec![task(add()), task(add()), task(add())]);
            added.into_iter().collect::<Result<Vec<()>, Error>>()?;
            refused.set(refused.get() + store.stats().refused);
            Ok(())
        });
        assert!(refused.get() > 10, "{} were refused", refused.get());
    }
}
