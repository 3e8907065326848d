//! What ends a statement from outside: a cancel request, a limit of time, another session.
//!
//! Whoever interrupts a session raises a flag, which statements look at every few steps, and ends its wait for a
//! lock or its sleep. A session may look just before it begins to wait, so the flag is raised again and again until
//! the statement has ended: one thread does so, and keeps the time for all of a server's statements.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;

/// A wait without a limit waits so long at a time.
const LONG: Duration = Duration::from_secs(10);

/// Why a statement is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A client or another session cancelled it.
    Cancel = 1,
    /// It has taken longer than a setting allows.
    Timeout = 2,
    /// The session itself is to end.
    Terminate = 3,
}

/// The flag by which a session is interrupted, and what it is doing.
pub struct Interrupts {
    session: SessionId,
    /// The [`Why`] of the interruption; 0 if there is none.
    raised: AtomicU8,
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether the session is doing something that can be interrupted.
    busy: bool,
    /// How many statements and waits for the client there have been. An interruption that was meant
    /// for one of them does not hit the next.
    turn: u64,
    /// Closes the connection of a session that is only waiting for its client.
    hang_up: Option<Box<dyn Fn() + Send>>,
}

impl Interrupts {
    /// The flag of a new session, not raised.
    pub fn new(session: SessionId) -> Interrupts {
        let (raised, state) = (AtomicU8::new(0), Mutex::default());
        Interrupts { session, raised, state, woken: Condvar::new() }
    }

    /// The number by which the store knows the session.
    pub fn session(&self) -> SessionId {
        self.session
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the session begins to do something.
    pub fn begin(&self) {
        self.lock().busy = true;
    }

    /// Says that a statement has ended. Its time limit does not count for the next.
    pub fn next(&self) {
        let mut state = self.lock();
        state.turn += 1;
        if self.raised.load(Ordering::Relaxed) == Why::Timeout as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    /// Says that the session waits for its client. An interruption that came too late is forgotten.
    pub fn end(&self) {
        let mut state = self.lock();
        (state.busy, state.turn) = (false, state.turn + 1);
        if self.raised.load(Ordering::Relaxed) != Why::Terminate as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    /// How many statements and waits for the client there have been; what
    /// [`raise`](Interrupts::raise) is told.
    pub fn turn(&self) -> u64 {
        self.lock().turn
    }

    /// Says how to close the session's connection, for when it is to end.
    pub fn on_terminate(&self, hang_up: Box<dyn Fn() + Send>) {
        self.lock().hang_up = Some(hang_up);
    }

    /// Interrupts what the session does, if its turn is still this one. A session that only waits
    /// for its client can be ended, but has nothing to cancel.
    pub fn raise(&self, why: Why, turn: u64) {
        let state = self.lock();
        if state.turn != turn && why != Why::Terminate {
            return;
        }
        match (state.busy, &state.hang_up) {
            (true, _) => {
                self.raised.fetch_max(why as u8, Ordering::Relaxed);
                self.woken.notify_all();
            }
            (false, Some(hang_up)) if why == Why::Terminate => hang_up(),
            _ => {}
        }
    }

    /// Whether the statement is to end, which it must ask now and then.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) != 0
    }

    /// Why the statement is to end; `None` if it may go on.
    pub fn why(&self) -> Option<Why> {
        let raised = self.raised.load(Ordering::Relaxed);
        [Why::Cancel, Why::Timeout, Why::Terminate].into_iter().find(|&why| why as u8 == raised)
    }

    /// Sleeps for a time, or until the session is interrupted.
    pub fn sleep(&self, time: Duration) {
        let until = Instant::now().checked_add(time);
        let mut state = self.lock();
        while !self.is_raised() {
            let left = match until {
                None => LONG,
                Some(until) => until.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return;
            }
            let woken = self.woken.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl std::fmt::Debug for Interrupts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupts").field("raised", &self.raised).finish_non_exhaustive()
    }
}
