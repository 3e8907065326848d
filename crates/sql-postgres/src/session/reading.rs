//! Reads the texts of statements, long ones aside.
//!
//! A timeout ends a statement also while its text is read. The parser looks whether it is told to stop at every
//! expression, but a megabyte of tokens takes its time to be looked through, and so does a tree that is given back.
//! So a long text is read on a thread of its own, which the session leaves behind when it is interrupted.

use std::convert::Infallible;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::interrupts::Interrupts;
use crate::error::{Result, SqlError};
use crate::parse::escapes::{Backslashes, conforming};
use crate::parse::{LONG, Statement, Stop, parse};

/// How often a session looks whether it is interrupted while its text is read.
const LOOK: Duration = Duration::from_millis(5);

/// The statements of a text, and the warnings about it.
type Read = Result<(Vec<Statement>, Vec<SqlError>)>;

/// Reads the texts of a session.
#[derive(Default)]
pub(crate) struct Reading {
    /// What was left behind. It ends soon; until then no other text is read aside, so that there is one for a session.
    left: Option<Aside>,
}

/// A text that is read on a thread of its own.
struct Aside {
    thread: JoinHandle<Read>,
    /// Hangs up when the thread is done.
    done: Receiver<Infallible>,
    stop: Arc<AtomicBool>,
}

impl Reading {
    /// The statements of a text, and the warnings about it; any for a session that is interrupted.
    pub(super) fn read(
        &mut self,
        interrupts: &Interrupts,
        sql: &str,
        how: Option<Backslashes>,
    ) -> Read {
        if sql.len() < LONG {
            return read(sql, how, &Stop::never());
        }
        if let Some(left) = self.left.take()
            && !left.is_done(interrupts)
        {
            self.left = Some(left);
            return Ok(Default::default());
        }
        let Ok(aside) = Aside::of(sql, how) else { return read(sql, how, &Stop::never()) };
        if aside.is_done(interrupts) {
            return aside.thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        aside.stop.store(true, Ordering::Relaxed);
        self.left = Some(aside);
        Ok(Default::default())
    }
}

impl Aside {
    fn of(sql: &str, how: Option<Backslashes>) -> io::Result<Aside> {
        let (sql, stop) = (sql.to_owned(), Arc::new(AtomicBool::new(false)));
        let told = Arc::clone(&stop);
        let (working, done) = channel();
        let work = move || {
            let _working = working;
            read(&sql, how, &Stop::when(move || told.load(Ordering::Relaxed)))
        };
        let thread = thread::Builder::new().name("hobgoblin-read".to_owned()).spawn(work)?;
        Ok(Aside { thread, done, stop })
    }

    /// Waits for the thread; whether it was done before the session was interrupted.
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

/// Without what the settings say of backslashes if the text has none.
fn read(sql: &str, how: Option<Backslashes>, stop: &Stop) -> Read {
    let Some(how) = how else { return Ok((parse(sql, stop)?, Vec::new())) };
    let (sql, warnings) = conforming(sql, how)?;
    Ok((parse(&sql, stop)?, warnings))
}
