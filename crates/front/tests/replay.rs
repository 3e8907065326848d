//! A run is replayed from its log or its token, exactly, and a changed program is noticed.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use hobgoblin_core::{Level, SessionId, Value};
use hobgoblin_front::{
    Answer, Config, Entry, Error, FileSink, Log, Mode, Options, Profile, Replay, Request, Scope,
    Store, StoreError, Token, Wait,
};

const NAMES: [&str; 3] = ["ann", "bob", "cid"];

fn config(profile: Profile, level: Level, seed: u64) -> Config {
    Config::default()
        .profile(profile)
        .level(level)
        .seed(seed)
        .initial_values(vec![("x".into(), 0.into())])
}

/// Threads that read and write as they like; what each saw.
fn program(store: &Store, rounds: usize, twist: bool) -> Vec<Vec<String>> {
    let barrier = Barrier::new(NAMES.len());
    let seen = |(at, name): (usize, &'static str)| {
        let (store, barrier) = (store.clone(), &barrier);
        move || {
            let mut seen = Vec::new();
            let mut session = store.session_named(name).expect("the name is free");
            barrier.wait();
            for round in 0..rounds {
                let result = session.transaction(|t| {
                    let x = t.get("x")?;
                    let y = t.get(if at % 2 == 0 { "y" } else { "z" })?;
                    t.put(if at % 2 == 0 { "z" } else { "y" }, (100 * at + round) as i64)?;
                    if twist && at == 1 && round == 2 {
                        t.put("twist", 1)?;
                    }
                    t.put("x", (10_000 + 100 * at + round) as i64)?;
                    Ok::<_, Error>((x, y))
                });
                seen.push(format!("{result:?}"));
                let rows = session.scan(hobgoblin_front::KeyRange::all()).expect("it is read");
                seen.push(format!("{rows:?}"));
                // A mistake is answered by an error, and is in no log.
                session.store().request(session.id(), Request::COMMIT).expect_err("none is open");
            }
            seen
        }
    };
    thread::scope(|scope| {
        let spawn = |thread| scope.spawn(seen(thread));
        let threads: Vec<_> = NAMES.into_iter().enumerate().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn replay(replay: impl Into<Replay>) -> Options {
    let replay: Replay = replay.into();
    Options::default().replay(replay)
}

#[test]
fn threads_replay_exactly() {
    for (profile, level) in [
        (Profile::Spec, Level::RC),
        (Profile::Spec, Level::CC),
        (Profile::Spec, Level::SI),
        (Profile::Postgres, Level::SI),
        (Profile::Mysql, Level::SER),
    ] {
        for seed in 0..3 {
            let hold = Some(Duration::from_millis(1));
            let options = Options::default().hold(hold);
            let first = Store::with(config(profile, level, seed), options).unwrap();
            let seen = program(&first, 4, false);
            let log = first.log().unwrap();

            let mut file = Vec::new();
            log.write(&mut file).unwrap();
            let read = Log::read(file.as_slice()).unwrap().log;
            let again = Store::with(Config::default(), replay(read)).unwrap();
            assert_eq!(program(&again, 4, false), seen, "{profile} {level} {seed}");
            assert_eq!(again.divergence(), None);
            assert_eq!(again.log().unwrap(), log);

            let token = Token::parse(&first.token().unwrap()).unwrap();
            let again = Store::with(config(profile, level, 0), replay(token)).unwrap();
            assert_eq!(program(&again, 4, false), seen, "{profile} {level} {seed}");
            assert_eq!(again.divergence(), None);
            assert_eq!(again.log().unwrap(), log);
        }
    }
}

#[test]
fn a_changed_program_is_noticed() {
    let first = Store::new(config(Profile::Spec, Level::CC, 5)).unwrap();
    program(&first, 4, false);
    let log = first.log().unwrap();
    let again = Store::with(Config::default(), replay(log)).unwrap();
    program(&again, 4, true);
    let divergence = again.divergence().expect("bob writes something else").to_string();
    assert!(divergence.contains("expected session bob's `put x = 10102`"), "{divergence}");
    assert!(divergence.ends_with("but session bob's `put twist = 1` came"), "{divergence}");

    let token = Token::parse(&first.token().unwrap()).unwrap();
    let again = Store::with(config(Profile::Spec, Level::CC, 0), replay(token)).unwrap();
    program(&again, 4, true);
    let divergence = again.divergence().expect("bob writes something else").to_string();
    assert!(divergence.contains("session bob's `put twist = 1`"), "{divergence}");
}

#[test]
fn a_missing_request_is_waited_for_and_then_noticed() {
    let first = Store::new(config(Profile::Spec, Level::CC, 5)).unwrap();
    let (mut ann, mut bob) = (first.session(), first.session());
    bob.put("x", 1).unwrap();
    ann.put("x", 2).unwrap();
    let options = replay(first.log().unwrap()).replay_timeout(Duration::from_millis(50));
    let again = Store::with(Config::default(), options).unwrap();
    let (mut ann, _bob) = (again.session(), again.session());
    ann.put("x", 2).unwrap();
    let divergence = again.divergence().expect("bob did not come").to_string();
    assert!(divergence.contains("entry 3: expected session 2's `put x = 1`"), "{divergence}");
    assert!(divergence.contains("did not come within 50ms"), "{divergence}");
}

#[test]
fn a_longer_program_goes_on_freely() {
    let first = Store::new(config(Profile::Spec, Level::SER, 5)).unwrap();
    let mut session = first.session();
    session.put("x", 1).unwrap();
    let again = Store::with(Config::default(), replay(first.log().unwrap())).unwrap();
    let mut session = again.session();
    session.put("x", 1).unwrap();
    assert_eq!(again.divergence(), None);
    assert_eq!(session.get("x").unwrap(), Value::Int(1));
    let divergence = again.divergence().expect("the log had no get").to_string();
    assert!(divergence.contains("expected nothing more"), "{divergence}");
}

/// The same requests, but the log's read chose among more versions than there are now.
#[test]
fn changed_data_are_noticed() {
    let session = SessionId::new(0);
    let get = Request::get("x");
    let entry = Entry::Request { session, request: get.clone(), choices: vec![1] };
    let entries = vec![Entry::Connect { name: None }, entry];
    let log = Log { entries, ..Log::default() };
    let store = Store::with(Config::default(), replay(log)).unwrap();
    let session = store.connect(None).unwrap();
    let met = store.request(session, get);
    assert!(matches!(met, Err(Error::Store(StoreError::Diverged { .. }))), "{met:?}");
    let divergence = store.divergence().expect("there is one version").to_string();
    assert!(divergence.contains("entry 2: expected session 1's `get x`"), "{divergence}");
}

#[test]
fn ticks_and_fences_are_replayed() {
    let lagging = config(Profile::Spec, Level::RC, 3).lag(10);
    let run = |store: &Store, tick: bool| {
        let (mut one, mut two) = (store.session(), store.session());
        let mut seen = Vec::new();
        for round in 0..20 {
            one.put("x", round).unwrap();
            if tick {
                store.tick(round as u64 * 5);
            }
            if round % 7 == 0 {
                store.fence().unwrap();
            }
            seen.push(two.get("x").unwrap());
        }
        seen
    };
    let first = Store::new(lagging).unwrap();
    let seen = run(&first, true);
    let again = Store::with(Config::default(), replay(first.log().unwrap())).unwrap();
    assert_eq!(run(&again, false), seen);
    assert_eq!(again.divergence(), None);
}

#[test]
fn files_have_all_and_memory_has_none() {
    let dir = std::env::temp_dir().join(format!("hobgoblin-front-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (history, log) = (dir.join("history.jsonl"), dir.join("run.log"));
    let sink = FileSink::new().history(&history).log(&log);
    let options = Options::default().sink(sink);
    let store = Store::with(config(Profile::Spec, Level::CC, 1), options).unwrap();
    let seen = program(&store, 4, false);
    assert!(
        store.with_machine(|machine| machine.log().is_empty() && machine.take_ended().is_empty())
    );
    // The files are read while the store is open, as after a kill.
    let kept = Log::read(std::io::BufReader::new(std::fs::File::open(&log).unwrap())).unwrap();
    assert_eq!(kept.truncated, None);
    assert_eq!(kept.log, store.log().unwrap());
    let again = Store::with(Config::default(), replay(kept.log)).unwrap();
    assert_eq!(program(&again, 4, false), seen);
    let read = hobgoblin_format::read_path(&history, None).unwrap();
    assert_eq!(read.num_txns(), again.history().unwrap().num_txns());
    assert_eq!(store.history().unwrap().num_txns(), read.num_txns());
    assert_eq!(store.sink_error(), None);
    std::fs::remove_dir_all(&dir).unwrap();

    let nowhere = FileSink::new().history("/no/such/directory/history.jsonl");
    let options = Options::default().sink(nowhere);
    assert!(matches!(Store::with(Config::default(), options), Err(Error::Sink { .. })));
}

/// Who holds a lock after whom is in the log, whether or not there are transactions around it.
#[test]
fn the_order_of_locks_that_sessions_hold_is_replayed() {
    let run = |store: &Store, pause: u64| {
        let order = std::sync::Mutex::new(Vec::new());
        let barrier = Barrier::new(NAMES.len());
        thread::scope(|scope| {
            for (at, name) in NAMES.into_iter().enumerate() {
                let (order, barrier) = (&order, &barrier);
                scope.spawn(move || {
                    let session = store.session_named(name).expect("the name is free");
                    barrier.wait();
                    for round in 0..5 {
                        thread::sleep(Duration::from_millis(pause * ((at + round) % 3) as u64));
                        let (mode, scope) = (Mode::Exclusive, Scope::Session);
                        let (object, wait) = ("l".into(), Wait::Forever);
                        let hold = Request::hold(object, mode, scope, wait);
                        store.request(session.id(), hold).expect("the others let go");
                        order.lock().unwrap().push(name);
                        let free = Request::let_go("l".into(), mode);
                        assert_eq!(
                            store.request(session.id(), free).unwrap(),
                            Answer::Value(Value::Bool(true))
                        );
                    }
                });
            }
        });
        order.into_inner().unwrap()
    };
    for profile in [Profile::Spec, Profile::Postgres] {
        let first = Store::new(config(profile, Level::RC, 1)).unwrap();
        let order = run(&first, 3);
        let log = first.log().unwrap();
        let again = Store::with(Config::default(), replay(log.clone())).unwrap();
        assert_eq!(run(&again, 0), order, "{profile}");
        assert_eq!(again.divergence(), None);
        assert_eq!(again.log().unwrap(), log);
    }
}
