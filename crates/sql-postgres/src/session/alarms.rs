//! One thread that keeps the time for all statements of a server, and raises flags again that were overlooked.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hobgoblin_front::Store;

use super::backend::Backend;
use super::interrupts::Why;

/// How soon a flag that was overlooked is raised again.
const AGAIN: Duration = Duration::from_millis(10);

/// How long the thread waits for something to do before it ends.
const REST: Duration = Duration::from_secs(10);

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
