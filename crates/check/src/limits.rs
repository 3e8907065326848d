//! When to stop: the caller decides, the checkers ask.

use std::time::{Duration, Instant};

use hobgoblin_core::StopReason;

type Ask = dyn Fn() -> Option<StopReason> + Send + Sync;

/// Asked now and then by every check; answers with a reason once the check should stop. Checks never
/// look at a clock or at memory themselves, so without limits they are pure functions.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::check::{Limits, StopReason};
///
/// let limits = Limits::time(Duration::from_secs(10));
/// assert_eq!(limits.check(), Ok(()));
/// let over = Limits::time(Duration::ZERO);
/// assert_eq!(over.check(), Err(StopReason::Time));
/// ```
#[derive(Default)]
pub struct Limits {
    ask: Option<Box<Ask>>,
}

impl std::fmt::Debug for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limits").field("limited", &self.ask.is_some()).finish()
    }
}

impl Limits {
    /// Limits that never stop a check.
    pub fn none() -> Limits {
        Limits { ask: None }
    }

    /// Stops when `ask` says so.
    pub fn new(ask: impl Fn() -> Option<StopReason> + Send + Sync + 'static) -> Limits {
        Limits { ask: Some(Box::new(ask)) }
    }

    /// Stops this long from now; never, if that is later than a clock can say.
    pub fn time(duration: Duration) -> Limits {
        let Some(deadline) = Instant::now().checked_add(duration) else { return Limits::none() };
        Limits::new(move || (Instant::now() >= deadline).then_some(StopReason::Time))
    }

    /// Whether a limit is reached by now; if so, which.
    pub fn check(&self) -> Result<(), StopReason> {
        match &self.ask {
            Some(ask) => ask().map_or(Ok(()), Err),
            None => Ok(()),
        }
    }
}

/// Asks [`Limits`] once every so many steps.
#[derive(Debug)]
pub(crate) struct Ticker<'a> {
    limits: &'a Limits,
    left: u32,
}

impl<'a> Ticker<'a> {
    const EVERY: u32 = 1 << 12;

    pub(crate) fn new(limits: &'a Limits) -> Ticker<'a> {
        Ticker { limits, left: Self::EVERY }
    }

    /// Counts `steps` of work.
    #[inline]
    pub(crate) fn tick(&mut self, steps: usize) -> Result<(), StopReason> {
        let steps = steps.min(u32::MAX as usize) as u32;
        if self.left > steps {
            self.left -= steps;
            return Ok(());
        }
        self.left = Self::EVERY;
        self.limits.check()
    }
}
