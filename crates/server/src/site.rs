//! Pages that change, for a browser on this machine.
//!
//! A page is asked for at its path. Its script then asks `live?since=N`, which is answered once the page would be
//! another, and takes the page again; and it asks `rows?…` for the transactions that are in view, so that a history
//! may be larger than a page. [`SiteServer`] listens on a loopback address, and its first path is a token that nobody
//! can guess: other users of the machine can connect, too.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use hobgoblin_report::{Filter, RowsAsked};
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::accept::Door;
use crate::answers::text;
use crate::error::ServerError;
use crate::problem::Problem;

const JSON: &str = "application/json";

/// How long a question for what is new stays open.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often to look whether there is something new; a page that always changes is sent so often.
const LOOK: Duration = Duration::from_millis(500);
/// How long a request may take to arrive, and an answer to be read.
const REQUEST: Duration = Duration::from_secs(60);

/// A page that may change. All of it may take time, and is called where that keeps nobody waiting.
pub trait Shown: Send + Sync {
    /// A number that changes with the page.
    fn number(&self) -> u64;

    /// The page, as HTML.
    fn html(&self) -> String;

    /// Some of its transactions, as [`Rows::page`](hobgoblin_report::Rows::page) has them.
    fn rows(&self, asked: &RowsAsked) -> Result<String, u64>;
}

/// Pages by their path. The one of the site has an empty path, and those below it end in `/`.
pub trait Site: Send + Sync + 'static {
    /// The page at a path, if there is one.
    fn at(&self, path: &str) -> Option<Arc<dyn Shown>>;
}

/// What a script asks of the rows of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RowsQuery {
    version: Option<u64>,
    session: String,
    key: String,
    status: String,
    q: String,
    from: usize,
    count: usize,
}

/// What a script has of a page that changes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LiveQuery {
    since: u64,
}

/// A page itself.
pub(crate) async fn page(shown: Arc<dyn Shown>) -> Result<Response, Problem> {
    let html = apart(move || shown.html()).await?;
    Ok(text("text/html; charset=utf-8", html))
}

/// The number of a page, once it is not the one that is known, or after a while.
pub(crate) async fn live(
    shown: Arc<dyn Shown>,
    query: Result<Query<LiveQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(LiveQuery { since }) = query.map_err(refused)?;
    let asked = Instant::now();
    loop {
        // Before the first look, too: who always finds something new shall not ask all the time.
        tokio::time::sleep(LOOK).await;
        let shown = shown.clone();
        let number = apart(move || shown.number()).await?;
        if number != since || asked.elapsed() >= PATIENCE {
            return Ok(text(JSON, json!({ "version": number }).to_string()));
        }
    }
}

/// Transactions of a page.
pub(crate) async fn rows(
    shown: Arc<dyn Shown>,
    query: Result<Query<RowsQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(RowsQuery { version, session, key, status, q: search, from, count }) =
        query.map_err(refused)?;
    let filter = Filter { session, key, status, search };
    let asked = RowsAsked { number: version, filter, from, count };
    match apart(move || shown.rows(&asked)).await? {
        Ok(rows) => Ok(text(JSON, rows)),
        Err(number) => {
            let mut response = text(JSON, json!({ "version": number }).to_string());
            *response.status_mut() = StatusCode::CONFLICT;
            Ok(response)
        }
    }
}

fn refused(error: QueryRejection) -> Problem {
    Problem::bad_request(error.body_text())
}

async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::internal(error.to_string()))
}

/// A server of a site for this machine; it stops when dropped.
#[derive(Debug)]
pub struct SiteServer {
    addr: SocketAddr,
    token: String,
    stop: watch::Sender<bool>,
    accepting: Option<JoinHandle<()>>,
    /// The threads, if they are its own.
    runtime: Option<Runtime>,
}

impl SiteServer {
    /// Serves a site at a port of this machine, any that is free if it is 0, with threads of its own.
    pub fn start(port: u16, site: Arc<dyn Site>) -> Result<SiteServer, ServerError> {
        let mut builder = Builder::new_multi_thread();
        let runtime =
            builder.worker_threads(2).enable_all().build().map_err(ServerError::Runtime)?;
        let mut server = SiteServer::start_on(runtime.handle(), port, site)?;
        server.runtime = Some(runtime);
        Ok(server)
    }

    /// The same on a runtime that is shared.
    pub(crate) fn start_on(
        handle: &Handle,
        port: u16,
        site: Arc<dyn Site>,
    ) -> Result<SiteServer, ServerError> {
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let failed = |source| ServerError::Listen { addr: asked, source };
        let listener = TcpListener::bind(asked).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let token = token();
        let (stop, stopped) = watch::channel(false);
        let _inside = handle.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        let door = Door { router: router(site, &token), token: None, request_timeout: REQUEST };
        let accepting = Some(handle.spawn(door.accept(listener, stopped)));
        Ok(SiteServer { addr, token, stop, accepting, runtime: None })
    }

    /// The address of its first page.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.addr, self.token)
    }

    /// Stops it; what is under way is answered.
    pub(crate) async fn stopped(mut self) {
        self.stop.send_replace(true);
        if let Some(accepting) = self.accepting.take() {
            // It ends by itself, or by a panic that has been told of already.
            let _ = accepting.await;
        }
    }
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What nobody can guess: 128 bits of a keyed hash whose key is the system's randomness.
fn token() -> String {
    use std::hash::{BuildHasher, RandomState};
    let keyed = RandomState::new();
    format!("{:016x}{:016x}", keyed.hash_one(0_u8), keyed.hash_one(1_u8))
}

type Asked = (State<Arc<dyn Site>>, Path<String>);

fn router(site: Arc<dyn Site>, token: &str) -> Router {
    let below = Router::new()
        .route("/", get(|State(site): State<Arc<dyn Site>>| async move { first(site).await }))
        .route("/{*path}", get(under))
        .with_state(site);
    // A path without its last slash is no folder, and what its page asks would go astray.
    let (bare, slash) = (format!("/{token}"), format!("/{token}/"));
    let to = slash.clone();
    Router::new()
        .route(&bare, get(|| async move { Redirect::permanent(&to) }))
        .nest(&slash, below)
        .fallback(|| async { Problem::no_page() })
}

async fn first(site: Arc<dyn Site>) -> Result<Response, Problem> {
    page(site.at("").ok_or_else(Problem::no_page)?).await
}

/// A page below the first, or what the script of one asks.
async fn under(
    (State(site), Path(path)): Asked,
    live_query: Result<Query<LiveQuery>, QueryRejection>,
    rows_query: Result<Query<RowsQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let (folder, name) =
        path.rsplit_once('/').map_or(("", &*path), |(folder, name)| (folder, name));
    let shown = |path: &str| site.at(path).ok_or_else(Problem::no_page);
    match name {
        "" => page(shown(&format!("{folder}/"))?).await,
        "live" | "rows" => {
            let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let shown = shown(&folder)?;
            if name == "live" {
                live(shown, live_query).await
            } else {
                rows(shown, rows_query).await
            }
        }
        _ => {
            shown(&format!("{path}/"))?;
            Ok(Redirect::permanent(&format!("{name}/")).into_response())
        }
    }
}
