//! What ends a statement from outside: a cancel request, a limit of time, another session.
//!
//! Whoever interrupts a session raises a flag, which statements look at every few steps, and ends its wait for a
//! lock or its sleep. A session may look just before it begins to wait, so the flag is raised again and again until
//! the statement has ended: one thread does so, and keeps the time for all of a server's statements.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;

/// How long a wait without end waits at a time.
const LONG: Duration = Duration::from_secs(10);

/// Why a statement is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Somebody asked for it.
    Cancel = 1,
    /// It took longer than it may.
    Timeout = 2,
    /// The session is to end.
    Terminate = 3,
}

/// What a session is told from outside.
pub struct Interrupts {
    session: SessionId,
    /// 0 while there is none, else [`Why`].
    raised: AtomicU8,
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether the session does something that can be interrupted.
    busy: bool,
    /// How many statements and waits for the client there have been: what is meant for one is not for the next.
    turn: u64,
    /// Ends the connection of a session that does nothing.
    hang_up: Option<Box<dyn Fn() + Send>>,
}

impl Interrupts {
    /// Those of a session, which is told nothing yet.
    pub fn new(session: SessionId) -> Interrupts {
        let (raised, state) = (AtomicU8::new(0), Mutex::default());
        Interrupts { session, raised, state, woken: Condvar::new() }
    }

    /// The session as the store knows it.
    pub fn session(&self) -> SessionId {
        self.session
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session begins to do something.
    pub fn begin(&self) {
        self.lock().busy = true;
    }

    /// A statement has ended: its time does not run any more.
    pub fn next(&self) {
        let mut state = self.lock();
        state.turn += 1;
        if self.raised.load(Ordering::Relaxed) == Why::Timeout as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    /// The session waits for its client. What came too late is forgotten.
    pub fn end(&self) {
        let mut state = self.lock();
        (state.busy, state.turn) = (false, state.turn + 1);
        if self.raised.load(Ordering::Relaxed) != Why::Terminate as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    /// How many statements and waits for the client there have been.
    pub fn turn(&self) -> u64 {
        self.lock().turn
    }

    /// What is to be done to end the session's connection.
    pub fn on_terminate(&self, hang_up: Box<dyn Fn() + Send>) {
        self.lock().hang_up = Some(hang_up);
    }

    /// Ends what the session does, if it is still at that turn; a session that does nothing is only ended for good.
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

    /// Whether the statement is to end.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) != 0
    }

    /// Why the statement is to end, if it is.
    pub fn why(&self) -> Option<Why> {
        let raised = self.raised.load(Ordering::Relaxed);
        [Why::Cancel, Why::Timeout, Why::Terminate].into_iter().find(|&why| why as u8 == raised)
    }

    /// Waits until the time is over or it is interrupted.
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
