//! One thread that keeps the time for all statements of a server, and raises flags again that were overlooked.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hobgoblin_front::Store;

use super::interrupts::{Interrupts, Why};

/// How soon a flag is raised again that its session has not seen.
const AGAIN: Duration = Duration::from_millis(10);

/// How long the thread stays when there is nothing to do, before it ends.
const REST: Duration = Duration::from_secs(10);

/// Interrupts what a session does, unless that has ended: its turn is another one now.
fn interrupt(interrupts: &Interrupts, store: &Store, why: Why, turn: u64) {
    interrupts.raise(why, turn);
    if interrupts.is_raised() {
        store.interrupt(interrupts.session());
    }
}

/// A session that is to be interrupted at some time.
struct Alarm {
    interrupts: Weak<Interrupts>,
    store: Store,
    why: Why,
    turn: u64,
}

/// The alarms of a server's sessions, in the order in which they are due.
#[derive(Default)]
pub struct Alarms {
    all: Mutex<All>,
    changed: Condvar,
}

impl std::fmt::Debug for Alarms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Alarms").field("due", &self.lock().due.len()).finish()
    }
}

#[derive(Default)]
struct All {
    due: BTreeMap<(Instant, u64), Alarm>,
    next: u64,
    /// Whether the thread is running that keeps the time.
    kept: bool,
}

/// An alarm that was set, by which it can be unset.
#[derive(Clone, Copy, Debug)]
pub struct AlarmId(Instant, u64);

impl Alarms {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Interrupts a session after a time, unless the alarm is [unset](Alarms::unset) before.
    pub fn set(
        self: &Arc<Self>,
        after: Duration,
        interrupts: &Arc<Interrupts>,
        store: &Store,
        why: Why,
    ) -> Option<AlarmId> {
        let at = Instant::now().checked_add(after)?;
        let mut all = self.lock();
        let number = all.next;
        all.next += 1;
        let first = all.due.keys().next().is_none_or(|&(first, _)| at < first);
        let turn = interrupts.turn();
        let interrupts = Arc::downgrade(interrupts);
        let alarm = Alarm { interrupts, store: store.clone(), why, turn };
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

    /// Removes an alarm, since the statement it was for has ended.
    pub fn unset(&self, AlarmId(at, number): AlarmId) {
        let mut all = self.lock();
        if all.due.remove(&(at, number)).is_none() {
            // It went off, and goes off again until the statement has ended.
            all.due.retain(|&(_, other), _| other != number);
        }
    }

    /// Interrupts a session now.
    pub fn interrupt(self: &Arc<Self>, interrupts: &Arc<Interrupts>, store: &Store, why: Why) {
        interrupt(interrupts, store, why, interrupts.turn());
        if interrupts.is_raised() {
            self.set(AGAIN, interrupts, store, why);
        }
    }

    /// The work of the thread: raises flags when they are due, until there is nothing to do for a
    /// while.
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
        let raised = alarm.interrupts.upgrade().is_some_and(|interrupts| {
            interrupt(&interrupts, &alarm.store, alarm.why, alarm.turn);
            interrupts.is_raised() && interrupts.turn() == alarm.turn
        });
        let mut all = self.lock();
        if raised {
            all.due.insert((Instant::now() + AGAIN, number), alarm);
        }
        all
    }
}
