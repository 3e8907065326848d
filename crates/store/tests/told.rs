//! Sessions that are told whom to see, and levels that do not allow it.

use hobgoblin_core::{Level, SessionId, Value};
use hobgoblin_store::{Answer, Config, Entry, Machine, Request, StoreError};

/// A store and three sessions.
fn store(level: Level) -> (Machine, [SessionId; 3]) {
    let config = Config::at(level).initial("x", 0).initial("y", 0);
    let mut store = Machine::new(config).expect("a store");
    let sessions = ["a", "b", "c"].map(|name| store.connect(Some(name)).expect("a session"));
    (store, sessions)
}

fn put(store: &mut Machine, session: SessionId, key: &str, value: i64) {
    let done = store.apply(session, &Request::put(key.into(), value.into()));
    assert_eq!(done, Ok(Answer::Done));
}

fn get(store: &mut Machine, session: SessionId, key: &str) -> Result<Value, StoreError> {
    match store.apply(session, &Request::get(key))? {
        Answer::Value(value) => Ok(value),
        other => panic!("{other:?}"),
    }
}

fn unseeable<T>(key: &str) -> Result<T, StoreError> {
    Err(StoreError::Unseeable { key: key.into() })
}

const WEAK: [Level; 6] = [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI];

#[test]
fn a_read_returns_the_last_version_of_whom_it_is_told_to_see() {
    for level in WEAK {
        for seen in 0..4 {
            let (mut store, [a, b, c]) = store(level);
            put(&mut store, a, "x", 1);
            store.sees_only(b, Some(&[a]));
            put(&mut store, b, "x", 2);
            let sees: Vec<SessionId> = [a, b]
                .into_iter()
                .enumerate()
                .filter(|(at, _)| seen >> at & 1 == 1)
                .map(|(_, s)| s)
                .collect();
            store.sees_only(c, Some(&sees));
            let expected = [0, 1, 2, 2][seen];
            assert_eq!(get(&mut store, c, "x"), Ok(expected.into()), "{level} {seen}");
        }
    }
}

#[test]
fn a_level_that_does_not_allow_it_says_so() {
    // c sees b and not a, whom b has seen.
    for (level, allowed) in [
        (Level::RC, true),
        (Level::RA, true),
        (Level::CC, false),
        (Level::PC, false),
        (Level::PSI, false),
        (Level::SI, false),
    ] {
        let (mut store, [a, b, c]) = store(level);
        put(&mut store, a, "x", 1);
        store.sees_only(b, Some(&[a]));
        let ok = Ok(Answer::Done);
        assert_eq!(store.apply(b, &Request::begin(None, None)), ok);
        assert_eq!(get(&mut store, b, "x"), Ok(1.into()));
        put(&mut store, b, "y", 1);
        assert_eq!(store.apply(b, &Request::COMMIT), ok);
        store.sees_only(c, Some(&[b]));
        assert_eq!(store.apply(c, &Request::begin(None, None)), ok);
        assert_eq!(get(&mut store, c, "y"), Ok(1.into()));
        let expected = if allowed { Ok(0.into()) } else { unseeable("x") };
        assert_eq!(get(&mut store, c, "x"), expected, "{level}");
    }
    for level in [Level::SER, Level::SSER] {
        let (mut store, [a, b, _]) = store(level);
        put(&mut store, a, "x", 1);
        store.sees_only(b, Some(&[]));
        assert_eq!(get(&mut store, b, "x"), unseeable("x"), "{level}");
        store.sees_only(b, Some(&[a]));
        assert_eq!(get(&mut store, b, "x"), Ok(1.into()), "{level}");
    }
}

#[test]
fn whoever_is_told_nothing_chooses_as_ever_and_the_log_has_the_choices() {
    let run = |tell: bool| {
        let (mut store, [a, b, c]) = store(Level::RC);
        let seen: Vec<Value> = (0..50)
            .map(|value| {
                put(&mut store, a, "x", value);
                if tell {
                    store.sees_only(b, Some(&[]));
                    store.sees_only(b, None);
                    store.sees_only(a, Some(&[a]));
                }
                get(&mut store, c, "x").expect("a value")
            })
            .collect();
        seen
    };
    assert_eq!(run(false), run(true));
    let (mut store, [a, b, _]) = store(Level::RC);
    put(&mut store, a, "x", 1);
    put(&mut store, a, "x", 2);
    store.sees_only(b, Some(&[]));
    assert_eq!(get(&mut store, b, "x"), Ok(0.into()));
    let Some(Entry::Request { choices, .. }) = store.log().last() else { panic!() };
    assert_eq!(choices[..], [2]);
}
