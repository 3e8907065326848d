//! All cores: every worker has a stack of histories of its own and gives the oldest away when another one has
//! nothing to do.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::end::End;
use crate::estimate::Estimate;
use crate::explorer::{ExploreError, Found, Progress, Stopped, Watch};

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
    /// Histories found in this run, where their number is bounded.
    histories: AtomicU64,
    deadline: Option<Instant>,
}

/// What nobody works on, and what came out so far.
struct Pool {
    open: Vec<Branch>,
    found: Found,
    error: Option<ExploreError>,
    finished: bool,
    told: Instant,
    estimate: Estimate,
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
        histories: AtomicU64::new(0),
        pool: Box::new(Mutex::new(Pool {
            estimate: Estimate::new(&open),
            open,
            found,
            error: None,
            finished: false,
            told: now,
        })),
        changed: Condvar::new(),
        hungry: AtomicUsize::new(0),
        stopping: AtomicBool::new(false),
        deadline: compiled.options.time.map(|time| now + time),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| shared.work(threads));
        }
        shared.work(threads);
    });
    let mut pool = shared.pool.into_inner().unwrap_or_else(PoisonError::into_inner);
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

    fn work(&self, threads: usize) {
        let mut own: Vec<Branch> = Vec::new();
        let mut found = Found::default();
        while own.pop().is_some_and(|branch| self.steps(branch, &mut own, &mut found))
            || self.take(&mut own, threads)
        {
            self.settle(&mut found);
        }
        let mut pool = self.lock();
        pool.open.append(&mut own);
        add(&mut pool.found, &mut found);
    }

    /// Works for a while; whether there is something left to do.
    fn steps(&self, first: Branch, own: &mut Vec<Branch>, found: &mut Found) -> bool {
        own.push(first);
        for _ in 0..STEPS {
            if self.stopping.load(Ordering::Relaxed) {
                return false;
            }
            let Some(branch) = own.pop() else { return true };
            match self.compiled.expand(branch, own, found) {
                Ok(None) => {}
                Ok(Some(end)) => {
                    if !self.end(&end, found) {
                        own.push(end);
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
        if self.hungry.load(Ordering::Relaxed) > 0 && own.len() > 1 {
            // The oldest histories have the most before them.
            let half = own.len().div_ceil(2).min(8);
            self.lock().open.extend(own.drain(..half));
            self.changed.notify_all();
        }
        true
    }

    /// A complete history; whether there may be more.
    fn end(&self, branch: &Branch, found: &mut Found) -> bool {
        let compiled = self.compiled;
        if compiled.filters() && !compiled.accepts(branch) {
            found.end_states += 1;
            return true;
        }
        if let Some(max) = compiled.options.max
            && self.histories.fetch_add(1, Ordering::Relaxed) >= max
        {
            self.stop(Some(Stopped::Max));
            return false;
        }
        found.end_states += 1;
        found.histories += 1;
        self.watch.end(&End { compiled, branch });
        true
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
    fn take(&self, own: &mut Vec<Branch>, threads: usize) -> bool {
        if self.stopping.load(Ordering::Relaxed) {
            return false;
        }
        if !own.is_empty() {
            return true;
        }
        let mut pool = self.lock();
        loop {
            if self.stopping.load(Ordering::Relaxed) || pool.finished {
                return false;
            }
            if let Some(branch) = pool.open.pop() {
                drop(pool);
                own.push(branch.detached());
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
        let estimate = pool.estimate.refine(self.compiled, WALKS).unwrap_or_default();
        let progress = Progress { found: pool.found.clone(), estimate };
        drop(pool);
        self.watch.progress(&progress);
    }
}

/// Moves counts.
fn add(total: &mut Found, part: &mut Found) {
    total.histories += part.histories;
    total.end_states += part.end_states;
    total.calls += part.calls;
    total.fruitless += part.fruitless;
    *part = Found::default();
}
