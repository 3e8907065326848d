//! What connections share: the store, the setup, and who else is connected.

use std::collections::HashMap;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_sql_postgres::session::{Canceller, Session};
use tokio::runtime::Handle;

use super::auth::Auth;
use super::config::PgConfig;
use super::stream::Socket;
use super::tls::ServerConfig;
use crate::app::{App, SqlClients};
use crate::crowd::Crowd;

/// How long statements under way have when the server is to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// What connections share.
pub(crate) struct Shared {
    pub(crate) app: Arc<App>,
    pub(crate) config: PgConfig,
    pub(crate) auth: Auth,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    pub(crate) stopping: AtomicBool,
    /// Where visitors are served.
    pub(crate) handle: Handle,
    /// Those who have not said who they are.
    pub(crate) visitors: Arc<Crowd>,
    pub(crate) connections: Mutex<Connections>,
    /// Told when a connection ends.
    pub(crate) ended: Condvar,
}

/// The connections there are, by number.
#[derive(Default)]
pub(crate) struct Connections {
    pub(crate) next: u64,
    pub(crate) open: HashMap<u64, Open>,
}

/// What others may do to a connection: end it, or cancel its statement.
pub(crate) struct Open {
    pub(crate) socket: Socket,
    pub(crate) ending: Arc<AtomicBool>,
    pub(crate) session: Option<Known>,
}

/// A session and the number of the store it is of.
pub(crate) struct Known {
    run: u32,
    pid: i32,
    secret: i32,
    canceller: Canceller,
}

impl Open {
    /// Lets it end as soon as it has answered what it is doing.
    fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
        if let Some(known) = &self.session {
            known.canceller.cancel();
        }
        self.socket.shutdown(Shutdown::Read);
    }
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Connections> {
        // What a panic may leave behind is a table with one entry more or less.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a session known, so that it can be cancelled.
    pub(crate) fn register(&self, id: u64, run: u32, session: &Session) {
        let (pid, secret, canceller) = (session.pid(), session.secret(), session.canceller());
        if let Some(open) = self.lock().open.get_mut(&id) {
            let (socket, ending) = (open.socket.clone(), Arc::clone(&open.ending));
            session.on_terminate(move || {
                ending.store(true, Ordering::Relaxed);
                socket.shutdown(Shutdown::Read);
            });
            open.session = Some(Known { run, pid, secret, canceller });
        }
    }

    /// Cancels the statement of the session with this process id, if the secret is its own.
    pub(crate) fn cancel(&self, pid: i32, secret: i32) {
        let connections = self.lock();
        let mut known = connections.open.values().filter_map(|open| open.session.as_ref());
        if let Some(known) = known.find(|known| (known.pid, known.secret) == (pid, secret)) {
            known.canceller.cancel();
        }
    }
}

impl SqlClients for Shared {
    fn disconnect_before(&self, run: u32) {
        let old = |open: &Open| match &open.session {
            Some(known) => known.run < run,
            // It has not been served by any; only a server that ends does not want it.
            None => run == u32::MAX,
        };
        let mut connections = self.lock();
        connections.open.values().filter(|open| old(open)).for_each(Open::end);
        let until = Instant::now() + GRACE;
        while connections.open.values().any(old) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let late = connections.open.values().filter(|open| old(open));
                late.for_each(|open| open.socket.shutdown(Shutdown::Both));
                return;
            }
            let waited = self.ended.wait_timeout(connections, left);
            connections = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
