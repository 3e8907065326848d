//! How long an HTTP client is waited for.
//!
//! A connection waits for a request, receives one, or serves one. While it waits it has a place in a
//! [`Crowd`], for as long as there is room. Once the first byte of a request has come, the whole of it, head and
//! body, has to arrive in time; and the client has to read the answer in time. A byte now and then buys no time.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::crowd::{Crowd, Place};

/// What a connection is doing, known to whoever may end it.
#[derive(Debug)]
pub(crate) struct Phase {
    crowd: Arc<Crowd>,
    limit: Duration,
    go: Arc<Notify>,
    now: Mutex<Now>,
}

#[derive(Debug)]
struct Now {
    /// Its place, unless it serves a request.
    place: Option<Place>,
    /// Since when a request arrives, if one does; since when it waits for the first.
    hears: Option<Instant>,
    /// Since when the client has read nothing of what there is to read.
    stuck: Option<Instant>,
}

impl Phase {
    /// A connection that has just begun. It has no request yet and is to send one soon.
    pub(crate) fn new(crowd: &Arc<Crowd>, limit: Duration) -> Arc<Phase> {
        let go = Arc::new(Notify::new());
        let place = Some(crowd.enter(go.clone()));
        let now = Mutex::new(Now { place, hears: Some(Instant::now()), stuck: None });
        Arc::new(Phase { crowd: Arc::clone(crowd), limit, go, now })
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that bytes came; the time for the rest of the request begins with the first.
    fn heard(&self) {
        let mut now = self.lock();
        if now.place.is_some() && now.hears.is_none() {
            now.hears = Some(Instant::now());
        }
    }

    /// A request is whole and is served.
    pub(crate) fn serves(&self) {
        let mut now = self.lock();
        now.hears = None;
        now.place = None;
    }

    /// Says that the client has its answer, and may take its time to ask again.
    pub(crate) fn waits(&self) {
        let mut now = self.lock();
        now.hears = None;
        now.place = Some(self.crowd.enter(self.go.clone()));
    }

    /// Waits until the client has taken too long, or others need its place.
    pub(crate) async fn over(&self) {
        loop {
            let left = {
                let now = self.lock();
                let since = [now.hears, now.stuck].into_iter().flatten().min();
                since.map_or(self.limit, |since| self.limit.saturating_sub(since.elapsed()))
            };
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = self.go.notified() => return,
                () = tokio::time::sleep(left) => {}
            }
        }
    }
}

/// The socket of a connection, which notes what passes.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) socket: TcpStream,
    pub(crate) phase: Arc<Phase>,
}

impl Watched {
    /// Notes whether the client reads.
    fn wrote<T>(&self, result: Poll<T>) -> Poll<T> {
        let mut now = self.phase.lock();
        match &result {
            Poll::Ready(_) => now.stuck = None,
            Poll::Pending => now.stuck = now.stuck.or_else(|| Some(Instant::now())),
        }
        result
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut self.socket).poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.phase.heard();
        }
        Poll::Ready(result)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.wrote(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write_vectored(context, parts);
        self.wrote(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
