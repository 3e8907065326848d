//! Answers of the store as JSON.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use hobgoblin_core::{Key, Value};
use hobgoblin_format::json;
use hobgoblin_store::Answer;

use crate::problem::Problem;

/// The response that an answer is.
pub(crate) fn response(answer: Answer) -> Result<Response, Problem> {
    match answer {
        Answer::Done => Ok(text("application/json", "{}")),
        Answer::Value(value) => {
            let mut out = b"{\"value\":".to_vec();
            json::push_value(&mut out, &value);
            out.push(b'}');
            Ok(text("application/json", out))
        }
        Answer::Rows(rows) => {
            let mut out = b"{\"rows\":[".to_vec();
            for (at, (key, value)) in rows.iter().enumerate() {
                out.extend_from_slice(if at > 0 { b",{\"key\":" } else { b"{\"key\":" });
                json::push_key(&mut out, key);
                out.extend_from_slice(b",\"value\":");
                json::push_value(&mut out, value);
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
            Ok(text("application/json", out))
        }
        Answer::Locked { .. } => Err(Problem::locked()),
        Answer::Aborted(reason) => Err(Problem::aborted(reason)),
        Answer::Refused(reason) => Err(Problem::refused(reason)),
        Answer::Blocked { .. } => Err(Problem::internal("the store did not wait for a lock")),
    }
}

/// Pairs of keys and values, as initial values may be written.
pub(crate) fn pairs(pairs: &[(Key, Value)]) -> Vec<u8> {
    let mut out = b"[".to_vec();
    for (at, (key, value)) in pairs.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b",\n[" } else { b"[" });
        json::push_key(&mut out, key);
        out.push(b',');
        json::push_value(&mut out, value);
        out.push(b']');
    }
    out.extend_from_slice(b"]\n");
    out
}

/// A response that no cache keeps.
pub(crate) fn text(media: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
