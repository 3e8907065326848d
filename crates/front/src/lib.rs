//! Sessions over a weak-isolation store: for threads, for async tasks, and for a server.
//!
//! The store itself, [`Machine`], is a state machine that never waits. This crate
//! adds all that has to do with time and with who calls:
//!
//! - [`Store`] is a handle to share. [`Session`] and [`Transaction`] block the thread that asks;
//!   [`AsyncSession`] and [`AsyncTransaction`] give futures that any executor runs.
//! - A request that meets a lock waits until the lock is free, there is a deadlock, or
//!   [`Options::lock_timeout`] passes.
//! - With [`Options::hold`] an engine's requests are held for a moment, so that the seeded scheduler has
//!   sessions to choose from.
//! - With [`Options::serial`] transactions come one at a time, as far as the program lets them; where it does
//!   not, [`Store::overlaps`] says why.
//! - With [`Options::replay`] requests are held until their turn in a log, and a program that asks something
//!   else than it did is noticed: [`Store::divergence`].
//! - [`interleave()`] runs async tasks on one thread, in an order that one seed decides.
//!
//! ```
//! use hobgoblin_core::Level;
//! use hobgoblin_front::{Config, Store};
//!
//! let store = Store::new(Config::default().level(Level::CC))?;
//! let (mut alice, mut bob) = (store.session(), store.session());
//! let mut t = alice.begin()?;
//! t.put("x", 1)?;
//! t.commit()?;
//! // Causal consistency lets Bob see it, or not yet.
//! let seen = bob.get("x")?;
//! assert!(seen == 1.into() || seen == hobgoblin_core::Value::Null);
//! # Ok::<(), hobgoblin_front::Error>(())
//! ```

mod async_session;
mod blocked;
mod cast;
mod error;
#[cfg(feature = "files")]
mod file_sink;
mod follow;
mod gate;
mod habits;
mod interleave;
mod op;
mod options;
mod overlap;
mod pending;
mod serial;
mod session;
mod shape;
mod shared;
mod sink;
mod sleep;
mod stage;
mod state;
mod store;
pub mod time;
mod turn;
mod typed;

pub use async_session::{AsyncSession, AsyncTransaction};
pub use error::Error;
#[cfg(feature = "files")]
pub use file_sink::{FileError, FileSink};
pub use gate::{Difference, Differences, Divergence, Replay};
pub use hobgoblin_store::{
    AbortReason, Answer, Config, Entry, KeyRange, KeyWait, Lock, Log, Machine, Mode, ObjectLock,
    Policy, Profile, Request, Scanning, Schedule, Scheduler, Scope, SessionRequest, Stats,
    StoreError, Token, TokenError, TokenStep, TransactionRequest, Wait,
};
#[cfg(feature = "files")]
pub use hobgoblin_store::{LogError, LogFile};
pub use interleave::{Task, interleave, next_turn, task};
pub use options::{HoldFor, Options, TxnOptions};
pub use overlap::{Overlap, WhyOverlap};
pub use pending::Pending;
pub use session::{Session, Transaction};
pub use sink::Sink;
pub use store::{LockWait, Store};
pub use turn::YieldAt;
