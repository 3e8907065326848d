//! Connections of HTTP clients: taken, bounded in number and patience, and served by a router.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::crowd::Crowd;
use crate::guard;
use crate::patience::{Phase, Watched};

/// How long the requests under way have when the server is to stop.
const GRACE: Duration = Duration::from_secs(1);

/// How many HTTP connections may wait for a request. Whoever comes then takes the place of the one that
/// has waited longest.
const MAX_WAITING: usize = 2000;

/// Waits until the server is to stop, or is gone.
pub(crate) async fn asked(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// What is behind the connections of a listener.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) router: Router,
    /// What every request must carry, if anything.
    pub(crate) token: Option<String>,
    /// How long a request may take to arrive, and an answer to be read.
    pub(crate) request_timeout: Duration,
}

impl Door {
    /// Takes connections until told to stop, then waits for those that are there.
    pub(crate) async fn accept(self, listener: TcpListener, stopped: watch::Receiver<bool>) {
        let door = Arc::new(self);
        let mut stop = stopped.clone();
        let (mut connections, crowd) = (JoinSet::new(), Crowd::new(MAX_WAITING));
        loop {
            tokio::select! {
                () = asked(&mut stop) => break,
                Some(_) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let phase = Phase::new(&crowd, door.request_timeout);
                        connections.spawn(serve(stream, phase, door.clone(), stopped.clone()));
                    }
                    // A client that is gone again: others come.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    // Too many open files, most likely.
                    Err(_) => {
                        crowd.thin_out();
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                },
            }
        }
        drop(listener);
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            connections.shutdown().await;
        }
    }
}

/// Serves one connection.
async fn serve(
    socket: TcpStream,
    phase: Arc<Phase>,
    door: Arc<Door>,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are small and waited for. Where this fails, they only come later.
    let _ = socket.set_nodelay(true);
    let router = TowerToHyperService::new(door.router.clone());
    let service = service_fn(|mut request: Request<Incoming>| {
        if request.body().is_end_stream() {
            phase.serves();
        } else {
            // Whoever reads the body says when it is whole.
            request.extensions_mut().insert(phase.clone());
        }
        let answer =
            guard::admit(request.headers(), door.token.as_deref()).map(|()| router.call(request));
        let phase = &phase;
        async move {
            let answer = match answer {
                Ok(answer) => answer.await,
                Err(problem) => Ok(problem.into_response()),
            };
            phase.waits();
            answer
        }
    });
    let socket = TokioIo::new(Watched { socket, phase: phase.clone() });
    let connection = http1::Builder::new().serve_connection(socket, service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that breaks off has nobody to tell.
        _ = connection.as_mut() => return,
        () = phase.over() => return,
        () = asked(&mut stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection => {}
        () = phase.over() => {}
    }
}
