//! What went wrong, as `application/problem+json` [RFC 9457].
//!
//! Every answer that is not a success has this form, also for paths and methods that do not exist:
//!
//! ```json
//! {"type": "urn:hobgoblin:aborted", "title": "Transaction aborted", "status": 409,
//!  "detail": "could not serialize access; run the transaction again",
//!  "reason": "serialization", "retry": true}
//! ```
//!
//! A program looks at `type`, `reason` and `retry`; a person reads `detail`, which says what to do next.

use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use hobgoblin_front::Error;
use hobgoblin_store::{AbortReason, MAX_KEY, MAX_VALUE, StoreError};
use serde_json::json;

/// One answer that is not a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: String,
    /// Why a transaction was aborted.
    reason: Option<&'static str>,
    /// Where in the body, from 1: line and column.
    place: Option<(usize, usize)>,
    /// The methods a path has.
    allow: Option<&'static str>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: String) -> Problem {
        Problem { status, kind, title, detail, reason: None, place: None, allow: None }
    }

    /// A request that cannot be meant as it is.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-request", "Bad request", detail.into())
    }

    /// A page that is not there.
    pub(crate) fn no_page() -> Problem {
        let detail = "there is no such page; use the whole address that was printed, with what looks like \
                      noise in it";
        Problem::new(StatusCode::NOT_FOUND, "no-page", "No such page", detail.to_owned())
    }

    /// A body that is not the JSON the operation wants.
    pub(crate) fn bad_json(error: &serde_json::Error, body: &[u8]) -> Problem {
        let text = error.to_string();
        let reason = text.rsplit_once(" at line ").map_or(&*text, |(reason, _)| reason);
        if body.is_empty() {
            return Problem::bad_request(format!(
                "the body is empty: {reason}; send a JSON object"
            ));
        }
        let (line, column) = (error.line(), error.column());
        let detail = format!("line {line}, column {column} of the body: {reason}");
        Problem { place: Some((line, column)), ..Problem::bad_request(detail) }
    }

    /// A body, or a part of it, that is longer than allowed.
    pub(crate) fn too_large(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail.into())
    }

    /// A session that is not connected.
    pub(crate) fn no_session(session: &str) -> Problem {
        let detail = format!("there is no session {session}; POST /v1/sessions makes one");
        Problem::new(StatusCode::NOT_FOUND, "unknown-session", "Unknown session", detail)
    }

    /// A path that is not there.
    pub(crate) fn no_path(uri: &Uri) -> Problem {
        let detail = format!("there is no {}; GET /openapi.json lists what there is", uri.path());
        Problem::new(StatusCode::NOT_FOUND, "unknown-path", "Unknown path", detail)
    }

    /// A path that has other methods.
    pub(crate) fn no_method(method: &Method, uri: &Uri, allow: &'static str) -> Problem {
        let detail = format!("{} does not take {method}; use {allow}", uri.path());
        let (status, title) = (StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
        let problem = Problem::new(status, "method-not-allowed", title, detail);
        Problem { allow: Some(allow), ..problem }
    }

    /// A request without the token.
    pub(crate) fn unauthorized() -> Problem {
        let detail = "send the server's token as `Authorization: Bearer TOKEN`".to_owned();
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "Unauthorized", detail)
    }

    /// A download of what the server was not asked to keep.
    pub(crate) fn not_kept(what: &str) -> Problem {
        let detail = format!(
            "this server writes files and keeps no {what}; start it with `--{what} FILE` too"
        );
        Problem::new(StatusCode::NOT_FOUND, "not-kept", "Not kept", detail)
    }

    /// A download of a log that became too long.
    pub(crate) fn log_cut() -> Problem {
        let detail =
            "the log became longer than what `--keep` lets the server keep in memory, so it is \
                      forgotten; start it with `--log FILE`, or with `--keep unlimited`"
                .to_owned();
        Problem::new(StatusCode::NOT_FOUND, "not-kept", "Not kept", detail)
    }

    /// A request that a page of another site makes a browser send.
    pub(crate) fn forbidden(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", "Forbidden", detail.into())
    }

    /// What is the server's fault or its machine's.
    pub(crate) fn internal(detail: impl Into<String>) -> Problem {
        let (status, title) = (StatusCode::INTERNAL_SERVER_ERROR, "Server error");
        Problem::new(status, "server", title, detail.into())
    }

    /// A request whose outcome cannot be written to the history or log.
    pub(crate) fn unrecorded(detail: String) -> Problem {
        let (status, title) = (StatusCode::INSUFFICIENT_STORAGE, "History cannot be written");
        Problem::new(status, "unrecorded", title, detail)
    }

    /// A lock that is not free, asked for by a read that does not wait.
    pub(crate) fn locked() -> Problem {
        let detail = "another session holds the lock; ask again, or without \"nowait\"".to_owned();
        Problem::new(StatusCode::CONFLICT, "locked", "Locked", detail)
    }

    /// A transaction that the store aborted: run it again.
    pub(crate) fn aborted(reason: AbortReason) -> Problem {
        let (status, title) = (StatusCode::CONFLICT, "Transaction aborted");
        let problem = Problem::new(status, "aborted", title, reason.to_string());
        Problem { reason: Some(reason_name(reason)), ..problem }
    }

    /// What a request of a transaction hears that goes on from its last savepoint.
    pub(crate) fn refused(reason: AbortReason) -> Problem {
        Problem { kind: "refused", title: "Request refused", ..Problem::aborted(reason) }
    }

    fn conflict(kind: &'static str, title: &'static str, error: &StoreError) -> Problem {
        Problem::new(StatusCode::CONFLICT, kind, title, error.to_string())
    }
}

/// The name of a reason in JSON.
pub(crate) fn reason_name(reason: AbortReason) -> &'static str {
    match reason {
        AbortReason::Deadlock => "deadlock",
        AbortReason::LockTimeout => "lock-timeout",
        AbortReason::Changed => "changed",
        AbortReason::Spurious => "spurious",
        _ => "serialization",
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let bad =
            |kind, title| Problem::new(StatusCode::BAD_REQUEST, kind, title, error.to_string());
        match &error {
            StoreError::UnknownSession { session } => {
                Problem::no_session(&(session.index() + 1).to_string())
            }
            StoreError::NameTaken { .. } => Problem::conflict("name-taken", "Name taken", &error),
            StoreError::TransactionOpen => {
                Problem::conflict("transaction-open", "Transaction open", &error)
            }
            StoreError::NoTransaction => {
                Problem::conflict("no-transaction", "No open transaction", &error)
            }
            StoreError::Waiting => Problem::conflict("waiting", "Waiting for a lock", &error),
            StoreError::Diverged { .. } => {
                Problem::conflict("diverged", "Diverged from the log", &error)
            }
            StoreError::UnknownSavepoint { .. } => bad("unknown-savepoint", "Unknown savepoint"),
            StoreError::LevelNotServed { .. } => bad("level-not-served", "Level not served"),
            StoreError::KeyTooLong { length } => Problem::too_large(format!(
                "a key of {length} bytes is too long; keys have at most {MAX_KEY}"
            )),
            StoreError::ValueTooLong { length } => Problem::too_large(format!(
                "a value of {length} bytes is too long; values have at most {MAX_VALUE}"
            )),
            _ => Problem::bad_request(error.to_string()),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match error {
            Error::Aborted(reason) => Problem::aborted(reason),
            Error::Refused(reason) => Problem::refused(reason),
            Error::Store(error) => error.into(),
            Error::LogCut => Problem::log_cut(),
            Error::Unrecorded { .. } => Problem::unrecorded(error.to_string()),
            other => Problem::internal(other.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut body = json!({
            "type": format!("urn:hobgoblin:{}", self.kind),
            "title": self.title,
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some(reason) = self.reason {
            body["reason"] = reason.into();
            body["retry"] = (self.kind == "aborted").into();
        }
        if let Some((line, column)) = self.place {
            body["line"] = line.into();
            body["column"] = column.into();
        }
        let json = HeaderValue::from_static("application/problem+json");
        let mut response = (self.status, [(CONTENT_TYPE, json)], body.to_string()).into_response();
        if let Some(allow) = self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        response
    }
}
