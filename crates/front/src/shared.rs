//! The state under its lock, and the threads that wait for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use crate::error::Error;
use crate::op::{Answered, Caller, Op, Submitted};
use crate::sleep::{self, thread};
use crate::state::State;

thread_local! {
    /// The store that this thread used last.
    pub(crate) static USED: Cell<u64> = const { Cell::new(0) };
}

/// What all handles to a store share.
pub(crate) struct Shared {
    /// A number by which stores of one process are told apart.
    pub(crate) number: u64,
    state: Mutex<State>,
    /// Held by whoever connects the session of [`Store::fence`](crate::Store::fence).
    fencing: Mutex<()>,
}

impl Shared {
    pub(crate) fn new(state: State) -> Arc<Shared> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Shared { number, state: Mutex::new(state), fencing: Mutex::new(()) })
    }

    /// Notes that this thread uses the store.
    pub(crate) fn used(&self) {
        USED.set(self.number);
    }

    /// The state. A panic elsewhere cannot leave it half changed in a way that matters: what was asked is
    /// either in the machine or not.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread connects the session of the fence.
    pub(crate) fn fencing(&self) -> MutexGuard<'_, ()> {
        self.fencing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the state and wakes those who have an answer in it.
    pub(crate) fn tell(&self, mut state: MutexGuard<'_, State>) {
        if !state.queue.is_empty() {
            let deadline = state.deadline();
            state.sleepers.keep(deadline);
        }
        let wakes = state.sleepers.take_wakes();
        drop(state);
        wakes.into_iter().for_each(Waker::wake);
    }

    /// Serves a request and waits for the answer.
    pub(crate) fn wait<T: Answered>(&self, op: Op) -> Result<T, Error> {
        self.used();
        let mut state = self.lock();
        let ticket =
            match state.submit(op, Caller { thread: thread(), waits: true, ..Caller::default() }) {
                Submitted::Now(result) => {
                    self.tell(state);
                    return result.map(T::of);
                }
                Submitted::Later(ticket) => ticket,
            };
        state.set_waker(ticket, &sleep::waker());
        loop {
            if let Some(result) = state.take(ticket) {
                self.tell(state);
                return result.map(T::of);
            }
            state = self.sleep(state);
        }
    }

    /// Waits to be woken, or for the next deadline to serve what may go then.
    fn sleep<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let deadline = state.deadline();
        let until = state.sleepers.sleep(thread(), deadline);
        self.tell(state);
        match until {
            None => std::thread::park(),
            Some(until) => {
                std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
            }
        }
        let mut state = self.lock();
        state.sleepers.awake(thread());
        let now = Instant::now();
        if until.is_some_and(|until| until <= now) {
            state.pump(now);
        }
        state
    }

    /// Sees to it that deadlines are kept although no thread waits: one thread does so as long as there
    /// are any.
    pub(crate) fn look_after(self: &Arc<Self>, state: &mut State) {
        if state.timer || state.deadline().is_none() {
            return;
        }
        let shared = Arc::clone(self);
        let keep = move || {
            let mut state = shared.lock();
            while state.deadline().is_some() {
                state = shared.sleep(state);
            }
            state.timer = false;
            shared.tell(state);
        };
        let name = "hobgoblin-deadlines".to_owned();
        state.timer = std::thread::Builder::new().name(name).spawn(keep).is_ok();
    }
}
