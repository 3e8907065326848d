//! The sessions of a listener: each has a seat and a thread, and can be ended by others.

use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::socket::Socket;
use crate::app::SqlClients;

/// How long statements under way have when the server is to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// Deep enough for deeply nested SQL; the memory is taken as it is used.
const STACK: usize = hobgoblin_sql_schema::roomy::ROOM;

/// The seats that a listener has.
pub(crate) struct Seats {
    /// How many sessions there may be at once.
    max: usize,
    stopping: AtomicBool,
    taken: Mutex<Taken>,
    /// Notified when a seat becomes free.
    freed: Condvar,
}

/// The seats that are taken, by number.
#[derive(Default)]
struct Taken {
    next: u64,
    seats: HashMap<u64, Known>,
}

/// What others may do to a session: end it, or cancel its statement.
struct Known {
    ending: Arc<AtomicBool>,
    socket: Option<Socket>,
    session: Option<Cancels>,
}

/// How others cancel the statement of a session.
pub(crate) struct Cancels {
    /// The number of the store that the session is of.
    pub(crate) run: u32,
    /// What a request to cancel has to name, if there are such requests.
    pub(crate) key: Option<(i32, i32)>,
    /// Cancels the statement that runs, if one does.
    pub(crate) cancel: Box<dyn Fn() + Send>,
}

/// Why a client is not let in.
pub(crate) enum Refused {
    /// The server is being stopped.
    Stopping,
    /// As many sessions are connected as there are seats.
    Full,
}

/// The seat of a session, free again when dropped.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    ending: Arc<AtomicBool>,
}

impl Known {
    /// Lets it end as soon as it has answered what it is doing.
    fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
        if let Some(session) = &self.session {
            (session.cancel)();
        }
        if let Some(socket) = &self.socket {
            socket.shutdown(Shutdown::Read);
        }
    }
}

impl Seats {
    pub(crate) fn new(max: usize) -> Arc<Seats> {
        let (taken, freed) = (Mutex::default(), Condvar::new());
        Arc::new(Seats { max, stopping: AtomicBool::new(false), taken, freed })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // What a panic may leave behind is a table with one entry more or less.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets no one in any more. Returns whether that was so before.
    pub(crate) fn stop(&self) -> bool {
        self.stopping.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// A seat for one more.
    pub(crate) fn take(self: &Arc<Seats>) -> Result<Seat, Refused> {
        let mut taken = self.lock();
        // Asked under the lock, so that whoever stops the server knows of all there are.
        if self.is_stopping() {
            return Err(Refused::Stopping);
        }
        if taken.seats.len() >= self.max {
            return Err(Refused::Full);
        }
        let number = taken.next;
        taken.next += 1;
        let ending = Arc::new(AtomicBool::new(false));
        let known = Known { ending: Arc::clone(&ending), socket: None, session: None };
        taken.seats.insert(number, known);
        Ok(Seat { seats: Arc::clone(self), number, ending })
    }

    /// Cancels the statement of the session that this names.
    pub(crate) fn cancel(&self, key: (i32, i32)) {
        let taken = self.lock();
        let mut sessions = taken.seats.values().filter_map(|known| known.session.as_ref());
        if let Some(session) = sessions.find(|session| session.key == Some(key)) {
            (session.cancel)();
        }
    }
}

impl Seat {
    /// Set when the server wants the session to end.
    pub(crate) fn ending(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.ending)
    }

    /// Serves a client in a thread of its own, at whose end the seat is free.
    pub(crate) fn serve(
        self,
        protocol: &str,
        socket: Socket,
        work: impl FnOnce(&Seat) + Send + 'static,
    ) -> io::Result<()> {
        if let Some(known) = self.seats.lock().seats.get_mut(&self.number) {
            if self.ending.load(Ordering::Relaxed) {
                socket.shutdown(Shutdown::Read);
            }
            known.socket = Some(socket);
        }
        let name = format!("hobgoblin-{protocol}-{}", self.number);
        Builder::new().name(name).stack_size(STACK).spawn(move || work(&self)).map(drop)
    }

    /// Makes the session known, so that it can be cancelled. What this gives ends it: it can be called from anywhere.
    pub(crate) fn register(&self, session: Cancels) -> impl Fn() + Send + Sync + 'static + use<> {
        let mut taken = self.seats.lock();
        let known = taken.seats.get_mut(&self.number);
        let socket = known.and_then(|known| {
            known.session = Some(session);
            known.socket.clone()
        });
        let ending = self.ending();
        move || {
            ending.store(true, Ordering::Relaxed);
            if let Some(socket) = &socket {
                socket.shutdown(Shutdown::Read);
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().seats.remove(&self.number);
        self.seats.freed.notify_all();
    }
}

impl SqlClients for Seats {
    fn disconnect_before(&self, run: u32) {
        let old = |known: &Known| match &known.session {
            Some(session) => session.run < run,
            // It has not been served by any; only a server that ends does not want it.
            None => run == u32::MAX,
        };
        let mut taken = self.lock();
        taken.seats.values().filter(|known| old(known)).for_each(Known::end);
        let until = Instant::now() + GRACE;
        while taken.seats.values().any(old) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let late = taken.seats.values().filter(|known| old(known));
                late.filter_map(|known| known.socket.as_ref())
                    .for_each(|socket| socket.shutdown(Shutdown::Both));
                return;
            }
            let waited = self.freed.wait_timeout(taken, left);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
