//! Time that interleaved tasks can sleep through without anybody waiting for it.
//!
//! Inside [`Store::interleave`](crate::Store::interleave) there is a clock of its own, which stands still until a task that
//! sleeps is chosen to go on. A sleep says only that no less time passes, and nobody knows how long a request of
//! another task takes; so a task that sleeps may go on at any moment, as the seed decides, except that one who
//! sleeps until later goes on later. A loop that backs off between its tries is interleaved like any other code:
//!
//! ```
#![doc = include_str!("facade.txt")]
//! use std::time::Duration;
//!
//! use hobgoblin::store::Config;
//! use hobgoblin::test::task;
//! use hobgoblin::{Error, Store, time};
//!
//! let store = Store::new(Config::default())?;
//! let tasks = [1, 60].map(|minutes| {
//!     let mut session = store.async_session();
//!     task(async move {
//!         time::sleep(Duration::from_secs(60 * minutes)).await;
//!         session.put("last", minutes).await?;
//!         Ok::<_, Error>(time::now())
//!     })
//! });
//! let woke: Result<Vec<_>, _> = store.interleave(tasks.into()).into_iter().collect();
//! assert!(woke?[1] >= Duration::from_secs(3600), "and nobody waited for it");
//! # Ok::<(), Error>(())
//! ```
//!
//! Elsewhere time is what it is, and a sleep takes as long as it says.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;

use crate::turn::is_driven;

/// The clock of interleaved tasks.
#[derive(Debug, Default)]
struct Clock {
    now: Duration,
    /// The number of the task that runs.
    task: usize,
    /// Until when which task sleeps, by the number of the sleep.
    sleeps: Vec<(Duration, usize, u64)>,
    next: u64,
}

thread_local! {
    static CLOCK: RefCell<Clock> = RefCell::default();
}

/// The time since an outermost [`interleave()`](crate::interleave()) began, on its clock; outside of one, since this
/// was first called.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::store::Config;
/// use hobgoblin::test::task;
/// use hobgoblin::{Store, time};
///
/// let store = Store::new(Config::default())?;
/// let passed = store.interleave(vec![task(async {
///     time::sleep(Duration::from_secs(3600)).await;
///     time::now()
/// })]);
/// assert_eq!(passed, [Duration::from_secs(3600)]);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
pub fn now() -> Duration {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    match is_driven() {
        true => CLOCK.with_borrow(|clock| clock.now),
        false => START.get_or_init(Instant::now).elapsed(),
    }
}

/// Sleeps for so long; see the [module](self).
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::store::Config;
/// use hobgoblin::test::task;
/// use hobgoblin::{Store, time};
///
/// let store = Store::new(Config::default())?;
/// let passed = store.interleave(vec![task(async {
///     time::sleep(Duration::from_secs(3600)).await;
///     time::now()
/// })]);
/// assert_eq!(passed, [Duration::from_secs(3600)]);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
pub fn sleep(time: Duration) -> Sleep {
    Sleep { time, stage: Stage::New }
}

/// What [`sleep`] gives.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::store::Config;
/// use hobgoblin::test::task;
/// use hobgoblin::{Store, time};
///
/// let store = Store::new(Config::default())?;
/// let passed = store.interleave(vec![task(async {
///     time::sleep(Duration::from_secs(3600)).await;
///     time::now()
/// })]);
/// assert_eq!(passed, [Duration::from_secs(3600)]);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing until it is awaited"]
pub struct Sleep {
    time: Duration,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    New,
    /// On the clock of interleaved tasks.
    Driven {
        until: Duration,
        number: u64,
    },
    /// On a thread that sleeps: whether it is over, or whom to wake then.
    Real(Arc<Mutex<Real>>),
    Done,
}

#[derive(Debug, Default)]
struct Real {
    over: bool,
    waker: Option<Waker>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &self.stage {
            Stage::New if is_driven() => {
                let (until, number) = CLOCK.with_borrow_mut(|clock| clock.sleep(self.time));
                self.stage = Stage::Driven { until, number };
            }
            Stage::New => {
                let real = Arc::new(Mutex::new(Real {
                    over: false,
                    waker: Some(context.waker().clone()),
                }));
                let (time, shared) = (self.time, Arc::clone(&real));
                let wait = move || {
                    std::thread::sleep(time);
                    let waker = {
                        let mut real = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        real.over = true;
                        real.waker.take()
                    };
                    waker.into_iter().for_each(Waker::wake);
                };
                let thread = std::thread::Builder::new().name("hobgoblin-sleep".to_owned());
                if let Err(error) = thread.spawn(wait) {
                    panic!("a sleep needs a thread, and there is none: {error}");
                }
                self.stage = Stage::Real(real);
            }
            Stage::Driven { until, .. } if CLOCK.with_borrow(|clock| clock.now >= *until) => {
                self.stage = Stage::Done;
                return Poll::Ready(());
            }
            Stage::Real(real) => {
                let mut real = real.lock().unwrap_or_else(PoisonError::into_inner);
                if real.over {
                    drop(real);
                    self.stage = Stage::Done;
                    return Poll::Ready(());
                }
                real.waker = Some(context.waker().clone());
            }
            Stage::Driven { .. } => {}
            Stage::Done => return Poll::Ready(()),
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Stage::Driven { number, .. } = self.stage {
            CLOCK.with_borrow_mut(|clock| clock.sleeps.retain(|(_, _, other)| *other != number));
        }
    }
}

impl Clock {
    fn sleep(&mut self, time: Duration) -> (Duration, u64) {
        let until = self.now.saturating_add(time);
        self.next += 1;
        self.sleeps.push((until, self.task, self.next));
        (until, self.next)
    }
}

/// The clock while tasks are interleaved; whoever interleaves inside a task goes on from its time.
pub(crate) struct Ticking {
    outer: Clock,
}

impl Ticking {
    pub(crate) fn start() -> Ticking {
        let nested = is_driven();
        let outer = CLOCK.take();
        let now = if nested { outer.now } else { Duration::ZERO };
        CLOCK.set(Clock { now, next: outer.next, ..Clock::default() });
        Ticking { outer }
    }

    /// Says which task runs.
    pub(crate) fn runs(&self, task: usize) {
        CLOCK.with_borrow_mut(|clock| clock.task = task);
    }

    /// Adds those who may wake next and are not ready for another reason.
    pub(crate) fn wake(&self, ready: &mut Vec<SessionId>) {
        CLOCK.with_borrow(|clock| {
            let Some(first) = clock.sleeps.iter().map(|(until, ..)| *until).min() else { return };
            for (until, task, _) in &clock.sleeps {
                let task = SessionId::new(*task);
                if *until == first && !ready.contains(&task) {
                    ready.push(task);
                }
            }
        });
    }

    /// Moves the clock on to where this task wakes.
    pub(crate) fn advance(&self, task: usize) {
        CLOCK.with_borrow_mut(|clock| {
            let own = clock.sleeps.iter().filter(|(_, sleeper, _)| *sleeper == task);
            if let Some(until) = own.map(|(until, ..)| *until).min() {
                clock.now = clock.now.max(until);
                clock.sleeps.retain(|(until, sleeper, _)| *sleeper != task || *until > clock.now);
            }
        });
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        let inner = CLOCK.take();
        let mut outer = std::mem::take(&mut self.outer);
        outer.now = outer.now.max(inner.now);
        outer.next = inner.next;
        CLOCK.set(outer);
    }
}
