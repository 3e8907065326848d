//! Stores driven by a line of text, and everything they may answer.
//!
//! `a: begin RC; a: get x; b: put x=1; fence; tick 5` are requests of the sessions `a` and `b`. What is
//! shown of the answers is what a client would act on: values, rows, refusals, waits and errors.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use hobgoblin_core::{Level, SessionId, Value};
use hobgoblin_store::{
    AbortReason, Answer, Config, KeyRange, Lock, Machine, Mode, Profile, Request, Scope,
    StoreError, TransactionRequest, Wait,
};

use super::{assert_kept, assert_sound, put};

/// The answers of one run, one word each.
pub fn run(machine: &mut Machine, script: &str) -> String {
    let mut sessions: BTreeMap<String, SessionId> = BTreeMap::new();
    let mut answers = Vec::new();
    for line in script.split(';').map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(now) = line.strip_prefix("tick ") {
            machine.tick(now.parse().expect("a time"));
            continue;
        }
        let (name, words) = line.split_once(": ").unwrap_or(("anyone", line));
        let session = *sessions
            .entry(name.to_owned())
            .or_insert_with(|| machine.connect(Some(name)).expect("names differ"));
        let answer = machine.apply(session, &request(words));
        answers.extend(word(answer));
    }
    answers.join(" ")
}

fn request(words: &str) -> Request {
    let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
    let read = |lock, wait, latest| {
        Request::Transaction(TransactionRequest::Get {
            key: rest.into(),
            policy: None,
            lock: Some(lock),
            wait,
            latest,
        })
    };
    let scan = |lock, wait| {
        Request::Transaction(TransactionRequest::Scan {
            range: KeyRange::prefix(rest),
            limit: None,
            backwards: false,
            policy: None,
            lock: Some(lock),
            wait,
            latest: false,
        })
    };
    // The first key of a range, `step t[15]..t[25]`, or of a prefix.
    let step = |lock, wait| {
        let range = match rest.split_once("..") {
            Some((from, to)) => {
                KeyRange::between(Bound::Included(from.into()), Bound::Excluded(to.into()))
            }
            None => KeyRange::prefix(rest),
        };
        let (limit, backwards, policy, latest) = (Some(1), false, None, false);
        let lock = Some(lock);
        let scan = TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest };
        Request::Transaction(scan)
    };
    let hold = |object: &str, mode, wait| Request::hold(object.into(), mode, Scope::Session, wait);
    let (forever, number) = (Wait::Forever, |text: &str| text.parse().expect("a number"));
    match verb {
        "begin" => {
            let level = (!rest.is_empty()).then(|| rest.parse::<Level>().expect("a level"));
            Request::begin(level, None)
        }
        "get" => Request::get(rest),
        "key-share" | "share" | "no-key-update" | "update" => {
            read(verb.parse().expect("a lock"), forever, false)
        }
        "nowait" => read(Lock::Update, Wait::Not, false),
        "latest" => read(Lock::Update, forever, true),
        "latest-key-share" => read(Lock::KeyShare, forever, true),
        "statement" => Request::statement(rest.to_owned()),
        "advance" => Request::advance(rest.into(), 1),
        "counter" => {
            let (key, value) = rest.split_once('=').expect("counter x=1");
            Request::set_counter(key.into(), number(value))
        }
        "reserve" => Request::reserve(rest.into(), Lock::Update),
        "pass-over" => Request::PASS_OVER,
        "snapshot-isolation" => Request::set_snapshot_isolation(Some(true)),
        "step" => step(Lock::Update, Wait::Forever),
        "step-skip" => step(Lock::Update, Wait::Skip),
        "step-share" => step(Lock::Share, Wait::Forever),
        "insert" => {
            let (key, value) = rest.split_once('=').expect("insert x=1");
            Request::insert(key.into(), number(value).into())
        }
        "hold" => hold(rest, Mode::Exclusive, forever),
        "hold-share" => hold(rest, Mode::Share, forever),
        "hold-nowait" => hold(rest, Mode::Exclusive, Wait::Not),
        "let-go" => Request::let_go(rest.into(), Mode::Exclusive),
        "let-go-share" => Request::let_go(rest.into(), Mode::Share),
        "let-go-all" => Request::LET_GO_ALL,
        "clock" => Request::CLOCK,
        "random" => Request::RANDOM,
        "put" => {
            let (key, value) = rest.split_once('=').expect("put x=1");
            put(key, value.parse::<i64>().expect("a number"))
        }
        "delete" => put(rest, Value::Null),
        "scan" => Request::scan(KeyRange::prefix(rest)),
        "scan-share" => scan(Lock::Share, forever),
        "scan-update" => scan(Lock::Update, forever),
        "scan-nowait" => scan(Lock::Share, Wait::Not),
        "read-only" => Request::read_only(false),
        "deferrable" => Request::read_only(true),
        "prepare" => Request::prepare(rest.to_owned()),
        "commit" => Request::COMMIT,
        "abort" => Request::ABORT,
        "savepoint" => Request::savepoint(rest.to_owned()),
        "rollback" => Request::rollback_to(rest.to_owned()),
        "release" => Request::release(rest.to_owned()),
        "fence" => Request::FENCE,
        "policy" => Request::set_policy(Some(rest.parse().expect("a policy"))),
        "level" => Request::set_level(Some(rest.parse().expect("a level"))),
        "give-up" => Request::give_up(false),
        odd => panic!("{odd} is no request of a script"),
    }
}

fn word(answer: Result<Answer, StoreError>) -> Option<String> {
    Some(match answer {
        Ok(Answer::Done) => return None,
        Ok(Answer::Value(value)) => value.to_string(),
        Ok(Answer::Rows(rows)) => {
            let row = |(key, value)| format!("{key}={value}");
            format!("[{}]", rows.into_iter().map(row).collect::<Vec<_>>().join(","))
        }
        Ok(Answer::Blocked { .. }) => "waits".to_owned(),
        Ok(Answer::Locked { .. }) => "locked".to_owned(),
        Ok(Answer::Aborted(
            AbortReason::Serialization | AbortReason::Deleted | AbortReason::Dependencies,
        )) => "refused".to_owned(),
        Ok(Answer::Aborted(AbortReason::Deadlock)) => "deadlock".to_owned(),
        Ok(Answer::Aborted(AbortReason::LockTimeout)) => "timeout".to_owned(),
        Ok(Answer::Aborted(AbortReason::Changed)) => "changed".to_owned(),
        Ok(Answer::Aborted(AbortReason::Spurious)) => "spurious".to_owned(),
        Ok(Answer::Aborted(odd)) => panic!("{odd:?} is new to scripts"),
        Ok(Answer::Refused(reason)) => format!("back: {reason:?}"),
        Err(error) => format!("<{error}>"),
    })
}

/// Everything the script may be answered, over many seeds. Every history on the way is checked.
pub fn outcomes(config: &Config, script: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for seed in 0..200 {
        let config = config.clone().seed(seed);
        let level = config.level;
        let mut machine = Machine::new(config).expect("the configuration is good");
        if all.insert(run(&mut machine, script)) {
            // What a transaction read counts, at PostgreSQL's SERIALIZABLE, once it has committed.
            match (machine.config().profile, level) {
                (Profile::Postgres, Level::SER) => assert_kept(&machine.history(), level, script),
                _ => assert_sound(&machine.history(), level, script),
            }
        }
    }
    all
}

/// Panics unless the script may be answered exactly so.
pub fn check(config: &Config, script: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|&answer| answer.to_owned()).collect();
    assert_eq!(outcomes(config, script), expected, "{:?} {script}", config.level);
}
