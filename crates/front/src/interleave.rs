//! Async tasks on one thread, interleaved as one seed decides.
//!
//! Every request of a task is a point where another task may go on. The executor polls one task until it
//! is about to make a request, then lets the scheduler pick who makes the next. There are no threads, and time is
//! that of [`time`](crate::time), so the same seed gives the same run, and a run costs little more than its requests.
//!
//! ```
//! use hobgoblin_front::{Config, Error, Schedule, Scheduler, Store, YieldAt, interleave, task};
//!
//! let store = Store::new(Config::default())?;
//! let tasks = ["one", "two"].map(|name| {
//!     let mut session = store.async_session();
//!     task(async move {
//!         session.put("last", name).await?;
//!         session.get("last").await
//!     })
//! });
//! let mut scheduler = Scheduler::new(Schedule::Random, 7);
//! let seen = interleave(&store, &mut scheduler, YieldAt::Request, tasks.into());
//! assert!(seen.into_iter().all(|value: Result<_, Error>| value.is_ok()));
//! # Ok::<(), Error>(())
//! ```

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use hobgoblin_core::SessionId;
use hobgoblin_store::Scheduler;

use crate::store::Store;
use crate::time::Ticking;
use crate::turn::{Mode, Restore, Turn, YieldAt, turn, within};

/// A task to interleave.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::test::{Task, task};
///
/// let one: Task<'_, i64> = task(async { 1 });
/// # drop(one);
/// ```
pub type Task<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A future as a [`Task`].
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::test::task;
///
/// let tasks = vec![task(async { 1 }), task(async { 2 })];
/// # drop(tasks);
/// ```
pub fn task<'a, T>(future: impl Future<Output = T> + 'a) -> Task<'a, T> {
    Box::pin(future)
}

/// Remembers that a task was woken.
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

struct Runner<'a, T> {
    task: Option<Task<'a, T>>,
    output: Option<T>,
    bell: Arc<Bell>,
    waker: Waker,
}

/// Runs tasks on this thread until all are done; their outputs come in the order of the tasks. When all
/// wait for locks, one gives up.
///
/// # Panics
///
/// When a task panics, and when the tasks that are left wait for something other than the store.
pub fn interleave<T>(
    store: &Store,
    scheduler: &mut Scheduler,
    at: YieldAt,
    tasks: Vec<Task<'_, T>>,
) -> Vec<T> {
    let clock = Ticking::start();
    let _restore = Restore::off();
    let mut runners: Vec<Runner<'_, T>> = tasks.into_iter().map(Runner::new).collect();
    // Every task first runs to its first request, in order.
    let mut ready: Vec<SessionId> = Vec::with_capacity(runners.len());
    let mut left = runners.len();
    for place in 0..runners.len() {
        clock.runs(place);
        run(&mut runners, place, Mode::Used(at), &mut ready, &mut left);
    }
    while left > 0 {
        for (place, runner) in runners.iter().enumerate() {
            if runner.bell.0.swap(false, Ordering::Acquire) && runner.task.is_some() {
                let task = SessionId::new(place);
                if !ready.contains(&task) {
                    ready.push(task);
                }
            }
        }
        let awake = ready.len();
        clock.wake(&mut ready);
        if ready.is_empty() {
            assert!(
                store.unstick()
                    || runners.iter().any(|runner| runner.bell.0.load(Ordering::Acquire)),
                "{} for something other than the store; interleaved tasks may only await requests of \
                 their sessions and `hobgoblin::time::sleep`",
                if left == 1 { "a task waits".to_owned() } else { format!("{left} tasks wait") }
            );
            continue;
        }
        let asleep = ready[awake..].to_vec();
        ready.sort_unstable();
        let chosen = ready.swap_remove(scheduler.pick(&ready));
        if !asleep.is_empty() {
            ready.retain(|task| !asleep.contains(task));
        }
        let place = chosen.index();
        if asleep.contains(&chosen) {
            clock.advance(place);
        }
        clock.runs(place);
        run(&mut runners, place, Mode::Granted(at), &mut ready, &mut left);
    }
    runners.into_iter().filter_map(|runner| runner.output).collect()
}

/// Polls one task until it is about to make a request that is not granted, waits, or is done.
fn run<T>(
    runners: &mut [Runner<'_, T>],
    place: usize,
    mode: Mode,
    ready: &mut Vec<SessionId>,
    left: &mut usize,
) {
    let runner = &mut runners[place];
    let Some(task) = &mut runner.task else { return };
    let poll = || task.as_mut().poll(&mut Context::from_waker(&runner.waker));
    match within(mode, poll) {
        (Poll::Ready(output), _) => {
            runner.output = Some(output);
            runner.task = None;
            *left -= 1;
        }
        (Poll::Pending, true) => ready.push(SessionId::new(place)),
        (Poll::Pending, false) => {}
    }
}

impl<'a, T> Runner<'a, T> {
    fn new(task: Task<'a, T>) -> Runner<'a, T> {
        let bell = Arc::new(Bell(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&bell));
        Runner { task: Some(task), output: None, bell, waker }
    }
}

/// Lets another interleaved task go on before what follows, as before a request; elsewhere it does nothing.
pub fn next_turn() -> impl Future<Output = ()> + Send {
    std::future::poll_fn(|_| match turn(true) {
        Turn::Yield => Poll::Pending,
        Turn::Go | Turn::Free => Poll::Ready(()),
    })
}

impl Store {
    /// Runs tasks on this thread; at every [`Options::yield_at`](crate::Options::yield_at) the store's seed and
    /// [`Options::schedule`](crate::Options::schedule) decide whose turn it is. See [`interleave()`].
    pub fn interleave<T>(&self, tasks: Vec<Task<'_, T>>) -> Vec<T> {
        let state = self.shared.lock();
        let (mut scheduler, at) = (state.scheduler.clone(), state.yield_at);
        drop(state);
        let outputs = interleave(self, &mut scheduler, at, tasks);
        self.shared.lock().scheduler = scheduler;
        outputs
    }
}
