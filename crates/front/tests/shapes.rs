//! A replay follows statements by their shape: other values, other keys, more or fewer requests do not end
//! it, and sessions without names are told apart by what they say first.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use hobgoblin_core::{Level, SessionId};
use hobgoblin_front::{Answer, Config, Lock, Options, Profile, Replay, Request, Store};

fn config() -> Config {
    Config::default()
        .profile(Profile::Postgres)
        .level(Level::RC)
        .initial_values(vec![("x".into(), 0.into())])
}

/// What one run of the program makes up.
#[derive(Clone, Copy)]
struct Whim {
    /// Added to values and names.
    salt: i64,
    /// Whether sets are in their other order.
    turned: bool,
    /// In which order threads connect: the place of each in turn.
    order: [usize; 3],
    /// Whether the second thread says something else in the end.
    other: bool,
}

fn ask(store: &Store, session: SessionId, request: Request) -> Answer {
    store.request(session, request).expect("nothing is refused here")
}

fn say(store: &Store, session: SessionId, text: String) {
    ask(store, session, Request::statement(text));
}

/// A transaction that reads `x`, notes something of its own, and writes `x`; what it read.
fn work(store: &Store, who: i64, session: SessionId, whim: Whim) -> Answer {
    let salt = whim.salt;
    ask(store, session, Request::begin(None, None));
    say(store, session, format!("SELECT * FROM person WHERE name = 'p{who}'"));
    ask(store, session, Request::get(format!("person[{who}]")));
    ask(store, session, Request::savepoint(format!("s{}_1", 1_000_000 + salt)));
    let mut set = ["a", "b", "c"].map(str::to_owned).to_vec();
    if whim.turned {
        set.reverse();
        set.pop();
    }
    say(store, session, format!("SELECT * FROM t WHERE k IN ('{}')", set.join("', '")));
    for key in set {
        ask(store, session, Request::get(format!("t['{key}']")));
    }
    ask(store, session, Request::release(format!("s{}_1", 1_000_000 + salt)));
    say(store, session, format!("SELECT n FROM x -- at {salt}"));
    let seen = ask(store, session, Request::get("x"));
    say(store, session, format!("INSERT INTO note VALUES ('{}')", salt * 17 + who));
    let note = format!("note['{}']", salt * 17 + who);
    ask(store, session, Request::reserve(note.as_str().into(), Lock::Update));
    ask(store, session, Request::put(note.as_str().into(), salt.into()));
    if whim.turned {
        let index = format!("note_at[{salt},{who}]");
        ask(store, session, Request::put(index.as_str().into(), 1.into()));
    }
    let other = whim.other && who == 1;
    say(store, session, format!("{} x SET n = {salt}", if other { "CHANGE" } else { "UPDATE" }));
    ask(store, session, Request::lock("x", Lock::NoKeyUpdate));
    ask(store, session, Request::put("x".into(), (who + 1).into()));
    ask(store, session, Request::COMMIT);
    seen
}

/// Three threads; what each read of `x`, and what is there in the end.
fn program(store: &Store, whim: Whim) -> (Vec<Answer>, Answer) {
    let main = store.connect(None).expect("connects");
    say(store, main, format!("SELECT 'ready', {}", whim.salt));
    ask(store, main, Request::get("x"));
    let mut sessions: Vec<Option<SessionId>> = vec![None; 3];
    for place in whim.order {
        sessions[place] = Some(store.connect(None).expect("connects"));
    }
    let barrier = Barrier::new(3);
    let seen = thread::scope(|scope| {
        let spawn = |(who, session): (usize, Option<SessionId>)| {
            let (store, barrier) = (store.clone(), &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(&store, who as i64, session.expect("connected"), whim)
            })
        };
        let threads: Vec<_> = sessions.into_iter().enumerate().map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    say(store, main, "SELECT n FROM x".to_owned());
    (seen, ask(store, main, Request::get("x")))
}

const FIRST: Whim = Whim { salt: 1, turned: false, order: [0, 1, 2], other: false };

#[test]
fn other_values_keys_and_orders_of_connecting_follow_the_log_to_its_end() {
    let mut told_apart = 0;
    for seed in 0..20 {
        let hold = Some(Duration::from_millis(2));
        let options = Options::default().hold(hold);
        let first = Store::with(config().seed(seed), options).expect("a store");
        let seen = program(&first, FIRST);
        let log = first.log().expect("it is kept");
        for (salt, turned, order) in
            [(2, false, [0, 1, 2]), (3, true, [2, 0, 1]), (4, true, [1, 2, 0])]
        {
            let replay = Some(Replay::Log(log.clone()));
            let options = Options::default().replay(replay);
            let again = Store::with(Config::default(), options).expect("a store");
            let whim = Whim { salt, turned, order, other: false };
            assert_eq!(program(&again, whim), seen, "seed {seed}, salt {salt}");
            assert_eq!(again.divergence(), None, "seed {seed}, salt {salt}");
            assert_eq!(again.unfollowed(), 0);
            let differences = again.differences();
            // Three statements of each thread have other values, or four, and one of main's.
            let statements = if turned { 13 } else { 10 };
            assert_eq!(differences.count, statements, "{differences:#?}");
            assert_eq!(differences.first.len(), 5);
            assert!(differences.first[0].to_string().contains("SELECT 'ready', 1"));
            told_apart += usize::from(seen.0[0] != seen.0[1]);
        }
    }
    assert!(told_apart > 0, "some runs have different sessions read different values");
}

#[test]
fn another_statement_leaves_the_log() {
    let first = Store::new(config()).expect("a store");
    program(&first, FIRST);
    let replay = Some(Replay::Log(first.log().expect("it is kept")));
    let options = Options::default().replay(replay);
    let again = Store::with(Config::default(), options).expect("a store");
    program(&again, Whim { other: true, salt: 5, ..FIRST });
    let divergence = again.divergence().expect("it says something else").to_string();
    assert!(divergence.contains("UPDATE x SET n = 1"), "{divergence}");
    assert!(divergence.contains("CHANGE x SET n = 5"), "{divergence}");
}
