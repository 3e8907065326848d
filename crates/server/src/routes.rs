//! The table of routes, from which both the router and the OpenAPI document are made.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};
use hobgoblin_store::MAX_VALUE;
use http_body_util::BodyExt;

use crate::app::App;
use crate::bodies::{self, Operation};
use crate::patience::Phase;
use crate::problem::Problem;
use crate::{answers, store_routes};

/// One path with one method.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Its name in generated clients.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    /// The schema of its body; empty for none.
    pub(crate) body: &'static str,
    /// The schema or media type of its answer; empty for none.
    pub(crate) answer: &'static str,
    /// The status of a success.
    pub(crate) status: &'static str,
    /// The parameters after `?`, with what they mean.
    pub(crate) query: &'static [(&'static str, &'static str)],
    handler: fn() -> MethodRouter<Arc<App>>,
}

/// An operation of a session: a name, what it does, its body, its answer, and how it is served.
macro_rules! operation {
    ($name:literal, $summary:literal, $body:literal, $answer:literal, $type:ty) => {
        Route {
            method: "POST",
            path: concat!("/v1/sessions/{session}/", $name),
            id: $name,
            summary: $summary,
            body: $body,
            answer: $answer,
            status: "200",
            query: &[],
            handler: || post(operation::<$type>),
        }
    };
}

const fn read(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    answer: &'static str,
    handler: fn() -> MethodRouter<Arc<App>>,
) -> Route {
    let (method, status) = ("GET", "200");
    Route { method, path, id, summary, body: "", answer, status, query: &[], handler }
}

/// Every route.
pub(crate) const ROUTES: &[Route] = &[
    read("/", "status", "The status page.", "text/html", || get(store_routes::page)),
    read("/openapi.json", "openapi", "This document.", "application/json", || {
        get(store_routes::openapi)
    }),
    read("/v1/config", "config", "How the store is set up.", "Config", || {
        get(store_routes::config)
    }),
    read("/v1/seed", "seed", "The seed of every choice.", "Seed", || get(store_routes::seed)),
    read("/v1/stats", "stats", "The counters.", "Stats", || get(store_routes::stats)),
    read("/v1/snapshot", "snapshot", "What the keys hold now.", "Snapshot", || {
        get(store_routes::snapshot)
    }),
    read("/v1/log", "log", "Every request and choice, for replay.", "application/jsonl", || {
        get(store_routes::log)
    }),
    Route {
        query: &[("format", "jsonl, the default, or txn, for people to read.")],
        ..read("/v1/history", "history", "The history so far.", "application/jsonl", || {
            get(store_routes::history)
        })
    },
    Route {
        query: &[("level", "The level to check; the store's own by default.")],
        ..read("/v1/check", "check", "Whether the history satisfies a level.", "Verdict", || {
            get(store_routes::check)
        })
    },
    Route {
        method: "POST",
        path: "/v1/fence",
        id: "fence",
        summary: "From now on, transactions that have not read yet see everything committed so far.",
        body: "Nothing",
        answer: "Done",
        status: "200",
        query: &[],
        handler: || post(store_routes::fence),
    },
    Route {
        method: "POST",
        path: "/v1/reset",
        id: "reset",
        summary: "Start afresh; every session is closed.",
        body: "Reset",
        answer: "Seed",
        status: "200",
        query: &[],
        handler: || post(store_routes::reset),
    },
    Route {
        method: "POST",
        path: "/v1/sessions",
        id: "connect",
        summary: "Connect a session.",
        body: "Connect",
        answer: "Session",
        status: "201",
        query: &[],
        handler: || post(store_routes::connect),
    },
    Route {
        method: "DELETE",
        path: "/v1/sessions/{session}",
        id: "disconnect",
        summary: "Close a session; its open transaction is aborted.",
        body: "",
        answer: "",
        status: "204",
        query: &[],
        handler: || delete(store_routes::disconnect),
    },
    operation!("begin", "Begin a transaction.", "Begin", "Done", bodies::Begin),
    operation!("get", "Read a key.", "Get", "Read", bodies::Get),
    operation!("put", "Write a key.", "Put", "Done", bodies::Put),
    operation!("delete", "Delete a key.", "Delete", "Done", bodies::Delete),
    operation!("scan", "Read every key of a range.", "Scan", "Rows", bodies::Scan),
    operation!("commit", "Commit the transaction.", "Nothing", "Done", bodies::Commit),
    operation!("abort", "Abort the transaction.", "Nothing", "Done", bodies::Abort),
    operation!("savepoint", "Set a savepoint.", "Savepoint", "Done", bodies::Savepoint),
    operation!(
        "rollback",
        "Undo the writes since a savepoint.",
        "ToSavepoint",
        "Done",
        bodies::Rollback
    ),
    operation!("release", "Forget a savepoint.", "ToSavepoint", "Done", bodies::Release),
    operation!(
        "policy",
        "How the session's transactions read from now on.",
        "SetPolicy",
        "Done",
        bodies::SetPolicy
    ),
    operation!(
        "level",
        "The level of the session's transactions from now on.",
        "SetLevel",
        "Done",
        bodies::SetLevel
    ),
    operation!(
        "statement",
        "Name the statement whose events follow, for the history.",
        "Statement",
        "Done",
        bodies::Statement
    ),
];

/// The router of the table.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        // Each path has one method, as tested; all others are wrong there.
        let wrong = move |method: Method, uri: Uri| async move {
            Problem::no_method(&method, &uri, route.method)
        };
        router = router.route(route.path, (route.handler)().fallback(wrong));
    }
    router.fallback(|uri: Uri| async move { Problem::no_path(&uri) }).with_state(app)
}

/// The session of a path, as written there.
type Session = Path<String>;

async fn operation<T: Operation>(
    State(app): State<Arc<App>>,
    session: Result<Session, PathRejection>,
    Body(body): Body,
) -> Result<Response, Problem> {
    let Path(session) = session.map_err(|error| Problem::bad_request(error.body_text()))?;
    let request = bodies::parse::<T>(&body)?.request()?;
    let answer = app.run().request(&session, request).await?;
    answers::response(answer)
}

/// The bytes of a body, bounded.
pub(crate) struct Body(pub(crate) Bytes);

/// The longest body: a value of the greatest length, and some room for escapes and its key.
pub(crate) const MAX_BODY: usize = MAX_VALUE + (1 << 20);

/// How much of a body that is too long is read and forgotten, so that the client reads why.
const MAX_FORGOTTEN: usize = 4 * MAX_BODY;

impl<S: Sync> FromRequest<S> for Body {
    type Rejection = Problem;

    async fn from_request(mut request: Request, _: &S) -> Result<Body, Problem> {
        let phase = request.extensions_mut().remove::<Arc<Phase>>();
        let mut body = request.into_body();
        let mut bytes = Bytes::new();
        let mut joined = Vec::new();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let cut = |_| Problem::bad_request("the body ends before its length is reached");
            let Ok(data) = frame.map_err(cut)?.into_data() else { continue };
            length += data.len();
            if length > MAX_FORGOTTEN {
                break;
            }
            if length == data.len() {
                bytes = data;
            } else if length <= MAX_BODY {
                if joined.is_empty() {
                    joined.extend_from_slice(&bytes);
                }
                joined.extend_from_slice(&data);
            }
        }
        if let Some(phase) = phase {
            phase.serves();
        }
        if length > MAX_BODY {
            let detail = format!("the body is longer than {MAX_BODY} bytes; send less at once");
            return Err(Problem::too_large(detail));
        }
        Ok(Body(if joined.is_empty() { bytes } else { joined.into() }))
    }
}
