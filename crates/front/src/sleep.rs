//! Threads that wait for answers, and who of them keeps the time.
//!
//! A thread is woken when its own answer is there, and not for the answers of others: where a hundred wait for one
//! lock, one goes on at a time. Deadlines need a thread that wakes for them: one of the sleeping threads, the
//! keeper, sleeps only until the next deadline. Whoever releases the state makes sure that there is a keeper, and
//! that it wakes in time.

use std::cell::Cell;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

/// A waker that unparks a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    static WAKER: Waker = Waker::from(Arc::new(Unpark(std::thread::current())));
}

/// What wakes this thread from [`std::thread::park`].
pub(crate) fn waker() -> Waker {
    WAKER.with(Waker::clone)
}

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

/// The number of this thread, from 1.
pub(crate) fn thread() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    THREAD.with(|thread| {
        if thread.get() == 0 {
            thread.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        thread.get()
    })
}

/// The threads that sleep, by number.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    asleep: Vec<(u64, Waker)>,
    /// The thread that wakes for deadlines, and the time at which it will.
    keeper: Option<(u64, Instant)>,
    /// The wakers to call once the lock on the state is released.
    wakes: Vec<Waker>,
}

impl Sleepers {
    /// Puts a thread to sleep. Returns when it has to wake, if it becomes the keeper of deadlines.
    pub(crate) fn sleep(&mut self, thread: u64, deadline: Option<Instant>) -> Option<Instant> {
        self.asleep.push((thread, waker()));
        let deadline = deadline?;
        if self.keeper.is_some_and(|(_, until)| until <= deadline) {
            return None;
        }
        self.keeper = Some((thread, deadline));
        Some(deadline)
    }

    /// Says that a thread has woken up.
    pub(crate) fn awake(&mut self, thread: u64) {
        if let Some(at) = self.asleep.iter().position(|(asleep, _)| *asleep == thread) {
            self.asleep.swap_remove(at);
        }
        self.keeper.take_if(|(keeper, _)| *keeper == thread);
    }

    /// Notes that the waiter with this waker has an answer.
    pub(crate) fn wake(&mut self, waker: Waker) {
        self.wakes.push(waker);
    }

    /// Sees to it that some thread wakes for the next deadline.
    pub(crate) fn keep(&mut self, deadline: Option<Instant>) {
        let Some(deadline) = deadline else { return };
        let late = match self.keeper {
            Some((_, until)) if until <= deadline => return,
            Some((keeper, _)) => self.asleep.iter().find(|(asleep, _)| *asleep == keeper),
            None => self.asleep.first(),
        };
        self.wakes.extend(late.map(|(_, waker)| waker.clone()));
    }

    /// Takes the wakers to call, once the lock on the state is released.
    pub(crate) fn take_wakes(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.wakes)
    }
}
