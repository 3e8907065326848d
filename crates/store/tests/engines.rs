//! Stores that do what an engine does: locks, waits, deadlocks, and the level that the plain reads of
//! their histories keep.

mod support;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Rng, SessionId, Target, Verdict};
use hobgoblin_store::{
    Answer, Config, KeyRange, Lock, Machine, Profile, Request, StoreError, TransactionRequest, Wait,
};
use support::script::outcomes;
use support::{assert_placed, config, get, put, scale, show};

/// Profile, level asked for, level that the plain reads keep.
const KEPT: [(Profile, Level, Level); 7] = [
    (Profile::Postgres, Level::RC, Level::RC),
    (Profile::Postgres, Level::SI, Level::SI),
    (Profile::Postgres, Level::SER, Level::SER),
    (Profile::Mysql, Level::RU, Level::RU),
    (Profile::Mysql, Level::RC, Level::RC),
    (Profile::Mysql, Level::SI, Level::PC),
    (Profile::Mysql, Level::SER, Level::SER),
];

/// A session with what it is about to do.
struct Client {
    session: SessionId,
    left: u32,
    /// The request that waits for a lock.
    waits: Option<Request>,
}

/// Runs sessions of random transactions to their end. Blocked sessions wait until the store lists them
/// as ready; that somebody can always go on is what is tested.
fn run(config: &Config, sessions: u32, requests: u32) -> Machine {
    let mut rng = Rng::new(config.seed);
    let mut machine = Machine::new(config.clone()).expect("the configuration is good");
    let client = |machine: &mut Machine| Client {
        session: machine.connect(None).expect("connects"),
        left: requests,
        waits: None,
    };
    let mut clients: Vec<Client> = (0..sessions).map(|_| client(&mut machine)).collect();
    loop {
        let ready = machine.ready();
        let goes = |c: &Client| match c.waits {
            Some(_) => ready.contains(&c.session),
            None => c.left > 0,
        };
        let able: Vec<usize> = (0..clients.len()).filter(|&n| goes(&clients[n])).collect();
        let Some(&at) = rng.pick(&able) else { break };
        let client = &mut clients[at];
        let request = match client.waits.take() {
            Some(request) => request,
            None => {
                client.left -= 1;
                let open = machine.in_transaction(client.session).expect("it is connected");
                next(&mut rng, open, client.left == 0)
            }
        };
        match machine.apply(client.session, &request) {
            Ok(Answer::Blocked { holder }) => {
                assert_ne!(holder, client.session, "nobody waits for himself");
                client.waits = Some(request);
            }
            Ok(_) | Err(StoreError::UnknownSavepoint { .. } | StoreError::NoRangeLocks { .. }) => {}
            Err(error) => panic!("{request:?}: {error}"),
        }
    }
    let stuck: Vec<SessionId> =
        clients.iter().filter(|c| c.waits.is_some()).map(|c| c.session).collect();
    assert!(
        stuck.is_empty(),
        "{stuck:?} wait for ever with {config:?}\n{}",
        show(&machine.history())
    );
    machine
}

fn next(rng: &mut Rng, open: bool, last: bool) -> Request {
    let key = ["x", "y", "z"][rng.below(3) as usize];
    let lock = |lock| Request::lock(key, lock);
    let savepoint = || "p".to_owned();
    // Few values, so that a write often leaves a key as it is.
    let value = |rng: &mut Rng| i64::from(rng.below(3));
    match (open, rng.below(20)) {
        (true, _) if last => Request::COMMIT,
        (false, _) if last => get(key),
        (false, 0..10) => support::begin(),
        (_, 0..5) => get(key),
        (_, 5..8) => put(key, value(rng)),
        (_, 8) => lock(Lock::Update),
        (_, 9) => lock(*rng.pick(&Lock::ALL).expect("four")),
        (true, 10) => Request::COMMIT,
        (true, 11) => Request::ABORT,
        (_, 12) => {
            let lock = rng.pick(&Lock::ALL).copied().filter(|_| !rng.one_in(4));
            let wait = if rng.one_in(2) { Wait::Not } else { Wait::Forever };
            let latest = lock.is_none() || rng.one_in(2);
            Request::Transaction(TransactionRequest::Get {
                key: key.into(),
                policy: None,
                lock,
                wait,
                latest,
            })
        }
        // Only MySQL's stores lock what a scan comes to.
        (_, 18) => Request::Transaction(TransactionRequest::Scan {
            range: if rng.one_in(3) { KeyRange::all() } else { KeyRange::prefix(key) },
            limit: rng.one_in(2).then_some(1),
            backwards: rng.one_in(2),
            policy: None,
            latest: rng.one_in(4),
            lock: rng.pick(&Lock::ALL).copied(),
            wait: *rng.pick(&[Wait::Forever, Wait::Forever, Wait::Not, Wait::Skip]).expect("four"),
        }),
        (true, 19) => Request::PASS_OVER,
        (_, 13) => Request::statement("a statement".to_owned()),
        (true, 14) => Request::savepoint(savepoint()),
        (true, 15) => Request::rollback_to(savepoint()),
        (_, 16) if rng.one_in(2) => Request::reserve(key.into(), Lock::Update),
        (_, 16) => Request::insert(key.into(), value(rng).into()),
        (true, _) => Request::Transaction(TransactionRequest::Scan {
            range: KeyRange::all(),
            limit: rng.one_in(2).then(|| rng.below(3)),
            backwards: rng.one_in(2),
            policy: None,
            latest: rng.one_in(4),
            lock: None,
            wait: Wait::Forever,
        }),
        (false, _) => get(key),
    }
}

#[test]
fn a_read_that_waited_has_the_place_of_its_answer() {
    for profile in [Profile::Postgres, Profile::Mysql] {
        let mut machine = Machine::new(config(Level::RC, &["x"]).profile(profile)).expect("good");
        let (a, b) = (machine.connect(None).expect("a"), machine.connect(None).expect("b"));
        let mut ask = |session, request| machine.apply(session, &request).expect("served");
        ask(a, support::begin());
        ask(a, put("x", 1));
        ask(b, support::begin());
        let read = Request::lock("x", Lock::Update);
        assert!(matches!(ask(b, read.clone()), Answer::Blocked { .. }));
        ask(a, Request::COMMIT);
        assert_eq!(ask(b, read), Answer::Value(1.into()));
        ask(b, Request::COMMIT);
        let history = machine.history();
        assert_placed(&history, profile.name());
        let told: Vec<_> = history
            .txns()
            .map(|txn| {
                let places = history.event_ids(txn).map(|event| history.at(event));
                (history.begin(txn), places.collect::<Vec<_>>(), history.end(txn))
            })
            .collect();
        // Requests are counted by twos; the fourth was blocked and the sixth answered.
        let expected = [(Some(2), vec![Some(4)], Some(11)), (Some(6), vec![Some(12)], Some(15))];
        assert_eq!(told, expected, "{profile}");
    }
}

#[test]
fn plain_reads_keep_the_level_of_their_engine_and_nobody_waits_for_ever() {
    for (profile, level, kept) in KEPT {
        let mut deadlocks = 0;
        for seed in 0..150 * scale() {
            let config = config(level, &["x", "y"]).profile(profile).seed(seed);
            let machine = run(&config, 4, 30);
            let history = machine.history();
            // Who sees what is not committed reads from a transaction before it ends.
            if kept != Level::RU {
                assert_placed(&history, &format!("{profile} {level} seed {seed}"));
            }
            let verdict = check(&history, Target::Level(kept), &Limits::none());
            assert!(
                matches!(verdict, Verdict::Consistent(_)),
                "{profile} {level} seed {seed} does not keep {kept}: {verdict:?}\n{}",
                show(&history)
            );
            deadlocks += machine.stats().refused;
        }
        assert!(deadlocks > 0, "{profile} {level}: no run had a refusal");
    }
}

/// Two scans come from opposite ends to a key that a third session has. When it is free, one of them gets it, and the other
/// has what the first wants next: a deadlock, and nothing that goes on for ever.
#[test]
fn scans_from_both_ends_do_not_give_way_to_each_other_for_ever() {
    for (one, other) in [(Lock::Update, Lock::Update), (Lock::KeyShare, Lock::Update)] {
        let config = config(Level::SER, &["x", "y", "z"]).profile(Profile::Mysql);
        let mut machine = Machine::new(config).expect("the configuration is good");
        let holder = machine.connect(None).expect("connects");
        machine.apply(holder, &support::begin()).expect("it begins");
        machine.apply(holder, &Request::lock("y", Lock::Update)).expect("it is free");
        let scan = |lock, backwards| {
            Request::Transaction(TransactionRequest::Scan {
                range: KeyRange::all(),
                limit: None,
                backwards,
                policy: None,
                lock: Some(lock),
                wait: Wait::Forever,
                latest: false,
            })
        };
        let mut scans = Vec::new();
        for request in [scan(one, false), scan(other, true)] {
            let session = machine.connect(None).expect("connects");
            machine.apply(session, &support::begin()).expect("it begins");
            let answer = machine.apply(session, &request);
            assert!(matches!(answer, Ok(Answer::Blocked { .. })), "{answer:?}");
            scans.push((session, request));
        }
        machine.apply(holder, &Request::COMMIT).expect("it commits");
        let mut rounds = 0;
        while let Some(&ready) = machine.ready().first() {
            rounds += 1;
            assert!(rounds < 10, "they wait for each other");
            let (_, request) = scans.iter().find(|(session, _)| *session == ready).expect("a scan");
            let answer = machine.apply(ready, request).expect("it is answered");
            if !matches!(answer, Answer::Blocked { .. })
                && machine.in_transaction(ready) == Ok(true)
            {
                machine.apply(ready, &Request::COMMIT).expect("it commits");
            }
        }
        assert_eq!(machine.stats().refused, 1, "{one:?} {other:?}");
    }
}

/// Under `innodb_snapshot_isolation` the first who changes a row wins.
#[test]
fn snapshot_isolation_is_what_it_says() {
    for (level, kept) in [(Level::RC, Level::RC), (Level::SI, Level::SI), (Level::SER, Level::SER)]
    {
        let mut refused = 0;
        for seed in 0..150 * scale() {
            let config = config(level, &["x", "y"]).profile(Profile::Mysql).seed(seed);
            let machine = run(&config.snapshot_isolation(true), 4, 30);
            let history = machine.history();
            // A read that is a transaction by itself locks nothing at SERIALIZABLE.
            let reads_only = |txn| history.event_ids(txn).all(|e| !history.event(e).is_write());
            let lone =
                |txn| history.level(txn) == Some(Profile::Mysql.lone_read(kept)) && reads_only(txn);
            let levels = history.txns().all(|txn| history.level(txn) == Some(kept) || lone(txn));
            assert!(levels, "{level} seed {seed}: the history says so");
            let verdict = check(&history, Target::Level(kept), &Limits::none());
            assert!(
                matches!(verdict, Verdict::Consistent(_)),
                "{level} seed {seed} does not keep {kept}: {verdict:?}\n{}",
                show(&history)
            );
            refused += machine.stats().refused;
        }
        assert!(refused > 0, "{level}: no run had a refusal");
    }
}

#[test]
fn what_begins_after_a_commit_sees_it() {
    for (profile, level, _) in KEPT {
        let config = config(level, &["x"]).profile(profile);
        let all = outcomes(&config, "a: put x=1; b: get x; a: put x=2; b: get x");
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["1 2"], "{profile} {level}");
    }
}

#[test]
fn a_scan_that_finds_nothing_has_seen_that() {
    for level in [Level::SI, Level::SER] {
        let config = config(level, &["x"]).profile(Profile::Postgres);
        let script = "a: begin; a: scan n; b: begin; b: put n1=1; b: put x=5; b: commit; a: get x; a: scan n";
        let all = outcomes(&config, script);
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["[] 0 []"], "{level}");
    }
}

#[test]
fn writers_of_one_key_wait_and_deadlocks_are_found() {
    for (profile, level, _) in KEPT {
        let config = config(level, &["x", "y"]).profile(profile);
        let waits = "a: begin; b: begin; a: put x=1; b: put x=2";
        let all = outcomes(&config, waits);
        assert!(all.iter().all(|answers| answers == "waits"), "{profile} {level} {all:?}");
        let crossed = "a: begin; b: begin; a: put x=1; b: put y=1; a: put y=2; b: put x=2";
        let all = outcomes(&config, crossed);
        let found = |answers: &String| answers.contains("deadlock") || answers == "waits waits";
        assert!(all.iter().all(found), "{profile} {level} {all:?}");
    }
}

#[test]
fn a_wait_can_be_given_up() {
    for (profile, level, _) in KEPT {
        let config = config(level, &["x"]).profile(profile);
        let script = "a: begin; a: put x=1; b: begin; b: put x=2; b: give-up; a: commit; b: get x";
        let all = outcomes(&config, script);
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["waits timeout 1"], "{profile} {level}");
    }
}

/// Scripts over x = 0 at read committed, each with what it answers however it goes.
fn check_read_committed(cases: &[(Profile, &str, &str)]) {
    for &(profile, script, answers) in cases {
        let config = config(Level::RC, &["x"]).profile(profile);
        let all: Vec<String> = outcomes(&config, script).into_iter().collect();
        assert_eq!(all, [answers], "{profile}: {script}");
    }
}

/// A row that was deleted is not the one that has its key now; MySQL has only the key.
#[test]
fn what_was_deleted_since_a_statement_began_is_gone_for_it() {
    let anew = "b: begin; b: statement s; a: begin; a: delete x; a: put x=5; a: commit; \
        b: update x; c: nowait x; b: statement t; b: update x; b: commit";
    let apart = "b: begin; b: statement s; a: delete x; a: put x=5; b: update x; b: get x";
    let changed = "b: begin; b: statement s; a: put x=5; b: update x";
    let undone = "b: begin; b: statement s; a: begin; a: savepoint p; a: delete x; a: rollback p; \
        a: put x=5; a: commit; b: update x";
    check_read_committed(&[
        (Profile::Postgres, anew, "null 5 5"),
        (Profile::Postgres, apart, "null 0"),
        (Profile::Postgres, changed, "5"),
        (Profile::Postgres, undone, "5"),
        (Profile::Mysql, anew, "5 locked 5"),
        (Profile::Mysql, apart, "5 5"),
    ]);
}

#[test]
fn who_inserts_waits_for_writers_and_locks_only_what_is_not_there() {
    let locked = "a: begin; a: update x; b: begin; b: reserve x";
    let written = "a: begin; a: put x=1; b: begin; b: reserve x; a: commit; b: reserve x";
    let kept = "a: begin; a: reserve x; b: nowait x";
    let absent =
        "a: begin; a: reserve n; b: begin; b: reserve n; a: put n=3; a: commit; b: reserve n";
    let own = "a: begin; a: put n=1; a: reserve n; a: delete n; a: reserve n";
    let inserted = "a: begin; a: insert x=5; a: insert n=3; a: insert n=4; b: begin; b: insert n=7; a: commit; \
        b: insert n=7; b: get n";
    let free =
        "a: begin; a: insert n=3; b: begin; b: insert n=7; a: abort; b: insert n=7; b: get n";
    check_read_committed(&[
        (Profile::Postgres, inserted, "0 null 3 waits 3 3"),
        (Profile::Postgres, free, "null waits null 7"),
        (Profile::Mysql, inserted, "0 null 3 waits 3 3"),
        (Profile::Postgres, locked, "0 0"),
        (Profile::Postgres, written, "waits 1"),
        (Profile::Postgres, kept, "0 0"),
        (Profile::Postgres, absent, "null waits 3"),
        (Profile::Postgres, own, "1 null"),
        (Profile::Mysql, locked, "0 waits"),
        (Profile::Mysql, kept, "0 locked"),
    ]);
}

/// Every profile has the locks that stay with sessions.
#[test]
fn sessions_hold_locks_outside_their_transactions() {
    let spec = [(Profile::Spec, Level::RC), (Profile::Spec, Level::SER)];
    let engines = KEPT.into_iter().map(|(profile, level, _)| (profile, level));
    for (profile, level) in engines.chain(spec) {
        let config = config(level, &["x"]).profile(profile);
        let check = |script: &str, answers: &str| {
            let all: Vec<String> = outcomes(&config, script).into_iter().collect();
            assert_eq!(all, [answers], "{profile} {level}: {script}");
        };
        check(
            "a: hold l; b: begin; b: hold l; a: let-go l; b: hold l; b: let-go l",
            "waits true true",
        );
        check("a: begin; a: hold l; a: abort; b: hold-nowait l", "locked");
        check(
            "a: hold-share l; b: hold-share l; b: hold-nowait l; a: let-go-all; b: hold-nowait l",
            "locked",
        );
        // As often as it was taken.
        let counted = "a: hold l; a: hold l; a: let-go l; b: hold-nowait l; a: let-go l; b: hold-nowait l; a: let-go l";
        check(counted, "true locked true false");
        check(
            "a: hold l; b: hold l; b: give-up; a: let-go l; b: hold-nowait l",
            "waits timeout true",
        );
        check("a: hold l; b: hold m; a: hold m; b: hold l", "waits deadlock");
        if profile != Profile::Spec {
            check("a: hold l; b: nowait l", "null");
            let crossed = "a: hold l; b: begin; b: put x=1; a: put x=2; b: hold l";
            check(crossed, "waits deadlock");
        }
    }
}
