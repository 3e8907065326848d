//! Logs as files and tokens: nothing is lost, and nonsense is refused with a reason.

use std::ops::Bound;

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_store::{
    Config, Entry, KeyRange, Lock, Log, LogError, LogWriter, Mode, Policy, Profile, Request, Scope,
    Token, TokenStep, TransactionRequest, Wait,
};

fn hold(object: Key, mode: Mode, scope: Scope, wait: Wait) -> Request {
    Request::hold(object, mode, scope, wait)
}

fn requests() -> Vec<Request> {
    let range = |from, to| KeyRange::between(from, to);
    let scan = |range, limit: Option<u32>, policy| {
        let (backwards, latest) = (limit.is_some(), false);
        Request::Transaction(TransactionRequest::Scan {
            range,
            limit,
            backwards,
            policy,
            latest,
            lock: None,
            wait: Wait::Forever,
        })
    };
    let locking = |lock, wait| TransactionRequest::Scan {
        range: KeyRange::prefix("t["),
        limit: None,
        backwards: true,
        policy: Some(Policy::Stale),
        lock: Some(lock),
        wait,
        latest: false,
    };
    let get = |key: Key, policy, lock| {
        let (wait, latest) = (Wait::Forever, false);
        Request::Transaction(TransactionRequest::Get { key, policy, lock, wait, latest })
    };
    let check = |lock, wait| {
        Request::Transaction(TransactionRequest::Get {
            key: "t[1]".into(),
            policy: None,
            lock: Some(lock),
            wait,
            latest: true,
        })
    };
    vec![
        Request::begin(None, None),
        Request::begin(Some(Level::PSI), None),
        Request::begin(Some(Level::SER), Some(Policy::Weighted(0.25))),
        Request::begin(None, Some(Policy::Stale)),
        get("x".into(), None, None),
        get("a \"quoted\"\nkey".into(), Some(Policy::LatestPerSession), Some(Lock::Update)),
        get((-7).into(), None, Some(Lock::Share)),
        get("7".into(), None, None),
        Request::put(1.into(), Value::Null),
        Request::put("x".into(), Value::Int(i64::MIN)),
        Request::put("x".into(), "1".into()),
        Request::put("x".into(), Value::Json(r#"{"a":[1,2.5]}"#.into())),
        scan(KeyRange::all(), None, None),
        scan(KeyRange::prefix("t[1,2"), None, None),
        scan(KeyRange::prefix("user:"), Some(3), Some(Policy::Latest)),
        scan(range(Bound::Excluded(3.into()), Bound::Included("z".into())), None, None),
        scan(range(Bound::Unbounded, Bound::Excluded("z".into())), None, None),
        locking(Lock::Share, Wait::Not).into(),
        locking(Lock::Update, Wait::Forever).into(),
        Request::read_only(false),
        Request::read_only(true),
        Request::prepare("prepared \"g\"".into()),
        Request::COMMIT,
        Request::ABORT,
        Request::savepoint("a".into()),
        Request::rollback_to("a".into()),
        Request::release("a".into()),
        Request::FENCE,
        Request::set_policy(None),
        Request::set_policy(Some(Policy::Uniform)),
        Request::set_level(None),
        Request::set_level(Some(Level::CC)),
        Request::statement("SELECT 1".into()),
        check(Lock::KeyShare, Wait::Forever),
        check(Lock::NoKeyUpdate, Wait::Not),
        Request::advance("t_id_seq".into(), -3),
        Request::set_counter(5.into(), i64::MIN),
        hold("a lock".into(), Mode::Share, Scope::Session, Wait::Forever),
        hold(7.into(), Mode::AccessExclusive, Scope::Transaction, Wait::Not),
        Request::reserve("t[7]".into(), Lock::Update),
        Request::reserve("t[7]".into(), Lock::Share),
        Request::PASS_OVER,
        Request::set_snapshot_isolation(Some(true)),
        Request::set_snapshot_isolation(None),
        Request::insert("t[7]".into(), Value::Json("[7]".into())),
        Request::let_go("a lock".into(), Mode::Share),
        Request::LET_GO_ALL,
        Request::CANCEL,
        Request::CLOCK,
        Request::RANDOM,
        Request::give_up(false),
        Request::give_up(true),
    ]
}

fn log() -> Log {
    let mut log = Log {
        config: Config::default()
            .level(Level::SI)
            .profile(Profile::Mysql)
            .policy(Policy::Weighted(0.1))
            .seed(u64::MAX)
            .window(None)
            .lag(17)
            .abort_rate(0.05)
            .initial_values(vec![("x".into(), 0.into()), (3.into(), "y".into())]),
        ..Log::default()
    };
    log.meta.insert("command".into(), "pytest -k \"cart\"".into());
    log.entries.push(Entry::Connect { name: None });
    log.entries.push(Entry::Connect { name: Some("bob".into()) });
    for (at, request) in requests().into_iter().enumerate() {
        let choices = (0..at as u32 % 4).map(|choice| choice * 100).collect();
        let session = SessionId::new(at % 3);
        log.entries.push(Entry::Request { session, request, choices });
        log.entries.push(Entry::Tick { now: at as u64 * 1_000_000 });
    }
    log.entries.push(Entry::Disconnect { session: SessionId::new(1) });
    log
}

fn bytes(log: &Log) -> Vec<u8> {
    let mut bytes = Vec::new();
    log.write(&mut bytes).expect("memory takes it");
    bytes
}

#[test]
fn a_log_round_trips() {
    let log = log();
    let read = Log::read(bytes(&log).as_slice()).expect("it was written so");
    assert_eq!((read.log, read.truncated), (log, None));
    let plain = Log::default();
    assert_eq!(Log::read(bytes(&plain).as_slice()).expect("it was written so").log, plain);
}

#[test]
fn a_log_written_entry_by_entry_is_the_same() {
    let log = log();
    let mut file = Vec::new();
    let empty = Log { entries: Vec::new(), ..log.clone() };
    let mut writer = LogWriter::new(&mut file, &empty).expect("memory takes it");
    log.entries.iter().for_each(|entry| writer.entry(entry).expect("memory takes it"));
    writer.flush().expect("memory takes it");
    assert_eq!(file, bytes(&log));
}

#[test]
fn a_log_cut_anywhere_is_read_up_to_there() {
    let log = log();
    let bytes = bytes(&log);
    let first = bytes.iter().position(|&byte| byte == b'\n').expect("there are lines") + 1;
    for end in first..bytes.len() {
        let read = Log::read(&bytes[..end]).expect("the last line may be cut");
        let lines = bytes[..end].iter().filter(|&&byte| byte == b'\n').count();
        let rest = bytes[..end].rsplit(|&byte| byte == b'\n').next().expect("a last part");
        // A line that only lacks its end is whole.
        let whole = bytes[end] == b'\n' && !rest.is_empty();
        assert_eq!(read.log.entries, log.entries[..lines - 1 + usize::from(whole)]);
        assert_eq!(read.truncated, (!rest.is_empty() && !whole).then_some(lines + 1), "{end}");
    }
}

#[test]
fn bad_lines_are_named() {
    let header = "{\"hobgoblin-log\":1,\"level\":\"RC\"}\n";
    for (line, part) in [
        ("{\"s\":0,\"fly\":1}", "no request that is known"),
        ("{\"get\":\"x\"}", "without a session"),
        ("{\"s\":-1,\"get\":\"x\"}", "not the number of a session"),
        ("{\"s\":0,\"get\":[1]}", "neither a string nor an integer"),
        ("{\"s\":0,\"get\":\"x\",\"c\":[-1]}", "no small number"),
        ("{\"s\":0,\"get\":\"x\",\"policy\":\"odd\"}", "is no policy"),
        ("{\"s\":0,\"begin\":{\"level\":\"odd\"}}", "odd"),
        ("{\"s\":0,\"get\":\"x\",\"lock\":\"odd\"}", "is no lock"),
        ("{\"connect\":3}", "not a string"),
        ("{\"tick\":\"soon\"}", "invalid digit"),
        ("nonsense", "no JSON object"),
    ] {
        let text = format!("{header}{{\"connect\":null}}\n{line}\n");
        match Log::read(text.as_bytes()) {
            Err(LogError::Line { line: 3, what }) => assert!(what.contains(part), "{line}: {what}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    for text in
        ["", "\n\n", "{}\n", "{\"hobgoblin-log\":2}\n", "x", "{\"hobgoblin-log\":1,\"seed\":-1}"]
    {
        assert!(matches!(Log::read(text.as_bytes()), Err(LogError::Header { .. })), "{text:?}");
    }
}

#[test]
fn a_token_round_trips() {
    for log in [log(), Log::default()] {
        let token = Token::of(&log);
        let text = token.to_string();
        assert!(
            text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'),
            "{text}"
        );
        assert_eq!(Token::parse(&text), Ok(token.clone()), "{text}");
        assert_eq!(Token::parse(&format!(" {text}\n")), Ok(token));
    }
}

/// What the token keeps of a read in a usual run is three bytes, four characters.
#[test]
fn a_token_is_short() {
    let get = Request::get("a-rather-long-key");
    let entry = Entry::Request { session: SessionId::new(3), request: get, choices: vec![2] };
    let log = Log { entries: vec![entry; 100], ..Log::default() };
    assert!(Token::of(&log).to_string().len() < 420);
}

#[test]
fn requests_differ_in_a_token() {
    let hash = |step: &TokenStep| match step {
        TokenStep::Request { hash, .. } => Some(*hash),
        _ => None,
    };
    let mut hashes: Vec<u8> = Token::of(&log()).steps.iter().filter_map(hash).collect();
    let all = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert!(hashes.len() > all * 8 / 10, "{} of {all} requests differ", hashes.len());
}

#[test]
fn garbage_is_no_token() {
    let good = Token::of(&log()).to_string();
    for text in ["", "A", "hello world", "AQ", "é", "____", "//8=", &good[1..], &format!("{good}A")]
    {
        let error = Token::parse(text).expect_err(text).to_string();
        assert!(error.contains("copy the whole token"), "{error}");
    }
    // Whatever is cut off or changed, the answer is a token or an error, never a panic.
    for at in 0..good.len() {
        let _ = Token::parse(&good[..at]);
        for digit in ["A", "z", "_", "7"] {
            let _ = Token::parse(&format!("{}{digit}{}", &good[..at], &good[at + 1..]));
        }
    }
}
