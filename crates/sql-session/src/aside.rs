//! Reads the texts of statements, long ones aside.
//!
//! A timeout ends a statement also while its text is read. A parser may look whether it is told to stop, but a megabyte
//! of tokens takes its time to be looked through, and so does a tree that is given back. So a long text is read on a
//! thread of its own, which the session leaves behind when it is interrupted.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::interrupts::Interrupts;

/// How often a session whose text is being read looks whether it is interrupted.
const LOOK: Duration = Duration::from_millis(5);

/// Reads the texts of a session into values of type `T`.
pub struct Reading<T> {
    /// The reading that an interrupted statement left behind. It ends soon; until then the session
    /// reads no other text aside, so that it never has more than one such thread.
    left: Option<Aside<T>>,
}

impl<T> Default for Reading<T> {
    fn default() -> Reading<T> {
        Reading { left: None }
    }
}

impl<T> fmt::Debug for Reading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading").field("left", &self.left.is_some()).finish()
    }
}

/// A text that is being read on a thread of its own.
struct Aside<T> {
    thread: JoinHandle<T>,
    /// Closes when the thread is done; nothing is ever sent.
    done: Receiver<Infallible>,
    stop: Arc<AtomicBool>,
}

impl<T: Send + 'static> Reading<T> {
    /// Does work on a thread of its own, which is told by a flag when to stop. The result is `None`
    /// if the session is interrupted first, and an error if no thread can be had.
    pub fn aside(
        &mut self,
        interrupts: &Interrupts,
        work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        if let Some(left) = self.left.take()
            && !left.is_done(interrupts)
        {
            self.left = Some(left);
            return Ok(None);
        }
        let aside = Aside::of(work)?;
        if aside.is_done(interrupts) {
            return Ok(Some(aside.thread.join().unwrap_or_else(|panic| resume_unwind(panic))));
        }
        aside.stop.store(true, Ordering::Relaxed);
        self.left = Some(aside);
        Ok(None)
    }
}

impl<T: Send + 'static> Aside<T> {
    fn of(work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static) -> io::Result<Aside<T>> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let (working, done) = channel();
        let work = move || {
            let _working = working;
            work(told)
        };
        let thread = thread::Builder::new().name("hobgoblin-read".to_owned()).spawn(work)?;
        Ok(Aside { thread, done, stop })
    }

    /// Waits for the thread. Returns whether it was done before the session was interrupted.
    fn is_done(&self, interrupts: &Interrupts) -> bool {
        while !interrupts.is_raised() {
            match self.done.recv_timeout(LOOK) {
                Ok(never) => match never {},
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        false
    }
}
