//! A server that keeps a part of its history says so wherever that is seen.

use hobgoblin_core::Level;
use hobgoblin_format::Format;
use hobgoblin_store::{Config, Profile};

use crate::support::{Raw, start};

#[test]
fn what_is_forgotten_is_told() {
    for profile in Profile::ALL {
        let config = Config::default().profile(profile).level(Level::SI).keep(64 << 10);
        let server = start(config);
        let mut raw = Raw::new(&server);
        assert_eq!(raw.ask("POST", "/v1/sessions", r#"{"name": "a"}"#).0, 201);
        let (status, body) = raw.ask("GET", "/v1/check", "");
        assert!(status == 200 && !body.contains("forgotten"), "{body}");
        for number in 0..500 {
            let body = format!(r#"{{"key": "k{}", "value": {number}}}"#, number % 7);
            assert_eq!(raw.ask("POST", "/v1/sessions/a/put", &body).0, 200);
            let body = format!(r#"{{"key": "k{}"}}"#, number % 5);
            assert_eq!(raw.ask("POST", "/v1/sessions/a/get", &body).0, 200);
        }
        let (status, body) = raw.ask("GET", "/v1/check", "");
        let verdict: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((status, verdict["verdict"].as_str()), (200, Some("holds")), "{body}");
        let forgotten = verdict["forgotten"].as_u64().expect("it is told");
        let kept = verdict["transactions"].as_u64().expect("it is told");
        assert!(forgotten > 100 && kept > 10 && forgotten + kept == 1_000, "{body}");
        assert!(verdict["note"].as_str().is_some_and(|note| note.contains("not whole")), "{body}");
        let (status, body) = raw.ask("GET", "/v1/log", "");
        assert!(status == 404 && body.contains("--log FILE"), "{body}");
        let (_, body) = raw.ask("GET", "/v1/stats", "");
        assert!(body.contains(&format!("\"forgotten\":{forgotten}")), "{body}");
        assert!(raw.ask("GET", "/", "").1.contains("not whole"));
        let (_, body) = raw.ask("GET", "/v1/history", "");
        assert!(body.contains(&format!(r#""meta":{{"forgotten":{forgotten}}}"#)), "{body}");
        let (_, text) = raw.ask("GET", "/v1/history?format=txn", "");
        assert!(text.starts_with("# the history is not whole"), "{text}");
        for (body, format) in [(body, Format::Jsonl), (text, Format::Txn)] {
            let history = hobgoblin_format::read(body.as_bytes(), "download", Some(format));
            let history = history.expect("it can be read");
            assert_eq!(history.txns().count() as u64, kept);
        }
    }
}
