//! The sessions of a server by their numbers, as the others see them.
//!
//! A session enters when it begins and leaves when it ends. In between another one can find it by
//! its number, see what it does (`pg_stat_activity`, `SHOW PROCESSLIST`) and interrupt it
//! (`pg_cancel_backend`, `KILL`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hobgoblin_core::SessionId;

use super::alarms::Alarms;
use super::interrupts::Interrupts;

/// A session as others see it. What it tells of itself is of type `A`.
#[derive(Debug)]
pub struct Backend<A> {
    /// The number by which the store knows the session.
    pub session: SessionId,
    /// The flags by which its statements are ended from outside.
    pub interrupts: Arc<Interrupts>,
    activity: Mutex<A>,
}

impl<A: Clone> Backend<A> {
    /// What the session said last about what it does.
    pub fn activity(&self) -> A {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says that the session does something else now.
    pub fn update(&self, update: impl FnOnce(&mut A)) {
        update(&mut self.activity.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// All sessions of a server, by number.
#[derive(Debug)]
pub struct Backends<A> {
    next: AtomicI32,
    all: Mutex<BTreeMap<i32, Arc<Backend<A>>>>,
    /// The alarms that end their statements when the time is over.
    pub alarms: Arc<Alarms>,
}

impl<A> Backends<A> {
    /// No sessions yet. The first that enters gets the number `first`.
    pub fn new(first: i32) -> Backends<A> {
        Backends { next: AtomicI32::new(first), all: Mutex::default(), alarms: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Arc<Backend<A>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a session, and returns the number it gets.
    pub fn enter(&self, session: SessionId, activity: A) -> (i32, Arc<Backend<A>>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number, self.enter_as(number, session, activity))
    }

    /// Enters a session whose number was given to it elsewhere.
    pub fn enter_as(&self, number: i32, session: SessionId, activity: A) -> Arc<Backend<A>> {
        let (interrupts, activity) = (Arc::new(Interrupts::new(session)), Mutex::new(activity));
        let backend = Arc::new(Backend { session, interrupts, activity });
        self.lock().insert(number, Arc::clone(&backend));
        backend
    }

    /// Removes a session that has ended.
    pub fn leave(&self, number: i32) {
        self.lock().remove(&number);
    }

    /// The session with this number; `None` if it has ended.
    pub fn find(&self, number: i32) -> Option<Arc<Backend<A>>> {
        self.lock().get(&number).cloned()
    }

    /// All sessions with their numbers, sorted by these.
    pub fn all(&self) -> Vec<(i32, Arc<Backend<A>>)> {
        self.lock().iter().map(|(&number, backend)| (number, Arc::clone(backend))).collect()
    }
}
