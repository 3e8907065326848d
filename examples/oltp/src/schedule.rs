//! Which session goes next: at each step a random one that has something left.
//!
//! A session is a future that waits for its turn before each step; nothing else in it waits. So one
//! thread runs them all, and a seed is a schedule.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hobgoblin_core::Rng;

use crate::error::Error;

/// Something a session does, step by step.
pub type Going<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + 'a>>;

/// A random schedule.
#[derive(Clone, Debug)]
pub struct Schedule(Rng);

impl Schedule {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Schedule {
        Schedule(Rng::new(seed))
    }

    /// Runs sessions to their end, step by step.
    pub fn run(&mut self, mut sessions: Vec<Going<'_, ()>>) -> Result<(), Error> {
        let mut context = Context::from_waker(Waker::noop());
        while !sessions.is_empty() {
            let at = self.0.below(sessions.len() as u32) as usize;
            if let Poll::Ready(done) = sessions[at].as_mut().poll(&mut context) {
                done?;
                drop(sessions.swap_remove(at));
            }
        }
        Ok(())
    }
}

/// Runs one session to its end; others run in threads of their own, if there are others.
pub fn alone<T>(mut going: Going<'_, T>) -> Result<T, Error> {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = going.as_mut().poll(&mut context) {
            return done;
        }
    }
}

/// Lets others go first, perhaps.
pub(crate) fn turn() -> impl Future<Output = ()> {
    let mut waited = false;
    std::future::poll_fn(move |_| {
        if waited {
            return Poll::Ready(());
        }
        waited = true;
        Poll::Pending
    })
}
