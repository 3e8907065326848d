//! The sessions of all databases by their process ids, as `pg_stat_activity` and `pg_blocking_pids` show them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hobgoblin_core::SessionId;

use super::interrupts::{Alarms, Interrupts};

/// What a session is doing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    pub(crate) database: String,
    pub(crate) user: String,
    pub(crate) application: String,
    /// The statement that runs, or ran last.
    pub(crate) query: String,
    pub(crate) state: State,
}

/// `pg_stat_activity.state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    Active,
    #[default]
    Idle,
    InTransaction,
    Failed,
}

impl State {
    pub(crate) fn name(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Idle => "idle",
            State::InTransaction => "idle in transaction",
            State::Failed => "idle in transaction (aborted)",
        }
    }
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) session: SessionId,
    pub(crate) interrupts: Interrupts,
    activity: Mutex<Activity>,
}

impl Backend {
    pub(crate) fn activity(&self) -> Activity {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn update(&self, update: impl FnOnce(&mut Activity)) {
        update(&mut self.activity.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

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
