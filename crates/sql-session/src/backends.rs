//! The sessions of a server by their numbers, as the others see them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hobgoblin_core::SessionId;

use super::alarms::Alarms;
use super::interrupts::Interrupts;

/// A session as others see it; `A` is what is told of what it does.
#[derive(Debug)]
pub struct Backend<A> {
    /// The session as the store knows it.
    pub session: SessionId,
    /// What ends its statements from outside.
    pub interrupts: Arc<Interrupts>,
    activity: Mutex<A>,
}

impl<A: Clone> Backend<A> {
    /// What it does.
    pub fn activity(&self) -> A {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It does something else now.
    pub fn update(&self, update: impl FnOnce(&mut A)) {
        update(&mut self.activity.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// All sessions of a server.
#[derive(Debug)]
pub struct Backends<A> {
    next: AtomicI32,
    all: Mutex<BTreeMap<i32, Arc<Backend<A>>>>,
    /// What keeps the time for their statements.
    pub alarms: Arc<Alarms>,
}

impl<A> Backends<A> {
    /// None yet; the first that comes has this number.
    pub fn new(first: i32) -> Backends<A> {
        Backends { next: AtomicI32::new(first), all: Mutex::default(), alarms: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<i32, Arc<Backend<A>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session is there; its number.
    pub fn enter(&self, session: SessionId, activity: A) -> (i32, Arc<Backend<A>>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number, self.enter_as(number, session, activity))
    }

    /// A session is there that has its number from elsewhere.
    pub fn enter_as(&self, number: i32, session: SessionId, activity: A) -> Arc<Backend<A>> {
        let (interrupts, activity) = (Arc::new(Interrupts::new(session)), Mutex::new(activity));
        let backend = Arc::new(Backend { session, interrupts, activity });
        self.lock().insert(number, Arc::clone(&backend));
        backend
    }

    /// A session is gone.
    pub fn leave(&self, number: i32) {
        self.lock().remove(&number);
    }

    /// The session of a number.
    pub fn find(&self, number: i32) -> Option<Arc<Backend<A>>> {
        self.lock().get(&number).cloned()
    }

    /// All of them with their numbers.
    pub fn all(&self) -> Vec<(i32, Arc<Backend<A>>)> {
        self.lock().iter().map(|(&number, backend)| (number, Arc::clone(backend))).collect()
    }
}
