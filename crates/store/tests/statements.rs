//! What the executor of a statement asks of a store: row locks, checks of constraints, a snapshot for each
//! statement, counters, the time, and keys in the order of rows.

mod support;

use hobgoblin_core::{Key, Level, Value};
use hobgoblin_store::{
    Answer, Config, Entry, KeyRange, Log, Machine, Profile, Request, StoreError, Token,
};
use support::config;
use support::script::{check, outcomes, run};

fn engine(profile: Profile, level: Level) -> Config {
    config(level, &["x", "y"]).profile(profile)
}

fn postgres(level: Level) -> Config {
    engine(Profile::Postgres, level)
}

#[test]
fn rows_are_locked_as_in_postgresql() {
    for (script, answers) in [
        // A foreign key and an update of other columns do not disturb each other.
        ("a: begin; a: no-key-update x; b: begin; b: key-share x; a: put x=1; a: commit", "0 0"),
        ("a: begin; a: key-share x; b: begin; b: no-key-update x; b: put x=1; b: commit", "0 0"),
        // A deletion or a plain write asks for more.
        ("a: begin; a: key-share x; b: begin; b: put x=1", "0 waits"),
        ("a: begin; a: key-share x; b: begin; b: update x", "0 waits"),
        ("a: begin; a: no-key-update x; b: begin; b: no-key-update x", "0 waits"),
        ("a: begin; a: no-key-update x; b: begin; b: share x", "0 waits"),
        ("a: begin; a: share x; b: begin; b: share x; b: key-share x", "0 0 0"),
        ("a: begin; a: share x; b: begin; b: no-key-update x", "0 waits"),
        // Its own write does not spare a session the stronger lock it asks for.
        (
            "a: begin; a: no-key-update x; a: put x=1; b: begin; b: key-share x; a: update x",
            "0 0 waits",
        ),
    ] {
        check(&postgres(Level::RC), script, &[answers]);
    }
}

#[test]
fn a_read_that_does_not_wait_is_answered_at_once() {
    for (profile, level) in [(Profile::Postgres, Level::SI), (Profile::Mysql, Level::RC)] {
        let script = "a: begin; a: put x=1; b: begin; b: nowait x; b: nowait y; b: put y=2; b: commit; \
                      c: nowait x; a: commit; c: nowait x";
        check(&engine(profile, level), script, &["locked 0 locked 1"]);
    }
    check(&config(Level::SER, &["x"]), "a: begin; a: put x=1; b: nowait x", &["0"]);
}

#[test]
fn a_scan_locks_its_range_where_there_are_such_locks() {
    for (script, answers) in [
        ("a: begin; a: scan-share x; b: begin; b: scan-share x; b: put x2=1", "[x=0] [x=0] waits"),
        ("a: begin; a: scan-share x; b: put y=1; b: get y", "[x=0] 1"),
        ("a: begin; a: put x=1; b: scan-nowait x; b: scan x", "locked [x=0]"),
        // What locks sees the newest, whatever the snapshot says.
        ("a: begin; a: get y; b: put x=5; a: scan x; a: scan-share x", "0 [x=0] [x=5]"),
    ] {
        check(&engine(Profile::Mysql, Level::SI), script, &[answers]);
    }
    check(&config(Level::SER, &["x"]), "a: begin; a: put x=1; b: scan-update x", &["[x=0]"]);
    let mut machine = Machine::new(postgres(Level::RC)).expect("the levels are served");
    let refused = run(&mut machine, "a: scan-share x; a: scan x");
    assert!(refused.contains("locks on ranges") && refused.ends_with("[x=0]"), "{refused}");
}

#[test]
fn a_check_of_a_constraint_sees_the_latest_and_is_no_conflict() {
    for level in [Level::SI, Level::SER] {
        let script = |verb: &str, also: &str| {
            format!(
                "a: begin; a: get y; a: get z; b: begin; b: put x=5; {also}b: commit; \
                 a: {verb} x; a: put y=1; a: commit; b: get y"
            )
        };
        for verb in ["latest", "latest-key-share"] {
            check(&postgres(level), &script(verb, ""), &["0 null 5 1"]);
            // A serializable transaction cannot come before one whose writes it has seen.
            let end = if level == Level::SI { "0 null 5 1" } else { "0 null 5 refused 0" };
            check(&postgres(level), &script(verb, "b: put z=1; "), &[end]);
        }
        let refused = "a: begin; a: get y; b: put x=5; a: update x";
        check(&postgres(level), refused, &["0 refused"]);
        // It waits for whoever may still commit, and sees its own writes.
        let waits = "a: begin; a: put x=7; b: begin; b: get y; b: latest x; a: commit; b: latest x";
        check(&postgres(level), waits, &["0 waits 7"]);
        check(&postgres(level), "a: begin; a: put x=3; a: latest x; a: commit", &["3"]);
    }
    // In the history it is a locking read, so the plain reads keep the level.
    let mut machine = Machine::new(postgres(Level::SI)).expect("the configuration is good");
    run(&mut machine, "a: begin; a: get y; b: put x=5; a: latest x; a: commit");
    let history = machine.history();
    let locking = |txn| history.event_ids(txn).filter(|&event| history.is_locking(event)).count();
    assert_eq!(history.txns().map(locking).sum::<usize>(), 1);
    // The specification has no latest: any version may be read.
    let weak = outcomes(&config(Level::RC, &["x"]), "a: put x=1; b: latest x");
    assert_eq!(weak.into_iter().collect::<Vec<_>>(), ["0", "1"]);
}

#[test]
fn a_statement_has_one_snapshot_at_read_committed() {
    for profile in [Profile::Postgres, Profile::Mysql] {
        let config = engine(profile, Level::RC);
        // It takes its snapshot when it begins, or in MySQL by its first plain read.
        let first = if profile == Profile::Postgres { "" } else { " a: get y;" };
        let then = if profile == Profile::Postgres { "" } else { "0 " };
        let check = |config: &Config, script: &str, answers: &[&str; 1]| {
            let begins = "a: begin; a: statement s;";
            let script = script.replace(begins, &format!("{begins}{first}"));
            let answers = match script.contains(begins) {
                true => format!("{then}{}", answers[0]),
                false => answers[0].to_owned(),
            };
            check(config, &script, &[&answers]);
        };
        for (script, answers) in [
            ("a: begin; a: get y; b: put x=1; a: get x", "0 1"),
            ("a: begin; a: statement s; b: put x=1; a: get x; a: statement t; a: get x", "0 1"),
            ("a: begin; a: statement s; b: put x=1; a: scan x; a: update x; a: get x", "[x=0] 1 0"),
            // Many versions later it is still there.
            ("a: begin; a: statement s; b: put x=1; b: put x=2; b: put x=3; a: get x", "0"),
            // A statement that comes before its transaction sees what its first read does.
            ("a: statement s; a: begin; b: put x=1; a: get x; b: put x=2; a: get x", "1 1"),
            ("a: statement s; b: put x=1; a: get x; b: put x=2; a: get x", "1 2"),
        ] {
            check(&config, script, &[answers]);
        }
    }
    // Above, the transaction has one: in PostgreSQL from its first statement on, else from its first read.
    let script =
        "a: begin; a: statement s; b: put x=1; a: get x; b: put x=2; a: statement t; a: get x";
    check(&postgres(Level::SI), script, &["0 0"]);
    check(&engine(Profile::Mysql, Level::SI), script, &["1 1"]);
}

#[test]
fn who_gives_up_stands_in_nobodys_way() {
    // Of three who wait the second gives up and goes on from its savepoint: the last is not behind it any more.
    let script = "a: begin; a: put x=1; b: begin; b: savepoint p; b: put x=2; c: begin; c: put x=3; b: give-up; \
        a: commit; c: put x=3; c: commit; b: get x";
    let mut machine = Machine::new(postgres(Level::RC)).expect("good");
    assert_eq!(run(&mut machine, script), "waits waits back: LockTimeout 3");
    // The same where it is refused for what was committed meanwhile.
    let script = "a: begin; a: put x=1; b: begin; b: get y; b: savepoint p; b: put x=2; c: begin RC; c: put x=3; \
        a: commit; b: put x=2; c: put x=3; c: commit; b: get y";
    let mut machine = Machine::new(postgres(Level::SI)).expect("good");
    assert_eq!(run(&mut machine, script), "0 waits waits back: Serialization 0");
}

#[test]
fn a_rollback_to_a_savepoint_releases_locks_in_postgresql() {
    let script = "a: begin; a: update y; a: savepoint p; a: put x=1; b: begin; b: nowait x; a: rollback p; \
                  b: nowait x; b: nowait y";
    check(&postgres(Level::RC), script, &["0 locked 0 locked"]);
    check(&engine(Profile::Mysql, Level::RC), script, &["0 locked locked locked"]);
    // Who waits may go on.
    let mut machine = Machine::new(postgres(Level::RC)).expect("the configuration is good");
    let answers = run(&mut machine, "a: begin; a: savepoint p; a: put x=1; b: put x=2");
    assert_eq!(answers, "waits");
    assert_eq!(machine.ready(), []);
    let a = hobgoblin_core::SessionId::new(0);
    machine.apply(a, &Request::rollback_to("p".into())).expect("there is one");
    assert_eq!(machine.ready(), [hobgoblin_core::SessionId::new(1)]);
}

#[test]
fn a_refused_request_takes_the_transaction_back_to_its_savepoint() {
    // PostgreSQL goes on after every error, having released the locks it took since.
    let conflict = "a: begin; a: get x; b: put x=1; a: put y=1; a: savepoint p; a: put z=1; a: put x=2; \
                    c: put z=3; a: rollback p; a: commit; c: get y; c: get z";
    check(&postgres(Level::SI), conflict, &["0 back: Serialization 1 3"]);
    let deadlock = "a: begin; b: begin; a: put x=1; b: put y=1; b: savepoint p; a: put y=2; b: put x=2; \
                    b: commit; c: get y";
    check(&postgres(Level::RC), deadlock, &["waits back: Deadlock 1"]);
    // InnoDB ends the transaction at a deadlock, and undoes the statement when it waited too long.
    let over = deadlock.replace("b: commit; ", "");
    check(&engine(Profile::Mysql, Level::RC), &over, &["waits deadlock 0"]);
    let timeout = "a: begin; a: put x=1; b: begin; b: put y=1; b: savepoint p; b: put x=2; b: give-up; b: commit; \
                   c: get y";
    for profile in [Profile::Postgres, Profile::Mysql] {
        check(&engine(profile, Level::RC), timeout, &["waits back: LockTimeout 1"]);
    }
}

#[test]
fn a_key_share_lock_wants_only_that_the_key_stays() {
    let script =
        |between: &str| format!("a: begin; a: get y; {between}; a: key-share x; a: commit");
    let updated = script("b: begin; b: no-key-update x; b: put x=1; b: commit");
    check(&postgres(Level::SI), &updated, &["0 0 0"]);
    let gone = script("b: delete x; b: put x=2").replace("; a: commit", "");
    check(&postgres(Level::SI), &gone, &["0 refused"]);
}

#[test]
fn counters_belong_to_no_transaction() {
    for profile in Profile::ALL {
        let config = engine(profile, Level::SER);
        let mut machine = Machine::new(config).expect("the configuration is good");
        let script = "a: advance s; b: advance s; a: begin; a: advance s; a: abort; b: advance s; \
                      b: counter s=10; a: advance s; a: advance t; a: get s";
        assert_eq!(run(&mut machine, script), "0 1 2 3 10 0 null");
        assert_eq!(machine.history().txns().count(), 2, "the abort and the read");
        let session = machine.connect(None).expect("connects");
        let mut ask = |request| machine.apply(session, &request);
        let key = || Key::from("s");
        assert_eq!(ask(Request::set_counter(key(), i64::MAX)), Ok(Answer::Done));
        let over = ask(Request::advance(key(), 1));
        assert_eq!(over, Err(StoreError::CounterOverflow { key: key(), by: 1 }));
        let down = ask(Request::advance(key(), -1));
        assert_eq!(down, Ok(Answer::Value(i64::MAX.into())));
    }
}

#[test]
fn the_time_and_random_numbers_are_in_the_log() {
    let config = postgres(Level::RC);
    let mut machine = Machine::new(config.clone()).expect("the configuration is good");
    let session = machine.connect(None).expect("connects");
    let asked = [Request::CLOCK, Request::RANDOM, Request::CLOCK, Request::RANDOM];
    let mut answers = Vec::new();
    for (at, request) in asked.iter().enumerate() {
        machine.set_clock(1_700_000_000_000_000 + at as i64);
        answers.push(machine.apply(session, request).expect("both are always there"));
    }
    assert_eq!(answers[0], Answer::Value(1_700_000_000_000_000_i64.into()));
    assert_eq!(answers[2], Answer::Value(1_700_000_000_000_002_i64.into()));
    assert_ne!(answers[1], answers[3]);
    assert!(matches!(answers[1], Answer::Value(Value::Int(0..))));
    // A log and a token have them.
    let log = Log { config: config.clone(), entries: machine.take_log(), ..Log::default() };
    let token = Token::of(&log);
    assert_eq!(Token::parse(&token.to_string()), Ok(token));
    let mut again = Machine::new(config).expect("the configuration is good");
    let mut replayed = Vec::new();
    for entry in &log.entries {
        match entry {
            Entry::Connect { name } => drop(again.connect(name.as_deref()).expect("connects")),
            Entry::Request { session, request, choices } => {
                replayed.push(again.replay(*session, request, choices).expect("it fits"));
            }
            odd => panic!("{odd:?} was not asked for"),
        }
    }
    assert_eq!(replayed, answers);
}

#[test]
fn rows_are_scanned_in_the_order_of_their_keys() {
    for profile in Profile::ALL {
        let script = "a: put t[2]=2; a: put t[15]=15; a: put t[1]=1; a: put t[1].c=3; a: put u=0; \
                      a: scan t[; a: scan t[1";
        check(
            &engine(profile, Level::SER),
            script,
            &["[t[1]=1,t[1].c=3,t[2]=2,t[15]=15] [t[1]=1,t[1].c=3,t[15]=15]"],
        );
    }
}

#[test]
fn what_is_committed_can_be_looked_at() {
    for profile in Profile::ALL {
        let mut machine =
            Machine::new(engine(profile, Level::SER)).expect("the configuration is good");
        run(
            &mut machine,
            "a: put x=1; a: put t[2]=2; a: put t[3]=3; a: delete t[3]; b: begin; b: put x=9",
        );
        assert_eq!(machine.newest(&"x".into()), Value::Int(1));
        assert_eq!(machine.newest(&"t[3]".into()), Value::Null);
        assert_eq!(machine.newest(&"nothing".into()), Value::Null);
        assert_eq!(machine.newest_in(&KeyRange::prefix("t")), [("t[2]".into(), 2.into())]);
        assert_eq!(machine.stats().open, 1, "looking is no transaction");
    }
}

/// The reads of a transaction with their keys, `!` marking those that lock.
fn reads(machine: &Machine, txn: usize) -> Vec<String> {
    let history = machine.history();
    let txn = history.txns().nth(txn).expect("it ended");
    let reads = history.event_ids(txn).filter(|&event| !history.event(event).is_write());
    reads
        .map(|event| {
            let lock = if history.is_locking(event) { "!" } else { "" };
            format!("{}{lock}={}", history.key(history.event(event).key()), history.value(event))
        })
        .collect()
}

#[test]
fn the_search_for_a_row_that_is_locked_is_no_plain_read() {
    // As UPDATE … WHERE does: both rows are looked at, and one is locked and written.
    let script = "a: begin; a: statement s; a: get x; a: statement u; a: get x; a: get y; \
                  a: no-key-update x; a: put x=1; a: statement t; a: get y; a: commit";
    for level in [Level::RC, Level::SI, Level::SER] {
        let mut machine = Machine::new(postgres(level)).expect("the configuration is good");
        run(&mut machine, script);
        assert_eq!(reads(&machine, 0), ["x=0", "x!=0", "y=0", "x!=0", "y=0"], "{level}");
    }
    // A check of a constraint says nothing about what the statement read for its own sake.
    let mut machine = Machine::new(postgres(Level::RC)).expect("the configuration is good");
    run(&mut machine, "a: begin; a: statement s; a: get x; a: latest x; a: commit");
    assert_eq!(reads(&machine, 0), ["x=0", "x!=0"]);
    // Nor do locks of clients that name no statements.
    let mut machine = Machine::new(postgres(Level::RC)).expect("the configuration is good");
    run(&mut machine, "a: begin; a: get x; a: no-key-update x; a: put x=1; a: commit");
    assert_eq!(reads(&machine, 0), ["x=0", "x!=0"]);
}

#[test]
fn an_update_that_waited_is_no_lost_update_and_a_double_booking_is_a_violation() {
    use hobgoblin_check::{Limits, check};
    use hobgoblin_core::{Anomaly, Verdict};
    let violated = |script: &str, level: Level| {
        let mut machine = Machine::new(postgres(Level::RC)).expect("the configuration is good");
        run(&mut machine, script);
        match check(&machine.history(), level, &Limits::none()) {
            Verdict::Violation(witness) => Some(witness.anomaly),
            _ => None,
        }
    };
    let update = |who: &str| {
        format!(
            "{who}: statement u; {who}: get x; {who}: no-key-update x; {who}: put x={}; ",
            who.len()
        )
    };
    let atomic = format!(
        "a: begin; bb: begin; {}bb: statement u; bb: get x; bb: no-key-update x; a: commit; \
         bb: no-key-update x; bb: put x=2; bb: commit",
        update("a")
    );
    assert_eq!(violated(&atomic, Level::SER), None, "the newest version was updated");
    let decided =
        format!("bb: begin; bb: statement s; bb: get x; {}", atomic.replace("bb: begin; ", ""));
    assert_eq!(violated(&decided, Level::PSI), Some(Anomaly::LostUpdate));

    // Both look, then one books and is gone before the other books.
    for ends in [
        "a: put t[1]=1; a: commit; b: put t[2]=1; b: commit",
        "a: put t[1]=1; b: put t[2]=1; b: commit; a: commit",
        "a: put t[1]=1; a: commit; c: begin; c: scan u[; c: commit; b: put t[2]=1; b: commit",
    ] {
        let script = format!("a: begin; b: begin; a: scan t[; b: scan t[; {ends}");
        assert_eq!(violated(&script, Level::SER), Some(Anomaly::WriteSkew), "{ends}");
        assert_eq!(violated(&script, Level::SI), None, "{ends}");
    }
    // Who begins later has seen the first.
    let serial = "a: begin; a: scan t[; a: put t[1]=1; a: commit; b: begin; b: scan t[; b: put t[2]=1; b: commit";
    assert_eq!(violated(serial, Level::SER), None);
}
