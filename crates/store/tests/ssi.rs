//! PostgreSQL's SERIALIZABLE: who is refused, and when.

mod support;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Rng, SessionId, Target, Verdict};
use hobgoblin_store::{
    Answer, Config, KeyRange, Lock, Machine, Profile, Request, StoreError, TransactionRequest, Wait,
};
use support::script::outcomes;
use support::{begin_at, config, get, put, scale, show};

fn serializable(keys: &[&str]) -> Config {
    config(Level::SER, keys).profile(Profile::Postgres)
}

/// A script over x = y = z = 0 has these answers, however it goes.
fn is_answered(script: &str, answers: &str) {
    let all: Vec<String> = outcomes(&serializable(&["x", "y", "z"]), script).into_iter().collect();
    assert_eq!(all, [answers], "{script}");
}

#[test]
fn write_skew_is_refused_where_it_is_found() {
    let reads = "a: begin; b: begin; a: get x; a: get y; b: get x; b: get y; ";
    // Neither has committed while both edges are drawn: who comes second at its commit.
    is_answered(
        &format!("{reads}a: put x=1; b: put y=1; a: commit; b: commit; c: get x; c: get y"),
        "0 0 0 0 refused 1 0",
    );
    // The first committed before the second wrote: the write is refused.
    is_answered(&format!("{reads}a: put x=1; a: commit; b: put y=1"), "0 0 0 0 refused");
    // A read is refused that finds the other written over by a pivot that committed.
    is_answered(
        "a: begin; b: begin; b: get y; a: get x; a: put y=1; a: commit; b: put z=1; b: get y; b: commit",
        "0 0 0",
    );
}

#[test]
fn one_edge_is_no_reason_to_refuse() {
    // Whoever only has its reads overwritten comes before, whatever it writes.
    is_answered("a: begin; a: get x; b: put x=1; a: put y=1; a: commit; c: get y", "0 1");
    is_answered(
        "a: begin; a: get x; b: begin; b: put x=1; a: get x; b: commit; a: put y=1; a: commit",
        "0 0",
    );
    // Two edges in a row, but the last of the row commits last.
    is_answered(
        "a: begin; b: begin; c: begin; c: get z; b: get y; a: get x; b: put x=1; c: put y=1; \
         a: commit; b: commit; c: commit; d: get x; d: get y",
        "0 0 0 1 1",
    );
}

#[test]
fn who_only_reads_is_refused_only_after_the_first_commit_of_the_row() {
    // The batch and the receipt: the report sees the closed batch without the receipt.
    let receipt = "b: begin; b: get x; b: put y=1; c: put x=1; ";
    is_answered(
        &format!("{receipt}r: begin; r: get x; r: get y; r: commit; b: commit"),
        "0 1 0 refused",
    );
    is_answered(&format!("{receipt}b: commit; r: begin; r: get x; r: get y; r: commit"), "0 1 1");
    // Its snapshot is from before: nothing is wrong.
    let before = "r: begin; r: read-only; b: begin; b: get x; b: put y=1; c: put x=1; \
        r: get x; r: get y; r: commit; b: commit; d: get y";
    is_answered(before, "0 0 0 1");
}

#[test]
fn ranges_are_read_with_what_is_not_there() {
    // Each finds that nothing is there, and books.
    is_answered(
        "a: begin; b: begin; a: scan r; b: scan r; a: put r1=1; b: put r2=1; a: commit; b: commit; c: scan r",
        "[] [] refused [r1=1]",
    );
    // Different ranges.
    is_answered(
        "a: begin; b: begin; a: scan r; b: scan s; a: put r1=1; b: put s2=1; a: commit; b: commit; c: scan r",
        "[] [] [r1=1]",
    );
    // A key that is not there is a range of one.
    is_answered(
        "a: begin; b: begin; a: get n; b: get m; a: put m=1; b: put n=1; b: commit; a: commit",
        "null null refused",
    );
}

#[test]
fn a_key_that_is_taken_is_a_conflict_where_both_looked_first() {
    is_answered(
        "a: begin; b: begin; a: get n; b: get n; a: reserve n; a: put n=1; a: commit; b: reserve n",
        "null null null refused",
    );
    // Without having looked it is only taken.
    is_answered(
        "a: begin; b: begin; b: get x; a: reserve n; a: put n=1; a: commit; b: reserve n",
        "0 null 1",
    );
}

#[test]
fn a_deferrable_reader_waits_until_its_snapshot_is_safe() {
    is_answered("r: begin; r: deferrable; r: get x; r: commit", "0");
    let waits = "b: begin; b: get x; r: begin; r: deferrable; b: commit; r: deferrable; r: get x";
    is_answered(waits, "0 waits 0");
    // The writer has an edge to one that committed before the snapshot: it takes another one.
    let unsafe_first = "b: begin; b: get x; b: put y=1; c: put x=1; r: begin; r: deferrable; b: commit; \
        r: deferrable; r: get x; r: get y";
    is_answered(unsafe_first, "0 waits 1 1");
    is_answered(
        "b: begin; b: get x; r: begin; r: deferrable; r: give-up; b: commit",
        "0 waits timeout",
    );
}

#[test]
fn a_reader_cannot_write() {
    let said = "a: begin; a: read-only; a: put x=1";
    is_answered(
        said,
        "<the transaction said that it only reads; begin another one to write or lock>",
    );
}

#[test]
fn what_a_savepoint_took_back_was_read_all_the_same() {
    is_answered(
        "a: begin; b: begin; a: savepoint p; a: get x; a: rollback p; b: get y; b: put x=1; a: put y=1; \
         a: commit; b: commit",
        "0 0 refused",
    );
}

#[test]
fn what_is_prepared_commits_whatever_comes() {
    let skew = "a: begin; b: begin; p: begin; p: abort; a: get x; a: get y; b: get x; b: get y; a: put x=1; ";
    // The other one is refused, and the prepared one commits.
    is_answered(
        &format!("{skew}a: prepare p; b: put y=1; p: commit; c: get x; c: get y"),
        "0 0 0 0 refused 1 0",
    );
    is_answered(
        &format!("{skew}b: put y=1; a: prepare p; b: commit; p: commit; c: get x; c: get y"),
        "0 0 0 0 refused 1 0",
    );
    // It keeps its locks, and its session goes on without them.
    is_answered(
        "p: begin; p: abort; a: begin; a: put x=1; a: prepare p; a: begin; a: get x; a: put x=2; \
         p: commit; a: put x=2",
        "0 waits refused",
    );
    // Only its end can be asked for.
    is_answered(
        "p: begin; p: abort; a: begin; a: put x=1; a: prepare p; p: get x; p: abort; a: get x",
        "<the transaction is prepared; it can be committed or aborted, and nothing else> 0",
    );
}

/// One transaction after another, of random requests and levels.
fn next(rng: &mut Rng, levels: &[Level], open: bool, last: bool) -> Request {
    let key = ["x", "y", "z", "n1", "n2"][rng.below(5) as usize];
    match (open, rng.below(20)) {
        (true, _) if last => Request::COMMIT,
        (false, _) => begin_at(*rng.pick(levels).expect("a level")),
        (_, 0..7) => get(key),
        (_, 7..12) => put(key, i64::from(rng.below(1000))),
        (_, 12) => put(key, hobgoblin_core::Value::Null),
        (_, 13) => Request::lock(key, *rng.pick(&Lock::ALL).expect("four")),
        (_, 14) => {
            let (range, latest) = (KeyRange::prefix("n"), rng.one_in(4));
            let limit = rng.one_in(2).then(|| rng.below(3));
            Request::Transaction(TransactionRequest::Scan {
                range,
                limit,
                backwards: rng.one_in(2),
                policy: None,
                latest,
                lock: None,
                wait: Wait::Forever,
            })
        }
        (_, 15) => Request::read_only(rng.one_in(2)),
        (_, 16) => match rng.below(3) {
            0 => Request::savepoint("p".to_owned()),
            1 => Request::rollback_to("p".to_owned()),
            _ if rng.one_in(2) => Request::reserve(key.into(), Lock::Update),
            _ => Request::insert(key.into(), i64::from(rng.below(1000)).into()),
        },
        (_, 17) => Request::ABORT,
        _ => Request::COMMIT,
    }
}

/// Ends one of the prepared transactions, if there is one.
fn end_prepared(machine: &mut Machine, rng: &mut Rng, prepared: &mut Vec<SessionId>) -> bool {
    if prepared.is_empty() {
        return false;
    }
    let session = prepared.swap_remove(rng.below(prepared.len() as u32) as usize);
    let request = if rng.one_in(4) { Request::ABORT } else { Request::COMMIT };
    let answer = machine.apply(session, &request);
    assert_eq!(answer, Ok(Answer::Done), "what is prepared ends as it is told");
    machine.disconnect(session).expect("it is connected");
    true
}

fn run(seed: u64, sessions: u32, levels: &[Level]) -> Machine {
    let mut rng = Rng::new(seed);
    let config = serializable(&["x", "y", "z"]).seed(seed);
    let mut machine = Machine::new(config).expect("the configuration is good");
    let mut clients: Vec<(SessionId, u32, Option<Request>)> = Vec::new();
    for _ in 0..sessions {
        clients.push((machine.connect(None).expect("connects"), 40, None));
    }
    // Every second run has two-phase commit.
    let (two_phase, mut prepared, mut number) = (seed.is_multiple_of(2), Vec::new(), 0);
    loop {
        if rng.one_in(30) {
            end_prepared(&mut machine, &mut rng, &mut prepared);
        }
        let ready = machine.ready();
        let goes = |(session, left, waits): &(SessionId, u32, Option<Request>)| match waits {
            Some(_) => ready.contains(session),
            None => *left > 0,
        };
        let able: Vec<usize> = (0..clients.len()).filter(|&n| goes(&clients[n])).collect();
        let Some(&at) = rng.pick(&able) else {
            // Whoever waits may wait for one of these.
            match end_prepared(&mut machine, &mut rng, &mut prepared) {
                true => continue,
                false => break,
            }
        };
        let (session, left, waits) = &mut clients[at];
        let mut request = waits.take().unwrap_or_else(|| {
            *left -= 1;
            let open = machine.in_transaction(*session).expect("it is connected");
            next(&mut rng, levels, open, *left == 0)
        });
        if two_phase && request == Request::COMMIT && rng.one_in(3) {
            number += 1;
            let to = format!("prepared {number}");
            let heir = machine.connect(Some(&to)).expect("connects");
            request = Request::prepare(to);
            match machine.apply(*session, &request) {
                Ok(Answer::Done) => prepared.push(heir),
                Ok(Answer::Aborted(_) | Answer::Refused(_)) => {
                    machine.disconnect(heir).expect("it is connected");
                }
                other => panic!("{request:?}: {other:?}"),
            }
            continue;
        }
        match machine.apply(*session, &request) {
            Ok(Answer::Blocked { .. }) => *waits = Some(request),
            Ok(_) | Err(StoreError::UnknownSavepoint { .. } | StoreError::ReadOnly) => {}
            Err(error) => panic!("{request:?}: {error}"),
        }
    }
    for (session, _, waits) in &clients {
        let blockers = machine.blockers(*session);
        assert_eq!(*waits, None, "seed {seed}: {session} waits for ever, for {blockers:?}");
    }
    machine
}

#[test]
fn what_is_not_serializable_is_never_let_through() {
    for sessions in 2..=6 {
        let mut committed = 0;
        for seed in 0..150 * scale() {
            let machine = run(seed * 10 + u64::from(sessions), sessions, &[Level::SER]);
            let history = machine.history();
            let verdict = check(&history, Target::Level(Level::SER), &Limits::none());
            let holds = matches!(verdict, Verdict::Consistent(_));
            assert!(holds, "{sessions} sessions, seed {seed}: {verdict:?}\n{}", show(&history));
            committed += machine.stats().committed;
        }
        assert!(committed > 500, "{sessions} sessions: {committed} transactions committed");
    }
}

/// Beside weaker transactions SERIALIZABLE promises less, and the history says so.
#[test]
fn beside_weaker_levels_the_history_says_what_holds() {
    for sessions in 2..=6 {
        for seed in 0..150 * scale() {
            let levels = [Level::SER, Level::SER, Level::SER, Level::SI, Level::RC];
            let machine = run(seed * 10 + u64::from(sessions), sessions, &levels);
            let history = machine.history();
            let verdict = check(&history, Target::Mixed(Level::SER), &Limits::none());
            let holds = matches!(verdict, Verdict::Consistent(_));
            assert!(holds, "{sessions} sessions, seed {seed}: {verdict:?}\n{}", show(&history));
        }
    }
}
