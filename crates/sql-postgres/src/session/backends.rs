//! The sessions of all databases by their process ids, as `pg_stat_activity` and `pg_blocking_pids` show them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hobgoblin_core::SessionId;

use super::alarms::Alarms;
use super::backend::{Activity, Backend};
use super::interrupts::Interrupts;

/// All of them.
pub(crate) struct Backends {
    next: AtomicI32,
    all: Mutex<BTreeMap<i32, Arc<Backend>>>,
    pub(crate) alarms: Arc<Alarms>,
}

impl Backends {
    pub(crate) fn new() -> Backends {
        Backends { next: AtomicI32::new(1000), all: Mutex::default(), alarms: Arc::default() }
    }

    /// A session is there; its process id.
    pub(crate) fn enter(&self, session: SessionId, activity: Activity) -> (i32, Arc<Backend>) {
        let pid = self.next.fetch_add(1, Ordering::Relaxed);
        let (interrupts, activity) = (Interrupts::default(), Mutex::new(activity));
        let backend = Arc::new(Backend { session, interrupts, activity });
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(pid, Arc::clone(&backend));
        (pid, backend)
    }

    pub(crate) fn leave(&self, pid: i32) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
    }

    /// The session of a process id.
    pub(crate) fn find(&self, pid: i32) -> Option<Arc<Backend>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).get(&pid).cloned()
    }

    pub(crate) fn all(&self) -> Vec<(i32, Arc<Backend>)> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().map(|(&pid, backend)| (pid, Arc::clone(backend))).collect()
    }
}
