//! Random requests, good and bad, in random order: the history always satisfies its level.

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{History, Level, Rng, Target, Verdict};
use hobgoblin_format::{Format, read};
use hobgoblin_server::client::Client;
use hobgoblin_store::{Config, Policy};

use crate::support::{Raw, start};

/// How many at each level; half of it unless `HOB_FULL` is set.
const REQUESTS: u32 = 10_000;

/// The levels a store of the spec profile serves.
const SERVED: [Level; 8] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER, Level::SSER];

/// A request of a session, wrong now and then.
fn request(rng: &mut Rng, value: u32) -> (&'static str, String) {
    let key = ["\"x\"", "\"y\"", "7", "\"z:1\"", "\"z:2\""][rng.below(5) as usize];
    match rng.below(40) {
        0..8 => ("begin", String::new()),
        8..18 => ("get", format!(r#"{{"key":{key}}}"#)),
        18..27 => ("put", format!(r#"{{"key":{key},"value":{value}}}"#)),
        27 => ("delete", format!(r#"{{"key":{key}}}"#)),
        28 => ("scan", r#"{"prefix":"z:"}"#.to_owned()),
        29..35 => ("commit", String::new()),
        35 => ("abort", String::new()),
        36 => ("savepoint", r#"{"name":"s"}"#.to_owned()),
        37 => ("rollback", r#"{"savepoint":"s"}"#.to_owned()),
        38 => ("release", r#"{"savepoint":"s"}"#.to_owned()),
        _ => match rng.below(8) {
            0 => ("get", format!(r#"{{"key":{key}"#)),
            1 => ("put", format!(r#"{{"key":{key}}}"#)),
            2 => ("begin", r#"{"level":"acid"}"#.to_owned()),
            3 => ("policy", r#"{"policy":"stale"}"#.to_owned()),
            4 => ("policy", r#"{"policy":null}"#.to_owned()),
            5 => ("statement", r#"{"text":"SELECT 1"}"#.to_owned()),
            6 => ("put", format!(r#"{{"key":"{}","value":1}}"#, "k".repeat(5000))),
            _ => ("leap", String::new()),
        },
    }
}

/// The history after so many random requests to a store at a level.
fn history(level: Level, requests: u32) -> History {
    let seed = 11;
    let policy = Some([Policy::Uniform, Policy::Stale][level as usize % 2]);
    let server = start(Config::default().level(level).policy(policy).seed(seed).window(20));
    let mut rng = Rng::new(seed + level as u64);
    let mut raw = Raw::new(&server);
    let mut sessions: Vec<String> = Vec::new();
    let mut statuses = [0; 6];
    for number in 0..requests {
        let (method, path, body) = match rng.below(200) {
            _ if sessions.is_empty() => ("POST", "/v1/sessions".to_owned(), String::new()),
            0 => ("POST", "/v1/sessions".to_owned(), String::new()),
            1 => ("POST", "/v1/sessions".to_owned(), r#"{"name":"bob"}"#.to_owned()),
            2 if sessions.len() > 5 => {
                let session = sessions.swap_remove(rng.below(sessions.len() as u32) as usize);
                ("DELETE", format!("/v1/sessions/{session}"), String::new())
            }
            3 => ("POST", "/v1/fence".to_owned(), String::new()),
            4 => ("POST", format!("/v1/sessions/{}/get", number + 1000), r#"{"key":1}"#.to_owned()),
            5 => ("GET", "/v1/stats".to_owned(), String::new()),
            _ => {
                let session = &sessions[rng.below(sessions.len() as u32) as usize];
                let (operation, body) = request(&mut rng, number);
                ("POST", format!("/v1/sessions/{session}/{operation}"), body)
            }
        };
        let (status, answer) = raw.ask(method, &path, &body);
        assert!(status < 500, "{level} {number}: {method} {path} {body}: {answer}");
        statuses[usize::from(status / 100)] += 1;
        if status == 201 {
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
            sessions.push(answer["session"].as_str().expect("a name").to_owned());
        }
    }
    // Most requests were good, and many were not.
    assert!(statuses[2] > requests / 2 && statuses[4] > requests / 50, "{statuses:?}");
    let text = Client::new(&server.url()).unwrap().history().unwrap();
    let history = read(text.as_bytes(), "history", Some(Format::Jsonl))
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(history.txns().count() > requests as usize / 20);
    server.stop().expect("it stops");
    history
}

#[test]
fn random_requests_never_break_the_level() {
    let full = std::env::var_os("HOB_FULL").is_some();
    for level in SERVED {
        let history = history(level, if full { REQUESTS } else { REQUESTS / 2 });
        match check(&history, Target::Mixed(level), &Limits::none()) {
            Verdict::Consistent(_) => {}
            Verdict::Violation(witness) => {
                panic!("{level}:\n{}", hobgoblin_check::explain::text(&history, &witness))
            }
            Verdict::Unknown(reason) => panic!("{level}: {reason}"),
        }
    }
}

#[test]
fn the_same_requests_break_stronger_levels() {
    for (level, stronger) in [
        (Level::RC, Level::RA),
        (Level::RA, Level::CC),
        (Level::CC, Level::PC),
        (Level::CC, Level::PSI),
        (Level::PC, Level::SI),
        (Level::SI, Level::SER),
    ] {
        let verdict = check(&history(level, REQUESTS / 2), stronger, &Limits::none());
        assert!(matches!(verdict, Verdict::Violation(_)), "{level} {stronger}: {verdict:?}");
    }
}
