//! How requests wait and in which order they go: what is set up beside the store itself.

use std::fmt;
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_store::{Policy, Schedule};

use crate::gate::Replay;
use crate::sink::Sink;
use crate::turn::YieldAt;

/// How requests wait, in which order they go, and where the history goes.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::Store;
/// use hobgoblin::store::{Config, Options, Profile};
///
/// let options = Options::default().lock_timeout(Duration::from_millis(100));
/// let store = Store::with(Config::default().profile(Profile::Postgres), options)?;
/// # drop(store);
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[non_exhaustive]
pub struct Options {
    /// How long a request of an engine profile is held, so that others can be chosen before it. `None`
    /// serves requests as they come.
    pub hold: Option<Duration>,
    /// Which sessions a held request waits for.
    pub hold_for: HoldFor,
    /// One transaction at a time: one that begins waits until no other session has one open, but not for
    /// a session that does nothing for so long; see [`Overlap`](crate::Overlap). Nothing is held then, and
    /// reads choose as [`Config::policy`](hobgoblin_store::Config::policy) says, whatever they ask for.
    #[doc(hidden)]
    pub serial: Option<Duration>,
    /// How the next of the held requests is chosen.
    pub schedule: Schedule,
    /// Where [`Store::interleave`](crate::Store::interleave) may change the task. `None` is at every begin
    /// in `spec`, where reads alone give every history and overlaps only hide some, and at every request
    /// in the engine profiles, where nothing but the order matters.
    pub yield_at: Option<YieldAt>,
    /// How long a request waits for a lock.
    pub lock_timeout: Duration,
    /// The run to follow.
    #[doc(hidden)]
    pub replay: Option<Replay>,
    /// How long the replay waits for a request whose turn it is, before it goes on without the log.
    #[doc(hidden)]
    pub replay_timeout: Duration,
    /// Where ended transactions and the log go; without one they stay in memory.
    #[doc(hidden)]
    pub sink: Option<Box<dyn Sink>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hold: None,
            hold_for: HoldFor::Open,
            serial: None,
            schedule: Schedule::Random,
            yield_at: None,
            lock_timeout: Duration::from_secs(2),
            replay: None,
            replay_timeout: Duration::from_secs(5),
            sink: None,
        }
    }
}

impl Options {
    /// Requests of an engine profile are held so long; `None` serves them as they come.
    #[must_use]
    pub fn hold(self, hold: impl Into<Option<Duration>>) -> Options {
        Options { hold: hold.into(), ..self }
    }

    /// A held request waits for these.
    #[must_use]
    pub fn hold_for(self, hold_for: HoldFor) -> Options {
        Options { hold_for, ..self }
    }

    /// One transaction at a time, but for sessions that do nothing for so long.
    #[doc(hidden)]
    #[must_use]
    pub fn serial(self, serial: impl Into<Option<Duration>>) -> Options {
        Options { serial: serial.into(), ..self }
    }

    /// The next of the held requests is chosen so.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Options {
        Options { schedule, ..self }
    }

    /// [`Store::interleave`](crate::Store::interleave) may change the task there.
    #[must_use]
    pub fn yield_at(self, yield_at: impl Into<Option<YieldAt>>) -> Options {
        Options { yield_at: yield_at.into(), ..self }
    }

    /// A request waits so long for a lock.
    #[must_use]
    pub fn lock_timeout(self, lock_timeout: Duration) -> Options {
        Options { lock_timeout, ..self }
    }

    /// The run to follow.
    #[doc(hidden)]
    #[must_use]
    pub fn replay(self, replay: impl Into<Option<Replay>>) -> Options {
        Options { replay: replay.into(), ..self }
    }

    /// A replay waits so long for a request whose turn it is.
    #[doc(hidden)]
    #[must_use]
    pub fn replay_timeout(self, replay_timeout: Duration) -> Options {
        Options { replay_timeout, ..self }
    }

    /// Ended transactions and the log go there.
    #[doc(hidden)]
    #[must_use]
    pub fn sink(self, sink: impl Sink + 'static) -> Options {
        Options { sink: Some(Box::new(sink)), ..self }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("hold", &self.hold)
            .field("hold_for", &self.hold_for)
            .field("serial", &self.serial)
            .field("schedule", &self.schedule)
            .field("yield_at", &self.yield_at)
            .field("lock_timeout", &self.lock_timeout)
            .field("replay", &self.replay.is_some())
            .field("replay_timeout", &self.replay_timeout)
            .field("sink", &self.sink.is_some())
            .finish()
    }
}

/// Whose requests a held one waits for, so that there is a choice; never longer than [`Options::hold`].
///
/// ```
#[doc = include_str!("facade.txt")]
/// use std::time::Duration;
///
/// use hobgoblin::store::{HoldFor, Options};
///
/// let options = Options::default().hold(Duration::from_millis(2)).hold_for(HoldFor::Connected);
/// # drop(options);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HoldFor {
    /// Those with an open transaction: who is alone goes at once.
    #[default]
    Open,
    /// Every connected session: transactions overlap that begin a hold apart, also where each statement
    /// is a transaction. A session that three holds have waited for in vain, as the idle connections of a
    /// pool, is not waited for until it asks again; who asks for the first time, or again, waits for all.
    Connected,
}

/// What a transaction asks for; what is not given is the session's or the store's.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::{Config, TxnOptions};
/// use hobgoblin::{Level, Store};
///
/// let store = Store::new(Config::default())?;
/// let options = TxnOptions::new().level(Level::RC).tries(5);
/// store.session().transaction_with(options, |t| t.put("x", 1))?;
/// # Ok::<(), hobgoblin::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TxnOptions {
    /// The level it runs at.
    pub level: Option<Level>,
    /// How its reads choose.
    pub policy: Option<Policy>,
    /// How often [`transaction`](crate::Session::transaction) runs it when the store aborts it.
    pub tries: u32,
}

impl Default for TxnOptions {
    fn default() -> TxnOptions {
        TxnOptions { level: None, policy: None, tries: 100 }
    }
}

impl TxnOptions {
    /// Options that ask for nothing, so that the session's and the store's hold.
    pub fn new() -> TxnOptions {
        TxnOptions::default()
    }

    /// Asks for a transaction at this level.
    #[must_use]
    pub fn level(self, level: Level) -> TxnOptions {
        TxnOptions { level: Some(level), ..self }
    }

    /// Reading by this policy.
    #[must_use]
    pub fn policy(self, policy: Policy) -> TxnOptions {
        TxnOptions { policy: Some(policy), ..self }
    }

    /// Run so often, at least once, when the store aborts it.
    #[must_use]
    pub fn tries(self, tries: u32) -> TxnOptions {
        TxnOptions { tries, ..self }
    }
}
