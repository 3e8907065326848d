//! Which session goes next: at each step a random one that has something left.
//!
//! A session is a future that waits for its turn before each step; nothing else in it waits. So one
//! thread runs them all, and a seed is a schedule.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hobgoblin_core::Rng;

use crate::session::Stop;

/// A session as it goes on.
type Going<'a> = Pin<Box<dyn Future<Output = Result<(), Stop>> + 'a>>;

/// A random schedule.
#[derive(Clone, Debug)]
pub struct Schedule(Rng);

impl Schedule {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Schedule {
        Schedule(Rng::new(seed))
    }

    /// Runs sessions to their end, step by step.
    pub fn run<'a>(&mut self, sessions: Vec<Going<'a>>) -> Result<(), Stop> {
        let mut context = Context::from_waker(Waker::noop());
        let mut left = Vec::with_capacity(sessions.len());
        for mut session in sessions {
            // Up to its first turn, which is no step yet.
            match session.as_mut().poll(&mut context) {
                Poll::Ready(done) => done?,
                Poll::Pending => left.push(session),
            }
        }
        while !left.is_empty() {
            let at = self.0.below(left.len() as u32) as usize;
            if let Poll::Ready(done) = left[at].as_mut().poll(&mut context) {
                done?;
                drop(left.swap_remove(at));
            }
        }
        Ok(())
    }
}

/// Lets others go first, perhaps.
pub fn turn() -> impl Future<Output = ()> {
    let mut waited = false;
    std::future::poll_fn(move |_| {
        if waited {
            return Poll::Ready(());
        }
        waited = true;
        Poll::Pending
    })
}
