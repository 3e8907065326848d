//! Connections whose clients have said nothing yet, or are idle: a bounded number of them.
//!
//! Whoever opens sockets and says nothing must not keep others out. Such a connection has a place here; when
//! all places are taken, the one that has waited longest is closed. A client that says what it wants leaves
//! the crowd, and counts elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The clients that wait, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Crowd {
    max: usize,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    next: u64,
    closed: bool,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// The place of one who waits; free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Crowd {
    pub(crate) fn new(max: usize) -> Arc<Crowd> {
        Arc::new(Crowd { max: max.max(1), inside: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        // What a panic may leave behind is a table with one entry more or less.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more, if need be that of the one who has waited longest. Who has to go is told.
    pub(crate) fn enter(self: &Arc<Crowd>, go: Arc<Notify>) -> Place {
        let mut inside = self.lock();
        let number = inside.next;
        inside.next += 1;
        if inside.closed {
            go.notify_one();
        } else {
            inside.waiting.insert(number, go);
        }
        while inside.waiting.len() > self.max {
            if let Some((_, oldest)) = inside.waiting.pop_first() {
                oldest.notify_one();
            }
        }
        Place { crowd: Arc::clone(self), number }
    }

    /// Sends the older half away: the system has no room for more.
    pub(crate) fn thin_out(&self) {
        let mut inside = self.lock();
        for _ in 0..inside.waiting.len().div_ceil(2) {
            if let Some((_, oldest)) = inside.waiting.pop_first() {
                oldest.notify_one();
            }
        }
    }

    /// Sends everybody away, and whoever comes later.
    pub(crate) fn close(&self) {
        let mut inside = self.lock();
        inside.closed = true;
        std::mem::take(&mut inside.waiting).into_values().for_each(|go| go.notify_one());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().waiting.remove(&self.number);
    }
}
