//! A request as members of a JSON object: a line of a log has them, and tokens hash them.
//!
//! ```text
//! "get":"x"
//! "put":"x","value":2
//! "scan":{"from":"a","before":"b"},"limit":3
//! ```

use std::ops::Bound;

use hobgoblin_core::Key;
use hobgoblin_format::json::{push_key, push_text, push_value};

use crate::config::Policy;
use crate::lock::{Lock, Scope, Wait};
use crate::request::{Request, SessionRequest, TransactionRequest};

/// Appends a text as it is.
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends the members that say what is asked, without braces. Equal requests give equal bytes.
pub(crate) fn push_request(out: &mut Vec<u8>, request: &Request) {
    match request {
        Request::Session(request) => push_session_request(out, request),
        Request::Transaction(request) => push_transaction_request(out, request),
    }
}

fn push_session_request(out: &mut Vec<u8>, request: &SessionRequest) {
    match request {
        SessionRequest::Begin { level, policy } => {
            push(out, "\"begin\":{");
            if let Some(level) = level {
                push(out, &format!("\"level\":\"{level}\""));
            }
            if let Some(policy) = policy {
                let comma = if level.is_some() { "," } else { "" };
                push(out, &format!("{comma}\"policy\":\"{policy}\""));
            }
            out.push(b'}');
        }
        SessionRequest::Fence => push(out, "\"fence\":{}"),
        SessionRequest::SetPolicy(Some(policy)) => {
            push(out, &format!("\"set-policy\":\"{policy}\""))
        }
        SessionRequest::SetPolicy(None) => push(out, "\"set-policy\":null"),
        SessionRequest::SetLevel(Some(level)) => push(out, &format!("\"set-level\":\"{level}\"")),
        SessionRequest::SetLevel(None) => push(out, "\"set-level\":null"),
        SessionRequest::SetSnapshotIsolation(on) => {
            let on = on.map_or("null", |on| if on { "true" } else { "false" });
            push(out, &format!("\"set-snapshot-isolation\":{on}"));
        }
        SessionRequest::Statement(text) => push_named(out, "\"statement\":", text),
        SessionRequest::Advance { key, by } => {
            push(out, "\"advance\":");
            push_key(out, key);
            push(out, &format!(",\"by\":{by}"));
        }
        SessionRequest::SetCounter { key, value } => {
            push(out, "\"set-counter\":");
            push_key(out, key);
            push(out, &format!(",\"value\":{value}"));
        }
        SessionRequest::LetGo { object, mode } => {
            push(out, "\"let-go\":");
            push_key(out, object);
            push(out, &format!(",\"mode\":\"{}\"", mode.name()));
        }
        SessionRequest::LetGoAll => push(out, "\"let-go-all\":{}"),
        SessionRequest::Clock => push(out, "\"clock\":{}"),
        SessionRequest::Random => push(out, "\"random\":{}"),
        SessionRequest::Cancel => push(out, "\"cancel\":{}"),
    }
}

fn push_transaction_request(out: &mut Vec<u8>, request: &TransactionRequest) {
    match request {
        TransactionRequest::Get { key, policy, lock, wait, latest } => {
            push(out, "\"get\":");
            push_key(out, key);
            push_lock(out, *lock, *wait);
            push(out, if *latest { ",\"latest\":true" } else { "" });
            push_policy(out, policy);
        }
        TransactionRequest::Put { key, value } | TransactionRequest::Insert { key, value } => {
            let inserts = matches!(request, TransactionRequest::Insert { .. });
            push(out, if inserts { "\"insert\":" } else { "\"put\":" });
            push_key(out, key);
            push(out, ",\"value\":");
            push_value(out, value);
        }
        TransactionRequest::Scan { range, limit, backwards, policy, lock, wait, latest } => {
            push(out, "\"scan\":{");
            if let Some(prefix) = range.kept_prefix() {
                push_named(out, "\"prefix\":", prefix);
            } else {
                push_bound(out, range.from(), ["from", "after"]);
                if range.from() != Bound::Unbounded && range.to() != Bound::Unbounded {
                    out.push(b',');
                }
                push_bound(out, range.to(), ["to", "before"]);
            }
            out.push(b'}');
            if let Some(limit) = limit {
                push(out, &format!(",\"limit\":{limit}"));
            }
            push(out, if *backwards { ",\"backwards\":true" } else { "" });
            push_lock(out, *lock, *wait);
            push(out, if *latest { ",\"latest\":true" } else { "" });
            push_policy(out, policy);
        }
        TransactionRequest::ReadOnly { deferrable: false } => push(out, "\"read-only\":{}"),
        TransactionRequest::ReadOnly { deferrable: true } => {
            push(out, "\"read-only\":{\"deferrable\":true}")
        }
        TransactionRequest::Prepare { to } => push_named(out, "\"prepare\":", to),
        TransactionRequest::Commit => push(out, "\"commit\":{}"),
        TransactionRequest::Abort => push(out, "\"abort\":{}"),
        TransactionRequest::Savepoint(name) => push_named(out, "\"savepoint\":", name),
        TransactionRequest::RollbackTo(name) => push_named(out, "\"rollback\":", name),
        TransactionRequest::Release(name) => push_named(out, "\"release\":", name),
        TransactionRequest::Reserve { key, lock } => {
            push(out, "\"reserve\":");
            push_key(out, key);
            push_lock(out, Some(*lock).filter(|&lock| lock != Lock::Update), Wait::Forever);
        }
        TransactionRequest::Hold { object, mode, scope, wait } => {
            push(out, "\"hold\":");
            push_key(out, object);
            push(out, &format!(",\"mode\":\"{}\"", mode.name()));
            push(out, if *scope == Scope::Session { ",\"session\":true" } else { "" });
            push_wait(out, *wait);
        }
        TransactionRequest::StandAside => push(out, "\"stand-aside\":{}"),
        TransactionRequest::PassOver => push(out, "\"pass-over\":{}"),
        TransactionRequest::GiveUp { deadlock: false } => push(out, "\"give-up\":{}"),
        TransactionRequest::GiveUp { deadlock: true } => {
            push(out, "\"give-up\":{\"deadlock\":true}")
        }
    }
}

fn push_named(out: &mut Vec<u8>, verb: &str, text: &str) {
    push(out, verb);
    push_text(out, text);
}

fn push_lock(out: &mut Vec<u8>, lock: Option<Lock>, wait: Wait) {
    if let Some(lock) = lock {
        push(out, &format!(",\"lock\":\"{}\"", lock.name()));
    }
    push_wait(out, wait);
}

fn push_wait(out: &mut Vec<u8>, wait: Wait) {
    push(
        out,
        match wait {
            Wait::Forever => "",
            Wait::Not => ",\"nowait\":true",
            Wait::Skip => ",\"skip\":true",
        },
    );
}

/// Appends the member of a policy, after others.
pub(crate) fn push_policy(out: &mut Vec<u8>, policy: &Option<Policy>) {
    if let Some(policy) = policy {
        push(out, &format!(",\"policy\":\"{policy}\""));
    }
}

fn push_bound(out: &mut Vec<u8>, bound: Bound<&Key>, [included, excluded]: [&str; 2]) {
    let (name, key) = match bound {
        Bound::Included(key) => (included, key),
        Bound::Excluded(key) => (excluded, key),
        Bound::Unbounded => return,
    };
    push(out, &format!("\"{name}\":"));
    push_key(out, key);
}
