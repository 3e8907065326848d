//! All cores: every worker has a stack of histories of its own and gives the oldest away when another one has
//! nothing to do.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::end::End;
use crate::error::ExploreError;
use crate::estimate::Estimate;
use crate::found::{Found, Progress, Stopped};
use crate::watch::Watch;

/// What the workers share.
struct Shared<'a> {
    compiled: &'a Compiled<'a>,
    watch: &'a dyn Watch,
    /// In memory of its own: what is looked at in every step should not move between processors with it.
    pool: Box<Mutex<Pool>>,
    changed: Condvar,
    /// How many workers have nothing to do.
    hungry: AtomicUsize,
    stopping: AtomicBool,
    deadline: Option<Instant>,
}

/// A worker's own things.
#[derive(Default)]
struct Worker {
    /// The histories it has before it.
    own: Vec<Branch>,
    /// What it found since it told the others.
    found: Found,
    /// How many histories it may still find before it asks for more, where their number is bounded.
    share: u64,
}

/// What nobody works on, and what came out so far.
struct Pool {
    open: Vec<Branch>,
    found: Found,
    error: Option<ExploreError>,
    /// What a body or whoever watches panicked with.
    panic: Option<Box<dyn Any + Send>>,
    finished: bool,
    told: Instant,
    /// Somebody may be at it.
    estimate: Option<Estimate>,
    /// How many histories nobody found and nobody has a share of, where their number is bounded.
    unshared: u64,
    /// How many workers have a share.
    shares: usize,
}

/// Explores everything from some histories; gives what was found and what is left.
pub(crate) fn run(
    compiled: &Compiled<'_>,
    watch: &dyn Watch,
    open: Vec<Branch>,
    found: Found,
) -> Result<(Found, Vec<Branch>), ExploreError> {
    let threads = compiled.options.threads.max(1);
    let now = Instant::now();
    let shared = Shared {
        compiled,
        watch,
        pool: Box::new(Mutex::new(Pool {
            estimate: Some(Estimate::new(&open)),
            open,
            found,
            error: None,
            panic: None,
            finished: false,
            told: now,
            unshared: compiled.options.max.unwrap_or(0),
            shares: 0,
        })),
        changed: Condvar::new(),
        hungry: AtomicUsize::new(0),
        stopping: AtomicBool::new(false),
        deadline: compiled.options.time.and_then(|time| now.checked_add(time)),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.work(threads));
        }
        shared.work(threads);
    });
    let mut pool = shared.pool.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(panic) = pool.panic {
        resume_unwind(panic);
    }
    if let Some(error) = pool.error {
        return Err(error);
    }
    pool.found.complete = pool.open.is_empty();
    if pool.found.complete {
        pool.found.stopped = None;
    }
    Ok((pool.found, pool.open))
}

/// How many steps a worker makes between looks at the others and the clock.
const STEPS: u32 = 256;

/// How long the estimate is refined, every time somebody is told how far it is.
const WALKS: Duration = Duration::from_millis(1);

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until there is nothing left. A panic ends the work of all, and goes on when they are back.
    fn work(&self, threads: usize) {
        let mut worker = Worker::default();
        let work = || {
            while self.steps(&mut worker) || self.take(&mut worker, threads) {
                self.settle(&mut worker.found);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.lock().panic.get_or_insert(panic);
            self.stop(None);
        }
        let mut pool = self.lock();
        pool.open.append(&mut worker.own);
        add(&mut pool.found, &mut worker.found);
    }

    /// Works for a while; whether there is something left to do.
    fn steps(&self, worker: &mut Worker) -> bool {
        for _ in 0..STEPS {
            if self.stopping.load(Ordering::Relaxed) {
                return false;
            }
            let Some(branch) = worker.own.pop() else { return false };
            match self.compiled.expand(branch, &mut worker.own, &mut worker.found) {
                Ok(None) => {}
                Ok(Some(end)) => {
                    if !self.end(&end, worker) {
                        worker.own.push(end);
                        return false;
                    }
                }
                Err(error) => {
                    self.lock().error.get_or_insert(error);
                    self.stop(None);
                    return false;
                }
            }
        }
        if self.hungry.load(Ordering::Relaxed) > 0 && worker.own.len() > 1 {
            // The oldest histories have the most before them.
            let half = worker.own.len().div_ceil(2).min(8);
            self.lock().open.extend(worker.own.drain(..half));
            self.changed.notify_all();
        }
        true
    }

    /// A complete history; whether there may be more.
    fn end(&self, branch: &Branch, worker: &mut Worker) -> bool {
        let compiled = self.compiled;
        if compiled.filters && !compiled.accepts(branch) {
            worker.found.end_states += 1;
            return true;
        }
        if compiled.options.max.is_some() {
            if worker.share == 0 && !self.share(worker) {
                self.stop(Some(Stopped::Max));
                return false;
            }
            worker.share -= 1;
            if worker.share == 0 {
                self.unshare(worker);
            }
        }
        worker.found.end_states += 1;
        worker.found.histories += 1;
        self.watch.end(&End { compiled, branch });
        true
    }

    /// Takes a share of the histories that may still be found; `false` when there are none left. Workers
    /// that count in one place would wait for each other all the time.
    fn share(&self, worker: &mut Worker) -> bool {
        let mut pool = self.lock();
        // What others have a share of may come back.
        while pool.unshared == 0 && pool.shares > 0 && !self.stopping.load(Ordering::Relaxed) {
            pool = self.changed.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        worker.share = pool.unshared.div_ceil(2 * self.compiled.options.threads.max(1) as u64);
        worker.share = worker.share.min(u64::from(STEPS));
        pool.unshared -= worker.share;
        pool.shares += usize::from(worker.share > 0);
        worker.share > 0
    }

    /// Gives back what is left of a share.
    fn unshare(&self, worker: &mut Worker) {
        let mut pool = self.lock();
        pool.unshared += std::mem::take(&mut worker.share);
        pool.shares -= 1;
        self.changed.notify_all();
    }

    fn stop(&self, why: Option<Stopped>) {
        let mut pool = self.lock();
        self.stopping.store(true, Ordering::Relaxed);
        if pool.found.stopped.is_none() {
            pool.found.stopped = why;
        }
        self.changed.notify_all();
    }

    /// Takes work from the pool, waiting for some; `false` when there is none any more.
    fn take(&self, worker: &mut Worker, threads: usize) -> bool {
        if self.stopping.load(Ordering::Relaxed) {
            return false;
        }
        if !worker.own.is_empty() {
            return true;
        }
        if worker.share > 0 {
            self.unshare(worker);
        }
        let mut pool = self.lock();
        loop {
            if self.stopping.load(Ordering::Relaxed) || pool.finished {
                return false;
            }
            if let Some(branch) = pool.open.pop() {
                drop(pool);
                worker.own.push(branch.detached());
                return true;
            }
            let idle = self.hungry.fetch_add(1, Ordering::Relaxed) + 1;
            if idle == threads {
                pool.finished = true;
                self.changed.notify_all();
                return false;
            }
            pool = self.changed.wait(pool).unwrap_or_else(PoisonError::into_inner);
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Adds up what was found, tells who watches, and looks at the clock.
    fn settle(&self, found: &mut Found) {
        let now = Instant::now();
        if self.watch.stop() {
            self.stop(Some(Stopped::Asked));
        } else if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.stop(Some(Stopped::Time));
        }
        let mut pool = self.lock();
        add(&mut pool.found, found);
        if now.duration_since(pool.told) < Duration::from_millis(50) {
            return;
        }
        pool.told = now;
        let so_far = pool.found.clone();
        let estimate = pool.estimate.take();
        drop(pool);
        let Some(mut estimate) = estimate else { return };
        let ends = estimate.refine(self.compiled, WALKS).unwrap_or_default();
        self.lock().estimate = Some(estimate);
        self.watch.progress(&Progress { found: so_far, estimate: ends });
    }
}

/// Adds what a worker found to the total, and begins anew.
fn add(total: &mut Found, part: &mut Found) {
    total.histories += part.histories;
    total.end_states += part.end_states;
    total.calls += part.calls;
    total.fruitless += part.fruitless;
    *part = Found::default();
}
