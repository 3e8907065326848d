//! The routes that concern the whole store: status, downloads, sessions, reset.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use hobgoblin_core::{History, Target, Verdict};
use hobgoblin_format::Format;
use serde_json::json;

use crate::answers::{self, text};
use crate::app::App;
use crate::page::Status;
use crate::payload::Body;
use crate::problem::Problem;
use crate::run::Run;
use crate::site::{self, LiveQuery, RowsQuery};
use crate::{bodies, page};

type Shared = State<Arc<App>>;
type Answered = Result<Response, Problem>;

const JSON: &str = "application/json";

pub(crate) async fn page(State(app): Shared) -> Answered {
    site::page(shown(app)).await
}

pub(crate) async fn live(
    State(app): Shared,
    query: Result<Query<LiveQuery>, QueryRejection>,
) -> Answered {
    site::live(shown(app), query).await
}

pub(crate) async fn rows(
    State(app): Shared,
    query: Result<Query<RowsQuery>, QueryRejection>,
) -> Answered {
    site::rows(shown(app), query).await
}

fn shown(app: Arc<App>) -> Arc<Status> {
    Arc::new(Status { app, has_links: true })
}

pub(crate) async fn config(State(app): Shared) -> Response {
    let run = app.run();
    let config = &run.config;
    let body = json!({
        "level": config.level.name(),
        "profile": config.profile.name(),
        "policy": config.reading_policy().to_string(),
        "seed": config.seed,
        "window": config.window,
        "lag": config.lag,
        "abort_rate": config.abort_rate,
    });
    text(JSON, body.to_string())
}

pub(crate) async fn seed(State(app): Shared) -> Response {
    text(JSON, json!({"seed": app.run().config.seed}).to_string())
}

pub(crate) async fn stats(State(app): Shared) -> Response {
    let run = app.run();
    let stats = run.store.stats();
    let body = json!({
        "requests": stats.requests,
        "committed": stats.committed,
        "aborted": stats.aborted,
        "refused": stats.refused,
        "reads": stats.reads,
        "open_reads": stats.open_reads,
        "stale_reads": stats.stale_reads,
        "open": stats.open,
        "sessions": stats.sessions,
        "keys": stats.keys,
        "versions": stats.versions,
        "forgotten": run.store.forgotten(),
        "resets": run.number - 1,
        "divergence": run.divergence(),
    });
    text(JSON, body.to_string())
}

pub(crate) async fn snapshot(State(app): Shared) -> Response {
    // With the schema of SQL, so that a reset to it is the same database.
    let run = app.run();
    let snapshot = run.databases.snapshot();
    text(JSON, answers::pairs(&snapshot))
}

pub(crate) async fn history(State(app): Shared, RawQuery(query): RawQuery) -> Answered {
    let (format, media) = match parameter(query.as_deref(), "format")?.as_deref() {
        None | Some("jsonl") => (Format::Jsonl, "application/jsonl"),
        Some("txn") => (Format::Txn, "text/plain; charset=utf-8"),
        Some(other) => {
            let detail = format!("{other:?} is no format of a download; say jsonl or txn");
            return Err(Problem::bad_request(detail));
        }
    };
    app.kept("history")?;
    let run = app.run();
    apart(move || {
        let (history, forgotten) = history_of(&run)?;
        let mut out = Vec::new();
        hobgoblin_format::write(&history, format, &mut out)
            .map_err(|error| Problem::internal(error.to_string()))?;
        Ok(text(media, if forgotten > 0 { marked(out, format, forgotten) } else { out }))
    })
    .await
}

/// The history, and how many transactions it has forgotten: those before the ones it has.
fn history_of(run: &Run) -> Result<(History, u64), Problem> {
    // Asked again after it, since a transaction may end between the two.
    let forgotten = run.store.forgotten();
    let history = run.store.history()?;
    Ok((history, forgotten.max(run.store.forgotten())))
}

/// A history in a format that says of how many transactions it has nothing.
fn marked(history: Vec<u8>, format: Format, forgotten: u64) -> Vec<u8> {
    let header = br#"{"hobgoblin":1"#;
    let meta = format!(r#","meta":{{"forgotten":{forgotten}}}"#);
    match history.strip_prefix(header) {
        Some(rest) if format == Format::Jsonl => [header, meta.as_bytes(), rest].concat(),
        _ if format == Format::Jsonl => {
            [header, meta.as_bytes(), b"}\n", history.as_slice()].concat()
        }
        _ => {
            let comment = format!("# {}\n", page::cut(forgotten));
            [comment.as_bytes(), history.as_slice()].concat()
        }
    }
}

pub(crate) async fn log(State(app): Shared) -> Answered {
    app.kept("log")?;
    let run = app.run();
    apart(move || Ok(text("application/jsonl", run.log()?))).await
}

/// How many transactions are checked; more would keep a thread busy for long.
const MAX_CHECKED: usize = 100_000;

/// How long a check may take.
const MAX_CHECK: Duration = Duration::from_secs(10);

pub(crate) async fn check(State(app): Shared, RawQuery(query): RawQuery) -> Answered {
    let run = app.run();
    let target = match parameter(query.as_deref(), "level")? {
        None => Target::Mixed(run.config.level),
        Some(name) => match name.parse() {
            Ok(level) => Target::Level(level),
            Err(error) => return Err(Problem::bad_request(format!("{error}"))),
        },
    };
    app.kept("history")?;
    apart(move || {
        let (history, forgotten) = history_of(&run)?;
        if history.txns().count() > MAX_CHECKED {
            return Err(Problem::too_large(format!(
                "the history has more than {MAX_CHECKED} transactions; GET /v1/history and check \
                 the file with `hob check`"
            )));
        }
        let mut body = verdict(&history, target);
        if forgotten > 0 {
            body["forgotten"] = forgotten.into();
            body["note"] = page::cut(forgotten).into();
        }
        Ok(text(JSON, body.to_string()))
    })
    .await
}

fn verdict(history: &History, target: Target) -> serde_json::Value {
    let limits = hobgoblin_check::Limits::time(MAX_CHECK);
    let (verdict, explanation) = match hobgoblin_check::check(history, target, &limits) {
        Verdict::Consistent(_) => ("holds", None),
        Verdict::Violation(witness) => {
            ("violated", Some(hobgoblin_check::explain::text(history, &witness)))
        }
        Verdict::Unknown(reason) => ("unknown", Some(reason.to_string())),
    };
    let (Target::Level(level) | Target::Mixed(level)) = target;
    let transactions = history.txns().count();
    let mut body = json!({"level": level.name(), "verdict": verdict, "transactions": transactions});
    if let Some(explanation) = explanation {
        body["explanation"] = explanation.into();
    }
    body
}

pub(crate) async fn fence(State(app): Shared, Body(body): Body) -> Answered {
    bodies::parse::<bodies::Nothing>(&body)?;
    let run = app.run();
    // During a replay it waits for its turn.
    apart(move || Ok(run.store.fence().map(|()| text(JSON, "{}"))?)).await
}

pub(crate) async fn reset(State(app): Shared, Body(body): Body) -> Answered {
    let seed = app.reset(bodies::parse(&body)?)?;
    Ok(text(JSON, json!({"seed": seed}).to_string()))
}

pub(crate) async fn connect(State(app): Shared, Body(body): Body) -> Answered {
    let body: bodies::Connect = bodies::parse(&body)?;
    let session = app.run().connect(body.name).await?;
    let mut response = text(JSON, json!({"session": session}).to_string());
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

pub(crate) async fn disconnect(
    State(app): Shared,
    session: Result<Path<String>, PathRejection>,
) -> Result<StatusCode, Problem> {
    let Path(session) = session.map_err(|error| Problem::bad_request(error.body_text()))?;
    app.run().disconnect(&session).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The one parameter that a query may have.
fn parameter(query: Option<&str>, name: &str) -> Result<Option<String>, Problem> {
    let mut value = None;
    for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (key, text) = pair.split_once('=').unwrap_or((pair, ""));
        if key != name || value.is_some() {
            let detail =
                format!("this takes the parameter {name:?} once and no other, not {pair:?}");
            return Err(Problem::bad_request(detail));
        }
        // Names of levels and formats have blanks at most.
        value = Some(text.replace('+', " ").replace("%20", " "));
    }
    Ok(value)
}

/// Runs what takes long where it does not keep others waiting.
async fn apart(work: impl FnOnce() -> Answered + Send + 'static) -> Answered {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::internal(error.to_string())))
}
