//! The table of routes, from which both the router and the OpenAPI document are made.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};

use crate::app::App;
use crate::bodies::{self, Operation};
use crate::openapi::document;
use crate::payload::Body;
use crate::problem::Problem;
use crate::route::Route;
use crate::{answers, store_routes};

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

/// The routes of the server; the router and the OpenAPI document are made of them.
pub(crate) const ROUTES: &[Route] = &[
    read("/", "status", "The status page.", "text/html", || get(store_routes::page)),
    Route {
        query: &[("since", "The number of the page that is known.")],
        ..read(
            "/live",
            "live",
            "The number of the status page, once it is another.",
            "application/json",
            || get(store_routes::live),
        )
    },
    Route {
        query: &[
            ("version", "The number of the rows, as the status page says."),
            ("session", "The name of their session."),
            ("key", "A part of a key."),
            ("status", "committed, aborted, unknown, or anomaly."),
            ("q", "A part of a name, key or value."),
            ("from", "How many to pass over."),
            ("count", "How many are wanted, 500 at most."),
        ],
        ..read("/rows", "rows", "Transactions, for the status page.", "application/json", || {
            get(store_routes::rows)
        })
    },
    read("/openapi.json", "openapi", "This document.", "application/json", || {
        get(|| async { answers::text("application/json", openapi()) })
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

static DOCUMENT: LazyLock<String> = LazyLock::new(|| format!("{:#}\n", document(ROUTES)));

/// The OpenAPI document of the server, as JSON text.
pub fn openapi() -> &'static str {
    &DOCUMENT
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
