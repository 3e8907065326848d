//! What a store forgets when it is to keep a part only.

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Target, Verdict};
use hobgoblin_store::{
    Answer, Config, KeyRange, Machine, Profile, Request, TransactionRequest, Wait,
};

fn machine(profile: Profile, keep: Option<usize>) -> Machine {
    Machine::new(Config::default().profile(profile).level(Level::SI).keep(keep)).expect("it starts")
}

/// Transactions of two sessions, one of which reads with an old snapshot now and then.
fn run(store: &mut Machine, rounds: i64) {
    let (a, b) = (store.connect(None).expect("new"), store.connect(None).expect("new"));
    for round in 0..rounds {
        let key = |n: i64| format!("k{}", n % 20);
        let mut ask = |session, request| store.apply(session, &request).expect("it is served");
        ask(a, Request::begin(None, None));
        ask(a, Request::get(key(round).as_str()));
        ask(b, Request::put(key(round).as_str().into(), round.into()));
        ask(a, Request::get(key(round + 1).as_str()));
        let all = Request::Transaction(TransactionRequest::Scan {
            range: KeyRange::all(),
            limit: None,
            backwards: false,
            policy: None,
            latest: false,
            lock: None,
            wait: Wait::Forever,
        });
        ask(a, all);
        let answer = ask(a, Request::COMMIT);
        assert!(matches!(answer, Answer::Done | Answer::Aborted(_)));
    }
}

#[test]
fn a_part_of_the_history_is_kept_and_is_a_history() {
    for profile in Profile::ALL {
        let mut whole = machine(profile, None);
        run(&mut whole, 300);
        assert_eq!((whole.forgotten(), whole.log_is_cut()), (0, false));
        let all = whole.history().num_txns();
        let mut store = machine(profile, Some(100 << 10));
        run(&mut store, 300);
        let history = store.history();
        assert!(store.forgotten() > 100, "{profile}: {}", store.forgotten());
        assert_eq!(history.num_txns() as u64 + store.forgotten(), all as u64, "{profile}");
        assert!(history.num_txns() > 10, "{profile}: {}", history.num_txns());
        assert!(store.log_is_cut() && store.log().is_empty());
        let verdict = check(&history, Target::Level(Level::SI), &Limits::default());
        assert!(matches!(verdict, Verdict::Consistent(_)), "{profile}: {verdict:?}");
    }
}

#[test]
fn a_transaction_that_is_too_large_is_forgotten_with_those_before_it() {
    let mut store = machine(Profile::Postgres, Some(64 << 10));
    run(&mut store, 5);
    let session = store.connect(None).expect("new");
    let mut ask = |request| store.apply(session, &request).expect("it is served");
    ask(Request::begin(None, None));
    for key in 0..5_000i64 {
        ask(Request::put(key.into(), key.into()));
    }
    ask(Request::COMMIT);
    assert_eq!(store.forgotten(), 11);
    assert_eq!(store.newest(&7.into()), 7.into());
    assert_eq!(store.history().txns().count(), 0);
}

#[test]
fn reads_of_a_transaction_that_is_too_large_are_still_seen() {
    let mut store = machine(Profile::Postgres, Some(64 << 10));
    let (a, b) = (store.connect(None).expect("new"), store.connect(None).expect("new"));
    let mut ask = |session, request| store.apply(session, &request).expect("it is served");
    for key in 0..2_000i64 {
        ask(a, Request::put(key.into(), key.into()));
    }
    ask(a, Request::begin(None, None));
    ask(a, Request::put(7.into(), (-7).into()));
    for _ in 0..3 {
        let Answer::Rows(rows) = ask(a, Request::scan(KeyRange::all())) else { panic!("rows") };
        assert_eq!((rows.len(), rows[7].1.clone()), (2_000, (-7).into()));
    }
    ask(b, Request::put(8.into(), (-8).into()));
    // It sees what it saw, and knows who wrote it, though the history has no room for it.
    assert_eq!(ask(a, Request::get(8)), Answer::Value(8.into()));
    assert_eq!(store.source(a, &8.into()), Some(9));
    assert_eq!(store.source(a, &7.into()), Some(2_001));
    assert_eq!((store.sees_newest(a, &8.into()), store.sees_newest(a, &7.into())), (false, true));
    let history = store.history();
    assert!(history.txns().all(|txn| history.events(txn).len() < 2));
    store.apply(a, &Request::COMMIT).expect("it is served");
    assert_eq!(store.newest(&7.into()), (-7).into());
    assert_eq!(store.history().txns().count(), 0);
}
