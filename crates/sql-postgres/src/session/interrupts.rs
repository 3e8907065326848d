//! What ends a statement from outside: a cancel request, `statement_timeout`, another session.
//!
//! Whoever interrupts a session raises a flag, which statements look at every few steps, and ends its wait for a
//! lock or its sleep. A session may look just before it begins to wait, so the flag is raised again and again until
//! the statement has ended: one thread does so, and keeps the time for all of a server's statements.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hobgoblin_front::Store;

use super::backends::Backend;
use crate::error::{Code, Result, Severity, SqlError, SqlState};

/// How soon a flag that was overlooked is raised again.
const AGAIN: Duration = Duration::from_millis(10);

/// How long the thread waits for something to do before it ends.
const REST: Duration = Duration::from_secs(10);

/// Why a statement is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// Somebody asked for it.
    Cancel = 1,
    /// It took longer than `statement_timeout`.
    Timeout = 2,
    /// The session is to end.
    Terminate = 3,
}

/// What a session is told from outside.
#[derive(Default)]
pub(crate) struct Interrupts {
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
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session begins to do something.
    pub(crate) fn begin(&self) {
        self.lock().busy = true;
    }

    /// A statement has ended: its time does not run any more.
    pub(crate) fn next(&self) {
        let mut state = self.lock();
        state.turn += 1;
        if self.raised.load(Ordering::Relaxed) == Why::Timeout as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    /// The session waits for its client. What came too late is forgotten.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        (state.busy, state.turn) = (false, state.turn + 1);
        if self.raised.load(Ordering::Relaxed) != Why::Terminate as u8 {
            self.raised.store(0, Ordering::Relaxed);
        }
    }

    fn turn(&self) -> u64 {
        self.lock().turn
    }

    /// What is to be done to end the session's connection.
    pub(crate) fn on_terminate(&self, hang_up: Box<dyn Fn() + Send>) {
        self.lock().hang_up = Some(hang_up);
    }

    fn raise(&self, why: Why, turn: u64) {
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
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed) != 0
    }

    /// What the client is told if the statement is to end.
    pub(crate) fn error(&self) -> Option<SqlError> {
        let canceled = |text| Some(SqlError::new(SqlState::QUERY_CANCELED, text));
        match self.raised.load(Ordering::Relaxed) {
            0 => None,
            why if why == Why::Terminate as u8 => {
                let text = "terminating connection due to administrator command";
                Some(SqlError::new(Code("57P01"), text).severity(Severity::Fatal))
            }
            why if why == Why::Timeout as u8 => {
                canceled("canceling statement due to statement timeout")
            }
            _ => canceled("canceling statement due to user request"),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.error().map_or(Ok(()), Err)
    }

    /// Waits, unless it is interrupted.
    pub(crate) fn sleep(&self, time: Duration) -> Result<()> {
        let until = Instant::now().checked_add(time);
        let mut state = self.lock();
        while !self.is_raised() {
            let left = match until {
                None => REST,
                Some(until) => until.saturating_duration_since(Instant::now()),
            };
            if left.is_zero() {
                return Ok(());
            }
            let woken = self.woken.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.check()
    }
}

impl std::fmt::Debug for Interrupts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupts").field("raised", &self.raised).finish_non_exhaustive()
    }
}

/// Ends what a session does, if it is still at that turn.
fn interrupt(backend: &Backend, store: &Store, why: Why, turn: u64) {
    backend.interrupts.raise(why, turn);
    if backend.interrupts.is_raised() {
        store.interrupt(backend.session);
    }
}

/// What is to be raised, and when.
struct Alarm {
    backend: Weak<Backend>,
    store: Store,
    why: Why,
    turn: u64,
}

/// The alarms of a server's sessions, by time and number.
#[derive(Default)]
pub(crate) struct Alarms {
    all: Mutex<All>,
    changed: Condvar,
}

#[derive(Default)]
struct All {
    due: BTreeMap<(Instant, u64), Alarm>,
    next: u64,
    /// Whether the thread runs.
    kept: bool,
}

/// An alarm that was set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlarmId(Instant, u64);

impl Alarms {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Interrupts a session after a time, unless it is [unset](Alarms::unset).
    pub(crate) fn set(
        self: &Arc<Self>,
        after: Duration,
        backend: &Arc<Backend>,
        store: &Store,
        why: Why,
    ) -> Option<AlarmId> {
        let at = Instant::now().checked_add(after)?;
        let mut all = self.lock();
        let number = all.next;
        all.next += 1;
        let first = all.due.keys().next().is_none_or(|&(first, _)| at < first);
        let turn = backend.interrupts.turn();
        let alarm = Alarm { backend: Arc::downgrade(backend), store: store.clone(), why, turn };
        all.due.insert((at, number), alarm);
        if !all.kept {
            let alarms = Arc::clone(self);
            let name = "hobgoblin-alarms".to_owned();
            let keep = move || alarms.keep();
            all.kept = std::thread::Builder::new().name(name).spawn(keep).is_ok();
        } else if first {
            self.changed.notify_all();
        }
        Some(AlarmId(at, number))
    }

    pub(crate) fn unset(&self, AlarmId(at, number): AlarmId) {
        let mut all = self.lock();
        if all.due.remove(&(at, number)).is_none() {
            // It went off, and goes off again until the statement has ended.
            all.due.retain(|&(_, other), _| other != number);
        }
    }

    /// Interrupts a session now.
    pub(crate) fn interrupt(self: &Arc<Self>, backend: &Arc<Backend>, store: &Store, why: Why) {
        interrupt(backend, store, why, backend.interrupts.turn());
        if backend.interrupts.is_raised() {
            self.set(AGAIN, backend, store, why);
        }
    }

    /// Lets alarms go off when they are due, until there are none for a while.
    fn keep(&self) {
        let mut all = self.lock();
        loop {
            let now = Instant::now();
            let wait = match all.due.first_entry() {
                None => REST,
                Some(first) if first.key().0 > now => first.key().0 - now,
                Some(first) => {
                    let ((_, number), alarm) = first.remove_entry();
                    drop(all);
                    all = self.go_off(number, alarm);
                    continue;
                }
            };
            let (woken, waited) =
                self.changed.wait_timeout(all, wait).unwrap_or_else(PoisonError::into_inner);
            all = woken;
            if waited.timed_out() && all.due.is_empty() {
                all.kept = false;
                return;
            }
        }
    }

    fn go_off(&self, number: u64, alarm: Alarm) -> MutexGuard<'_, All> {
        let raised = alarm.backend.upgrade().is_some_and(|backend| {
            interrupt(&backend, &alarm.store, alarm.why, alarm.turn);
            backend.interrupts.is_raised() && backend.interrupts.turn() == alarm.turn
        });
        let mut all = self.lock();
        if raised {
            all.due.insert((Instant::now() + AGAIN, number), alarm);
        }
        all
    }
}
